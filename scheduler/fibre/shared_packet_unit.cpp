#include "scheduler/fibre/shared_packet_unit.h"

#include <algorithm>
#include <limits>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

u32 inbox_capacity(const ClusterConfig& config) {
    return config.element_count * kMaxRoutines + config.list_capacity;
}

}  // namespace

SharedPacketUnit::SharedPacketUnit(const ClusterConfig& of_each, u32 cluster_count)
    : config_(of_each),
      unit_(of_each, cluster_count),
      ranges_(cluster_count * of_each.thread_capacity) {
    for (u32 cluster = 0; cluster < cluster_count; ++cluster) {
        seats_.push_back(std::make_unique<Seat>(inbox_capacity(of_each)));
        seats_.back()->told.reserve(cluster_count);
    }
    touched_.reserve(cluster_count);
}

bool SharedPacketUnit::is_allocated() const {
    return !seats_.empty() && unit_.is_allocated() &&
           std::all_of(seats_.begin(), seats_.end(), [](const std::unique_ptr<Seat>& seat) {
               return seat->inbox.is_allocated();
           });
}

void SharedPacketUnit::set_delivered(void (*delivered)(void* context, u32 cluster), void* context) {
    delivered_ = delivered;
    delivered_context_ = context;
}

SharedPacketUnit::Ticket SharedPacketUnit::join(u32 cluster) {
    ENSURE(cluster, <, cluster_count());
    const std::lock_guard lock(mutex_);
    std::atomic<u64>& registration = seats_[cluster]->registration;
    // Relaxed: changed under the mutex only, and is_lost() reads nothing else.
    const u64 number = registration.load(std::memory_order_relaxed) + 1;
    ENSURE(number % 2, ==, 1u);  // otherwise two clusters have one place
    registration.store(number, std::memory_order_relaxed);
    return {cluster, number};
}

bool SharedPacketUnit::is_lost(const Ticket& ticket) const {
    // Relaxed: a cluster that sees the change late does no harm, since each of its calls checks
    // again under the mutex.
    return seats_[ticket.cluster]->registration.load(std::memory_order_relaxed) !=
           ticket.registration;
}

bool SharedPacketUnit::is_seated(const Ticket& ticket) const {
    return !is_lost(ticket);
}

void SharedPacketUnit::leave(const Ticket& ticket) {
    // A separate list of clusters to wake: the cluster's own OS thread may be reading its seat's.
    Seat teller(0);
    teller.told.reserve(seats_.size());
    {
        const std::lock_guard lock(mutex_);
        if (!is_seated(ticket)) {
            return;
        }
        Seat& seat = *seats_[ticket.cluster];
        seat.registration.store(ticket.registration + 1, std::memory_order_relaxed);
        drop_all_of(ticket.cluster, teller);
        ranges_.drop_all_of(ticket.cluster);
    }
    tell(teller, ticket.cluster);
}

// Emits every collection with fibres of the cluster, and drops that cluster's slices.
void SharedPacketUnit::drop_all_of(u32 cluster, Seat& teller) {
    Seat& seat = *seats_[cluster];
    counters_.dropped_fibres += seat.inbox.fibre_count();
    seat.inbox.clear();
    while (seat.gathering > 0) {
        const u32 oldest = unit_.oldest_of(cluster);
        // Others' fibres of a far collection leave too soon, and wait again.
        const u32 index = oldest == kNone ? unit_.give_up_far_of(cluster) : oldest;
        ENSURE(index, !=, kNone);
        unit_.emit(index, next_packet_id(), now(), leaving_);
        scatter(teller);
    }
    seat.spawned = 0;
    seat.listed = 0;
}

void SharedPacketUnit::declare(const Ticket& ticket, RoutineId routine, const RoutineDesc& desc) {
    ENSURE((desc.fetch == nullptr || desc.leaves != nullptr), ==, true);
    const std::lock_guard lock(mutex_);
    if (is_seated(ticket)) {
        unit_.declare(routine, desc);
        far_rules_[routine] = {desc.fetch ? desc.leaves : nullptr, desc.context, desc.far_tag};
    }
}

// The arrival of a cluster's fibres as the unit numbers them.
Arrival SharedPacketUnit::arriving(const Arrival& arrival, u32 cluster) const {
    Arrival here = arrival;
    here.now = now();
    here.cluster = cluster;
    here.first_element = cluster * config_.element_count;
    return here;
}

