#include "scheduler/fibre/packet_queue.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

PacketQueue::PacketQueue(u32 capacity)
    : capacity_(capacity), entries_(capacity), slots_(capacity), heap_(capacity) {}

bool PacketQueue::is_allocated() const {
    return capacity_ == 0 ||
           (entries_.is_allocated() && slots_.is_allocated() && heap_.is_allocated());
}

u64 PacketQueue::high_water_bytes() const {
    return u64{fresh_entry_} * sizeof(Entry) + u64{fresh_slot_} * (sizeof(Slot) + sizeof(u32));
}

// Equals leave in the order of their packet ids, so that the order never depends on the heap.
bool PacketQueue::leaves_before(u32 left, u32 right) const {
    const Slot& a = slots_[left];
    const Slot& b = slots_[right];
    if (a.urgency > b.urgency || a.urgency < b.urgency) {
        return a.urgency > b.urgency;
    }
    return a.packet.packet_id < b.packet.packet_id;
}

void PacketQueue::open(const QueuedPacket& packet) {
    ENSURE(open_, ==, kNone);
    open_ = free_slot_;
    if (open_ != kNone) {
        free_slot_ = slots_[open_].next_free;
    } else {
        ENSURE(fresh_slot_, <, capacity_);
        open_ = fresh_slot_++;
    }
    slots_[open_] = {packet, urgency(packet.priority, packet.arrival), kNone, kNone, kNone};
}

void PacketQueue::add(u32 element, float number) {
    u32 index = free_entry_;
    if (index != kNone) {
        free_entry_ = entries_[index].next;
    } else {
        ENSURE(fresh_entry_, <, capacity_);
        index = fresh_entry_++;
    }
    entries_[index] = {element, kNone, number};
    Slot& slot = slots_[open_];
    (slot.first == kNone ? slot.first : entries_[slot.last].next) = index;
    slot.last = index;
    ++fibre_count_;
}

void PacketQueue::close() {
    ENSURE(slots_[open_].first, !=, kNone);
    u32 at = packet_count_++;
    for (; at > 0 && leaves_before(open_, heap_[(at - 1) / 2]); at = (at - 1) / 2) {
        heap_[at] = heap_[(at - 1) / 2];
    }
    heap_[at] = open_;
    open_ = kNone;
}

u32 PacketQueue::pop(u32* elements, float* numbers) {
    ENSURE(packet_count_, >, 0u);
    const u32 popped = heap_[0];
    const u32 moved = heap_[--packet_count_];
    u32 at = 0;
    while (2 * at + 1 < packet_count_) {
        u32 child = 2 * at + 1;
        if (child + 1 < packet_count_ && leaves_before(heap_[child + 1], heap_[child])) {
            ++child;
        }
        if (!leaves_before(heap_[child], moved)) {
            break;
        }
        heap_[at] = heap_[child];
        at = child;
    }
    heap_[at] = moved;
    Slot& slot = slots_[popped];
    u32 count = 0;
    for (u32 index = slot.first; index != kNone; index = entries_[index].next) {
        elements[count] = entries_[index].element;
        if (slot.packet.has_payload) {
            numbers[count] = entries_[index].number;
        }
        ++count;
    }
    entries_[slot.last].next = free_entry_;
    free_entry_ = slot.first;
    slot.next_free = free_slot_;
    free_slot_ = popped;
    fibre_count_ -= count;
    return count;
}

void PacketQueue::clear() {
    fibre_count_ = 0;
    packet_count_ = 0;
    fresh_entry_ = 0;
    fresh_slot_ = 0;
    free_entry_ = kNone;
    free_slot_ = kNone;
    open_ = kNone;
}

}  // namespace weft::fibre
