#include "scheduler/fibre/cluster.h"

#include <algorithm>
#include <array>
#include <thread>

#include "scheduler/base/ensure.h"
#include "scheduler/fibre/fibre_storage.h"
#include "scheduler/fibre/input_buffer.h"
#include "scheduler/fibre/packet_unit.h"

namespace weft::fibre {

namespace {

constexpr RoutineId kParent = 0;

}  // namespace

// The local controller: decides what the lanes do next, runs it, and keeps the counts (F5, F15,
// F19).
struct Cluster::State {
    explicit State(const ClusterConfig& wanted)
        : config(wanted),
          storage(wanted.element_count),
          unit(wanted),
          buffer(wanted.lane_count),
          idle(wanted.element_count),
          group(wanted.lane_count),
          group_entries(wanted.lane_count) {}

    [[nodiscard]] bool is_allocated() const {
        return storage.is_allocated() && unit.is_allocated() && buffer.is_allocated() &&
               idle.is_allocated() && group.is_allocated() && group_entries.is_allocated();
    }

    bool step(Spawner& spawner, const ThreadSource& source);
    bool admit(Spawner& spawner, const ThreadSource& source);
    void leave(Spawner& spawner, u32 collection);
    void run_row(Spawner& spawner, u32 row);
    void run_packet(Spawner& spawner, const Packet& packet, u64 arrival);
    void count(const Packet& packet, u64 arrival);
    [[nodiscard]] bool is_buffer_overdue() const;