void SharedPacketUnit::spawn(const Ticket& ticket,
                             RoutineId routine,
                             Key key,
                             std::span<const u32> elements,
                             const Arrival& arrival) {
    const std::lock_guard lock(mutex_);
    if (!is_seated(ticket)) {
        return;
    }
    Seat& seat = *seats_[ticket.cluster];
    const auto count = static_cast<u32>(elements.size());
    seat.gathering += count;
    seat.spawned += count;
    // More fibres wait than the cluster promised.
    ENSURE(seat.spawned, <=, config_.element_count * kMaxRoutines);
    unit_.spawn(routine, key, elements, arriving(arrival, ticket.cluster));
}

bool SharedPacketUnit::rekey(const Ticket& ticket,
                             RoutineId routine,
                             Key key,
                             std::span<const u32> elements,
                             std::span<const float> payload,
                             const Arrival& arrival) {
    const std::lock_guard lock(mutex_);
    Seat& seat = *seats_[ticket.cluster];
    const auto count = static_cast<u32>(elements.size());
    if (!is_seated(ticket) || count > config_.list_capacity - seat.listed) {
        return false;
    }
    if (!unit_.rekey(routine, key, elements, payload, arriving(arrival, ticket.cluster))) {
        return false;
    }
    seat.gathering += count;
    seat.listed += count;
    return true;
}

u32 SharedPacketUnit::choose(u32 cluster, Wanted wanted, u64 now, u64 oldest_list) {
    if (wanted == Wanted::Overdue) {
        return unit_.overdue(now, oldest_list);
    }
    if (wanted == Wanted::Arrived) {
        return unit_.first_arrived();
    }
    if (seats_[cluster]->gathering == 0) {
        return kNone;
    }
    if (wanted == Wanted::Ready) {
        return unit_.best_ready(now);
    }
    const u32 best = unit_.best_partial(now);
    const bool is_of_cluster =
        best != kNone && (unit_.collection(best).clusters >> cluster % 64 & 1) != 0;
    return is_of_cluster ? best : unit_.oldest_of(cluster);
}

bool SharedPacketUnit::next(
    const Ticket& ticket, Wanted wanted, u64 oldest_list, const Room& room, Emission& emission) {
    Seat& seat = *seats_[ticket.cluster];
    {
        const std::lock_guard lock(mutex_);
        if (!is_seated(ticket)) {
            return false;
        }
        seat.told.clear();
        const u64 time = now();
        // Emit packets and scatter them over the clusters until this one has a wanted one.
        const auto has_one = [&] {
            if (seat.inbox.is_empty() || wanted != Wanted::Overdue) {
                return !seat.inbox.is_empty();
            }
            const u64 arrival = seat.inbox.top().arrival;
            return time - arrival > kAgeBound && arrival < oldest_list;
        };
        while (!has_one()) {
            const u32 index = choose(ticket.cluster, wanted, time, oldest_list);
            if (index == kNone) {
                break;
            }
            if (!unit_.may_leave(index)) {
                continue;  // its data were dropped again
            }
            unit_.emit(index, next_packet_id(), time, leaving_);
            leaving_.reason = wanted == Wanted::Overdue ? LeaveReason::Overdue : leaving_.reason;
            scatter(seat);
        }
        // Take it out of the inbox.
        if (!has_one()) {
            emission.fibres.elements = {};
        } else {
            const QueuedPacket top = seat.inbox.top();
            const u32 count = seat.inbox.pop(room.elements, room.numbers);
            (top.has_payload ? seat.listed : seat.spawned) -= count;
            emission = {};
            emission.arrival = top.arrival;
            emission.reason = top.reason;
            emission.fibres.packet_id = top.packet_id;
            emission.fibres.routine = top.routine;
            emission.fibres.key = top.key;
            emission.fibres.priority = top.priority;
            emission.fibres.elements = {room.elements, count};
            if (top.has_payload) {
                emission.fibres.payload = {room.numbers, count};
            }
        }
    }
    // Wake the clusters that got packets, without the lock.
    tell(seat, ticket.cluster);
    return !emission.fibres.elements.empty();
}

