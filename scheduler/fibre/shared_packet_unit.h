// shared_packet_unit.h — the packet unit of a device: one collection memory for all its clusters,
// and packets scattered over them by where their elements live (F13).
//
// Fibres of equal routine and key meet here whichever cluster spawned them. A packet that leaves is
// cut into one share per cluster, which waits in that cluster's inbox with the packet's id, key,
// priority and age (F12, F14). A cluster that has nothing to run takes from its inbox, or lets the
// next packets leave until one brings it a share. Nobody waits for another cluster: all fibres of
// an element are run by its own.
//
// Each cluster is driven by its own thread. One mutex guards everything but the clock and the
// seats' registrations; nothing is called with it held. An emulator: hardware would have queues.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "scheduler/fibre/coarse_scheduler.h"
#include "scheduler/fibre/fibre_counters.h"
#include "scheduler/fibre/packet_queue.h"
#include "scheduler/fibre/packet_unit.h"
#include "scheduler/fibre/range_claims.h"

namespace weft::fibre {

// Which packet a cluster asks for.
enum class Wanted {
    Overdue,  // has waited for longer than kAgeBound
    Ready,    // full, or evicted
    Partial,  // any
};

class SharedPacketUnit {
public:
    SharedPacketUnit(const ClusterConfig& of_each, u32 cluster_count);

    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] u32 cluster_count() const { return static_cast<u32>(seats_.size()); }

    // Called, without a lock, when another cluster's thread has put a packet into the inbox of
    // `cluster`: to wake the thread that drives it. Set before any cluster runs.
    void set_delivered(void (*delivered)(void* context, u32 cluster), void* context);

    // Where a thread that writes this range is best set up (F18): on the cluster that has threads
    // writing some of it, else on the one with the fewest ranges.
    [[nodiscard]] u32 home_of(const WriteRange& range);

    // What concerns no single cluster: collections, evictions, shares. Add it to the clusters'
    // counters.
    [[nodiscard]] FibreCounters counters();

    // From here on: for clusters.

    // A cluster's right to its place; worth nothing once the cluster was given up for lost.
    struct Ticket {
        u32 cluster = 0;
        u64 registration = 0;
    };

    // Where a popped packet's fibres go.
    struct Room {
        u32* elements;
        float* numbers;
    };

    // Takes the place of a cluster, which must be free.
    [[nodiscard]] Ticket join(u32 cluster);
    // Gives it back: what waits for this cluster is dropped, and later calls with the ticket do
    // nothing.
    void leave(const Ticket& ticket);

    [[nodiscard]] bool is_lost(const Ticket& ticket) const;

    // Every cluster declares the same routines, each with a context of its own.
    void declare(const Ticket& ticket, RoutineId routine, const RoutineDesc& desc);

    void spawn(const Ticket& ticket,
               RoutineId routine,
               Key key,
               std::span<const u32> elements,
               float priority,
               float pressure);
    [[nodiscard]] bool rekey(const Ticket& ticket,
                             RoutineId routine,
                             Key key,
                             std::span<const u32> elements,
                             std::span<const float> payload,
                             float priority,
                             float pressure);

    // The most urgent packet of the inbox; where there is none, packets leave until there is one.
    // Only overdue ones that came before `oldest_list`, where those are wanted.
    [[nodiscard]] bool next(
        const Ticket& ticket, Wanted wanted, u64 oldest_list, const Room& room, Emission& emission);

    // What would leave next.
    [[nodiscard]] Ahead ahead(const Ticket& ticket);

    // Urgency of the most urgent packet that is ready or in the inbox.
    [[nodiscard]] double most_urgent(const Ticket& ticket);

    // Ranges that threads write, from submission to their end (F18). Debug builds end the program
    // where one overlaps another cluster's.
    void claim_range(const Ticket& ticket, const WriteRange& range);
    void drop_range(const Ticket& ticket, const WriteRange& range);

    // Packets run so far on all clusters: the clock of all ages.
    [[nodiscard]] u64 now() const;
    u64 tick();
    u32 next_packet_id();

    [[nodiscard]] std::span<u32> thread_of(u32 cluster);

private:
    struct Seat {
        explicit Seat(u32 inbox_capacity) : inbox(inbox_capacity) {}

        std::atomic<u64> registration{0};  // odd: taken
        PacketQueue inbox;
        u32 gathering = 0;      // its fibres in collection memory
        u32 spawned = 0;        // of those and the inbox's, the ones without a number ...
        u32 listed = 0;         // ... and with one
        u32 share = 0;          // of the packet that is being scattered
        std::vector<u32> told;  // clusters that its thread has to wake
    };

    [[nodiscard]] bool is_seated(const Ticket& ticket) const;
    [[nodiscard]] u32 choose(u32 cluster, Wanted wanted, u64 now, u64 oldest_list);
    void scatter(Seat& teller);
    void drop_all_of(u32 cluster, Seat& teller);
    void tell(const Seat& teller, u32 own_cluster);

    ClusterConfig config_;
    std::mutex mutex_;
    PacketUnit unit_;
    std::vector<std::unique_ptr<Seat>> seats_;
    Emission leaving_;          // the packet that is being scattered
    std::vector<u32> touched_;  // clusters with a share of the packet that is being scattered
    RangeClaims ranges_;
    FibreCounters counters_;
    void (*delivered_)(void*, u32) = nullptr;
    void* delivered_context_ = nullptr;
    alignas(64) std::atomic<u64> now_{0};
    std::atomic<u32> packet_id_{0};
};

}  // namespace weft::fibre
