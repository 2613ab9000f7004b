// shared_packet_unit.h — the packet unit of a device: one collection memory for all clusters, and
// packets scattered over the clusters that hold their elements (F13).
//
// Fibres of equal routine and key gather here, whichever cluster spawned them. An emitted packet is
// cut into one slice per cluster, which waits in that cluster's inbox with the packet's id, key,
// priority and age (F12, F14). An idle cluster takes from its inbox, or emits packets until one has
// a slice for it. No cluster waits for another: each runs all fibres of its own elements.
//
// Data of far keys are fetched for all clusters at once, by whichever cluster has nothing else to
// do; a packet leaves when its data are near, and they stay until its last slice has run
// (RoutineDesc::leaves). No cluster waits for data here: it steps again when told that some came.
//
// An OS thread drives each cluster, and may drive several. One mutex guards everything but the
// clock and the seats' registrations; of all callbacks only those about far data run with it held.
// Hardware would have queues instead.
#pragma once

#include <array>
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

// The kind of packet that a cluster wants.
enum class Wanted {
    Overdue,  // has waited for longer than kAgeBound
    Ready,    // full, or evicted
    Arrived,  // its data were far, and have come
    Partial,  // any but far ones
};

class SharedPacketUnit {
public:
    SharedPacketUnit(const ClusterConfig& of_each, u32 cluster_count);

    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] u32 cluster_count() const { return static_cast<u32>(seats_.size()); }

    // The callback to wake the OS thread of `cluster` after another one has put a slice into its
    // inbox; called without a lock. Set while no cluster runs.
    void set_delivered(void (*delivered)(void* context, u32 cluster), void* context);

    // Figures of no single cluster: collections, evictions, slices. Add them to the clusters'.
    [[nodiscard]] FibreCounters counters();

    // From here on: for clusters.

    // A cluster's right to its place; invalid once the cluster is lost.
    struct Ticket {
        u32 cluster = 0;
        u64 registration = 0;
    };

    // Receives the fibres of a popped packet.
    struct Room {
        u32* elements;
        float* numbers;
    };

    // Takes the place of a cluster, which must be free.
    [[nodiscard]] Ticket join(u32 cluster);
    // Frees the place: drops the cluster's waiting fibres; later calls with the ticket do nothing.
    void leave(const Ticket& ticket);

    [[nodiscard]] bool is_lost(const Ticket& ticket) const;

    // Every cluster declares the same routines, each with a context of its own. Those of the last
    // one that declared are asked about far data, until the unit ends.
    void declare(const Ticket& ticket, RoutineId routine, const RoutineDesc& desc);

    // The unit adds to the arrival what the cluster does not know.
    void spawn(const Ticket& ticket,
               RoutineId routine,
               Key key,
               std::span<const u32> elements,
               const Arrival& arrival);
    [[nodiscard]] bool rekey(const Ticket& ticket,
                             RoutineId routine,
                             Key key,
                             std::span<const u32> elements,
                             std::span<const float> payload,
                             const Arrival& arrival);

    // The most urgent packet of the inbox; if it is empty, emits packets until one arrives. If
    // overdue packets are wanted, only those older than `oldest_list`.
    [[nodiscard]] bool next(
        const Ticket& ticket, Wanted wanted, u64 oldest_list, const Room& room, Emission& emission);

    // The packet that would leave next.
    [[nodiscard]] Ahead ahead(const Ticket& ticket);

    // Far collections (far_fetches.h). Asks for their data; true: some have arrived.
    [[nodiscard]] bool tend_far(const Ticket& ticket);
    // Nothing else can run on this cluster: chooses the most; false: no fibre of it waits, or none
    // at a far key.
    [[nodiscard]] bool choose_most_far(const Ticket& ticket);

    // Urgency of the most urgent packet that is ready or in the inbox.
    [[nodiscard]] double most_urgent(const Ticket& ticket);

    // Ranges written by threads, from submission to their end (F18). Ends the program if a range
    // overlaps another cluster's.
    void claim_range(const Ticket& ticket, const WriteRange& range);
    void drop_range(const Ticket& ticket, const WriteRange& range);

    // Packets run so far on all clusters: the clock of all ages.
    [[nodiscard]] u64 now() const;
    u64 tick();
    u32 next_packet_id();

private:
    struct Seat {
        explicit Seat(u32 inbox_capacity) : inbox(inbox_capacity) {}

        std::atomic<u64> registration{0};  // odd: taken
        PacketQueue inbox;
        u32 gathering = 0;      // its fibres in collection memory
        u32 spawned = 0;        // of those and the inbox's, without payload ...
        u32 listed = 0;         // ... and with payload
        u32 slice = 0;          // of the packet that is being scattered
        std::vector<u32> told;  // clusters that its thread has to wake
    };

    // What becomes of packets of far keys.
    struct FarRule {
        void (*leaves)(void* context, Key key, std::span<const u32> clusters) = nullptr;
        void* context = nullptr;
        u32 far_tag = 0;
    };

    [[nodiscard]] bool is_seated(const Ticket& ticket) const;
    [[nodiscard]] Arrival arriving(const Arrival& arrival, u32 cluster) const;
    [[nodiscard]] u32 choose(u32 cluster, Wanted wanted, u64 now, u64 oldest_list);
    void scatter(Seat& teller);
    void drop_all_of(u32 cluster, Seat& teller);
    void tell(const Seat& teller, u32 own_cluster);

    ClusterConfig config_;
    std::mutex mutex_;
    PacketUnit unit_;
    std::vector<std::unique_ptr<Seat>> seats_;
    Emission leaving_;          // the packet that is being scattered
    std::vector<u32> touched_;  // clusters with a slice of the packet that is being scattered
    std::array<FarRule, kMaxRoutines> far_rules_{};
    RangeClaims ranges_;
    FibreCounters counters_;
    void (*delivered_)(void*, u32) = nullptr;
    void* delivered_context_ = nullptr;
    alignas(64) std::atomic<u64> now_{0};
    std::atomic<u32> packet_id_{0};
};

}  // namespace weft::fibre