    ClusterConfig config;
    FibreStorage storage;
    PacketUnit unit;
    InputBuffer buffer;
    FibreCounters counters;
    std::array<RoutineDesc, kMaxRoutines> routines;
    std::array<Key, kMaxRoutines> last_key{};
    u32 routine_count = 0;
    u32 packet_id = 0;        // of the packet that left last
    u64 now = 0;              // packets run so far: the clock of all ages
    u64 row_key_changes = 0;  // in the group that is running, where it is mixed
    const Packet* running = nullptr;
    u64 rekeyed = 0;             // fibres that the running packet sent on to other keys
    bool is_source_dry = false;  // it took nothing, and nothing was released since
    std::thread::id owner;       // of the run() that is going on
    base::PageArray<u32> idle;   // elements whose last fibre is done
    base::PageArray<u32> group;  // a group from the input buffer
    base::PageArray<BufferEntry> group_entries;
};

Cluster::Cluster(const ClusterConfig& config) : state_(std::make_unique<State>(config)) {}

Cluster::~Cluster() = default;

bool Cluster::is_allocated() const {
    return state_->is_allocated();
}

RoutineId Cluster::declare(const RoutineDesc& desc) {
    ENSURE(state_->routine_count, <, kMaxRoutines);
    ENSURE(desc.run != nullptr, ==, true);
    const RoutineId routine = state_->routine_count++;
    state_->routines[routine] = desc;
    state_->unit.declare(routine, desc);
    return routine;
}

void Cluster::run(const ThreadSource& source) {
    State& state = *state_;
    ENSURE(state.routine_count, >, 0u);
    state.owner = std::this_thread::get_id();
    state.is_source_dry = false;
    Spawner spawner(*this);
    while (state.step(spawner, source)) {
    }
    // An element that is still held has a fibre that never ran.
    ENSURE(state.storage.held_count(), ==, 0u);
    state.counters.storage_high_water_bytes =
        state.storage.size_bytes() + state.buffer.size_bytes() + state.idle.size_bytes();
    state.unit.report(state.counters);
}

const FibreCounters& Cluster::counters() const {
    return state_->counters;
}

bool Cluster::State::is_buffer_overdue() const {
    if (buffer.entry_count() == 0) {
        return false;
    }
    return now - buffer.row(buffer.oldest_row()).oldest_arrival > kAgeBound;
}

// Does one thing; false where there was nothing left to do.
bool Cluster::State::step(Spawner& spawner, const ThreadSource& source) {
    // A full lane group, and what has waited too long.
    if (buffer.full_row() != kNone) {
        run_row(spawner, buffer.full_row());
        return true;
    }
    if (is_buffer_overdue()) {
        run_row(spawner, buffer.oldest_row());
        return true;
    }
    if (const u32 overdue = unit.overdue(now); overdue != kNone) {
        leave(spawner, overdue);
        return true;
    }
    // Depth first: a list of the deepest key.
    if (unit.has_list()) {
        const Emission emission = unit.emit_list(storage, ++packet_id);
        run_packet(spawner, emission.fibres, emission.arrival);
        return true;
    }
    if (const u32 ready = unit.best_ready(now); ready != kNone) {
        leave(spawner, ready);
        return true;
    }
    // New threads come in groups, so that their packets are full; a few free elements wait for
    // more.
    const u32 a_sixteenth = std::max(config.lane_count, config.element_count / 16);
    const u32 worthwhile = std::min(
        {routines[kParent].packet_fill, config.admit_batch, config.element_count, a_sixteenth});
    if (storage.free_count() >= worthwhile && admit(spawner, source)) {
        return true;
    }
    if (const u32 partial = unit.best_partial(now); partial != kNone) {
        leave(spawner, partial);
        return true;
    }
    if (const u32 row = buffer.most_urgent_row(); row != kNone) {
        run_row(spawner, row);
        return true;
    }
    return admit(spawner, source);
}

bool Cluster::State::admit(Spawner& spawner, const ThreadSource& source) {
    if (is_source_dry || storage.free_count() == 0) {
        return false;
    }
    const u32 most = std::min(config.admit_batch, routines[kParent].packet_max);
    const std::span<const u32> offered = storage.offer(most);
    const u32 taken = source.admit(source.context, offered);
    ENSURE(taken, <=, offered.size());
    if (taken == 0) {
        is_source_dry = true;
        return false;
    }
    storage.admit(taken);
    counters.elements_admitted += taken;
    counters.max_elements = std::max(counters.max_elements, u64{storage.held_count()});
    const Packet packet{.packet_id = ++packet_id,
                        .routine = kParent,
                        .key = {},
                        .is_initial_launch = true,
                        .elements = offered.first(taken),
                        .payload = {}};
    storage.check_packet(packet.elements, packet.packet_id);
    run_packet(spawner, packet, now);
    return true;
}

// Runs what leaves a collection now, or puts it into the input buffer where it would leave lanes
// idle (F15).
void Cluster::State::leave(Spawner& spawner, u32 index) {
    const Collection& collection = unit.collection(index);
    const CollectionKey name = collection.name;
    const bool may_mix =
        routines[name.routine].may_mix_keys && name.routine != kParent && !name.has_payload;
    const bool is_small = may_mix && unit.leaving_count(index) < config.lane_count;
    if (is_small && !buffer.has_place(name.routine, name.key.tag)) {
        run_row(spawner, buffer.oldest_row());
        return;
    }
    const Emission emission = unit.emit(index, storage, ++packet_id, now);
    const Packet& packet = emission.fibres;
    if (is_small) {
        buffer.put(packet.routine, packet.key, packet.priority, emission.arrival, packet.elements);
        return;
    }
    run_packet(spawner, packet, emission.arrival);
}

// Runs the most urgent fibres of a row as one lane group.
void Cluster::State::run_row(Spawner& spawner, u32 row_index) {
    const RoutineId routine = buffer.row(row_index).routine;
    const u32 tag = buffer.row(row_index).tag;
    const u32 count = buffer.take(row_index, storage, ++packet_id, group_entries.data());
    u64 arrival = now;
    float priority = group_entries[0].priority;
    row_key_changes = 0;
    for (u32 index = 0; index < count; ++index) {
        const BufferEntry& entry = group_entries[index];
        group[index] = entry.element;
        arrival = std::min(arrival, entry.arrival);
        priority = std::max(priority, entry.priority);
        row_key_changes +=
            index > 0 && entry.key_value != group_entries[index - 1].key_value ? 1u : 0u;
    }
    const Packet packet{.packet_id = packet_id,
                        .routine = routine,
                        .key = {group_entries[0].key_value, tag},
                        .is_mixed = row_key_changes > 0,
                        .priority = priority,
                        .elements = group.span().first(count),
                        .payload = {}};
    storage.check_packet(packet.elements, packet_id);
    run_packet(spawner, packet, arrival);
}

void Cluster::State::run_packet(Spawner& spawner, const Packet& packet, u64 arrival) {
    count(packet, arrival);
    ++now;
    rekeyed = 0;
    running = &packet;
    const RoutineDesc& routine = routines[packet.routine];
    routine.run(routine.context, packet, spawner);
    running = nullptr;
    if (packet.routine == kParent) {
        // The parent must have spawned onto each element or released it: else nobody would ever
        // come back to it.
        ENSURE(storage.count_stranded(packet.elements), ==, 0u);
        return;
    }
    // A fibre that went on to several keys is one fibre in several places, and done when all its
    // parts are.
    counters.fibres_completed += packet.elements.size() - rekeyed;
    const u32 idle_count = storage.complete(packet.elements, idle.data());
    if (idle_count > 0) {
        unit.spawn(kParent, Key{}, idle.span().first(idle_count), packet.priority, now);
    }
}

void Cluster::State::count(const Packet& packet, u64 arrival) {
    RoutineCounters& sums = counters.routine[packet.routine];
    const u64 fibres = packet.elements.size();
    const u64 lanes = config.lane_count;
    const u64 groups = (fibres + lanes - 1) / lanes;
    const u64 in_last_group = fibres - (groups - 1) * lanes;
    const bool is_same_key = sums.packets > 0 && last_key[packet.routine] == packet.key;
    sums.distinct_keys += is_same_key ? 0 : 1;
    if (packet.is_mixed) {
        ++sums.mixed_packets;
        sums.distinct_keys += row_key_changes;
    }
    last_key[packet.routine] = packet.key;
    ++sums.packets;
    sums.fibres += fibres;
    sums.lanes_issued += groups * lanes;
    sums.lanes_active += fibres;
    // Wider groups are counted in sixteenths, rounded up.
    const u64 top_bin = kFullnessBins - 1;
    const u64 bin =
        lanes <= top_bin ? in_last_group : (in_last_group * top_bin + lanes - 1) / lanes;
    ++sums.by_fullness[bin];
    counters.max_age_packets = std::max(counters.max_age_packets, now - arrival);
}

void Spawner::spawn(RoutineId routine, Key key, std::span<const u32> elements, float priority) {
    Cluster::State& state = *cluster_.state_;
    DEBUG_ENSURE(std::this_thread::get_id(), ==, state.owner);
    ENSURE(state.running != nullptr, ==, true);
    ENSURE(routine, <, state.routine_count);
    // The parent is invoked by the count alone.
    ENSURE(routine, !=, kParent);
    state.storage.check_running(elements, state.running->packet_id);
    state.storage.add_fibres(elements);
    state.counters.fibres_spawned += elements.size();
    state.unit.spawn(routine, key, elements, priority, state.now);
}

bool Spawner::rekey(Key key, std::span<const u32> elements, std::span<const float> payload) {
    Cluster::State& state = *cluster_.state_;
    DEBUG_ENSURE(std::this_thread::get_id(), ==, state.owner);
    ENSURE(state.running != nullptr, ==, true);
    ENSURE(state.running->routine, !=, kParent);
    ENSURE(elements.size(), <=, state.running->elements.size());
    ENSURE(payload.size(), ==, elements.size());
    if (elements.empty()) {
        return true;
    }
    state.storage.check_running(elements, state.running->packet_id);
    RoutineCounters& sums = state.counters.routine[state.running->routine];
    if (!state.unit.rekey(*state.running, key, elements, payload, state.now)) {
        ++sums.refused_lists;
        return false;
    }
    state.storage.add_fibres(elements);
    state.rekeyed += elements.size();
    ++sums.rekeyed_lists;
    sums.rekeyed_fibres += elements.size();
    return true;
}

void Spawner::release(std::span<const u32> elements) {
    Cluster::State& state = *cluster_.state_;
    DEBUG_ENSURE(std::this_thread::get_id(), ==, state.owner);
    ENSURE(state.running != nullptr, ==, true);
    ENSURE(state.running->routine, ==, kParent);
    state.storage.check_running(elements, state.running->packet_id);
    state.storage.release(elements);
    state.counters.elements_released += elements.size();
    state.is_source_dry = false;
}

}  // namespace weft::fibre
