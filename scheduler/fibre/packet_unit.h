// packet_unit.h — gathers fibres and lets them leave as packets (F8 to F12).
//
// Spawned fibres, and parents that are due, wait in collection memory. Re-keyed lists wait on the
// list stack, where their routine's policy is depth first, else in collection memory too. Emitting
// a packet copies its fibres to a place of its own, gives their memory back, and starts the fetch
// of its key's data and of the data of the key that would leave after it. One cluster owns it; it
// runs nothing itself.
#pragma once

#include <array>
#include <span>

#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/collection_memory.h"
#include "scheduler/fibre/fibre_storage.h"
#include "scheduler/fibre/list_stack.h"

namespace weft::fibre {

// A packet that left the unit. `fibres.elements` and `payload` stay valid until the next one
// leaves.
struct Emission {
    Packet fibres;
    u64 arrival = 0;  // of its oldest fibre, in packets
};

class PacketUnit {
public:
    explicit PacketUnit(const ClusterConfig& config);

    [[nodiscard]] bool is_allocated() const;
    void declare(RoutineId routine, const RoutineDesc& desc);

    void spawn(RoutineId routine, Key key, std::span<const u32> elements, float priority, u64 now);
    [[nodiscard]] bool rekey(const Packet& running,
                             Key key,
                             std::span<const u32> elements,
                             std::span<const float> payload,
                             u64 now);

    // Packets that can leave, best of their kind; kNone or false: none.
    [[nodiscard]] bool has_list() const { return !lists_.is_empty(); }

    [[nodiscard]] u32 best_ready(u64 now) { return memory_.best_ready(now); }

    [[nodiscard]] u32 best_partial(u64 now) { return memory_.best_partial(now); }

    // A collection that has waited for longer than kAgeBound, and longer than every list; kNone:
    // none.
    [[nodiscard]] u32 overdue(u64 now) const;

    [[nodiscard]] const Collection& collection(u32 index) const { return memory_[index]; }

    // How many fibres of a collection leave now: all that fit; only full lane groups of it where
    // the rest may wait for more of its key.
    [[nodiscard]] u32 leaving_count(u32 index) const;

    Emission emit_list(FibreStorage& storage, u32 packet_id);
    Emission emit(u32 index, FibreStorage& storage, u32 packet_id, u64 now);

    [[nodiscard]] u32 waiting_count() const {
        return memory_.waiting_count() + lists_.entry_count();
    }

    void report(FibreCounters& counters) const;

private:
    void prefetch(const Packet& packet, u64 now);

    struct Fetch {
        RoutineId routine = kNone;
        Key key;
    };

    u32 lane_count_;
    u32 routine_count_ = 0;
    bool has_prefetch_ = false;
    std::array<RoutineDesc, kMaxRoutines> routines_;
    CollectionMemory memory_;
    ListStack lists_;
    base::PageArray<u32> elements_;  // of the packet that left last
    base::PageArray<float> payload_;
    Fetch started_;  // the fetch that was started ahead of its packet
};

}  // namespace weft::fibre
