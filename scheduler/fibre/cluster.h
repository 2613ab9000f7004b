// cluster.h — one SIMD compute unit: fibre storage, packet unit, input buffer and local controller
// in one place.
//
// A parent thread declares storage elements and is first launched on them; fibres spawned onto an
// element run on this cluster only, serially for that element, so storage needs no lock (F3, F4).
// Each element counts its fibres; at zero the parent is invoked on it again (F5). Fibres of equal
// (routine, key) gather in collections and leave as packets (F8..F13); the local controller fills
// lanes from the input buffer (F14, F15).
//
// Everything is sized by ClusterConfig before the first fibre; nothing is allocated while running.
// One thread owns a cluster and makes every call; nothing here is shared between threads.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "scheduler/base/ids.h"
#include "scheduler/fibre/fibre_counters.h"
#include "scheduler/fibre/fibre_key.h"
#include "scheduler/fibre/packet_policy.h"

namespace weft::fibre {

class Cluster;

// Index of a declared routine.
using RoutineId = u32;

// Fibres of equal routine and key that run in lockstep lane groups. Elements are distinct within a
// packet (F18: two fibres of one element never share a lane group).
struct Packet {
    u32 packet_id = 0;
    RoutineId routine = 0;
    Key key;  // of the whole packet; mixed packets (is_mixed) carry the first fibre's key
    bool is_mixed = false;  // fibres of several keys share the packet because lanes would idle
    bool is_initial_launch = false;  // parent routine only: first launch on these elements (F5)
    float priority = 0;
    std::span<const u32> elements;
    std::span<const float>
        payload;  // re-keyed lists: one number per fibre (entry distance); else empty
};

// What a routine may do while its packet runs. Valid during the call only.
class Spawner {
public:
    explicit Spawner(Cluster& cluster) : cluster_(cluster) {}

    // Records one fibre per element and returns at once (F2). Counts each element +1. Any routine
    // but the parent, which is invoked by the count alone; a fibre spawns onto elements of its own
    // packet (F3). At most 8 × element_count spawned fibres may wait at once: more is a program
    // error. Spawn runs of equal keys by one call: a call costs as much as ten fibres.
    void spawn(RoutineId routine, Key key, std::span<const u32> elements, float priority = 0);

    // The running fibres go on to another key of the same routine (F8): one list, appended in bulk,
    // counts adjusted once per list. An element may go on to several keys. Lists pushed later run
    // earlier (depth first). Returns false, having recorded nothing, where the list memory is full
    // or the routine ignores keys: the caller then runs this subtree to its end at once.
    [[nodiscard]] bool rekey(Key key,
                             std::span<const u32> elements,
                             std::span<const float> payload);

    // Parent routine only: gives elements back. They must have no fibre left.
    void release(std::span<const u32> elements);

private:
    Cluster& cluster_;
};

// A fibre routine (F1): one call runs all fibres of a packet.
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
};

// Where threads come from (the camera data manager of the renderer). Offered free elements; takes
// the first k of them, having written their inputs into storage, and returns k; 0: nothing now.
// Asked again when elements are released; the cluster stops when nothing is in flight and 0 was
// taken.
struct ThreadSource {
    u32 (*admit)(void* context, std::span<const u32> free_elements) = nullptr;
    void* context = nullptr;
};

struct ClusterConfig {
    u32 element_count = 8192;     // storage elements (paths)
    u32 collection_count = 1024;  // collection-definition memory (F9)
    u32 list_capacity =
        1u << 19;  // entries of re-keyed lists in flight (8 B each); full: rekey() refuses
    u32 admit_batch = 1024;  // free elements offered to the source at once
    u32 lane_count = 16;     // lanes of a group, for filling and for occupancy
};

class Cluster {
public:
    explicit Cluster(const ClusterConfig& config);
    ~Cluster();
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    // False where memory for the config could not be had; nothing else may be called then.
    [[nodiscard]] bool is_allocated() const;

    // The first routine declared is the parent. At most 8 routines, before run().
    RoutineId declare(const RoutineDesc& desc);

    // Admits threads and runs fibres until the source is dry and every element is released. May be
    // called again.
    void run(const ThreadSource& source);

    [[nodiscard]] const FibreCounters& counters() const;

private:
    friend class Spawner;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weft::fibre
