#include "scheduler/fibre/cluster.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "scheduler/base/ensure.h"
#include "scheduler/base/trace_log.h"
#include "scheduler/fibre/cluster_state.h"

namespace weft::fibre {

bool Cluster::State::is_allocated() const {
    return storage.is_allocated() && port.is_allocated() && lists.is_allocated() &&
           buffer.is_allocated() && aside.is_allocated() && cache.is_allocated() &&
           claims.is_allocated() && dealer.is_allocated() && idle.is_allocated() &&
           group.is_allocated() && numbers.is_allocated() && elements.is_allocated() &&
           group_entries.is_allocated();
}

Cluster::Cluster(const ClusterConfig& config) : state_(std::make_unique<State>(config)) {}

Cluster::Cluster(const ClusterConfig& config, SharedPacketUnit& shared, u32 index)
    : state_(std::make_unique<State>(config, shared, index)) {}

Cluster::~Cluster() = default;

bool Cluster::is_allocated() const {
    return state_->is_allocated();
}

RoutineId Cluster::declare(const RoutineDesc& desc) {
    State& state = *state_;
    ENSURE(state.routine_count, <, kMaxRoutines);
    ENSURE(desc.run != nullptr, ==, true);
    if (desc.fetch) {
        // Re-keyed fibres must gather in collection memory, and data that come must be awaited.
        ENSURE(desc.policy != Policy::DepthFirst, ==, true);
        ENSURE(desc.await_fetch != nullptr, ==, true);
        ENSURE(desc.fetches_ahead, >, 0u);
    }
    const RoutineId routine = state.routine_count++;
    state.routines[routine] = desc;
    state.trace_names[routine] = base::trace_name(desc.name);
    state.has_prefetch = state.has_prefetch || desc.prefetch;
    state.has_fetch = state.has_fetch || desc.fetch;
    state.port.declare(routine, desc);
    return routine;
}

void Cluster::set_finished(void (*done)(void* context, u64 user), void* context) {
    state_->done = done;
    state_->done_context = context;
}

Admission Cluster::submit(const ThreadDesc& desc) {
    State& state = *state_;
    // Give the cache's share back where a thread needs more elements at once.
    if (state.config.adapts_split && desc.elements_at_once > state.storage.managed_count() &&
        desc.elements_at_once <= state.config.element_count) {
        state.move_border(state.config.element_count);
    }
    // Admit the thread, and claim the range that it writes.
    const Admission admission =
        state.coarse.submit(desc, state.storage.managed_count(), state.port.now());
    if (admission == Admission::Taken) {
        state.refused_free = 0;
        if (!desc.range.is_empty()) {
            state.port.claim_range(desc.range);
        }
    }
    return admission;
}

bool Cluster::step() {
    State& state = *state_;
    ENSURE(state.routine_count, >, 0u);
    ENSURE(state.running == nullptr, ==, true);  // no routine steps its own cluster
    if constexpr (kWatchesElements) {
        state.owner = std::this_thread::get_id();
    }
    Spawner spawner(*this);
    return state.step(spawner);
}

void Cluster::run() {
    while (step()) {
    }
    State& state = *state_;
    if (!state.port.is_lost() && state.storage.held_count() > 0) {
        base::fail_claim(__FILE__,
                         __LINE__,
                         "every element is released at the end of a run",
                         state.watch.describe(state.storage.first_held()));
    }
}

bool Cluster::is_idle() const {
    return state_->coarse.is_idle();
}

void Cluster::set_split(u32 managed_elements) {
    State& state = *state_;
    ENSURE(state.running == nullptr, ==, true);
    ENSURE(managed_elements, >=, state.coarse.most_declared());
    state.move_border(managed_elements);
}

void Cluster::empty_cache() {
    ENSURE(is_idle(), ==, true);
    state_->has_cache_due = true;
    state_->settle_border();
    ENSURE(state_->has_cache_due, ==, false);
}

SoftwareCache& Cluster::cache() {
    return state_->cache;
}

void Cluster::abandon() {
    state_->port.abandon();
}

const FibreCounters& Cluster::counters() const {
    state_->report();
    return state_->counters;
}

void Cluster::State::move_border(u32 managed_elements) {
    const bool is_possible = local.set_split(managed_elements);
    ENSURE(is_possible, ==, true);
    storage.limit(managed_elements);
    ++counters.split_moves;
    refused_free = 0;
    has_cache_due = true;
    settle_border();
}

// Once no element beyond the border is held, their memory goes to the cache.
void Cluster::State::settle_border() {
    if (has_cache_due && storage.beyond_count() == 0) {
        cache.resize(local.cache_bytes());
        split.restart(cache.counters());
        has_cache_due = false;
    }
}

// Regularly between packets: completes a due move of the border, or chooses a new one.
void Cluster::State::adapt_border() {
    settle_border();
    if (config.adapts_split && !has_cache_due) {
        // Ask where the border between elements and cache should lie.
        const u32 least =
            std::max({config.element_count / 2, config.lane_count, coarse.most_declared()});
        const u32 managed = storage.managed_count();
        const u32 wanted = split.next(cache.counters(), managed, least, config.element_count);
        if (wanted != managed) {
            move_border(wanted);
        }
    }
}

void Cluster::State::report() {
    counters.managed_elements = storage.managed_count();
    counters.cache_bytes = local.cache_bytes();
    counters.threads = coarse.counters();
    counters.cache = cache.counters();
    counters.claims = claims.counters();
    counters.max_list_entries =
        std::max(counters.max_list_entries, u64{lists.high_water_entries()});
    counters.storage_high_water_bytes =
        storage.size_bytes() + buffer.size_bytes() + claims.size_bytes() + dealer.size_bytes() +
        idle.size_bytes() + numbers.size_bytes() + elements.size_bytes() +
        lists.high_water_bytes() + aside.high_water_bytes();
    port.report(counters);
}

// Debug builds end the program if an element is used while no packet runs, by another OS thread, or
// by another packet (F3, F4).
void Cluster::State::check_own(const char* deed, std::span<const u32> touched) const {
    ENSURE(running != nullptr, ==, true);
    if constexpr (kWatchesElements) {
        ENSURE(std::this_thread::get_id(), ==, owner);
        watch.touch(*running, routines[running->routine].name, deed, touched);
    }
}

void Cluster::State::spawn(RoutineId routine,
                           Key key,
                           std::span<const u32> spawned,
                           float priority) {
    const SpawnedOn on = storage.add_fibres(spawned, routine);
    settled_count += on.without_fibres;
    counters.fibres_spawned += spawned.size();
    waiting_fibres += spawned.size();
    port.spawn(routine,
               key,
               spawned,
               {.priority = priority, .pressure = pressure(), .has_repeats = on.has_repeats});
}

void Cluster::State::release(std::span<const u32> released) {
    // Free the elements.
    storage.release(released);
    settled_count += static_cast<u32>(released.size());
    counters.elements_released += released.size();
    refused_free = 0;
    // Count the elements of each thread.
    const std::span<const u32> thread_of = storage.thread_of();
    for (const u32 element : released) {
        ++released_of[thread_of[element]];
    }
    // Tell the coarse scheduler; a thread without elements is finished.
    for (u32 thread = 0; thread < config.thread_capacity; ++thread) {
        const u32 count = std::exchange(released_of[thread], 0);
        if (count == 0) {
            continue;
        }
        const WriteRange range = coarse.thread(thread).range;
        if (const auto user = coarse.released(thread, count)) {
            finished.push_back(*user);
            if (!range.is_empty()) {
                port.drop_range(range);
            }
        }
    }
}

void Spawner::spawn(RoutineId routine, Key key, std::span<const u32> elements) {
    Cluster::State& state = *cluster_.state_;
    ENSURE(state.running != nullptr, ==, true);
    spawn(routine, key, elements, state.running->priority);
}

void Spawner::spawn(RoutineId routine, Key key, std::span<const u32> elements, float priority) {
    Cluster::State& state = *cluster_.state_;
    ENSURE(routine, <, state.routine_count);
    // Only the element's count invokes the parent.
    ENSURE(routine, !=, kParent);
    state.check_own("spawns onto", elements);
    if (!elements.empty()) {
        state.spawn(routine, key, elements, priority);
    }
}

void Spawner::spawn(RoutineId routine, std::span<const u32> elements) {
    Cluster::State& state = *cluster_.state_;
    ENSURE(routine, <, state.routine_count);
    const RoutineDesc& desc = state.routines[routine];
    if (!desc.derive_key || desc.ignores_key) {
        spawn(routine, desc.default_key, elements);
        return;
    }
    while (!elements.empty()) {
        for (const KeyRun& run : state.dealer.deal(elements, desc.derive_key, desc.context)) {
            spawn(routine, run.key, run.elements);
        }
    }
}

bool Spawner::rekey(Key key, std::span<const u32> elements, std::span<const float> payload) {
    Cluster::State& state = *cluster_.state_;
    ENSURE(state.running != nullptr, ==, true);
    const RoutineId routine = state.running->routine;
    ENSURE(routine, !=, kParent);
    ENSURE(elements.size(), <=, state.running->elements.size());
    ENSURE(payload.size(), ==, elements.size());
    if (elements.empty()) {
        return true;
    }
    state.check_own("re-keys", elements);
    // Push the list depth first, or into the collections of other policies.
    RoutineCounters& sums = state.counters.routine[routine];
    const RoutineDesc& desc = state.routines[routine];
    const float priority = state.running->priority;
    bool is_kept = false;
    if (!desc.ignores_key && desc.policy == Policy::DepthFirst) {
        const ListHeader header{
            .key = key, .routine = routine, .priority = priority, .arrival = state.port.now()};
        is_kept = state.lists.push(header, elements, payload);
    } else if (!desc.ignores_key) {
        is_kept = state.port.rekey(
            routine, key, elements, payload, {.priority = priority, .pressure = state.pressure()});
    }
    if (!is_kept) {
        ++sums.refused_lists;
        return false;
    }
    // Count the fibres that go on.
    state.storage.add_fibres(elements, routine);
    state.waiting_fibres += elements.size();
    state.rekeyed += elements.size();
    ++sums.rekeyed_lists;
    sums.rekeyed_fibres += elements.size();
    return true;
}

void Spawner::release(std::span<const u32> elements) {
    Cluster::State& state = *cluster_.state_;
    ENSURE(state.running != nullptr, ==, true);
    ENSURE(state.running->routine, ==, kParent);
    state.check_own("releases", elements);
    state.release(elements);
}

bool Spawner::should_put_aside() const {
    Cluster::State& state = *cluster_.state_;
    ENSURE(state.running != nullptr, ==, true);
    ENSURE(state.running->routine, ==, kParent);
    if (state.port.now() - state.running_arrival > kAgeBound) {
        return false;
    }
    return state.is_outranked(urgency(state.running->priority, state.running_arrival));
}

void Spawner::put_aside(std::span<const u32> elements) {
    Cluster::State& state = *cluster_.state_;
    ENSURE(state.running != nullptr, ==, true);
    const Packet& packet = *state.running;
    ENSURE(packet.routine, ==, kParent);
    if (elements.empty()) {
        return;
    }
    state.check_own("puts aside", elements);
    // Describe the rest as a packet of its own.
    state.aside_count += static_cast<u32>(elements.size());
    ENSURE(state.aside_count, <, packet.elements.size());
    QueuedPacket piece{.packet_id = packet.packet_id,
                       .routine = kParent,
                       .is_initial_launch = packet.is_initial_launch,
                       .priority = packet.priority,
                       .arrival = state.running_arrival};
    if (packet.is_initial_launch) {
        // Launches are numbered by place.
        const u32* const begin = packet.elements.data();
        const u32* const end = begin + packet.elements.size();
        const bool is_row = !std::less<>()(elements.data(), begin) &&
                            !std::greater<>()(elements.data() + elements.size(), end);
        ENSURE(is_row, ==, true);
        piece.thread = packet.thread;
        piece.user = packet.user;
        piece.first_launch = packet.first_launch + static_cast<u64>(elements.data() - begin);
    }
    // Store its elements.
    state.aside.open(piece);
    for (const u32 element : elements) {
        state.aside.add(element, 0);
    }
    state.aside.close();
    state.waiting_fibres += elements.size();
    ++state.counters.put_aside_packets;
    state.counters.put_aside_elements += elements.size();
}

}  // namespace weft::fibre
