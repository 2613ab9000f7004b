#include "engine/trace/result_slots.h"

namespace weft::trace {

namespace {

constexpr u32 kBeautyWords = 4;
constexpr u32 kGuideWords =
    shaders::kMostGuideVertices * static_cast<u32>(sizeof(GuideRecord) / sizeof(u32));

std::size_t words_of(u32 capacity, PathLayers layers) {
    return std::size_t{capacity} * (kBeautyWords + (layers.has_aovs ? kAovFloats + 1 : 0) +
                                    (layers.has_seen ? kSeenFloats : 0) + 2 * split_words(layers) +
                                    (layers.is_pilot ? kGuideWords : 0));
}

ResultView view_of(void* memory, u32 capacity, PathLayers layers) {
    ResultView view;
    view.rgba = static_cast<float*>(memory);
    float* next = view.rgba + std::size_t{capacity} * kBeautyWords;
    if (layers.split_count() > 0) {
        view.split = reinterpret_cast<i64*>(next);
        next = reinterpret_cast<float*>(view.split + std::size_t{capacity} * split_words(layers));
    }
    if (layers.has_aovs) {
        view.aovs = next;
        view.instance = reinterpret_cast<u32*>(view.aovs + std::size_t{capacity} * kAovFloats);
        next = reinterpret_cast<float*>(view.instance + capacity);
    }
    if (layers.has_seen) {
        view.seen = reinterpret_cast<float*>(view.instance + capacity);
        next = view.seen + std::size_t{capacity} * kSeenFloats;
    }
    if (layers.is_pilot) {
        view.guide = reinterpret_cast<GuideRecord*>(next);
    }
    return view;
}

}  // namespace

u64 ResultSlots::needed_bytes(u32 capacity, PathLayers layers) {
    return UnitMemory::rounded(words_of(capacity, layers) * sizeof(u32));
}

ResultSlots::ResultSlots(u32 capacity,
                         PathLayers layers,
                         UnitMemory& memory,
                         const CopyOut* copy_out)
    : copy_out_(copy_out), layers_(layers) {
    const std::size_t words = words_of(capacity, layers);
    void* const slots = memory.take(words * sizeof(u32));
    is_allocated_ = slots != nullptr;
    view_ = view_of(slots, capacity, is_allocated_ ? layers : PathLayers{});
    host_ = view_;
    if (copy_out_ && is_allocated_) {
        host_words_.resize(words);
        host_ = view_of(host_words_.data(), capacity, layers);
    }
}

const ResultView& ResultSlots::fetch(u32 count) {
    if (copy_out_) {
        (*copy_out_)(host_.rgba, view_.rgba, u64{count} * kBeautyWords * sizeof(float));
        if (view_.aovs) {
            (*copy_out_)(host_.aovs, view_.aovs, u64{count} * kAovFloats * sizeof(float));
            (*copy_out_)(host_.instance, view_.instance, u64{count} * sizeof(u32));
        }
        if (view_.seen) {
            (*copy_out_)(host_.seen, view_.seen, u64{count} * kSeenFloats * sizeof(float));
        }
        if (view_.split) {
            (*copy_out_)(host_.split, view_.split, u64{count} * split_words(layers_) * sizeof(i64));
        }
        if (view_.guide) {
            (*copy_out_)(host_.guide, view_.guide, u64{count} * kGuideWords * sizeof(u32));
        }
    }
    return host_;
}

}  // namespace weft::trace
