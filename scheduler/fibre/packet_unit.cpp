#include "scheduler/fibre/packet_unit.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

PacketUnit::PacketUnit(const ClusterConfig& of_each, u32 cluster_count)
    : lane_count_(of_each.lane_count),
      memory_({.collection_count = of_each.collection_count,
               .spawned_capacity = of_each.element_count * kMaxRoutines * cluster_count,
               .list_capacity = of_each.list_capacity * cluster_count}),
      claims_(of_each.element_count * cluster_count),
      elements_(std::size_t{of_each.element_count} * cluster_count),
      payload_(std::size_t{of_each.element_count} * cluster_count) {}

bool PacketUnit::is_allocated() const {
    return memory_.is_allocated() && claims_.is_allocated() && elements_.is_allocated() &&
           payload_.is_allocated();
}

void PacketUnit::declare(RoutineId routine, const RoutineDesc& desc) {
    rules_[routine] = {desc.packet_max, desc.may_mix_keys, desc.ignores_key};
    memory_.set_rule(
        routine,
        {desc.policy, desc.packet_fill, desc.packet_max, desc.fetch != nullptr, desc.far_tag});
    fetches_.declare(routine, desc);
}

void PacketUnit::spawn(RoutineId routine,
                       Key key,
                       std::span<const u32> elements,
                       const Arrival& arrival) {
    const CollectionKey name{.routine = routine, .key = rules_[routine].ignores_key ? Key{} : key};
    memory_.append(name, elements, {}, arrival);
}

bool PacketUnit::rekey(RoutineId routine,
                       Key key,
                       std::span<const u32> elements,
                       std::span<const float> payload,
                       const Arrival& arrival) {
    if (!memory_.has_room_for_list(static_cast<u32>(elements.size()))) {
        return false;
    }
    const CollectionKey name{.routine = routine, .key = key, .has_payload = true};
    memory_.append(name, elements, payload, arrival);
    return true;
}

// The oldest collection that may leave.
u32 PacketUnit::oldest_near() const {
    u32 oldest = memory_.oldest();
    for (u32 index = first_arrived(); index != kNone; index = memory_[index].leaves_after) {
        if (oldest == kNone || memory_[index].birth < memory_[oldest].birth) {
            oldest = index;
        }
    }
    return oldest;
}

u32 PacketUnit::overdue(u64 now, u64 oldest_list) const {
    if (!has_overdue(now)) {
        return kNone;
    }
    const u32 oldest = oldest_near();
    // Lists run before collections, except that an overdue collection precedes younger lists.
    return oldest_list <= memory_[oldest].birth ? kNone : oldest;
}

u32 PacketUnit::give_up_far_of(u32 cluster) {
    const u32 index = memory_.far_of(cluster);
    if (index != kNone && memory_[index].distance == Distance::Far) {
        memory_.choose_far(index);
    }
    return index;
}

Ahead PacketUnit::ahead(u64 now) {
    const u32 next = memory_.best_ready(now);
    if (next == kNone) {
        return {};
    }
    return {memory_[next].name.routine, memory_[next].name.key};
}

double PacketUnit::urgency_of(u32 index, u64 now) const {
    const CollectionView view = memory_.view(memory_[index], now);
    return urgency(0.5f * (view.mean_priority + view.max_priority), memory_[index].birth);
}

u32 PacketUnit::leaving_count(const Collection& collection) const {
    const Rule& rule = rules_[collection.name.routine];
    const u32 fitting = std::min(rule.packet_max, static_cast<u32>(elements_.size()));
    const u32 most = std::min(collection.fibre_count, fitting);
    const bool rest_may_wait =
        rule.may_mix_keys && collection.name.routine != kParent && !collection.name.has_payload;
    return rest_may_wait && most >= lane_count_ ? most - most % lane_count_ : most;
}

void PacketUnit::emit(u32 index, u32 packet_id, u64 now, Emission& emission) {
    // take() may close the collection, so read it first.
    const Collection leaving = memory_[index];
    const CollectionView view = memory_.view(leaving, now);
    const u32 count = memory_.take(index,
                                   leaving_count(leaving),
                                   {.claims = claims_, .packet_id = packet_id},
                                   now,
                                   elements_.data(),
                                   payload_.data());
    fetches_.count_left(leaving, count);
    emission.arrival = leaving.birth;
    emission.reason = leaving.fibre_count >= view.packet_fill ? LeaveReason::Full
                      : leaving.is_ready                      ? LeaveReason::Evicted
                                                              : LeaveReason::Idle;
    emission.fibres.packet_id = packet_id;
    emission.fibres.routine = leaving.name.routine;
    emission.fibres.key = leaving.name.key;
    emission.fibres.priority = 0.5f * (view.mean_priority + view.max_priority);
    emission.fibres.elements = elements_.span().first(count);
    emission.fibres.payload = payload_.span().first(leaving.name.has_payload ? count : 0);
}

void PacketUnit::report(FibreCounters& counters) const {
    memory_.report(counters);
    fetches_.report(counters);
    counters.claims.add(claims_.counters());
    counters.storage_high_water_bytes +=
        elements_.size_bytes() + payload_.size_bytes() + claims_.size_bytes();
}

}  // namespace weft::fibre
