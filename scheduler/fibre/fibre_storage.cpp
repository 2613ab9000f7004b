#include "scheduler/fibre/fibre_storage.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

FibreStorage::FibreStorage(u32 element_count)
    : element_count_(element_count),
      free_count_(element_count),
      elements_(element_count),
      free_(element_count),
      offered_(element_count) {
    if (!is_allocated()) {
        return;
    }
    for (u32 index = 0; index < element_count; ++index) {
        elements_[index] = {kNone, 0};
        free_[index] = element_count - 1 - index;
    }
}

bool FibreStorage::is_allocated() const {
    return element_count_ > 0 && elements_.is_allocated() && free_.is_allocated() &&
           offered_.is_allocated();
}

u64 FibreStorage::size_bytes() const {
    return elements_.size_bytes() + free_.size_bytes() + offered_.size_bytes();
}

std::span<const u32> FibreStorage::offer(u32 most) {
    const u32 count = std::min(most, free_count_);
    for (u32 index = 0; index < count; ++index) {
        offered_[index] = free_[free_count_ - 1 - index];
    }
    return offered_.span().first(count);
}

void FibreStorage::admit(u32 count) {
    ENSURE(count, <=, free_count_);
    for (u32 index = 0; index < count; ++index) {
        Element& record = elements_[offered_[index]];
        DEBUG_ENSURE(record.fibre_count, ==, kNone);
        record.fibre_count = 0;
    }
    free_count_ -= count;
}

void FibreStorage::release(std::span<const u32> elements) {
    ENSURE(elements.size(), <=, std::size_t{held_count()});
    for (const u32 element : elements) {
        Element& record = elements_[element];
        // Neither released twice (it would be free) nor with a fibre still on its way.
        DEBUG_ENSURE(record.fibre_count, ==, 0u);
        record.fibre_count = kNone;
        free_[free_count_++] = element;
    }
}

void FibreStorage::add_fibres(std::span<const u32> elements) {
    for (const u32 element : elements) {
        Element& record = elements_[element];
        DEBUG_ENSURE(record.fibre_count, !=, kNone);
        ++record.fibre_count;
    }
}

u32 FibreStorage::complete(std::span<const u32> elements, u32* idle) {
    u32 idle_count = 0;
    for (const u32 element : elements) {
        Element& record = elements_[element];
        DEBUG_ENSURE(record.fibre_count, !=, kNone);
        DEBUG_ENSURE(record.fibre_count, >, 0u);
        --record.fibre_count;
        // Written always and kept only at zero: no branch to mispredict.
        idle[idle_count] = element;
        idle_count += record.fibre_count == 0 ? 1u : 0u;
    }
    return idle_count;
}

u32 FibreStorage::count_stranded(std::span<const u32> elements) const {
    u32 count = 0;
    for (const u32 element : elements) {
        count += elements_[element].fibre_count == 0 ? 1u : 0u;
    }
    return count;
}

void FibreStorage::check_packet([[maybe_unused]] std::span<const u32> elements,
                                [[maybe_unused]] u32 packet_id) {
#ifndef NDEBUG
    // No packet has the id 0, so a second claim of one element shows.
    for (const u32 element : elements) {
        ENSURE(element, <, element_count_);
        ENSURE(elements_[element].fibre_count, !=, kNone);
        elements_[element].packet_id = 0;
    }
    for (const u32 element : elements) {
        const bool is_new_in_packet = claim(element, packet_id);
        ENSURE(is_new_in_packet, ==, true);
    }
#endif
}

void FibreStorage::check_running([[maybe_unused]] std::span<const u32> elements,
                                 [[maybe_unused]] u32 packet_id) const {
#ifndef NDEBUG
    for (const u32 element : elements) {
        ENSURE(element, <, element_count_);
        // The element is in another packet than the one that touches it.
        ENSURE(elements_[element].packet_id, ==, packet_id);
    }
#endif
}

}  // namespace weft::fibre
