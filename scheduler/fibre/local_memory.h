// local_memory.h — the local memory of a cluster: a managed part and a cache part (F16).
//
// The managed part holds the storage elements, which only fibres of this cluster touch (no
// coherence, no lock); the rest is the cache part. The border may move: fewer elements give more
// cache, and the sum stays. Arithmetic only: the caller keeps the elements, SoftwareCache the bytes
// of the cache. One cluster owns it.
//
//     |<-- managed_elements × element_bytes -->|<------------ cache_bytes ------------>|
//     |<------------------------------- total_bytes ---------------------------------->|
#pragma once

#include "scheduler/base/ids.h"

namespace weft::fibre {

class LocalMemory {
public:
    // The first split: all `element_capacity` elements and a cache of `cache_bytes`.
    LocalMemory(u32 element_capacity, u32 element_bytes, u64 cache_bytes);

    // Moves the border. At least one element, at most the capacity: false, with nothing changed,
    // beyond that.
    [[nodiscard]] bool set_split(u32 managed_elements);

    [[nodiscard]] u32 element_capacity() const { return element_capacity_; }

    [[nodiscard]] u32 managed_elements() const { return managed_elements_; }

    [[nodiscard]] u64 managed_bytes() const { return u64{managed_elements_} * element_bytes_; }

    [[nodiscard]] u64 cache_bytes() const { return total_bytes_ - managed_bytes(); }

    [[nodiscard]] u64 total_bytes() const { return total_bytes_; }

    // The cache part at its largest, with one element left.
    [[nodiscard]] u64 most_cache_bytes() const { return total_bytes_ - element_bytes_; }

private:
    u32 element_capacity_;
    u32 element_bytes_;
    u32 managed_elements_;
    u64 total_bytes_;
};

}  // namespace weft::fibre
