// random_paths.h — paths in the middle of a render over a RandomScene, in arrays that compare bit
// by bit.
//
// Each path has a random hit, random state and a random medium stack, all derived from the seed.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "shaders/host/path_view.h"
#include "tests/shaders/random_scene.h"

namespace weft::tests {

// The arrays behind a PathView, comparable slot by slot.
class PathArrays {
public:
    static constexpr u32 kFloats = 29;
    static constexpr u32 kWords = 9;

    explicit PathArrays(u32 capacity)
        : capacity_(capacity),
          floats_(std::size_t{kFloats} * capacity),
          words_(std::size_t{kWords} * capacity),
          gains_(capacity),
          records_(capacity),
          rays_(capacity),
          shadows_(capacity),
          media_(capacity) {}

    [[nodiscard]] PathView view() {
        u32 f = 0;
        u32 w = 0;
        const auto floats = [&] { return floats_.data() + std::size_t{f++} * capacity_; };
        const auto words = [&] { return words_.data() + std::size_t{w++} * capacity_; };
        PathView v{};
        v.capacity = capacity_;
        v.aov.instance = words();
        v.seen.stage = words();
        v.split.way = words();
        v.split.found = words();
        v.split.pending = words();
        v.highlight = words();
        v.shadow_tint = words();  // three per slot: the last of the rows
        for (u32 c = 0; c < 3; ++c) {
            for (float** field : {&v.aov.albedo[c],
                                  &v.aov.normal[c],
                                  &v.aov.position[c],
                                  &v.seen.albedo[c],
                                  &v.seen.normal[c],
                                  &v.seen.direct[c],
                                  &v.split.diffuse[c],
                                  &v.split.pending_diffuse[c]}) {
                *field = floats();
            }
        }
        v.aov.depth = floats();
        v.aov.uv[0] = floats();
        v.aov.uv[1] = floats();
        v.seen.left = floats();
        v.widest = floats();
        v.gain = gains_.data();
        v.record = records_.data();
        v.ray = rays_.data();
        v.shadow = shadows_.data();
        v.shadow_media = media_.data();
        return v;
    }

    // Bits, not values: NaN equals itself, 0 differs from −0.
    [[nodiscard]] bool same_slot(const PathArrays& other, u32 slot) const {
        bool is_same =
            std::memcmp(&gains_[slot], &other.gains_[slot], sizeof(PathGain)) == 0 &&
            std::memcmp(&records_[slot], &other.records_[slot], sizeof(PathRecord)) == 0 &&
            std::memcmp(&rays_[slot], &other.rays_[slot], sizeof(TraceRay)) == 0 &&
            std::memcmp(&shadows_[slot], &other.shadows_[slot], sizeof(TraceRay)) == 0 &&
            std::memcmp(&media_[slot], &other.media_[slot], sizeof(ShadowMedia)) == 0;
        for (std::size_t k = 0; k < kFloats; ++k) {
            const std::size_t i = k * capacity_ + slot;
            is_same &= std::bit_cast<u32>(floats_[i]) == std::bit_cast<u32>(other.floats_[i]);
        }
        for (std::size_t k = 0; k + 3 < kWords; ++k) {
            is_same &= words_[k * capacity_ + slot] == other.words_[k * capacity_ + slot];
        }
        return is_same;
    }

private:
    u32 capacity_;
    std::vector<float> floats_;
    std::vector<u32> words_;
    std::vector<PathGain> gains_;
    std::vector<PathRecord> records_;
    std::vector<TraceRay> rays_, shadows_;
    std::vector<ShadowMedia> media_;
};

// Paths in the middle of a render, each with a random hit.
inline void fill_paths(PathArrays& arrays, u64 seed) {
    Random random(seed);
    const PathView v = arrays.view();
    for (u32 i = 0; i < v.capacity; ++i) {
        PathRecord& record = v.record[i];
        v.widest[i] = static_cast<float>(i % 7) * 0.05f;
        v.highlight[i] = i % 4 == 0 ? 0 : i * 0x9e3779b9u;
        record.sample = random.below(1024);
        record.pixel_hash = static_cast<u32>(random.next());
        record.bounces = random.below(6);
        record.depth = record.bounces + random.below(60);
        v.gain[i].flags = kPathAlive | (record.bounces == 0 ? kPathSpecular : 0) |
                          (record.bounces > 2 ? kPathDispersed : 0);
        for (u32 c = 0; c < 3; ++c) {
            record.throughput[c] = random.unit();
            v.gain[i].radiance[c] = random.unit();
        }
        v.gain[i].alpha = record.bounces == 0 ? 0.0f : 1.0f;
        v.seen.stage[i] = i % 3;
        v.split.way[i] = i % 3;
        v.split.diffuse[0][i] = static_cast<float>(i % 9) / 9.0f;
        v.seen.left[i] = i % 5 == 0 ? 0.0f : static_cast<float>(i % 7) / 7.0f;
        record.pdf =
            record.bounces == 0 ? std::numeric_limits<float>::infinity() : random.between(0, 9);
        record.travelled = random.unit();
        record.cone_width = random.unit() * 0.01f;
        record.cone_spread = random.unit() * 0.15f;  // a third of the cones are wide
        const u32 media = random.below(5);
        for (u32 k = 0; k < kMediumDepth; ++k) {
            record.medium[k] = k < media ? random.below(RandomScene::kMaterials) : kNone;
        }
        TraceRay ray{};
        float length2 = 0;
        for (float& d : ray.direction) {
            d = random.between(-1, 1);
            length2 += d * d;
        }
        for (float& d : ray.direction) {
            d /= std::sqrt(length2);
        }
        ray.t = random.between(0.1f, 5);
        ray.u = random.unit() * 0.5f;
        ray.v = random.unit() * 0.5f;
        ray.instance = random.below(RandomScene::kInstances);
        ray.primitive = random.below(RandomScene::kTriangles);
        v.ray[i] = ray;
    }
}

}  // namespace weft::tests
