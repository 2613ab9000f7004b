// fibre_storage.h — the elements that fibres work on: who is free, and how many fibres each still
// has.
//
// An element is one parent computation (a path, a query). Each spawn counts +1, each completion −1;
// at zero the parent is due on it again (F5). The contents of an element belong to the caller; here
// are only the counts and the free list. One cluster owns one FibreStorage and makes every call.
//
//     Free --admit--> held, no fibre --add_fibres--> held, n fibres --complete--> held, no fibre
//     --release--> Free
//
// Counts are 8 B per element, so that 8192 elements stay in the first levels of cache.
#pragma once

#include <span>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::fibre {

class FibreStorage {
public:
    explicit FibreStorage(u32 element_count);

    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] u32 free_count() const { return free_count_; }

    [[nodiscard]] u32 held_count() const { return element_count_ - free_count_; }

    [[nodiscard]] u64 size_bytes() const;

    // Up to `most` free elements, lowest first; valid until the next call. They stay free until
    // admitted.
    std::span<const u32> offer(u32 most);
    // Holds the first `count` of the elements offered last.
    void admit(u32 count);
    // Gives elements back; each must be held and have no fibre.
    void release(std::span<const u32> elements);

    void add_fibres(std::span<const u32> elements);
    // One fibre of each element is done. Writes the elements that have none left to `idle`, which
    // must have room for all of them, and returns how many those are.
    u32 complete(std::span<const u32> elements, u32* idle);

    // Marks an element as being in packet `packet_id`; false where it already was (F18).
    bool claim(u32 element, u32 packet_id) {
        Element& record = elements_[element];
        const bool is_new = record.packet_id != packet_id;
        record.packet_id = packet_id;
        return is_new;
    }

    // How many of the elements are held, have no fibre, and so would never be heard of again.
    [[nodiscard]] u32 count_stranded(std::span<const u32> elements) const;

    // Debug builds: ends the program unless all elements are distinct, held and now claimed for
    // packet `packet_id`.
    void check_packet(std::span<const u32> elements, u32 packet_id);
    // Debug builds: ends the program unless all elements are in the packet that is running (F3,
    // F4).
    void check_running(std::span<const u32> elements, u32 packet_id) const;

private:
    struct Element {
        u32 fibre_count;  // kNone: free
        u32 packet_id;    // the packet that it was in last
    };

    u32 element_count_ = 0;
    u32 free_count_ = 0;
    base::PageArray<Element> elements_;
    base::PageArray<u32> free_;     // a stack; [0, free_count_) is in use
    base::PageArray<u32> offered_;  // the top of that stack, top first
};

}  // namespace weft::fibre
