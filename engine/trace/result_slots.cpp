#include "engine/trace/result_slots.h"

namespace weft::trace {

namespace {

constexpr u32 kBeautyWords = 4;

ResultView view_of(void* memory, u32 capacity, bool has_aovs) {
    ResultView view;
    view.rgba = static_cast<float*>(memory);
    if (has_aovs) {
        view.aovs = view.rgba + std::size_t{capacity} * kBeautyWords;
        view.instance = reinterpret_cast<u32*>(view.aovs + std::size_t{capacity} * kAovFloats);
    }
    return view;
}

}  // namespace

ResultSlots::ResultSlots(u32 capacity, bool has_aovs, UnitMemory& memory)
    : device_(memory.device()) {
    const std::size_t words =
        std::size_t{capacity} * (kBeautyWords + (has_aovs ? kAovFloats + 1 : 0));
    void* const slots = memory.take(words * sizeof(u32));
    is_allocated_ = slots != nullptr;
    view_ = view_of(slots, capacity, has_aovs && is_allocated_);
    host_ = view_;
    if (device_ && is_allocated_) {
        host_words_.resize(words);
        host_ = view_of(host_words_.data(), capacity, has_aovs);
    }
}

const ResultView& ResultSlots::fetch(u32 count) {
    if (device_) {
        device_->copy_out(host_.rgba, view_.rgba, u64{count} * kBeautyWords * sizeof(float));
        if (view_.aovs) {
            device_->copy_out(host_.aovs, view_.aovs, u64{count} * kAovFloats * sizeof(float));
            device_->copy_out(host_.instance, view_.instance, u64{count} * sizeof(u32));
        }
    }
    return host_;
}

}  // namespace weft::trace
