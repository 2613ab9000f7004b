#include "scheduler/fibre/fibre_storage.h"

#include <string>

#include "scheduler/base/ensure.h"
#include "scheduler/fibre/fibre_counters.h"

namespace weft::fibre {

namespace {

// The word of a held element: a bit for each routine, above them the number of its fibres.
constexpr u32 kFibre = 1u << kMaxRoutines;

// Debug builds check that an element is held, and whether it has fibres.
void check([[maybe_unused]] u32 element,
           [[maybe_unused]] u32 word,
           [[maybe_unused]] bool is_right,
           [[maybe_unused]] const char* rule) {
#ifndef NDEBUG
    if (!is_right) {
        const std::string state =
            word == kNone ? " is free" : " has " + std::to_string(word / kFibre) + " fibres";
        base::fail_claim(__FILE__, __LINE__, rule, "element " + std::to_string(element) + state);
    }
#endif
}

}  // namespace

FibreStorage::FibreStorage(u32 element_count)
    : element_count_(element_count),
      fibres_(element_count),
      thread_of_(element_count),
      free_(element_count),
      admitted_(element_count) {
    if (is_allocated()) {
        for (u32& word : fibres_.span()) {
            word = kNone;
        }
        limit(element_count);
    }
}

bool FibreStorage::is_allocated() const {
    return element_count_ > 0 && fibres_.is_allocated() && thread_of_.is_allocated() &&
           free_.is_allocated() && admitted_.is_allocated();
}

u64 FibreStorage::size_bytes() const {
    return fibres_.size_bytes() + thread_of_.size_bytes() + free_.size_bytes() +
           admitted_.size_bytes();
}

void FibreStorage::limit(u32 managed_count) {
    ENSURE(managed_count, <=, element_count_);
    managed_count_ = managed_count;
    free_count_ = 0;
    beyond_count_ = 0;
    for (u32 element = element_count_; element-- > 0;) {
        const bool is_free = fibres_[element] == kNone;
        if (is_free && element < managed_count) {
            free_[free_count_++] = element;
        }
        beyond_count_ += !is_free && element >= managed_count ? 1u : 0u;
    }
}

// The loops below write through pointers to u32, which might point at the members; so these are
// kept in local variables meanwhile.

std::span<const u32> FibreStorage::admit(u32 count, u32 thread) {
    ENSURE(count, <=, free_count_);
    const u32* const end = free_.data() + free_count_;
    for (u32 index = 0; index < count; ++index) {
        const u32 element = *(end - 1 - index);
        check(element,
              fibres_[element],
              fibres_[element] == kNone,
              "an element on the free list is free");
        fibres_[element] = 0;
        thread_of_[element] = thread;
        admitted_[index] = element;
    }
    free_count_ -= count;
    held_count_ += count;
    return admitted_.span().first(count);
}

void FibreStorage::release(std::span<const u32> elements) {
    const auto count = static_cast<u32>(elements.size());
    ENSURE(count, <=, held_count_);
    const u32 managed_count = managed_count_;
    u32 free_count = free_count_;
    for (const u32 element : elements) {
        check(element,
              fibres_[element],
              fibres_[element] == 0,
              "an element is released once and with no fibre on its way");
        fibres_[element] = kNone;
        // Always written, counted only if managed: no branch to mispredict.
        free_[free_count] = element;
        free_count += element < managed_count ? 1u : 0u;
    }
    beyond_count_ -= count - (free_count - free_count_);
    free_count_ = free_count;
    held_count_ -= count;
}

SpawnedOn FibreStorage::add_fibres(std::span<const u32> elements, u32 routine) {
    const u32 bit = 1u << routine;
    u32 without_fibres = 0;
    u32 seen = 0;
    for (const u32 element : elements) {
        const u32 word = fibres_[element];
        check(element, word, word != kNone, "a fibre is spawned onto an element that is held");
        without_fibres += word == 0 ? 1u : 0u;
        seen |= word;
        fibres_[element] = (word | bit) + kFibre;
    }
    return {without_fibres, (seen & bit) != 0};
}

u32 FibreStorage::complete(std::span<const u32> elements, u32* idle) {
    u32 idle_count = 0;
    for (const u32 element : elements) {
        const u32 word = fibres_[element];
        check(element, word, word != kNone && word >= kFibre, "a fibre that is done was counted");
        // A product, and an element always written but counted only at zero: no branch to
        // mispredict.
        const u32 left = word - kFibre;
        const u32 has_more = left >= kFibre ? 1u : 0u;
        fibres_[element] = left * has_more;
        idle[idle_count] = element;
        idle_count += 1 - has_more;
    }
    return idle_count;
}

u32 FibreStorage::first_stranded(std::span<const u32> elements) const {
    for (const u32 element : elements) {
        if (fibres_[element] == 0) {
            return element;
        }
    }
    return kNone;
}

u32 FibreStorage::first_held() const {
    for (u32 element = 0; element < element_count_; ++element) {
        if (fibres_[element] != kNone) {
            return element;
        }
    }
    return kNone;
}

}  // namespace weft::fibre
