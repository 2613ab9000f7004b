// software_cache.h — the cache part of a cluster's local memory, for data that routines would
// decode again, such as nodes (F16).
//
// Set-associative with least-recently-used replacement: a key's hash selects a set of kWays
// entries. Key and stamp of an entry (16 B) count as cache bytes too. Construction allocates the
// largest size; resizing empties the cache. Caching never changes a result: a routine that misses
// decodes again. One cluster owns it; routines call it while they run.
//
//     find(key) --hit--> entry           find(key) --miss--> insert(key) --> entry to be filled
#pragma once

#include <cstddef>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::fibre {

struct CacheCounters {
    u64 hits = 0;
    u64 misses = 0;
    u64 evictions = 0;
    void add(const CacheCounters& other);

    [[nodiscard]] u64 lookups() const { return hits + misses; }
};

class SoftwareCache {
public:
    static constexpr u32 kWays = 4;

    // A cache of `bytes` with entries of `entry_bytes` (0: no cache); it may be resized up to
    // `most_bytes`, or `bytes` where that is more. Entries are aligned to 16 B.
    SoftwareCache(u64 bytes, u32 entry_bytes, u64 most_bytes = 0);

    // False if allocation failed: the cache then has no entries, and every lookup misses.
    [[nodiscard]] bool is_allocated() const { return is_allocated_; }

    // The entry of a key, or nullptr: a miss. Valid until the next insert or resize.
    [[nodiscard]] void* find(u64 key);

    // The same, but neither counted nor a use.
    [[nodiscard]] const void* peek(u64 key) const;

    // The entry to fill for a key: its present one, an empty one, or the least recently used of its
    // set. Later lookups find it. nullptr if the cache has no entries. Contents are undefined.
    [[nodiscard]] void* insert(u64 key);

    // Empties the cache and gives it as many entries as fit into `bytes`. Between frames.
    void resize(u64 bytes);

    [[nodiscard]] u32 entry_count() const { return set_count_ * ways_; }

    [[nodiscard]] const CacheCounters& counters() const { return counters_; }

private:
    struct Tag {
        u64 key;
        u64 stamp;  // of its last use; 0: empty
    };

    [[nodiscard]] u64 set_begin(u64 key) const;
    [[nodiscard]] void* entry_of(const Tag* tag);

    bool is_allocated_ = true;
    u32 stride_bytes_;  // of an entry; 0: no cache
    u64 most_bytes_;
    u32 ways_ = 0;  // kWays, or fewer where not even one set fits
    u32 set_count_ = 0;
    u64 stamp_ = 0;
    base::PageArray<Tag> tags_;
    base::PageArray<std::byte> entries_;
    CacheCounters counters_;
};

}  // namespace weft::fibre
