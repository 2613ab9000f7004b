#include "engine/trace/heat.h"

#include <algorithm>
#include <utility>

namespace weft::trace {

namespace {

// The part [begin, end) of `count` of a sum; consecutive parts add up to the sum.
u64 part_of(u64 sum, u64 begin, u64 end, u64 count) {
    return sum * end / count - sum * begin / count;
}

u32 hash_of(u32 ref) {
    const u64 mixed = (u64{ref} + 1) * 0x9e3779b97f4a7c15U;
    return static_cast<u32>(mixed >> 32);
}

bool is_before(const KeyHeat& key, u32 ref) {
    return key.ref < ref;
}

// Merges two sorted lists of keys.
std::vector<KeyHeat> merged(const std::vector<KeyHeat>& some, const std::vector<KeyHeat>& others) {
    std::vector<KeyHeat> all;
    all.reserve(some.size() + others.size());
    auto a = some.begin();
    auto b = others.begin();
    while (a != some.end() || b != others.end()) {
        const bool takes_a = b == others.end() || (a != some.end() && a->ref <= b->ref);
        const KeyHeat& next = takes_a ? *a++ : *b++;
        if (!all.empty() && all.back().ref == next.ref) {
            all.back().heat.add(next.heat);
        } else {
            all.push_back(next);
        }
    }
    return all;
}

}  // namespace

void Heat::add(const Heat& other) {
    packets += other.packets;
    fibres += other.fibres;
    visits += other.visits;
    lanes_issued += other.lanes_issued;
    lanes_active += other.lanes_active;
    time_ns += other.time_ns;
}

Heat sum_of(const HeatByKind& kinds) {
    Heat sum;
    for (const Heat& heat : kinds) {
        sum.add(heat);
    }
    return sum;
}

Heat HeatFigures::of_key(u32 ref) const {
    const auto found = std::lower_bound(keys.begin(), keys.end(), ref, is_before);
    return found != keys.end() && found->ref == ref ? found->heat : Heat{};
}

void HeatFigures::add(const HeatFigures& other) {
    keys = merged(keys, other.keys);
    other_keys.add(other.other_keys);
    objects.resize(std::max(objects.size(), other.objects.size()));
    for (std::size_t k = 0; k < other.objects.size(); ++k) {
        for (u32 kind = 0; kind < kHeatKinds; ++kind) {
            objects[k][kind].add(other.objects[k][kind]);
        }
    }
}

HeatTable::HeatTable(const HeatMap& map)
    : map_(map), place_of_(kPlaces, kNone), objects_(map.objects.size() + 1) {
    keys_.reserve(kMostKeys);
}

void HeatTable::add_rays(HeatKind kind, u32 ref, const Heat& heat) {
    objects_[map_.object_of(ref)][static_cast<u32>(kind)].add(heat);
    u32 place = hash_of(ref) % kPlaces;
    while (place_of_[place] != kNone && keys_[place_of_[place]].ref != ref) {
        place = (place + 1) % kPlaces;
    }
    if (place_of_[place] == kNone) {
        if (keys_.size() == kMostKeys) {
            other_keys_.add(heat);
            return;
        }
        place_of_[place] = static_cast<u32>(keys_.size());
        keys_.push_back({ref, {}});
    }
    keys_[place_of_[place]].heat.add(heat);
}

void HeatTable::add_shading(std::span<const u32> objects, const Heat& heat) {
    const u64 count = objects.size();
    u64 packets = heat.packets;
    for (std::size_t begin = 0; begin < objects.size();) {
        std::size_t end = begin + 1;
        while (end < objects.size() && objects[end] == objects[begin]) {
            ++end;
        }
        const auto part = [&](u64 sum) { return part_of(sum, begin, end, count); };
        const Heat its = {.packets = std::exchange(packets, 0),
                          .fibres = end - begin,
                          .visits = part(heat.visits),
                          .lanes_issued = part(heat.lanes_issued),
                          .lanes_active = part(heat.lanes_active),
                          .time_ns = part(heat.time_ns)};
        objects_[objects[begin]][static_cast<u32>(HeatKind::Shade)].add(its);
        begin = end;
    }
}

void HeatTable::add_to(HeatFigures& figures) const {
    HeatFigures own = {.keys = keys_, .other_keys = other_keys_, .objects = objects_};
    std::sort(own.keys.begin(), own.keys.end(), [](const KeyHeat& a, const KeyHeat& b) {
        return a.ref < b.ref;
    });
    figures.add(own);
}

Heat heat_between(const shaders::TraceCounters& before, const shaders::TraceCounters& now) {
    return {.packets = 1,
            .visits = now.node_visits - before.node_visits,
            .lanes_issued = now.lanes_issued - before.lanes_issued,
            .lanes_active = now.lanes_active - before.lanes_active};
}

}  // namespace weft::trace
