// local_controller.cpp — chooses what the lanes of a cluster run next (F14, F15), and counts it
// (F19).
#include <algorithm>
#include <limits>

#include "scheduler/base/ensure.h"
#include "scheduler/base/trace_log.h"
#include "scheduler/fibre/cluster_state.h"

namespace weft::fibre {

namespace {

// A parent pauses for a packet that is more urgent by so much: half a step of priority, or 64
// packets of waiting.
constexpr double kGivesWay = 0.25;

}  // namespace

bool Cluster::State::is_buffer_overdue() const {
    if (buffer.entry_count() == 0) {
        return false;
    }
    return port.now() - buffer.row(buffer.oldest_row()).oldest_arrival > kAgeBound;
}

// Whether a ready packet is clearly more urgent than this.
bool Cluster::State::is_outranked(double its_urgency) {
    double best = port.most_urgent();
    if (buffer.full_row() != kNone) {
        best = std::max(best, buffer.urgency_of(buffer.full_row()));
    }
    if (!lists.is_empty()) {
        best = std::max(best, urgency(lists.top().priority, lists.top().arrival));
    }
    return best > its_urgency + kGivesWay;
}

// Makes one decision and runs it; false: nothing was left to do.
bool Cluster::State::step(Spawner& spawner) {
    if (port.is_lost()) {
        return false;
    }
    // Ask for data of far keys.
    const bool has_arrived = has_fetch && port.tend_far(storage.managed_count());
    // Run a full lane group, or an overdue packet.
    if (buffer.full_row() != kNone) {
        run_row(spawner, buffer.full_row(), LeaveReason::Full);
        return true;
    }
    if (run_overdue(spawner)) {
        return true;
    }
    // Run the list pushed last, depth first.
    if (!lists.is_empty()) {
        run_list(spawner);
        return true;
    }
    // Resume a paused parent that no ready packet outranks.
    if (!aside.is_empty() && !is_outranked(aside.top_urgency())) {
        resume(spawner);
        return true;
    }
    // Run a packet that is ready.
    if (run_next(spawner, Wanted::Ready)) {
        return true;
    }
    // Run a packet whose data have come.
    if (has_arrived && run_next(spawner, Wanted::Arrived)) {
        return true;
    }
    // Launch threads only with many free elements, so that their packets are full.
    const u32 managed = storage.managed_count();
    const u32 a_sixteenth = std::max(config.lane_count, managed / 16);
    const u32 worthwhile =
        std::min({routines[kParent].packet_fill, config.admit_batch, managed, a_sixteenth});
    if (storage.free_count() >= worthwhile && launch(spawner)) {
        return true;
    }
    return run_partial(spawner) || (has_fetch && fetch_or_await(spawner));
}

// Runs what is not full: packets, rows, paused parents, launches.
bool Cluster::State::run_partial(Spawner& spawner) {
    if (run_next(spawner, Wanted::Partial)) {
        return true;
    }
    if (const u32 row = buffer.most_urgent_row(); row != kNone) {
        run_row(spawner, row, LeaveReason::Idle);
        return true;
    }
    if (!aside.is_empty()) {
        resume(spawner);
        return true;
    }
    return launch(spawner);
}

// Nothing else can run: fetches data of far keys, and waits until some come; false: no fibre needs
// any. A cluster of a device does not wait: its OS thread may have other clusters to step.
bool Cluster::State::fetch_or_await(Spawner& spawner) {
    if (!port.choose_most_far()) {
        return false;
    }
    if (run_next(spawner, Wanted::Arrived)) {
        return true;
    }
    if (port.is_shared()) {
        return false;
    }
    port.await_far();
    return true;
}

bool Cluster::State::run_overdue(Spawner& spawner) {
    if (is_buffer_overdue()) {
        run_row(spawner, buffer.oldest_row(), LeaveReason::Overdue);
        return true;
    }
    if (!aside.is_empty() && port.now() - aside.top().arrival > kAgeBound) {
        resume(spawner);
        return true;
    }
    return port.may_have_overdue() && run_next(spawner, Wanted::Overdue);
}

// Runs the next packet of the wanted kind, or buffers it if it would leave lanes idle (F15).
bool Cluster::State::run_next(Spawner& spawner, Wanted wanted) {
    // Take a packet and prefetch its data.
    const u64 oldest_list =
        lists.is_empty() ? std::numeric_limits<u64>::max() : lists.bottom().arrival;
    if (!port.next(wanted, oldest_list, emission)) {
        return false;
    }
    const Packet& packet = emission.fibres;
    const RoutineDesc& routine = routines[packet.routine];
    prefetch(packet);
    // Run it if it fills the lanes or cannot share them.
    const bool may_mix =
        routine.may_mix_keys && packet.routine != kParent && packet.payload.empty();
    if (!may_mix || packet.elements.size() >= config.lane_count) {
        run_packet(spawner, packet, emission.arrival, emission.reason);
        return true;
    }
    // Running a row may spawn, but emits no packet: the fibres of this packet stay valid.
    while (!buffer.has_place(packet.routine, packet.key.tag)) {
        run_row(spawner, buffer.oldest_row(), LeaveReason::Evicted);
    }
    buffer.put(packet.routine, packet.key, packet.priority, emission.arrival, packet.elements);
    return true;
}

// Launches the parent of the thread chosen by the coarse scheduler on free elements (F17).
bool Cluster::State::launch(Spawner& spawner) {
    adapt_border();
    // Leave early while nothing can be launched.
    const u32 free_count = storage.free_count();
    if (!coarse.has_launches() || free_count <= refused_free) {
        return false;
    }
    // Ask the coarse scheduler for a thread.
    const u32 most = std::min(config.admit_batch, routines[kParent].packet_max);
    Grant grant;
    if (!coarse.next(free_count, most, port.now(), grant)) {
        refused_free = free_count;
        return false;
    }
    // Admit the elements, and run the parent on them.
    Packet packet;
    packet.packet_id = port.next_packet_id();
    packet.routine = kParent;
    packet.is_initial_launch = true;
    packet.priority = grant.priority;
    packet.elements = storage.admit(grant.count, grant.thread);
    packet.thread = grant.thread;
    packet.user = grant.user;
    packet.first_launch = grant.first_launch;
    counters.elements_admitted += grant.count;
    counters.max_elements = std::max(counters.max_elements, u64{storage.held_count()});
    ++counters.launch_pieces;
    waiting_fibres += grant.count;
    run_packet(spawner, packet, port.now(), LeaveReason::Launch);
    return true;
}

void Cluster::State::run_list(Spawner& spawner) {
    const ListHeader list = lists.pop(elements.data(), numbers.data());
    Packet packet;
    packet.packet_id = port.next_packet_id();
    packet.routine = list.routine;
    packet.key = list.key;
    packet.priority = list.priority;
    packet.elements = elements.span().first(list.count);
    packet.payload = numbers.span().first(list.count);
    prefetch(packet);
    run_packet(spawner, packet, list.arrival, LeaveReason::List);
}

// Resumes a parent with the elements that it put aside.
void Cluster::State::resume(Spawner& spawner) {
    const QueuedPacket top = aside.top();
    const u32 count = aside.pop(elements.data(), numbers.data());
    Packet packet;
    packet.packet_id = port.next_packet_id();
    packet.routine = kParent;
    packet.is_initial_launch = top.is_initial_launch;
    packet.priority = top.priority;
    packet.elements = elements.span().first(count);
    packet.thread = top.thread;
    packet.user = top.user;
    packet.first_launch = top.first_launch;
    run_packet(spawner, packet, top.arrival, LeaveReason::Resumed);
}

// Runs the most urgent fibres of a row as one lane group.
void Cluster::State::run_row(Spawner& spawner, u32 row_index, LeaveReason reason) {
    // Take the fibres out of the row.
    const RoutineId routine = buffer.row(row_index).routine;
    const u32 tag = buffer.row(row_index).tag;
    Packet packet;
    packet.packet_id = port.next_packet_id();
    const u32 count = buffer.take(
        row_index, {.claims = claims, .packet_id = packet.packet_id}, group_entries.data());
    // Find the earliest arrival, the highest priority, and how often the key changes.
    u64 arrival = port.now();
    packet.priority = group_entries[0].priority;
    row_key_changes = 0;
    for (u32 index = 0; index < count; ++index) {
        const BufferEntry& entry = group_entries[index];
        group[index] = entry.element;
        arrival = std::min(arrival, entry.arrival);
        packet.priority = std::max(packet.priority, entry.priority);
        row_key_changes +=
            index > 0 && entry.key_value != group_entries[index - 1].key_value ? 1u : 0u;
    }
    // Run them.
    packet.routine = routine;
    packet.key = {group_entries[0].key_value, tag};
    packet.is_mixed = row_key_changes > 0;
    packet.elements = group.span().first(count);
    run_packet(spawner, packet, arrival, reason);
}

void Cluster::State::run_packet(Spawner& spawner,
                                const Packet& packet,
                                u64 arrival,
                                LeaveReason reason) {
    // Count the packet, and run its routine.
    const RoutineDesc& routine = routines[packet.routine];
    if constexpr (kWatchesElements) {
        watch.begin(packet, routine.name);
    }
    count(packet, arrival, reason);
    port.tick();
    rekeyed = 0;
    aside_count = 0;
    settled_count = 0;
    running = &packet;
    running_arrival = arrival;
    {
        base::TraceMark mark(trace_names[packet.routine], "fibres", packet.elements.size());
        mark.note("lanes", config.lane_count);
        routine.run(routine.context, packet, spawner);
    }
    running = nullptr;
    if constexpr (kWatchesElements) {
        watch.end(packet);
    }
    // A parent must have dealt with every element.
    if (packet.routine == kParent) {
        end_parent(packet);
        return;
    }
    // A fibre that went on to several keys counts once, and is done when all its places are.
    counters.fibres_completed += packet.elements.size() - rekeyed;
    const u32 idle_count = storage.complete(packet.elements, idle.data());
    if (idle_count > 0) {
        waiting_fibres += idle_count;
        // An element without fibres is due once.
        port.spawn(kParent,
                   Key{},
                   idle.span().first(idle_count),
                   {.priority = packet.priority, .pressure = pressure(), .has_repeats = false});
    }
}

// The parent must have spawned onto each element, released it or put it aside; otherwise the
// element would leak (F5).
void Cluster::State::end_parent(const Packet& packet) {
    if (settled_count + aside_count != packet.elements.size()) {
        base::fail_claim(
            __FILE__,
            __LINE__,
            "a parent spawns onto each element or releases it or puts it aside",
            ElementWatch::describe(packet.packet_id, routines[kParent].name, packet.key) + " vs " +
                watch.describe(storage.first_stranded(packet.elements)));
    }
    // Tell of threads whose last element was released.
    if (done) {
        for (const u64 user : finished) {
            done(done_context, user);
        }
    }
    finished.clear();
}

void Cluster::State::count(const Packet& packet, u64 arrival, LeaveReason reason) {
    RoutineCounters& sums = counters.routine[packet.routine];
    // Count lane groups.
    const u64 fibres = packet.elements.size();
    const u64 lanes = config.lane_count;
    const u64 groups = (fibres + lanes - 1) / lanes;
    const u64 in_last_group = fibres - (groups - 1) * lanes;
    // Count keys.
    const bool is_same_key = sums.packets > 0 && last_key[packet.routine] == packet.key;
    sums.distinct_keys += is_same_key ? 0 : 1;
    if (packet.is_mixed) {
        ++sums.mixed_packets;
        sums.distinct_keys += row_key_changes;
    }
    last_key[packet.routine] = packet.key;
    // Count fibres and lanes.
    ++sums.packets;
    sums.fibres += fibres;
    sums.lanes_issued += groups * lanes;
    sums.lanes_active += fibres;
    // Groups wider than 16 lanes are counted in sixteenths, rounded up.
    const u64 top_bin = kFullnessBins - 1;
    const u64 bin =
        lanes <= top_bin ? in_last_group : (in_last_group * top_bin + lanes - 1) / lanes;
    ++sums.by_fullness[bin];
    // Count reasons and ages.
    ++sums.by_reason[static_cast<u32>(reason)];
    const u64 age = port.now() - arrival;
    sums.by_age[age_bin(age)] += fibres;
    counters.max_age_packets = std::max(counters.max_age_packets, age);
    // Count the fibres that wait.
    counters.waiting_fibres_sum += waiting_fibres;
    counters.max_waiting_fibres = std::max(counters.max_waiting_fibres, waiting_fibres);
    waiting_fibres -= fibres;
}

// Starts the fetch of the packet's data and of the next packet's (F12).
void Cluster::State::prefetch(const Packet& packet) {
    if (!has_prefetch) {
        return;
    }
    const RoutineDesc& own = routines[packet.routine];
    const bool is_started = started.routine == packet.routine && started.key == packet.key;
    if (own.prefetch && !is_started) {
        own.prefetch(own.context, packet.key);
    }
    started = lists.is_empty() ? port.ahead() : Ahead{lists.top().routine, lists.top().key};
    if (started.routine != kNone && routines[started.routine].prefetch) {
        routines[started.routine].prefetch(routines[started.routine].context, started.key);
    }
}

}  // namespace weft::fibre
