#include "scheduler/fibre/far_fetches.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

void FarFetches::declare(RoutineId routine, const RoutineDesc& desc) {
    if (!desc.fetch) {
        return;
    }
    sources_[routine] = {.fetch = desc.fetch,
                         .await = desc.await_fetch,
                         .next_arrival = desc.next_arrival,
                         .context = desc.context,
                         .most_chosen = desc.fetches_ahead,
                         .cost = desc.fetch_cost};
    routine_count_ = std::max(routine_count_, routine + 1);
    most_coming_ = std::max(most_coming_, desc.fetches_ahead);
}

bool FarFetches::tend(CollectionMemory& memory, u64 now, u32 element_count) {
    if (memory.far_waiting() == 0) {
        return false;
    }
    ask_all(memory, now);
    for (RoutineId routine = 0; routine < routine_count_; ++routine) {
        choose_arrivals(memory, routine);
        while (memory.far().chosen_count(routine) < sources_[routine].most_chosen) {
            const u32 oldest = memory.far().oldest(routine);
            if (oldest == kNone || now - memory[oldest].birth <= kAgeBound) {
                break;
            }
            choose(memory, routine, oldest);
        }
    }
    if (memory.far_waiting() > element_count / 2) {
        (void)choose_most(memory, now);
    }
    return memory.far().first_arrived() != kNone;
}

// Chooses collections whose data have come for others, however many are chosen: they cost no fetch.
void FarFetches::choose_arrivals(CollectionMemory& memory, RoutineId routine) {
    const Source& source = sources_[routine];
    Key key;
    while (source.next_arrival && source.next_arrival(source.context, key)) {
        const u32 index = memory.find_far(routine, key);
        if (index != kNone) {
            choose(memory, routine, index);
        }
    }
}

bool FarFetches::choose_most(CollectionMemory& memory, u64 now) {
    if (memory.far_waiting() == 0) {
        return false;
    }
    u32 coming = coming_count(memory);
    while (coming < most_coming_) {
        const u32 best = best_of_all(memory, now);
        if (best == kNone) {
            break;
        }
        choose(memory, memory[best].name.routine, best);
        const Distance answer = memory[best].distance;
        coming += answer == Distance::Coming ? 1U : 0U;
        if (answer == Distance::Refused && coming > 0) {
            break;  // what comes will change something
        }
    }
    return true;
}

// What it is worth to fetch for a collection: its fibres, the urgent ones counting up to twice, for
// what a fetch of its routine costs (F11).
double FarFetches::worth(const Collection& collection) const {
    const auto count = static_cast<float>(collection.fibre_count);
    const float representative =
        0.5F * (collection.priority_sum / std::max(1.0F, count) + collection.max_priority);
    return static_cast<double>(count) * (1 + bounded_priority(representative)) /
           sources_[collection.name.routine].cost;
}

// Of the routines that may choose more: the collection that is worth most. One that is overdue
// comes first.
u32 FarFetches::best_of_all(CollectionMemory& memory, u64 now) const {
    u32 best = kNone;
    double most = -1;
    for (RoutineId routine = 0; routine < routine_count_; ++routine) {
        const Source& source = sources_[routine];
        const u32 one = memory.far().chosen_count(routine) < source.most_chosen
                            ? memory.best_far(routine, now)
                            : kNone;
        if (one == kNone) {
            continue;
        }
        if (now - memory[one].birth > kAgeBound) {
            return one;
        }
        const double its_worth = worth(memory[one]);
        if (its_worth > most) {
            most = its_worth;
            best = one;
        }
    }
    return best;
}

// Chosen collections whose data are being fetched.
u32 FarFetches::coming_count(const CollectionMemory& memory) const {
    u32 count = 0;
    for (u32 index = memory.far().first_asked(); index != kNone;
         index = memory[index].leaves_after) {
        count += memory[index].distance == Distance::Coming ? 1U : 0U;
    }
    return count;
}

void FarFetches::choose(CollectionMemory& memory, RoutineId routine, u32 index) {
    memory.choose_far(index);
    FetchCounters& counters = sources_[routine].counters;
    counters.max_chosen = std::max(counters.max_chosen, u64{memory.far().chosen_count(routine)});
    ask(memory, index);
}

// Asks whether data have come, and again for what was refused if anything happened since.
void FarFetches::ask_all(CollectionMemory& memory, u64 now) {
    bool may_ask_again = has_news_ || now != asked_at_;
    for (u32 index = memory.far().first_asked(); index != kNone;) {
        const u32 next = memory[index].leaves_after;
        if (may_ask_again || memory[index].distance == Distance::Coming) {
            ask(memory, index);
            may_ask_again = may_ask_again || is_near(memory[index]);
        }
        index = next;
    }
    asked_at_ = now;
    has_news_ = false;
}

bool FarFetches::confirm(CollectionMemory& memory, u32 index) {
    ask(memory, index);
    return is_near(memory[index]);
}

void FarFetches::ask(CollectionMemory& memory, u32 index) {
    const Collection& collection = memory[index];
    Source& source = sources_[collection.name.routine];
    const Fetch answer = source.fetch(source.context, collection.name.key);
    const bool was_coming = collection.distance == Distance::Coming;
    source.counters.started += answer == Fetch::Coming && !was_coming ? 1u : 0u;
    source.counters.near_at_once +=
        answer == Fetch::Near && collection.distance == Distance::Refused ? 1u : 0u;
    source.counters.refused += answer == Fetch::Refused ? 1u : 0u;
    memory.answer_far(index, answer);
}

void FarFetches::await(const CollectionMemory& memory) {
    // Wait where something is coming; otherwise where something was refused.
    u32 first = memory.far().first_asked();
    ENSURE(first, !=, kNone);
    for (u32 index = first; index != kNone; index = memory[index].leaves_after) {
        if (memory[index].distance == Distance::Coming) {
            first = index;
            break;
        }
    }
    const Source& source = sources_[memory[first].name.routine];
    source.await(source.context);
    has_news_ = true;
}

void FarFetches::count_left(const Collection& collection, u32 fibre_count) {
    if (collection.distance == Distance::Fetched) {
        sources_[collection.name.routine].counters.fibres_served += fibre_count;
    }
}

void FarFetches::report(FibreCounters& counters) const {
    for (RoutineId routine = 0; routine < routine_count_; ++routine) {
        counters.routine[routine].fetches = sources_[routine].counters;
    }
}

}  // namespace weft::fibre
