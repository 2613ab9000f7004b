// routine.h — the caller's declarations: fibre routines, and the sizes of a cluster.
//
// A routine is called with packets of fibres of equal routine and key, which run in lockstep lane
// groups (F1). Users of cluster.h include it. Plain values, no thread rules.
#pragma once

#include <span>
#include <string>

#include "scheduler/base/ids.h"
#include "scheduler/fibre/fibre_key.h"
#include "scheduler/fibre/packet_policy.h"

namespace weft::fibre {

class Spawner;

// Index of a declared routine.
using RoutineId = u32;

// The parent, declared first: threads launch it on their elements, and counts of zero invoke it
// again (F5).
inline constexpr RoutineId kParent = 0;

// Fibres of equal routine and key that run in lockstep lane groups. Elements are numbers of the
// cluster's own storage, [0, element_count), and distinct within a packet (F18: two fibres of one
// element never share a lane group).
struct Packet {
    u32 packet_id = 0;
    RoutineId routine = 0;
    Key key{};  // of the whole packet; mixed packets (is_mixed) carry the first fibre's key
    bool is_mixed = false;  // fibres of several keys share the packet because lanes would idle
    bool is_initial_launch = false;  // parent routine only: first launch on these elements (F5)
    float priority = 0;              // representative; parents: that of their thread (F7)
    std::span<const u32> elements{};
    std::span<const float>
        payload{};  // re-keyed lists: one number per fibre (entry distance); else empty
    // Initial launch only: the thread, its ThreadDesc::user, and the number of the first launch:
    // elements[k] is launch first_launch + k.
    u32 thread = kNone;
    u64 user = 0;
    u64 first_launch = 0;
};

// Why a packet left (F19).
enum class LeaveReason : u8 {
    Full,     // packet_fill fibres of its key, or a lane group of several keys
    Evicted,  // its key made room for another, or its collection reached packet_max
    Overdue,  // it had waited for kAgeBound packets
    Idle,     // no fuller packet was there to run
    List,     // re-keyed fibres, depth first
    Launch,   // the first launch of a thread's elements
    Resumed,  // elements that a parent had put aside
};

inline constexpr u32 kLeaveReasons = 7;

// "full", "evicted", ...
const char* leave_reason_name(LeaveReason reason);

// Where a key's data are.
enum class Fetch : u8 {
    Near,     // a packet of the key may run
    Coming,   // they are being fetched
    Refused,  // far, and no fetch can start now: ask again when something has changed
};

// A fibre routine (F1): one call runs all fibres of a packet. For a fibre it writes that fibre's
// element and what the caller keeps for the launch on it, a number of its thread's WriteRange; no
// fibre of another element writes these, so no lock is needed (F18).
struct RoutineDesc {
    std::string name;
    void (*run)(void* context, const Packet& packet, Spawner& spawner) = nullptr;
    void* context = nullptr;
    u32 packet_fill = 64;   // a collection this full is ready to leave
    u32 packet_max = 1024;  // and leaves with at most so many fibres
    // Fibres of several keys with one tag may share a packet when lanes would idle (F15); never
    // re-keyed ones, and never the parent's.
    bool may_mix_keys = true;
    // Unkeyed control: fibres gather in order of arrival whatever their key.
    bool ignores_key = false;
    Policy policy = Policy::DepthFirst;
    // Starts the fetch of the key's data when a packet is emitted (F12); may be null.
    void (*prefetch)(void* context, Key key) = nullptr;
    // For spawns without a key (F6): derives the key from the fibre's first read of main memory
    // (the material of its hit); if null, default_key holds (traversal: the root).
    Key default_key{};
    Key (*derive_key)(void* context, u32 element) = nullptr;
    // Re-keyed fibres of this routine may need data that are far away, and leave only when these
    // are near (F12). Starts to fetch the key's data, or says where they are: cheap, never blocks,
    // calls nothing of the cluster. It is asked about a key again and again until Near; once
    // fetching has failed for good it should say Near, so that the fibres can end. null: data are
    // always near. Not with Policy::DepthFirst. Behind a shared packet unit any cluster's thread
    // asks, one at a time, for all clusters.
    Fetch (*fetch)(void* context, Key key) = nullptr;
    // The data of keys with smaller tags are always near.
    u32 far_tag = 0;
    // Behind a shared packet unit only, and required with `fetch` there: a packet of a far key
    // leaves, cut into a slice for each of these clusters. Its data should stay near until each of
    // them has run its slice or is lost. As cheap as fetch().
    void (*leaves)(void* context, Key key, std::span<const u32> clusters) = nullptr;
    // Blocks until something that was Coming has arrived since the last call, or nothing is under
    // way any more; may return early. Required with `fetch`. Not called behind a shared packet
    // unit: whoever fetches steps its clusters again when data have come.
    void (*await_fetch)(void* context) = nullptr;
    // Names a key whose data have come since the last call, whoever asked for them: its fibres
    // leave without a fetch of their own. False: none has. null: the routine does not hear of
    // those.
    bool (*next_arrival)(void* context, Key& key) = nullptr;
    // Collections of this routine whose data may be coming or near before they leave; and of all
    // routines together, whose data are coming, where fetches start for want of other work.
    u32 fetches_ahead = 8;
    // Of a key's data, relative to other routines: a fetch that costs half as much may serve half
    // as many fibres.
    double fetch_cost = 1;
};

// A member function as RoutineDesc::run, its object being the context:
// run_member<Search, &Search::descend>.
template <typename T, void (T::*kBody)(const Packet& packet, Spawner& spawner)>
void run_member(void* context, const Packet& packet, Spawner& spawner) {
    (static_cast<T*>(context)->*kBody)(packet, spawner);
}

struct ClusterConfig {
    u32 element_count = 8192;     // storage elements (paths)
    u32 collection_count = 1024;  // collection-definition memory (F9)
    u32 list_capacity =
        1u << 19;  // entries of re-keyed lists in flight (8 B each); full: rekey() refuses
    u32 admit_batch = 1024;       // elements that a parent is first launched on at once, at most
    u32 lane_count = 16;          // lanes of a group, for filling and for occupancy
    u32 element_bytes = 64;       // local memory of one element, as the caller keeps it (F16)
    u64 cache_bytes = 0;          // cache part of local memory at first (F16)
    u32 cache_entry_bytes = 128;  // of one entry of it
    bool adapts_split = false;    // the cache's hit rate moves the border between both (F16)
    u32 thread_capacity = 16;     // threads that can wait or run at once (F17)
};

}  // namespace weft::fibre
