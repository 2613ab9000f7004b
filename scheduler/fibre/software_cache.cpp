#include "scheduler/fibre/software_cache.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

constexpr u32 kEntryAlignment = 16;

// Spreads neighbouring keys over all 64 bits (finaliser of the kind used by splitmix generators).
u64 spread(u64 key) {
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

}  // namespace

void CacheCounters::add(const CacheCounters& other) {
    hits += other.hits;
    misses += other.misses;
    evictions += other.evictions;
}

SoftwareCache::SoftwareCache(u64 bytes, u32 entry_bytes, u64 most_bytes)
    : stride_bytes_((entry_bytes + kEntryAlignment - 1) / kEntryAlignment * kEntryAlignment),
      most_bytes_(std::max(bytes, most_bytes)) {
    const u64 most_entries = stride_bytes_ > 0 ? most_bytes_ / (stride_bytes_ + sizeof(Tag)) : 0;
    if (most_entries > 0) {
        tags_ = base::PageArray<Tag>(most_entries);
        entries_ = base::PageArray<std::byte>(most_entries * stride_bytes_);
        is_allocated_ = tags_.is_allocated() && entries_.is_allocated();
    }
    resize(bytes);
}

void SoftwareCache::resize(u64 bytes) {
    ENSURE(bytes, <=, most_bytes_);
    if (entry_count() > 0) {
        std::fill_n(tags_.data(), entry_count(), Tag{});
    }
    const bool has_room = stride_bytes_ > 0 && is_allocated_;
    const u64 fitting = has_room ? bytes / (stride_bytes_ + sizeof(Tag)) : 0;
    ways_ = static_cast<u32>(std::min(u64{kWays}, fitting));
    set_count_ = ways_ > 0 ? static_cast<u32>(fitting / ways_) : 0;
}

// The high half of hash × sets: any number of sets, no division.
u64 SoftwareCache::set_begin(u64 key) const {
    return (((spread(key) >> 32) * set_count_) >> 32) * ways_;
}

void* SoftwareCache::entry_of(const Tag* tag) {
    return entries_.data() + static_cast<u64>(tag - tags_.data()) * stride_bytes_;
}

void* SoftwareCache::find(u64 key) {
    if (set_count_ > 0) {
        Tag* const set = tags_.data() + set_begin(key);
        for (Tag* tag = set; tag != set + ways_; ++tag) {
            if (tag->stamp != 0 && tag->key == key) {
                tag->stamp = ++stamp_;
                ++counters_.hits;
                return entry_of(tag);
            }
        }
    }
    ++counters_.misses;
    return nullptr;
}

const void* SoftwareCache::peek(u64 key) const {
    const u64 begin = set_begin(key);
    for (u64 at = begin; at != begin + ways_; ++at) {
        const Tag& tag = tags_.data()[at];
        if (tag.stamp != 0 && tag.key == key) {
            return entries_.data() + at * stride_bytes_;
        }
    }
    return nullptr;
}

void* SoftwareCache::insert(u64 key) {
    if (set_count_ == 0) {
        return nullptr;
    }
    Tag* const set = tags_.data() + set_begin(key);
    Tag* chosen = set;
    for (Tag* tag = set; tag != set + ways_; ++tag) {
        if (tag->stamp != 0 && tag->key == key) {
            chosen = tag;
            break;
        }
        chosen = tag->stamp < chosen->stamp ? tag : chosen;
    }
    counters_.evictions += chosen->stamp != 0 && chosen->key != key ? 1 : 0;
    *chosen = {.key = key, .stamp = ++stamp_};
    return entry_of(chosen);
}

}  // namespace weft::fibre
