// far_fetches.h — chooses far collections, and asks for their data through the callbacks of their
// routines (F12).
//
// A fetch serves every fibre that has gathered when its data have come, so collections are chosen
// late: when nothing else can run, when more far fibres wait than half of the elements, or when
// one is overdue. Routines compete, unless one is overdue: few fetches are under way at once, those
// that serve the most fibres for their cost, urgent ones counting more, or fibres would hardly
// gather. A packet unit that
// serves one cluster owns it, and calls it between packets.
#pragma once

#include <array>

#include "scheduler/fibre/collection_memory.h"
#include "scheduler/fibre/routine.h"

namespace weft::fibre {

class FarFetches {
public:
    void declare(RoutineId routine, const RoutineDesc& desc);

    // Asks for the data of chosen collections, and chooses more where far fibres are too many for
    // this number of elements or overdue. True: data of some have arrived.
    bool tend(CollectionMemory& memory, u64 now, u32 element_count);
    // Asks about data that had arrived, right before the collection leaves: another fetch may have
    // made them give way. False: it waits on.
    [[nodiscard]] bool confirm(CollectionMemory& memory, u32 collection);
    // Nothing else can run, or far fibres are many: chooses until as many fetches are under way as
    // one routine may have. False: no fibre waits at a far key.
    bool choose_most(CollectionMemory& memory, u64 now);
    // Blocks until data have come for this cluster or, if all it asks for is refused, for another.
    void await(const CollectionMemory& memory);

    // Some fetch may have ended: tend() repeats the fetches that were refused.
    void note_news() { has_news_ = true; }

    // Fibres of a collection that is near have left.
    void count_left(const Collection& collection, u32 fibre_count);

    // Writes this cluster's figures into the counters.
    void report(FibreCounters& counters) const;

private:
    void choose_arrivals(CollectionMemory& memory, RoutineId routine);
    [[nodiscard]] double worth(const Collection& collection) const;
    [[nodiscard]] u32 best_of_all(CollectionMemory& memory, u64 now) const;
    [[nodiscard]] u32 coming_count(const CollectionMemory& memory) const;
    void ask_all(CollectionMemory& memory, u64 now);
    void ask(CollectionMemory& memory, u32 collection);
    void choose(CollectionMemory& memory, RoutineId routine, u32 collection);

    // The callbacks of a routine, and its figures.
    struct Source {
        Fetch (*fetch)(void* context, Key key) = nullptr;
        void (*await)(void* context) = nullptr;
        bool (*next_arrival)(void* context, Key& key) = nullptr;
        void* context = nullptr;
        u32 most_chosen = 0;
        double cost = 1;
        FetchCounters counters{};
    };

    std::array<Source, kMaxRoutines> sources_{};
    u32 routine_count_ = 0;  // routines from here on have no source
    u32 most_coming_ = 0;    // the largest most_chosen
    u64 asked_at_ = 0;       // when refused fetches were asked again last
    bool has_news_ = false;  // data may have come somewhere since
};

}  // namespace weft::fibre
