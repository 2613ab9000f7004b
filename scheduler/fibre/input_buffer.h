// input_buffer.h — holds fibres of packets that are too small to fill a lane group (F14, F15).
//
// The local controller sorts small packets into rows by routine and tag, whatever their key value,
// and runs a lane group as soon as a row can fill one. Each entry has a priority of its own, at
// first its packet's; waiting raises it without bound, so that no entry stays behind for ever.
// There is a fixed number of rows of twice the lanes; when all are in use, the controller runs the
// oldest row as it is. One cluster owns it.
#pragma once

#include <array>
#include <span>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"
#include "scheduler/fibre/claim_table.h"
#include "scheduler/fibre/fibre_key.h"

namespace weft::fibre {

inline constexpr u32 kBufferRows = 32;

struct BufferEntry {
    u32 element;
    u32 key_value;
    u64 arrival;  // when it was spawned, at the latest
    float priority;
    double urgency;  // bounded priority − age gain · arrival: orders entries at any time
};

// Fibres of one routine and tag; entries [0, count) by urgency, most urgent first.
struct BufferRow {
    u32 routine = 0;
    u32 tag = 0;
    u32 count = 0;
    u64 oldest_arrival = 0;
};

class InputBuffer {
public:
    explicit InputBuffer(u32 lane_count);

    [[nodiscard]] bool is_allocated() const { return entries_.is_allocated(); }

    [[nodiscard]] u64 size_bytes() const { return entries_.size_bytes(); }

    [[nodiscard]] u32 entry_count() const { return entry_count_; }

    // Whether a small packet of this routine and tag fits without running another row first.
    [[nodiscard]] bool has_place(u32 routine, u32 tag) const;
    // Fewer than a lane group of fibres of one key. has_place() must hold, and no row may be full.
    void put(u32 routine, Key key, float priority, u64 arrival, std::span<const u32> elements);

    // A row with a full lane group, or kNone.
    [[nodiscard]] u32 full_row() const { return full_row_; }

    // The row whose oldest entry is oldest, and that with the most urgent entry; kNone where all
    // are empty.
    [[nodiscard]] u32 oldest_row() const;
    [[nodiscard]] u32 most_urgent_row() const;

    [[nodiscard]] const BufferRow& row(u32 index) const { return rows_[index]; }

    // Urgency of the most urgent entry of a row that has one.
    [[nodiscard]] double urgency_of(u32 row) const { return entries_of(row)->urgency; }

    // Takes up to a lane group of the most urgent entries of distinct elements, and claims these
    // for the packet; the others stay (F18). Returns how many.
    u32 take(u32 row, const Claimant& claimant, BufferEntry* taken);

private:
    [[nodiscard]] u32 find_row(u32 routine, u32 tag) const;

    BufferEntry* entries_of(u32 row) {
        return entries_.data() + std::size_t{row} * 2 * lane_count_;
    }

    [[nodiscard]] const BufferEntry* entries_of(u32 row) const {
        return entries_.data() + std::size_t{row} * 2 * lane_count_;
    }

    u32 lane_count_;
    u32 entry_count_ = 0;
    u32 full_row_ = kNone;
    std::array<BufferRow, kBufferRows> rows_{};
    base::PageArray<BufferEntry> entries_;
};

}  // namespace weft::fibre
