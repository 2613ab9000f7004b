#include "scheduler/fibre/input_buffer.h"

#include <algorithm>

#include "scheduler/base/ensure.h"
#include "scheduler/fibre/packet_policy.h"

namespace weft::fibre {

InputBuffer::InputBuffer(u32 lane_count)
    : lane_count_(lane_count), entries_(std::size_t{kBufferRows} * 2 * lane_count) {}

u32 InputBuffer::find_row(u32 routine, u32 tag) const {
    u32 empty = kNone;
    for (u32 index = 0; index < kBufferRows; ++index) {
        const BufferRow& row = rows_[index];
        if (row.count == 0) {
            empty = index;
        } else if (row.routine == routine && row.tag == tag) {
            return index;
        }
    }
    return empty;
}

bool InputBuffer::has_place(u32 routine, u32 tag) const {
    return find_row(routine, tag) != kNone;
}

void InputBuffer::put(
    u32 routine, Key key, float priority, u64 arrival, std::span<const u32> elements) {
    const u32 index = find_row(routine, key.tag);
    ENSURE(index, !=, kNone);
    BufferRow& row = rows_[index];
    ENSURE(row.count + elements.size(), <=, std::size_t{2} * lane_count_);
    row.routine = routine;
    row.tag = key.tag;
    row.oldest_arrival = row.count == 0 ? arrival : std::min(row.oldest_arrival, arrival);
    const double its_urgency = urgency(priority, arrival);
    BufferEntry* const entries = entries_of(index);
    for (const u32 element : elements) {
        // New entries are mostly younger and of equal priority: few steps.
        u32 at = row.count++;
        for (; at > 0 && entries[at - 1].urgency < its_urgency; --at) {
            entries[at] = entries[at - 1];
        }
        entries[at] = {element, key.value, arrival, priority, its_urgency};
    }
    entry_count_ += static_cast<u32>(elements.size());
    if (row.count >= lane_count_) {
        full_row_ = index;
    }
}

u32 InputBuffer::oldest_row() const {
    u32 best = kNone;
    for (u32 index = 0; index < kBufferRows; ++index) {
        if (rows_[index].count > 0 &&
            (best == kNone || rows_[index].oldest_arrival < rows_[best].oldest_arrival)) {
            best = index;
        }
    }
    return best;
}

u32 InputBuffer::most_urgent_row() const {
    u32 best = kNone;
    for (u32 index = 0; index < kBufferRows; ++index) {
        if (rows_[index].count > 0 &&
            (best == kNone || entries_of(index)->urgency > entries_of(best)->urgency)) {
            best = index;
        }
    }
    return best;
}

u32 InputBuffer::take(u32 index, const Claimant& claimant, BufferEntry* taken) {
    BufferRow& row = rows_[index];
    BufferEntry* const entries = entries_of(index);
    u32 taken_count = 0;
    u32 kept = 0;
    u32 refused = 0;
    u64 oldest = ~u64{0};
    for (u32 at = 0; at < row.count; ++at) {
        const BufferEntry entry = entries[at];
        const bool has_lane = taken_count < lane_count_;
        if (has_lane && claimant.claim(entry.element)) {
            taken[taken_count++] = entry;
        } else {
            refused += has_lane ? 1u : 0u;
            entries[kept++] = entry;
            oldest = std::min(oldest, entry.arrival);
        }
    }
    claimant.claims.count(taken_count, refused);
    row.count = kept;
    row.oldest_arrival = oldest;
    entry_count_ -= taken_count;
    if (full_row_ == index && kept < lane_count_) {
        full_row_ = kNone;
    }
    return taken_count;
}

}  // namespace weft::fibre