// Cuts the packet that is leaving into slices by where its elements live, each to its cluster's
// inbox.
void SharedPacketUnit::scatter(Seat& teller) {
    const Packet& packet = leaving_.fibres;
    const QueuedPacket queued{.packet_id = packet.packet_id,
                              .routine = packet.routine,
                              .key = packet.key,
                              .has_payload = !packet.payload.empty(),
                              .priority = packet.priority,
                              .arrival = leaving_.arrival,
                              .reason = leaving_.reason};
    // Deal the fibres to the inboxes; those of free places are dropped.
    touched_.clear();
    u32 largest = 0;
    for (std::size_t index = 0; index < packet.elements.size(); ++index) {
        const u32 cluster = packet.elements[index] / config_.element_count;
        Seat& seat = *seats_[cluster];
        --seat.gathering;
        const bool is_taken = seat.registration.load(std::memory_order_relaxed) % 2 == 1;
        if (!is_taken) {
            ++counters_.dropped_fibres;
            continue;
        }
        if (seat.slice++ == 0) {
            touched_.push_back(cluster);
            seat.inbox.open(queued);
        }
        largest = std::max(largest, seat.slice);
        seat.inbox.add(packet.elements[index] % config_.element_count,
                       queued.has_payload ? packet.payload[index] : 0.0f);
    }
    // Close the slices, and note the clusters to wake.
    for (const u32 cluster : touched_) {
        Seat& seat = *seats_[cluster];
        seat.inbox.close();
        counters_.scattered_fibres += seat.slice;
        seat.slice = 0;
        if (std::find(teller.told.begin(), teller.told.end(), cluster) == teller.told.end()) {
            teller.told.push_back(cluster);
        }
    }
    if (const FarRule& far = far_rules_[packet.routine];
        far.leaves && queued.has_payload && packet.key.tag >= far.far_tag) {
        far.leaves(far.context, packet.key, touched_);
    }
    ++counters_.scattered_packets;
    counters_.scattered_slices += touched_.size();
    counters_.largest_slices += largest;
}

void SharedPacketUnit::tell(const Seat& teller, u32 own_cluster) {
    if (!delivered_) {
        return;
    }
    for (const u32 cluster : teller.told) {
        if (cluster != own_cluster) {
            delivered_(delivered_context_, cluster);
        }
    }
}

Ahead SharedPacketUnit::ahead(const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    if (!is_seated(ticket)) {
        return {};
    }
    const Seat& seat = *seats_[ticket.cluster];
    if (!seat.inbox.is_empty()) {
        return {seat.inbox.top().routine, seat.inbox.top().key};
    }
    return unit_.ahead(now());
}

bool SharedPacketUnit::tend_far(const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    return is_seated(ticket) && unit_.tend_far(now(), config_.element_count * cluster_count());
}

bool SharedPacketUnit::choose_most_far(const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    if (!is_seated(ticket) || seats_[ticket.cluster]->gathering == 0) {
        return false;
    }
    // Refused fetches are repeated when the clock moves; it stands still while no packet runs.
    unit_.note_news();
    return unit_.choose_most_far(now());
}

double SharedPacketUnit::most_urgent(const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    double best = std::numeric_limits<double>::lowest();
    if (!is_seated(ticket)) {
        return best;
    }
    const Seat& seat = *seats_[ticket.cluster];
    if (!seat.inbox.is_empty()) {
        best = seat.inbox.top_urgency();
    }
    const u64 time = now();
    for (const u32 index : {seat.gathering > 0 ? unit_.best_ready(time) : kNone,
                            seat.gathering > 0 ? unit_.first_arrived() : kNone}) {
        best = index == kNone ? best : std::max(best, unit_.urgency_of(index, time));
    }
    return best;
}

void SharedPacketUnit::claim_range(const Ticket& ticket, const WriteRange& range) {
    const std::lock_guard lock(mutex_);
    if (is_seated(ticket)) {
        ranges_.claim(ticket.cluster, range);
    }
}

void SharedPacketUnit::drop_range(const Ticket& ticket, const WriteRange& range) {
    const std::lock_guard lock(mutex_);
    if (is_seated(ticket)) {
        ranges_.drop(ticket.cluster, range);
    }
}

u64 SharedPacketUnit::now() const {
    // Relaxed: an age may be off by a few packets; reads under the mutex never go back.
    return now_.load(std::memory_order_relaxed);
}

u64 SharedPacketUnit::tick() {
    return now_.fetch_add(1, std::memory_order_relaxed) + 1;  // as now()
}

u32 SharedPacketUnit::next_packet_id() {
    // Relaxed: the number only has to be unique. 0 is no packet's.
    u32 id = packet_id_.fetch_add(1, std::memory_order_relaxed) + 1;
    return id != 0 ? id : packet_id_.fetch_add(1, std::memory_order_relaxed) + 1;
}

FibreCounters SharedPacketUnit::counters() {
    const std::lock_guard lock(mutex_);
    FibreCounters report = counters_;
    unit_.report(report);
    for (const std::unique_ptr<Seat>& seat : seats_) {
        report.storage_high_water_bytes += seat->inbox.high_water_bytes();
    }
    return report;
}

}  // namespace weft::fibre
