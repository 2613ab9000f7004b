#include "engine/trace/path_slots.h"

#include <cstddef>

#include "shaders/host/guide_view.h"

namespace weft::trace {

namespace {

// Words per slot: see PathView, in order of declaration.
constexpr u32 kTintWords = 3;
constexpr u32 kAovWords = 3 + 3 + 3 + 1 + 2 + 1;
constexpr u32 kSeenWords = 3 + 3 + 3 + 1 + 1;
constexpr u32 kGroupWords = 1 + 1 + 1;
constexpr u32 kLobeWords = 3 + 3;
constexpr u32 kPilotWords =
    shaders::kMostGuideVertices * static_cast<u32>(sizeof(shaders::GuideVertex) / sizeof(u32));

// Allocates rows of `capacity` words one after the other.
class SlotRows {
public:
    SlotRows(u32* words, std::size_t capacity) : next_(words), capacity_(capacity) {}

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

u32 PathSlots::bytes_per_path(PathLayers layers) {
    const u32 words = (layers.has_tints ? kTintWords : 0) + (layers.has_aovs ? kAovWords : 0) +
                      (layers.has_seen ? kSeenWords : 0) +
                      (layers.split_count() > 0 ? kGroupWords : 0) +
                      (layers.has_lobes ? kLobeWords : 0) + (layers.has_light_tree ? 1 : 0) +
                      (layers.is_regularized ? 1 : 0) + (layers.is_guided ? 1 : 0) +
                      (layers.is_pilot ? kPilotWords : 0);
    const u32 media = layers.has_boundaries ? static_cast<u32>(sizeof(shaders::ShadowMedia)) : 0;
    return words * static_cast<u32>(sizeof(u32)) + media +
           2 * static_cast<u32>(sizeof(shaders::TraceRay)) +
           static_cast<u32>(sizeof(shaders::PathRecord) + sizeof(shaders::PathGain));
}

PathSlots::PathSlots(u32 capacity, PathLayers layers, UnitMemory& memory) {
    // Rays and records first: they are whole cache lines; gains are halves.
    const u64 bytes = u64{capacity} * bytes_per_path(layers);
    auto* const rays = static_cast<shaders::TraceRay*>(memory.take(bytes));
    if (!rays) {
        return;
    }
    size_bytes_ = bytes;
    auto* const records = reinterpret_cast<shaders::PathRecord*>(rays + std::size_t{2} * capacity);
    auto* const media = reinterpret_cast<shaders::ShadowMedia*>(records + capacity);
    auto* const gains =
        reinterpret_cast<shaders::PathGain*>(media + (layers.has_boundaries ? capacity : 0));
    SlotRows rows(reinterpret_cast<u32*>(gains + capacity), capacity);
    view_.capacity = capacity;
    view_.shadow_tint = layers.has_tints ? rows.integers(kTintWords) : nullptr;
    view_.gain = gains;
    view_.record = records;
    view_.ray = rays;
    view_.shadow = rays + capacity;
    view_.shadow_media = layers.has_boundaries ? media : nullptr;
    if (layers.has_aovs) {
        rows.floats3(view_.aov.albedo);
        rows.floats3(view_.aov.normal);
        rows.floats3(view_.aov.position);
        view_.aov.depth = rows.floats();
        view_.aov.uv[0] = rows.floats();
        view_.aov.uv[1] = rows.floats();
        view_.aov.instance = rows.integers();
    }
    if (layers.has_seen) {
        rows.floats3(view_.seen.albedo);
        rows.floats3(view_.seen.normal);
        rows.floats3(view_.seen.direct);
        view_.seen.left = rows.floats();
        view_.seen.stage = rows.integers();
    }
    if (layers.split_count() > 0) {
        view_.split.way = rows.integers();
        view_.split.found = rows.integers();
        view_.split.pending = rows.integers();
    }
    if (layers.has_lobes) {
        rows.floats3(view_.split.diffuse);
        rows.floats3(view_.split.pending_diffuse);
    }
    if (layers.has_light_tree) {
        view_.highlight = rows.integers();
    }
    if (layers.is_regularized) {
        view_.widest = rows.floats();
    }
    if (layers.is_guided) {
        view_.first_light = rows.floats();
    }
    if (layers.is_pilot) {
        view_.guide_vertices = reinterpret_cast<shaders::GuideVertex*>(rows.integers(kPilotWords));
    }
}

}  // namespace weft::trace
