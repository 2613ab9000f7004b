// packet_queue.h — a queue of complete packets, the most urgent first.
//
// A cluster of a device has one as its inbox, where the shared packet unit puts its slice of each
// packet (F13); every cluster has one for parents that put work aside (F15). Waiting raises urgency
// without bound, so nothing starves: a packet that came 512 packets earlier leaves first whatever
// the priorities (F14). Sized once, with room for every waiting fibre as a packet of its own.
// Guarded by its owner.
#pragma once

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"
#include "scheduler/fibre/routine.h"

namespace weft::fibre {

struct QueuedPacket {
    u32 packet_id = 0;
    RoutineId routine = 0;
    Key key{};
    bool has_payload = false;
    bool is_initial_launch = false;
    float priority = 0;
    u64 arrival = 0;
    LeaveReason reason = LeaveReason::Full;  // of a slice: that of the packet it was cut from
    u32 thread = kNone;                      // initial launch only, as in Packet
    u64 user = 0;
    u64 first_launch = 0;
};

class PacketQueue {
public:
    // Room for `capacity` fibres.
    explicit PacketQueue(u32 capacity);

    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] bool is_empty() const { return packet_count_ == 0; }

    [[nodiscard]] u32 fibre_count() const { return fibre_count_; }

    [[nodiscard]] u32 packet_count() const { return packet_count_; }

    // Open a packet, append at least one fibre, and close it; then it waits.
    void open(const QueuedPacket& packet);
    void add(u32 element, float number);
    void close();

    // The most urgent packet, and its urgency; there must be one.
    [[nodiscard]] const QueuedPacket& top() const { return slots_[heap_[0]].packet; }

    [[nodiscard]] double top_urgency() const { return slots_[heap_[0]].urgency; }

    // Removes the most urgent packet and copies its fibres out in order of arrival; writes
    // `numbers` if it has payloads. Returns the number of fibres.
    u32 pop(u32* elements, float* numbers);

    void clear();

    [[nodiscard]] u64 high_water_bytes() const;

private:
    struct Entry {
        u32 element;
        u32 next;  // kNone: the last of its packet; also links free entries
        float number;
    };

    struct Slot {
        QueuedPacket packet;
        double urgency;
        u32 first;
        u32 last;
        u32 next_free;
    };

    [[nodiscard]] bool leaves_before(u32 left, u32 right) const;

    u32 capacity_;
    u32 fibre_count_ = 0;
    u32 packet_count_ = 0;
    u32 fresh_entry_ = 0;  // entries and slots from here on were never used
    u32 fresh_slot_ = 0;
    u32 free_entry_ = kNone;
    u32 free_slot_ = kNone;
    u32 open_ = kNone;
    base::PageArray<Entry> entries_;
    base::PageArray<Slot> slots_;
    base::PageArray<u32> heap_;  // [0, packet_count_): slots
};

}  // namespace weft::fibre
