#include "scheduler/fibre/packet_port.h"

#include <algorithm>
#include <limits>

namespace weft::fibre {

PacketPort::PacketPort(const ClusterConfig& config)
    : own_(std::make_unique<PacketUnit>(config, 1)) {}

PacketPort::PacketPort(const ClusterConfig& config, SharedPacketUnit& shared, u32 cluster)
    : shared_(&shared),
      ticket_(shared.join(cluster)),
      elements_(config.element_count),
      numbers_(config.element_count) {}

PacketPort::~PacketPort() {
    abandon();
}

bool PacketPort::is_allocated() const {
    if (own_) {
        return own_->is_allocated();
    }
    return shared_->is_allocated() && elements_.is_allocated() && numbers_.is_allocated();
}

void PacketPort::abandon() {
    if (shared_) {
        shared_->leave(ticket_);
    }
}

u32 PacketPort::next_packet_id() {
    if (shared_) {
        return shared_->next_packet_id();
    }
    packet_id_ += packet_id_ + 1 == 0 ? 2u : 1u;  // no packet has the id 0
    return packet_id_;
}

void PacketPort::declare(RoutineId routine, const RoutineDesc& desc) {
    if (own_) {
        own_->declare(routine, desc);
    } else {
        shared_->declare(ticket_, routine, desc);
    }
}

void PacketPort::spawn(RoutineId routine, Key key, std::span<const u32> elements, Arrival arrival) {
    if (own_) {
        arrival.now = now_;
        own_->spawn(routine, key, elements, arrival);
    } else {
        shared_->spawn(ticket_, routine, key, elements, arrival);
    }
}

bool PacketPort::rekey(RoutineId routine,
                       Key key,
                       std::span<const u32> elements,
                       std::span<const float> payload,
                       Arrival arrival) {
    if (own_) {
        arrival.now = now_;
        return own_->rekey(routine, key, elements, payload, arrival);
    }
    return shared_->rekey(ticket_, routine, key, elements, payload, arrival);
}

bool PacketPort::next(Wanted wanted, u64 oldest_list, Emission& emission) {
    if (shared_) {
        const bool is_found = shared_->next(
            ticket_, wanted, oldest_list, {elements_.data(), numbers_.data()}, emission);
        now_ = shared_->now();
        asked_ = wanted == Wanted::Overdue ? now_ : asked_;
        return is_found;
    }
    const auto choose = [&] {
        return wanted == Wanted::Overdue   ? own_->overdue(now_, oldest_list)
               : wanted == Wanted::Ready   ? own_->best_ready(now_)
               : wanted == Wanted::Arrived ? own_->first_arrived()
                                           : own_->best_partial(now_);
    };
    u32 index = choose();
    while (index != kNone && !own_->may_leave(index)) {
        index = choose();
    }
    if (index == kNone) {
        return false;
    }
    own_->emit(index, next_packet_id(), now_, emission);
    emission.reason = wanted == Wanted::Overdue ? LeaveReason::Overdue : emission.reason;
    return true;
}

Ahead PacketPort::ahead() {
    return shared_ ? shared_->ahead(ticket_) : own_->ahead(now_);
}

double PacketPort::most_urgent() {
    if (shared_) {
        return shared_->most_urgent(ticket_);
    }
    double best = std::numeric_limits<double>::lowest();
    for (const u32 index : {own_->best_ready(now_), own_->first_arrived()}) {
        best = index == kNone ? best : std::max(best, own_->urgency_of(index, now_));
    }
    return best;
}

void PacketPort::claim_range(const WriteRange& range) {
    if (shared_) {
        shared_->claim_range(ticket_, range);
    }
}

void PacketPort::drop_range(const WriteRange& range) {
    if (shared_) {
        shared_->drop_range(ticket_, range);
    }
}

void PacketPort::report(FibreCounters& counters) const {
    if (own_) {
        own_->report(counters);
    }
}

}  // namespace weft::fibre
