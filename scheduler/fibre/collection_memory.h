// collection_memory.h — where fibres of equal (routine, key) find each other and wait (F8, F9,
// F10).
//
// The definition memory holds at most `collection_count` keys at once, found by hashing. When one
// more is needed, the collection that would leave next by its policy is moved to the ready stack,
// so nothing is ever dropped. A collection is ready once it has packet_fill fibres or was evicted;
// until it leaves it goes on growing up to packet_max.
//
// All memory is sized at construction: every waiting fibre could have a chunk and a collection of
// its own, so neither can run out while no more fibres wait than was promised. Untouched memory
// costs nothing. One cluster owns it.
#pragma once

#include <array>
#include <span>

#include "scheduler/fibre/chunk_pool.h"
#include "scheduler/fibre/claim_table.h"
#include "scheduler/fibre/collection_order.h"
#include "scheduler/fibre/definition_table.h"
#include "scheduler/fibre/fibre_counters.h"
#include "scheduler/fibre/packet_policy.h"

namespace weft::fibre {

struct CollectionConfig {
    u32 collection_count = 1024;  // keys that can gather at once
    u32 spawned_capacity =
        65536;  // fibres without a number of their own that can wait at once; more is a fault
    u32 list_capacity = 1u << 19;  // fibres with one; more is refused
};

// How the fibres of a routine gather.
struct GatherRule {
    Policy policy = Policy::DepthFirst;
    u32 packet_fill = 64;
    u32 packet_max = 1024;
};

// What fibres that come together have in common.
struct Arrival {
    float priority = 0;
    u64 now = 0;
    float pressure = 0;     // how full their cluster is, [0, 1]
    u32 cluster = 0;        // theirs ...
    u32 first_element = 0;  // ... and the number that its first element has here
};

class CollectionMemory {
public:
    explicit CollectionMemory(const CollectionConfig& config);

    [[nodiscard]] bool is_allocated() const;
    void set_rule(u32 routine, const GatherRule& rule);

    // Fibres arrive, their elements numbered within their cluster. With payload: ask
    // has_room_for_list() first.
    void append(const CollectionKey& name,
                std::span<const u32> elements,
                std::span<const float> payload,
                const Arrival& arrival);
    [[nodiscard]] bool has_room_for_list(u32 count) const;

    // The collection that should leave next, or kNone: of those that are ready, of those that are
    // not, of all by age. Each routine proposes its best by its own policy; between routines
    // Policy::Balanced decides.
    [[nodiscard]] u32 best_ready(u64 now);
    [[nodiscard]] u32 best_partial(u64 now);

    [[nodiscard]] u32 oldest() const { return ages_.oldest(); }

    // The oldest collection that may have fibres of this cluster, or kNone. Looks at all in turn.
    [[nodiscard]] u32 oldest_of(u32 cluster) const;

    [[nodiscard]] const Collection& operator[](u32 collection) const {
        return collections_[collection];
    }

    [[nodiscard]] CollectionView view(const Collection& collection, u64 now) const;

    // Takes up to `most` fibres in order of arrival, as far as the entrance admits them. A fibre
    // that may not be in the packet stays behind and waits anew (F18). Payload is written where the
    // collection has it.
    u32 take(u32 collection, u32 most, Entrance entrance, u64 now, u32* elements, float* payload);

    [[nodiscard]] u32 waiting_count() const { return spawned_waiting_ + listed_waiting_; }

    // Adds this memory's high-water marks to the counters.
    void report(FibreCounters& counters) const;

private:
    ChunkPool& pool(const Collection& collection) {
        return collection.name.has_payload ? list_chunks_ : spawned_chunks_;
    }

    u32 find_or_open(const CollectionKey& name, u64 now);
    u32 open(const CollectionKey& name, u64 now);
    void push(Collection& collection,
              std::span<const u32> elements,
              const float* payload,
              u32 first_element,
              u64 now);
    void rank(Collection& collection);
    void grow_stale(u32 collection);
    void rank_stale();
    void evict_one(u64 now);
    void leave_definition(u32 collection);
    void close(u32 collection);
    void drop_head_chunk(Collection& collection);
    void settle_after_take(u32 collection);
    [[nodiscard]] u32 leaving_next(u32 routine) const;

    CollectionConfig config_;
    std::array<GatherRule, kMaxRoutines> rules_{};
    std::array<CollectionHeap, kMaxRoutines> gathering_;
    std::array<ReadyStack, kMaxRoutines> leaving_;
    AgeList ages_;
    DefinitionTable definitions_;
    Collections collections_;
    base::PageArray<u32>
        stale_;  // ranks that append() left to be found when the next choice is made
    ChunkPool spawned_chunks_;
    ChunkPool list_chunks_;
    u32 fresh_collection_ = 0;  // collections from here on were never used
    u32 first_empty_ = kNone;   // the empty stack
    u32 open_count_ = 0;
    u32 max_open_count_ = 0;
    u32 list_open_count_ = 0;
    u32 stale_count_ = 0;
    u32 spawned_waiting_ = 0;
    u32 listed_waiting_ = 0;
    u32 max_listed_waiting_ = 0;
    u64 push_count_ = 0;
    u64 evicted_count_ = 0;
};

}  // namespace weft::fibre
