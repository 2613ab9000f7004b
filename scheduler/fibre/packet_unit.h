// packet_unit.h — gathers fibres and lets them leave as packets (F8 to F12).
//
// Spawned fibres, due parents, and re-keyed lists of routines that are not depth first wait in
// collection memory; those at far keys until their data are near. Emitting a packet copies its
// fibres out and frees their memory. The unit of a CPU's cluster serves that cluster; the unit of a
// device serves all clusters, and numbers their elements as cluster × element_count + element. It
// runs nothing. One OS thread at a time calls it.
#pragma once

#include <array>
#include <span>

#include "scheduler/fibre/claim_table.h"
#include "scheduler/fibre/collection_memory.h"
#include "scheduler/fibre/far_fetches.h"
#include "scheduler/fibre/routine.h"

namespace weft::fibre {

// An emitted packet. Its `elements` and `payload` stay valid until the next emission.
struct Emission {
    Packet fibres;
    u64 arrival = 0;  // of its oldest fibre, in packets
    LeaveReason reason = LeaveReason::Full;
};

// The packet that would leave next.
struct Ahead {
    RoutineId routine = kNone;  // kNone: nothing
    Key key{};
};

class PacketUnit {
public:
    PacketUnit(const ClusterConfig& of_each, u32 cluster_count);

    [[nodiscard]] bool is_allocated() const;
    void declare(RoutineId routine, const RoutineDesc& desc);

    // Gathers fibres with others of their routine and key.
    void spawn(RoutineId routine, Key key, std::span<const u32> elements, const Arrival& arrival);
    // Gathers a re-keyed list; false: no room, nothing recorded.
    [[nodiscard]] bool rekey(RoutineId routine,
                             Key key,
                             std::span<const u32> elements,
                             std::span<const float> payload,
                             const Arrival& arrival);

    // The best collection of each kind; kNone: none.
    [[nodiscard]] u32 best_ready(u64 now) { return memory_.best_ready(now); }

    [[nodiscard]] u32 best_partial(u64 now) { return memory_.best_partial(now); }

    // Of far collections whose data are near, the one whose data arrived first.
    [[nodiscard]] u32 first_arrived() const { return memory_.far().first_arrived(); }

    // Whether the collection may leave now. A far one whose data were dropped again may not, and is
    // none of those that arrived any more.
    [[nodiscard]] bool may_leave(u32 index) {
        return memory_[index].distance == Distance::None || fetches_.confirm(memory_, index);
    }

    [[nodiscard]] bool has_overdue(u64 now) const {
        const u32 oldest = oldest_near();
        return oldest != kNone && now - memory_[oldest].birth > kAgeBound;
    }

    // A collection that has waited for longer than kAgeBound, and longer than a list that arrived
    // then; kNone: none. Far ones count once their data are near.
    [[nodiscard]] u32 overdue(u64 now, u64 oldest_list) const;

    [[nodiscard]] u32 oldest_of(u32 cluster) const { return memory_.oldest_of(cluster); }

    // A far collection that may have fibres of this cluster; from here on it may be emitted,
    // wherever its data are. kNone: there is none.
    [[nodiscard]] u32 give_up_far_of(u32 cluster);

    [[nodiscard]] const Collection& collection(u32 index) const { return memory_[index]; }

    // Routine and key of the best packet that is ready.
    [[nodiscard]] Ahead ahead(u64 now);

    // The urgency of a collection (packet_policy.h).
    [[nodiscard]] double urgency_of(u32 index, u64 now) const;

    // Far collections: see far_fetches.h.
    bool tend_far(u64 now, u32 element_count) { return fetches_.tend(memory_, now, element_count); }

    bool choose_most_far(u64 now) { return fetches_.choose_most(memory_, now); }

    void await_far() { fetches_.await(memory_); }

    void note_news() { fetches_.note_news(); }

    // Emits fibres of a collection: as many as fit one packet; only full lane groups if the rest
    // may wait for more of its key. `reason` reflects fullness; callers that emit by age overwrite
    // it.
    void emit(u32 index, u32 packet_id, u64 now, Emission& emission);

    [[nodiscard]] u32 waiting_count() const { return memory_.waiting_count(); }

    // Adds this unit's figures to the counters.
    void report(FibreCounters& counters) const;

private:
    [[nodiscard]] u32 oldest_near() const;
    [[nodiscard]] u32 leaving_count(const Collection& collection) const;

    // The properties of a routine that the unit needs.
    struct Rule {
        u32 packet_max = 0;
        bool may_mix_keys = true;
        bool ignores_key = false;
    };

    u32 lane_count_;
    std::array<Rule, kMaxRoutines> rules_{};
    CollectionMemory memory_;
    FarFetches fetches_;
    ClaimTable claims_;
    base::PageArray<u32> elements_;  // of the packet that left last
    base::PageArray<float> payload_;
};

}  // namespace weft::fibre
