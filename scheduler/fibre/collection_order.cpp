#include "scheduler/fibre/collection_order.h"

#include "scheduler/base/ensure.h"

namespace weft::fibre {

void CollectionHeap::insert(Collections& collections, u32 collection) {
    ENSURE(size_, <, slots_.size());
    const u32 position = size_++;
    rise(collections, position, slot_of(collections, collection));
}

void CollectionHeap::remove(Collections& collections, u32 collection) {
    const u32 position = collections[collection].heap_position;
    DEBUG_ENSURE(slots_[position].collection, ==, collection);
    const Slot last = slots_[--size_];
    if (last.collection != collection) {
        settle(collections, position, last);
    }
}

void CollectionHeap::restore(Collections& collections, u32 collection) {
    settle(collections, collections[collection].heap_position, slot_of(collections, collection));
}

CollectionHeap::Slot CollectionHeap::slot_of(const Collections& collections, u32 collection) {
    return {collections[collection].rank, collection, collections[collection].is_ready};
}

bool CollectionHeap::leaves_before(const Slot& left, const Slot& right) {
    if (left.is_ready != right.is_ready) {
        return left.is_ready;
    }
    return left.rank > right.rank;
}

void CollectionHeap::settle(Collections& collections, u32 position, const Slot& slot) {
    if (position > 0 && leaves_before(slot, slots_[(position - 1) / 2])) {
        rise(collections, position, slot);
    } else {
        sink(collections, position, slot);
    }
}

void CollectionHeap::rise(Collections& collections, u32 position, const Slot& slot) {
    while (position > 0) {
        const u32 parent = (position - 1) / 2;
        if (!leaves_before(slot, slots_[parent])) {
            break;
        }
        place(collections, position, slots_[parent]);
        position = parent;
    }
    place(collections, position, slot);
}

void CollectionHeap::sink(Collections& collections, u32 position, const Slot& slot) {
    while (2 * position + 1 < size_) {
        u32 child = 2 * position + 1;
        if (child + 1 < size_ && leaves_before(slots_[child + 1], slots_[child])) {
            ++child;
        }
        if (!leaves_before(slots_[child], slot)) {
            break;
        }
        place(collections, position, slots_[child]);
        position = child;
    }
    place(collections, position, slot);
}

void CollectionHeap::place(Collections& collections, u32 position, const Slot& slot) {
    slots_[position] = slot;
    collections[slot.collection].heap_position = position;
}

void ReadyStack::push(Collections& collections, u32 index) {
    Collection& collection = collections[index];
    collection.leaves_before = last_;
    collection.leaves_after = kNone;
    (last_ == kNone ? first_ : collections[last_].leaves_after) = index;
    last_ = index;
}

void ReadyStack::remove(Collections& collections, u32 index) {
    const Collection& collection = collections[index];
    const u32 before = collection.leaves_before;
    const u32 after = collection.leaves_after;
    (before == kNone ? first_ : collections[before].leaves_after) = after;
    (after == kNone ? last_ : collections[after].leaves_before) = before;
}

void AgeList::push_youngest(Collections& collections, u32 index) {
    Collection& collection = collections[index];
    collection.older = youngest_;
    collection.younger = kNone;
    (youngest_ == kNone ? oldest_ : collections[youngest_].younger) = index;
    youngest_ = index;
}

void AgeList::remove(Collections& collections, u32 index) {
    const Collection& collection = collections[index];
    const u32 older = collection.older;
    const u32 younger = collection.younger;
    (older == kNone ? oldest_ : collections[older].younger) = younger;
    (younger == kNone ? youngest_ : collections[younger].older) = older;
}

void AgeList::rejuvenate(Collections& collections, u32 index, u64 birth) {
    Collection& collection = collections[index];
    collection.birth = birth;
    u32 older = collection.older;
    u32 younger = collection.younger;
    remove(collections, index);
    while (younger != kNone && collections[younger].birth < birth) {
        older = younger;
        younger = collections[younger].younger;
    }
    collection.older = older;
    collection.younger = younger;
    (older == kNone ? oldest_ : collections[older].younger) = index;
    (younger == kNone ? youngest_ : collections[younger].older) = index;
}

}  // namespace weft::fibre
