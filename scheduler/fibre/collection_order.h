// collection_order.h — three orders of collections: best first, ready, and by age.
//
// Links and positions lie in the collections themselves, so that inserting and removing needs no
// allocation and no search. Each order belongs to one CollectionMemory.
#pragma once

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"
#include "scheduler/fibre/collection.h"

namespace weft::fibre {

using Collections = base::PageArray<Collection>;

// The best Gathering collection of a routine on top: ready ones first, then by rank.
class CollectionHeap {
public:
    CollectionHeap() = default;

    explicit CollectionHeap(u32 capacity) : slots_(capacity) {}

    [[nodiscard]] bool is_allocated() const { return slots_.is_allocated(); }

    [[nodiscard]] u32 size() const { return size_; }

    [[nodiscard]] u32 top() const { return size_ ? slots_[0].collection : kNone; }

    void insert(Collections& collections, u32 collection);
    void remove(Collections& collections, u32 collection);
    // After its rank or readiness changed.
    void restore(Collections& collections, u32 collection);

private:
    // Sort keys are copied here, so that comparisons do not touch the collections.
    struct Slot {
        double rank;
        u32 collection;
        bool is_ready;
    };

    static Slot slot_of(const Collections& collections, u32 collection);
    static bool leaves_before(const Slot& left, const Slot& right);
    // Puts the slot at this position and sifts it to its place.
    void settle(Collections& collections, u32 position, const Slot& slot);
    void rise(Collections& collections, u32 position, const Slot& slot);
    void sink(Collections& collections, u32 position, const Slot& slot);
    void place(Collections& collections, u32 position, const Slot& slot);

    base::PageArray<Slot> slots_;
    u32 size_ = 0;
};

// The ready stack of a routine: evicted and full collections, in the order in which they left the
// definition memory.
class ReadyStack {
public:
    [[nodiscard]] u32 first() const { return first_; }

    [[nodiscard]] u32 last() const { return last_; }

    void push(Collections& collections, u32 collection);
    void remove(Collections& collections, u32 collection);

private:
    u32 first_ = kNone;
    u32 last_ = kNone;
};

// All collections by birth, oldest first.
class AgeList {
public:
    [[nodiscard]] u32 oldest() const { return oldest_; }

    void push_youngest(Collections& collections, u32 collection);
    void remove(Collections& collections, u32 collection);
    // Gives a collection a later birth and moves it; one step per collection that it passes.
    void rejuvenate(Collections& collections, u32 collection, u64 birth);

private:
    u32 oldest_ = kNone;
    u32 youngest_ = kNone;
};

}  // namespace weft::fibre
