// collection_memory.h — gathers fibres of equal (routine, key) in collections (F8, F9, F10).
//
// The definition memory holds at most `collection_count` keys at once, found by hashing. For one
// key more, the collection that its policy ranks first is evicted to the ready stack, so no fibre
// is dropped. A collection is ready once it has packet_fill fibres or was evicted; until it leaves
// it grows up to packet_max. A far collection waits outside these orders until its data are near
// (far_order.h).
//
// All memory is sized at construction: enough for every waiting fibre to have a chunk and a
// collection of its own, as long as no more fibres wait than configured. Untouched memory costs
// nothing. One cluster or shared packet unit owns it.
#pragma once

#include <array>
#include <span>

#include "scheduler/fibre/chunk_pool.h"
#include "scheduler/fibre/claim_table.h"
#include "scheduler/fibre/collection_order.h"
#include "scheduler/fibre/definition_table.h"
#include "scheduler/fibre/far_order.h"
#include "scheduler/fibre/fibre_counters.h"
#include "scheduler/fibre/packet_policy.h"

namespace weft::fibre {

struct CollectionConfig {
    u32 collection_count = 1024;   // keys that can gather at once
    u32 spawned_capacity = 65536;  // waiting fibres without payload; more end the program
    u32 list_capacity = 1u << 19;  // waiting fibres with payload; more are refused
};

// How fibres of a routine gather.
struct GatherRule {
    Policy policy = Policy::DepthFirst;
    u32 packet_fill = 64;
    u32 packet_max = 1024;
    bool may_be_far = false;  // those with payload wait for their data, and grow without bound ...
    u32 far_tag = 0;          // ... unless their key has a smaller tag
};

// The common properties of fibres that arrive together. A cluster knows the first three; what
// connects it to the memory adds the others.
struct Arrival {
    float priority = 0;
    float pressure = 0;       // fraction of their cluster's local memory in use
    bool has_repeats = true;  // an element may be among them twice, or wait in their collection
    u64 now = 0;
    u32 cluster = 0;        // of the fibres
    u32 first_element = 0;  // number of the cluster's first element in this memory
};

class CollectionMemory {
public:
    explicit CollectionMemory(const CollectionConfig& config);

    [[nodiscard]] bool is_allocated() const;
    void set_rule(u32 routine, const GatherRule& rule);

    // Appends fibres, with elements numbered within their cluster. With payload,
    // has_room_for_list() must hold.
    void append(const CollectionKey& name,
                std::span<const u32> elements,
                std::span<const float> payload,
                const Arrival& arrival);
    [[nodiscard]] bool has_room_for_list(u32 count) const;

    // The near collection that should leave next, or kNone: of those that are ready, of those that
    // are not, of all by age. Each routine proposes its best by its own policy; between routines
    // Policy::Balanced decides.
    [[nodiscard]] u32 best_ready(u64 now);
    [[nodiscard]] u32 best_partial(u64 now);

    [[nodiscard]] u32 oldest() const { return ages_.oldest(); }

    // The oldest collection that may have fibres of this cluster, or kNone. Linear search.
    [[nodiscard]] u32 oldest_of(u32 cluster) const;

    [[nodiscard]] const Collection& operator[](u32 collection) const {
        return collections_[collection];
    }

    // The same of far collections, in no order.
    [[nodiscard]] u32 far_of(u32 cluster) const;

    [[nodiscard]] CollectionView view(const Collection& collection, u64 now) const;

    // Takes up to `most` fibres in order of arrival, of distinct elements. Where elements may
    // repeat, claims them for the packet: a conflicting fibre stays behind, and its wait begins
    // again (F18). Writes payloads if the collection has them.
    u32 take(
        u32 collection, u32 most, const Claimant& claimant, u64 now, u32* elements, float* payload);

    [[nodiscard]] u32 waiting_count() const { return spawned_waiting_ + listed_waiting_; }

    // Fibres in far collections.
    [[nodiscard]] u32 far_waiting() const { return far_waiting_; }

    [[nodiscard]] const FarOrder& far() const { return far_; }

    // The far collection of the routine to choose next, or kNone: one that is overdue, else by the
    // routine's policy.
    [[nodiscard]] u32 best_far(u32 routine, u64 now);

    // The far collection of this key in the definition memory, if it is not chosen yet; else kNone.
    [[nodiscard]] u32 find_far(u32 routine, Key key) const {
        const u32 found = definitions_.find(collections_, {routine, key, true});
        return found != kNone && collections_[found].distance == Distance::Far ? found : kNone;
    }

    void choose_far(u32 collection) { far_.choose(collections_, collection); }

    void answer_far(u32 collection, Fetch answer) { far_.answer(collections_, collection, answer); }

    // Adds this memory's high-water marks to the counters.
    void report(FibreCounters& counters) const;

private:
    ChunkPool& pool(const Collection& collection) {
        return collection.name.has_payload ? list_chunks_ : spawned_chunks_;
    }

    [[nodiscard]] bool is_far(const CollectionKey& name) const {
        const GatherRule& rule = rules_[name.routine];
        return rule.may_be_far && name.has_payload && name.key.tag >= rule.far_tag;
    }

    u32 find_or_open(const CollectionKey& name, u64 now);
    u32 open(const CollectionKey& name, u64 now);
    void push(Collection& collection,
              std::span<const u32> elements,
              const float* payload,
              u32 first_element,
              u64 now);
    void rank(Collection& collection);
    void restore_order(u32 collection);
    void grow_stale(u32 collection);
    void rank_stale();
    void evict_one(u64 now);
    void leave_definition(u32 collection);
    void close(u32 collection);
    void drop_head_chunk(Collection& collection);
    void settle_after_take(u32 collection);
    [[nodiscard]] u32 leaving_next(u32 routine) const;
    [[nodiscard]] u32 chosen_in_definition() const;

    CollectionConfig config_;
    std::array<GatherRule, kMaxRoutines> rules_{};
    std::array<CollectionHeap, kMaxRoutines> gathering_;
    std::array<ReadyStack, kMaxRoutines> leaving_;
    AgeList ages_;
    FarOrder far_;
    DefinitionTable definitions_;
    Collections collections_;
    base::PageArray<u32> stale_;  // collections whose ranks the next choice must compute
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
    u32 far_waiting_ = 0;
    u64 push_count_ = 0;
    u64 evicted_count_ = 0;
};

}  // namespace weft::fibre
