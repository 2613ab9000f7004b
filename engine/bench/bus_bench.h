// bus_bench.h — compares frames of the emulated GPU, keyed and unkeyed, by the bytes that its units
// copy from the device's memory into their local memories: treelets (engine/trace/local_rays.h) and
// tiles of texels (engine/trace/texel_cache.h).
//
// All variants have equal local memories, tiles and as many paths in flight; they differ in the
// order in which rays come to treelets and hits to textures, and in the largest size of a treelet:
// what suits keys best need not suit the control best. All take turns. Seconds are those of the
// emulation, not of the model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/bench/ray_bench.h"
#include "engine/frame/renderer.h"

namespace weft::bench {

struct BusVariant {
    std::string scheduler{};  // keyed, unkeyed
    u32 treelet_bytes = 0;
};

// Counts are sums over all repeats.
struct BusRow {
    BusVariant variant{};
    u64 rays = 0;
    u64 transfers = 0;
    u64 bytes = 0;
    u64 texel_transfers = 0;  // of `transfers`
    u64 texel_bytes = 0;      // of `bytes`
    double modelled_ms = 0;   // of one frame, mean
    u64 ray_visits = 0;
    u64 kernel_calls = 0;
    u32 repeats = 0;
    Spread seconds{};
    std::string film_hash{};
    bool is_repeatable = true;

    [[nodiscard]] double bytes_per_ray() const { return per_ray(bytes); }

    [[nodiscard]] double texel_bytes_per_ray() const { return per_ray(texel_bytes); }

    [[nodiscard]] double per_ray(u64 sum) const {
        return rays == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(rays);
    }
};

struct BusBenchConfig {
    u32 repeats = 5;
    std::vector<u32> treelet_bytes = {32U << 10, 8U << 10, 2U << 10, 1U << 10};
    // Called before each frame, for progress; may be empty.
    std::function<void(const BusVariant& variant, u32 repeat)> on_frame;
    // Called between frames: true ends the comparison with the rows so far. May be empty.
    std::function<bool()> is_stopped;
};

// Renders frames with the settings, but for device, mode and treelets. Errors: those of a render.
base::Result<std::vector<BusRow>> compare_bus(const scene::Scene& scene,
                                              const scene::Camera& camera,
                                              const frame::RenderSettings& settings,
                                              const std::vector<std::string>& hidden,
                                              const BusBenchConfig& config);

}  // namespace weft::bench
