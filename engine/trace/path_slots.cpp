#include "engine/trace/path_slots.h"

#include <cstddef>

namespace weft::trace {

namespace {

// Words per slot: see PathView, in order of declaration.
constexpr u32 kIntegerWords = 6 + shaders::kMediumDepth + 3 + 1;
constexpr u32 kFloatWords = 3 + 3 + 1 + 3 + 2 + 2;
constexpr u32 kAovWords = 3 + 3 + 3 + 1 + 1;

// Hands out rows of `capacity` words, one after the other.
class Rows {
public:
    Rows(u32* words, std::size_t capacity) : next_(words), capacity_(capacity) {}

    u32* integers(u32 per_slot = 1) {
        u32* row = next_;
        next_ += capacity_ * per_slot;
        return row;
    }

    float* floats() { return reinterpret_cast<float*>(integers()); }

    void floats3(float* (&rows)[3]) {
        for (float*& row : rows) {
            row = floats();
        }
    }

private:
    u32* next_;
    std::size_t capacity_;
};

}  // namespace

PathSlots::PathSlots(u32 capacity, bool has_aovs) {
    const u32 words = kIntegerWords + kFloatWords + (has_aovs ? kAovWords : 0);
    words_ = base::PageArray<u32>(std::size_t{capacity} * words);
    rays_ = base::PageArray<shaders::TraceRay>(std::size_t{capacity} * 2);
    if (!is_allocated()) {
        return;
    }
    Rows rows(words_.data(), capacity);
    view_.capacity = capacity;
    view_.pixel = rows.integers();
    view_.sample = rows.integers();
    view_.pixel_hash = rows.integers();
    view_.depth = rows.integers();
    view_.bounces = rows.integers();
    view_.flags = rows.integers();
    rows.floats3(view_.throughput);
    rows.floats3(view_.radiance);
    view_.alpha = rows.floats();
    rows.floats3(view_.light);
    view_.pdf = rows.floats();
    view_.travelled = rows.floats();
    view_.cone_width = rows.floats();
    view_.cone_spread = rows.floats();
    for (u32*& medium : view_.medium) {
        medium = rows.integers();
    }
    view_.shadow_tint = rows.integers(3);
    view_.alpha_key = rows.integers();
    view_.ray = rays_.data();
    view_.shadow = rays_.data() + capacity;
    if (has_aovs) {
        rows.floats3(view_.aov.albedo);
        rows.floats3(view_.aov.normal);
        rows.floats3(view_.aov.position);
        view_.aov.depth = rows.floats();
        view_.aov.instance = rows.integers();
    }
}

bool PathSlots::is_allocated() const {
    return words_.is_allocated() && rays_.is_allocated();
}

u64 PathSlots::size_bytes() const {
    return words_.size_bytes() + rays_.size_bytes();
}

}  // namespace weft::trace
