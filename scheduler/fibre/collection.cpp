#include "scheduler/fibre/collection.h"

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

bool leaves_before(const Collection& left, const Collection& right) {
    if (left.is_ready != right.is_ready) {
        return left.is_ready;
    }
    return left.rank > right.rank;
}

}  // namespace

void CollectionHeap::insert(base::PageArray<Collection>& collections, u32 collection) {
    ENSURE(size_, <, slots_.size());
    place(collections, size_++, collection);
    rise(collections, size_ - 1);
}

void CollectionHeap::remove(base::PageArray<Collection>& collections, u32 collection) {
    const u32 position = collections[collection].heap_position;
    DEBUG_ENSURE(slots_[position], ==, collection);
    const u32 last = slots_[--size_];
    if (last == collection) {
        return;
    }
    place(collections, position, last);
    restore(collections, last);
}

void CollectionHeap::restore(base::PageArray<Collection>& collections, u32 collection) {
    rise(collections, collections[collection].heap_position);
    sink(collections, collections[collection].heap_position);
}

void CollectionHeap::rise(base::PageArray<Collection>& collections, u32 position) {
    const u32 rising = slots_[position];
    while (position > 0) {
        const u32 parent = (position - 1) / 2;
        if (!leaves_before(collections[rising], collections[slots_[parent]])) {
            break;
        }
        place(collections, position, slots_[parent]);
        position = parent;
    }
    place(collections, position, rising);
}

void CollectionHeap::sink(base::PageArray<Collection>& collections, u32 position) {
    const u32 sinking = slots_[position];
    while (2 * position + 1 < size_) {
        u32 child = 2 * position + 1;
        if (child + 1 < size_ &&
            leaves_before(collections[slots_[child + 1]], collections[slots_[child]])) {
            ++child;
        }
        if (!leaves_before(collections[slots_[child]], collections[sinking])) {
            break;
        }
        place(collections, position, slots_[child]);
        position = child;
    }
    place(collections, position, sinking);
}

void CollectionHeap::place(base::PageArray<Collection>& collections, u32 position, u32 collection) {
    slots_[position] = collection;
    collections[collection].heap_position = position;
}

}  // namespace weft::fibre
