// list_stack.h — re-keyed lists in depth-first order: the list pushed last leaves first, whole, as
// the next packet.
//
// A fibre that goes on to another key of its routine is appended to a list with a number of its own
// (traversal: the distance at which it enters the node). Lists lie back to back in one arena;
// popping gives their memory back, so the memory in use is bounded by the depth of the tree and not
// by its size. Nothing is hashed and nothing is sorted. A full arena refuses. One cluster owns it.
// Ids and numbers: 4 B each.
#pragma once

#include <span>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"
#include "scheduler/fibre/fibre_key.h"

namespace weft::fibre {

struct ListHeader {
    Key key;
    u32 routine = 0;
    u32 begin = 0;
    u32 count = 0;
    float priority = 0;
    u64 arrival = 0;  // number of the packet that pushed it
};

class ListStack {
public:
    explicit ListStack(u32 capacity);

    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] bool is_empty() const { return list_count_ == 0; }

    [[nodiscard]] u32 entry_count() const { return entry_count_; }

    // The list that leaves next; there must be one.
    [[nodiscard]] const ListHeader& top() const { return headers_[list_count_ - 1]; }

    // The list that has waited longest; there must be one.
    [[nodiscard]] const ListHeader& bottom() const { return headers_[0]; }

    // Records one list; `header.begin` and `count` are set here. False, with nothing recorded,
    // where it does not fit.
    [[nodiscard]] bool push(ListHeader header,
                            std::span<const u32> elements,
                            std::span<const float> payload);
    // Copies the top list out and frees its memory.
    ListHeader pop(u32* elements, float* payload);

    [[nodiscard]] u32 high_water_entries() const { return high_water_entries_; }

    [[nodiscard]] u64 high_water_bytes() const;

private:
    u32 capacity_;
    base::PageArray<u32> elements_;
    base::PageArray<float> payload_;
    base::PageArray<ListHeader> headers_;
    u32 entry_count_ = 0;
    u32 list_count_ = 0;
    u32 high_water_entries_ = 0;
    u32 high_water_lists_ = 0;
};

}  // namespace weft::fibre
