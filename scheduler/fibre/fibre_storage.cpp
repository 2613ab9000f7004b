#include "scheduler/fibre/fibre_storage.h"

#include <string>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

// Debug builds check that an element is held, and whether it has fibres.
void check_count([[maybe_unused]] u32 element,
                 [[maybe_unused]] u32 count,
                 [[maybe_unused]] bool is_right,
                 [[maybe_unused]] const char* rule) {
#ifndef NDEBUG
    if (!is_right) {
        const std::string state =
            count == kNone ? " is free" : " has " + std::to_string(count) + " fibres";
        base::fail_claim(__FILE__, __LINE__, rule, "element " + std::to_string(element) + state);
    }
#endif
}

}  // namespace

FibreStorage::FibreStorage(u32 element_count)
    : element_count_(element_count),
      fibre_counts_(element_count),
      thread_of_(element_count),
      free_(element_count),
      admitted_(element_count) {
    if (is_allocated()) {
        for (u32& count : fibre_counts_.span()) {
            count = kNone;
        }
        limit(element_count);
    }
}

bool FibreStorage::is_allocated() const {
    return element_count_ > 0 && fibre_counts_.is_allocated() && thread_of_.is_allocated() &&
           free_.is_allocated() && admitted_.is_allocated();
}

u64 FibreStorage::size_bytes() const {
    return fibre_counts_.size_bytes() + thread_of_.size_bytes() + free_.size_bytes() +
           admitted_.size_bytes();
}

void FibreStorage::limit(u32 managed_count) {
    ENSURE(managed_count, <=, element_count_);
    managed_count_ = managed_count;
    free_count_ = 0;
    beyond_count_ = 0;
    for (u32 element = element_count_; element-- > 0;) {
        const bool is_free = fibre_counts_[element] == kNone;
        if (is_free && element < managed_count) {
            free_[free_count_++] = element;
        }
        beyond_count_ += !is_free && element >= managed_count ? 1u : 0u;
    }
}

std::span<const u32> FibreStorage::admit(u32 count, u32 thread) {
    ENSURE(count, <=, free_count_);
    for (u32 index = 0; index < count; ++index) {
        const u32 element = free_[--free_count_];
        check_count(element,
                    fibre_counts_[element],
                    fibre_counts_[element] == kNone,
                    "an element on the free list is free");
        fibre_counts_[element] = 0;
        thread_of_[element] = thread;
        admitted_[index] = element;
    }
    held_count_ += count;
    return admitted_.span().first(count);
}

void FibreStorage::release(std::span<const u32> elements) {
    ENSURE(elements.size(), <=, std::size_t{held_count()});
    for (const u32 element : elements) {
        check_count(element,
                    fibre_counts_[element],
                    fibre_counts_[element] == 0,
                    "an element is released once and with no fibre on its way");
        fibre_counts_[element] = kNone;
        // Always written, counted only if managed: no branch to mispredict.
        free_[free_count_] = element;
        const u32 is_managed = element < managed_count_ ? 1u : 0u;
        free_count_ += is_managed;
        beyond_count_ -= 1 - is_managed;
    }
    held_count_ -= static_cast<u32>(elements.size());
}

void FibreStorage::add_fibres(std::span<const u32> elements) {
    for (const u32 element : elements) {
        check_count(element,
                    fibre_counts_[element],
                    fibre_counts_[element] != kNone,
                    "a fibre is spawned onto an element that is held");
        ++fibre_counts_[element];
    }
}

u32 FibreStorage::complete(std::span<const u32> elements, u32* idle) {
    u32* const counts = fibre_counts_.data();
    u32 idle_count = 0;
    for (const u32 element : elements) {
        check_count(element,
                    fibre_counts_[element],
                    fibre_counts_[element] != kNone && fibre_counts_[element] > 0,
                    "a fibre that is done was counted");
        const u32 left = counts[element] - 1;
        counts[element] = left;
        // Always written, counted only at zero: no branch to mispredict.
        idle[idle_count] = element;
        idle_count += left == 0 ? 1u : 0u;
    }
    return idle_count;
}

u32 FibreStorage::count_stranded(std::span<const u32> elements) const {
    u32 count = 0;
    for (const u32 element : elements) {
        count += fibre_counts_[element] == 0 ? 1u : 0u;
    }
    return count;
}

u32 FibreStorage::first_stranded(std::span<const u32> elements) const {
    for (const u32 element : elements) {
        if (fibre_counts_[element] == 0) {
            return element;
        }
    }
    return kNone;
}

u32 FibreStorage::first_held() const {
    for (u32 element = 0; element < element_count_; ++element) {
        if (fibre_counts_[element] != kNone) {
            return element;
        }
    }
    return kNone;
}

}  // namespace weft::fibre
