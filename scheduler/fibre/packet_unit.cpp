#include "scheduler/fibre/packet_unit.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

PacketUnit::PacketUnit(const ClusterConfig& config)
    : lane_count_(config.lane_count),
      memory_({.collection_count = config.collection_count,
               .spawned_capacity = config.element_count * kMaxRoutines,
               .list_capacity = config.list_capacity}),
      lists_(config.list_capacity),
      elements_(config.element_count),
      payload_(config.element_count) {}

bool PacketUnit::is_allocated() const {
    return memory_.is_allocated() && lists_.is_allocated() && elements_.is_allocated() &&
           payload_.is_allocated();
}

void PacketUnit::declare(RoutineId routine, const RoutineDesc& desc) {
    routines_[routine] = desc;
    routine_count_ = routine + 1;
    has_prefetch_ = has_prefetch_ || desc.prefetch;
    memory_.set_rule(routine, {desc.policy, desc.packet_fill, desc.packet_max});
}

void PacketUnit::spawn(
    RoutineId routine, Key key, std::span<const u32> elements, float priority, u64 now) {
    const CollectionKey name{.routine = routine,
                             .key = routines_[routine].ignores_key ? Key{} : key};
    memory_.append(name, elements, {}, priority, now);
}

bool PacketUnit::rekey(const Packet& running,
                       Key key,
                       std::span<const u32> elements,
                       std::span<const float> payload,
                       u64 now) {
    const RoutineDesc& routine = routines_[running.routine];
    if (routine.ignores_key) {
        return false;
    }
    if (routine.policy == Policy::DepthFirst) {
        const ListHeader header{
            .key = key, .routine = running.routine, .priority = running.priority, .arrival = now};
        return lists_.push(header, elements, payload);
    }
    if (!memory_.has_room_for_list(static_cast<u32>(elements.size()))) {
        return false;
    }
    const CollectionKey name{.routine = running.routine, .key = key, .has_payload = true};
    memory_.append(name, elements, payload, running.priority, now);
    return true;
}

u32 PacketUnit::overdue(u64 now) const {
    const u32 oldest = memory_.oldest();
    if (oldest == kNone || now - memory_[oldest].birth <= kAgeBound) {
        return kNone;
    }
    // Lists are served before collections, so only those that are younger give way.
    if (!lists_.is_empty() && lists_.bottom().arrival <= memory_[oldest].birth) {
        return kNone;
    }
    return oldest;
}

u32 PacketUnit::leaving_count(u32 index) const {
    const Collection& collection = memory_[index];
    const RoutineDesc& routine = routines_[collection.name.routine];
    const u32 most = std::min(collection.fibre_count, routine.packet_max);
    const bool rest_may_wait =
        routine.may_mix_keys && collection.name.routine != 0 && !collection.name.has_payload;
    return rest_may_wait && most >= lane_count_ ? most - most % lane_count_ : most;
}

Emission PacketUnit::emit_list(FibreStorage& storage, u32 packet_id) {
    const ListHeader list = lists_.pop(elements_.data(), payload_.data());
    Emission emission;
    emission.arrival = list.arrival;
    emission.fibres = {.packet_id = packet_id,
                       .routine = list.routine,
                       .key = list.key,
                       .priority = list.priority,
                       .elements = elements_.span().first(list.count),
                       .payload = payload_.span().first(list.count)};
    storage.check_packet(emission.fibres.elements, packet_id);
    prefetch(emission.fibres, list.arrival);
    return emission;
}

Emission PacketUnit::emit(u32 index, FibreStorage& storage, u32 packet_id, u64 now) {
    // The collection may be gone once its fibres are taken.
    const Collection leaving = memory_[index];
    const CollectionView view = memory_.view(leaving, now);
    const u32 most = std::min(leaving_count(index), static_cast<u32>(elements_.size()));
    const u32 count =
        memory_.take(index, most, storage, packet_id, now, elements_.data(), payload_.data());
    Emission emission;
    emission.arrival = leaving.birth;
    emission.fibres = {.packet_id = packet_id,
                       .routine = leaving.name.routine,
                       .key = leaving.name.key,
                       .priority = 0.5f * (view.mean_priority + view.max_priority),
                       .elements = elements_.span().first(count),
                       .payload = {}};
    if (leaving.name.has_payload) {
        emission.fibres.payload = payload_.span().first(count);
    }
    storage.check_packet(emission.fibres.elements, packet_id);
    prefetch(emission.fibres, now);
    return emission;
}

void PacketUnit::prefetch(const Packet& packet, u64 now) {
    if (!has_prefetch_) {
        return;
    }
    const RoutineDesc& own = routines_[packet.routine];
    const bool is_started = started_.routine == packet.routine && started_.key == packet.key;
    if (own.prefetch && !is_started) {
        own.prefetch(own.context, packet.key);
    }
    started_ = {};
    if (!lists_.is_empty()) {
        started_ = {lists_.top().routine, lists_.top().key};
    } else if (const u32 next = memory_.best_ready(now); next != kNone) {
        started_ = {memory_[next].name.routine, memory_[next].name.key};
    }
    if (started_.routine != kNone && routines_[started_.routine].prefetch) {
        routines_[started_.routine].prefetch(routines_[started_.routine].context, started_.key);
    }
}

void PacketUnit::report(FibreCounters& counters) const {
    memory_.report(counters);
    counters.max_list_entries =
        std::max(counters.max_list_entries, u64{lists_.high_water_entries()});
    counters.storage_high_water_bytes +=
        lists_.high_water_bytes() + elements_.size_bytes() + payload_.size_bytes();
}

}  // namespace weft::fibre
