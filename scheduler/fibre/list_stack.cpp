#include "scheduler/fibre/list_stack.h"

#include <algorithm>
#include <cstring>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

ListStack::ListStack(u32 capacity)
    : capacity_(capacity), elements_(capacity), payload_(capacity), headers_(capacity) {}

bool ListStack::is_allocated() const {
    // A stack of no capacity needs no memory: it refuses every list.
    return capacity_ == 0 ||
           (elements_.is_allocated() && payload_.is_allocated() && headers_.is_allocated());
}

bool ListStack::push(ListHeader header,
                     std::span<const u32> elements,
                     std::span<const float> payload) {
    // No list is empty, so there are never more headers than entries.
    if (elements.size() > capacity_ - entry_count_) {
        return false;
    }
    header.begin = entry_count_;
    header.count = static_cast<u32>(elements.size());
    std::memcpy(elements_.data() + entry_count_, elements.data(), elements.size_bytes());
    std::memcpy(payload_.data() + entry_count_, payload.data(), payload.size_bytes());
    headers_[list_count_++] = header;
    entry_count_ += header.count;
    high_water_entries_ = std::max(high_water_entries_, entry_count_);
    high_water_lists_ = std::max(high_water_lists_, list_count_);
    return true;
}

ListHeader ListStack::pop(u32* elements, float* payload) {
    ENSURE(list_count_, >, 0u);
    const ListHeader header = headers_[--list_count_];
    std::memcpy(elements, elements_.data() + header.begin, header.count * sizeof(u32));
    std::memcpy(payload, payload_.data() + header.begin, header.count * sizeof(float));
    entry_count_ = header.begin;
    return header;
}

u64 ListStack::high_water_bytes() const {
    return u64{high_water_entries_} * (sizeof(u32) + sizeof(float)) +
           u64{high_water_lists_} * sizeof(ListHeader);
}

}  // namespace weft::fibre
