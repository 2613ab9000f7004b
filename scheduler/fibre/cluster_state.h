// cluster_state.h — the local controller of a cluster and its state. Private to cluster.cpp and
// local_controller.cpp.
//
// The controller groups fibres by routine, fills lanes and decides order by itself (F15): see
// Cluster::State::step(). The OS thread that drives the cluster makes every call.
#pragma once

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/element_watch.h"
#include "scheduler/fibre/fibre_storage.h"
#include "scheduler/fibre/input_buffer.h"
#include "scheduler/fibre/key_dealer.h"
#include "scheduler/fibre/list_stack.h"
#include "scheduler/fibre/local_memory.h"
#include "scheduler/fibre/packet_port.h"
#include "scheduler/fibre/packet_queue.h"
#include "scheduler/fibre/split_choice.h"

namespace weft::fibre {

struct Cluster::State {
    // The port leads to the cluster's own packet unit or to a shared one.
    template <typename... Shared>
    explicit State(const ClusterConfig& wanted, Shared&... shared)
        : config(wanted),
          port(wanted, shared...),
          storage(wanted.element_count),
          lists(wanted.list_capacity),
          buffer(wanted.lane_count),
          aside(wanted.element_count),
          coarse(wanted.thread_capacity),
          local(std::max(1u, wanted.element_count), wanted.element_bytes, wanted.cache_bytes),
          cache(wanted.cache_bytes, wanted.cache_entry_bytes, local.most_cache_bytes()),
          claims(wanted.element_count),
          dealer(wanted.element_count),
          watch(wanted.element_count),
          idle(wanted.element_count),
          group(wanted.lane_count),
          numbers(wanted.element_count),
          elements(wanted.element_count),
          group_entries(wanted.lane_count),
          released_of(wanted.thread_capacity) {
        finished.reserve(wanted.thread_capacity);
    }

    [[nodiscard]] bool is_allocated() const;

    // local_controller.cpp: what comes next.
    bool step(Spawner& spawner);
    bool run_overdue(Spawner& spawner);
    bool run_partial(Spawner& spawner);
    bool fetch_or_await(Spawner& spawner);
    bool run_next(Spawner& spawner, Wanted wanted);
    bool launch(Spawner& spawner);
    void run_list(Spawner& spawner);
    void resume(Spawner& spawner);
    void run_row(Spawner& spawner, u32 row, LeaveReason reason);
    void run_packet(Spawner& spawner, const Packet& packet, u64 arrival, LeaveReason reason);
    void end_parent(const Packet& packet);
    void count(const Packet& packet, u64 arrival, LeaveReason reason);
    void prefetch(const Packet& packet);
    [[nodiscard]] bool is_buffer_overdue() const;
    [[nodiscard]] bool is_outranked(double its_urgency);

    // cluster.cpp
    void report();
    void spawn(RoutineId routine, Key key, std::span<const u32> elements, float priority);
    void check_own(const char* deed, std::span<const u32> touched) const;
    void release(std::span<const u32> released);
    void move_border(u32 managed_elements);
    void settle_border();
    void adapt_border();

    // Fraction of local memory in use (F11); 0 without other clusters to compare with.
    [[nodiscard]] float pressure() const {
        if (!port.is_shared()) {
            return 0;
        }
        return std::min(
            1.0f,
            static_cast<float>(storage.held_count()) / static_cast<float>(storage.managed_count()));
    }

    ClusterConfig config;
    PacketPort port;
    FibreStorage storage;
    ListStack lists;
    InputBuffer buffer;
    PacketQueue aside;  // parents that gave way (F15)
    CoarseScheduler coarse;
    LocalMemory local;
    SoftwareCache cache;
    SplitChoice split;
    ClaimTable claims;  // of groups from the input buffer
    KeyDealer dealer;
    ElementWatch watch;
    FibreCounters counters;
    std::array<RoutineDesc, kMaxRoutines> routines;
    std::array<const char*, kMaxRoutines> trace_names{};  // of marks, by routine
    std::array<Key, kMaxRoutines> last_key{};
    u32 routine_count = 0;
    bool has_prefetch = false;
    bool has_fetch = false;      // of any routine: far collections may wait
    Ahead started;               // the fetch that runs ahead of its packet
    u64 row_key_changes = 0;     // in the group that is running, where it is mixed
    u64 waiting_fibres = 0;      // spawned, due, in lists or put aside, and not run yet
    bool has_cache_due = false;  // the cache grows once no element beyond the border is held
    u32 refused_free = 0;        // no thread could be launched with so many free elements
    Emission emission;           // the latest packet from the packet unit
    const Packet* running = nullptr;
    u64 running_arrival = 0;
    u64 rekeyed = 0;        // fibres that the running packet sent on to other keys
    u32 aside_count = 0;    // elements that the running packet put aside
    u32 settled_count = 0;  // elements that the running parent spawned onto or released
    std::thread::id owner;  // OS thread of the current step
    void (*done)(void*, u64) = nullptr;
    void* done_context = nullptr;
    std::vector<u64> finished;       // threads that the running packet ended: their `user`
    base::PageArray<u32> idle;       // elements whose last fibre is done
    base::PageArray<u32> group;      // a group from the input buffer
    base::PageArray<float> numbers;  // of a list, ...
    base::PageArray<u32> elements;   // ... or of parents that resume
    base::PageArray<BufferEntry> group_entries;
    std::vector<u32> released_of;  // by thread: elements of the call of release(); else 0
};

}  // namespace weft::fibre
