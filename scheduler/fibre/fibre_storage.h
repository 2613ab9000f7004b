// fibre_storage.h — the elements that fibres work on: the free list, their threads, and their
// counts of open fibres.
//
// An element is one parent computation (a path, a query). Each spawn counts +1, each completion −1;
// at zero the parent is due on it again (F5). The caller keeps the contents of elements. One
// cluster owns one FibreStorage and makes every call.
//
//     Free --admit--> held, no fibre --add_fibres--> held, n fibres --complete--> held, no fibre
//     --release--> Free
//
// Beside the count stands a bit for each routine that got a fibre since the element had none. While
// a routine's bit is clear, no fibre of it waits on the element: the next one can meet none of its
// kind in a collection, and nobody need ask whether a packet has the element twice (F18).
//
// Count and bits are 4 B per element, so that 8192 elements stay in the first level of cache.
#pragma once

#include <span>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::fibre {

// The elements of one call of add_fibres(), as they were before.
struct SpawnedOn {
    u32 without_fibres = 0;   // how many had none
    bool has_repeats = true;  // some element may have another fibre of the routine
};

class FibreStorage {
public:
    explicit FibreStorage(u32 element_count);

    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] u32 free_count() const { return free_count_; }

    [[nodiscard]] u32 held_count() const { return held_count_; }

    // Elements that may be held at once (F16): all, unless limit() lowered the number.
    [[nodiscard]] u32 managed_count() const { return managed_count_; }

    // Held elements beyond the limit, which end normally.
    [[nodiscard]] u32 beyond_count() const { return beyond_count_; }

    [[nodiscard]] u64 size_bytes() const;

    // Holds `count` free elements for a thread, the latest released first, at the start in rising
    // order. Valid until the next call.
    std::span<const u32> admit(u32 count, u32 thread);
    // Gives elements back; each must be held and have no fibre.
    void release(std::span<const u32> elements);
    // From now on admits only the first `managed_count` elements; held ones beyond them leave when
    // they are released. Linear in the number of elements.
    void limit(u32 managed_count);

    // One fibre of the routine more on each element; one that is there twice counts twice.
    SpawnedOn add_fibres(std::span<const u32> elements, u32 routine);
    // One fibre of each element is done. Writes the elements without open fibres to `idle`, which
    // must have room for all, and returns their number.
    u32 complete(std::span<const u32> elements, u32* idle);

    // The thread of each element that is held.
    [[nodiscard]] std::span<const u32> thread_of() const { return thread_of_.span(); }

    // The first of these elements that is held and has no fibre, and the first of all that is held:
    // for the message about a leak, since nothing would invoke the parent on it again.
    [[nodiscard]] u32 first_stranded(std::span<const u32> elements) const;
    [[nodiscard]] u32 first_held() const;

private:
    u32 element_count_ = 0;
    u32 managed_count_ = 0;
    u32 free_count_ = 0;
    u32 held_count_ = 0;
    u32 beyond_count_ = 0;
    base::PageArray<u32> fibres_;  // count and bits; kNone: free
    base::PageArray<u32> thread_of_;
    base::PageArray<u32> free_;      // a stack, [0, free_count_): managed and not held
    base::PageArray<u32> admitted_;  // by the last admit()
};

}  // namespace weft::fibre
