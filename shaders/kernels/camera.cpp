// camera.cpp — the kernel that starts paths: samples film and lens, and writes ray, ray cone and
// all other state of its slots except the shadow ray.
//
// bsdf.md sections 1 and 2. Compiled once per instruction set; called through shade_kernels().
#include <limits>

#include "shaders/kernels/kernel_rows.h"
#include "shaders/lanes/width.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shaders/kernels/camera.cpp"
#include <hwy/foreach_target.h>
#include "shaders/kernels/path-inl.h"
#include "shaders/lanes/sampler-inl.h"
// clang-format on

#if WEFT_HAS_TARGET

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace {

Float3 broadcast(const float a[3]) {
    return {a[0], a[1], a[2]};
}

// Pixel coordinates by lane.
struct PixelLanes {
    Uint x, y;
};

// Splits pixel numbers into x and y. Pixels of a group mostly share a row: one division serves all.
PixelLanes split_pixels(Uint pixel, u32 width) {
    u32 pixels[kLanes];
    store(pixel, pixels);
    const u32 row = pixels[0] / width;
    const Uint column = pixel - Uint(row * width);
    const Bool is_off = is_less(column, Uint(0u)) | !is_less(column, Uint(width));
    if (bits_of(is_off) == 0) {
        return {column, Uint(row)};
    }
    u32 x[kLanes];
    u32 y[kLanes];
    for (u32 k = 0; k < kLanes; ++k) {
        x[k] = pixels[k] % width;
        y[k] = pixels[k] / width;
    }
    return {load(x), load(y)};
}

// Samples the pixel filter: offset from the pixel's centre for u in [0, 1).
Float filter_offset(const float* table, Float u) {
    const Float at = u * Float(static_cast<float>(kFilterTableSize));
    const Float entry = floor(at);
    const Uint index = to_uint(entry);
    return mix(gather(table, index), gather(table, index + Uint(1u)), at - entry);
}

// The ray through the film point (s, t), in units of CameraRecord; `numbers` of the camera.
RayLanes camera_ray(const CameraRecord& camera, Float s, Float t, const SampleTuple& numbers) {
    const Float3 right = broadcast(camera.right);
    const Float3 up = broadcast(camera.up);
    const Float3 forward = broadcast(camera.forward);
    Float3 origin = broadcast(camera.origin);
    Float3 direction = forward;
    const Float3 across = fma(right, s, up * t);
    if (camera.is_orthographic != 0) {
        origin = origin + across;
    } else {
        direction = direction + across;
        if (camera.lens_radius_m > 0) {
            // Sample the lens: from a point on it through the point in focus.
            const DiskPoint disk = concentric_disk(last_two(numbers));
            const SinCos angle = sin_cos_turns(disk.turns);
            const Float radius = disk.radius * Float(camera.lens_radius_m);
            const Float3 shift = fma(right, radius * angle.cos, up * (radius * angle.sin));
            direction = fma(direction, camera.focus_m, -shift);
            origin = origin + shift;
        }
    }
    return {origin, normalize_or(direction, forward), kInfinity, kNone, kNone, kNone, kNone};
}

void clear_aovs(const AovView& aov, const Group& g) {
    const Bool everywhere = all_lanes(true);
    for (u32 k = 0; k < 3; ++k) {
        store_where(aov.albedo[k], g, everywhere, 0.0f);
        store_where(aov.normal[k], g, everywhere, 0.0f);
        store_where(aov.position[k], g, everywhere, 0.0f);
    }
    store_where(aov.depth, g, everywhere, 0.0f);
    store_where(aov.uv[0], g, everywhere, 0.0f);
    store_where(aov.uv[1], g, everywhere, 0.0f);
    store_where(aov.instance, g, everywhere, kNone);
}

void clear_seen(const SeenView& seen, const Group& g) {
    const Bool everywhere = all_lanes(true);
    for (u32 k = 0; k < 3; ++k) {
        store_where(seen.albedo[k], g, everywhere, 0.0f);
        store_where(seen.normal[k], g, everywhere, 0.0f);
        store_where(seen.direct[k], g, everywhere, 0.0f);
    }
    store_where(seen.left, g, everywhere, 1.0f);
    store_where(seen.stage, g, everywhere, kSeenPassing);
}

void clear_split(const SplitView& split, const Group& g) {
    const Bool everywhere = all_lanes(true);
    store_where(split.way, g, everywhere, kSplitEmission);
    for (float* const share : split.diffuse) {
        store_where(share, g, everywhere, 0.0f);
    }
}

void camera_group(const CameraRecord& camera,
                  const RenderParams& params,
                  const PathView& paths,
                  const Group& g) {
    // Load pixel and sample, and hash them with the seed.
    const QuadLanes ids = load_quad(quads_of(paths.record, 0), g.at);
    const PixelLanes pixel = split_pixels(ids.a, params.width);
    const Uint sample = ids.b;
    const Uint hashed = combine(combine(params.seed, pixel.x), pixel.y);
    const SampleTuple numbers = sample_tuple(hashed, sample, Uint(kCameraTuple));
    const Float2 film = first_two(numbers);

    // Sample the filter.
    const Float fx = to_float(pixel.x) + Float(0.5f) + filter_offset(params.filter_table, film.x);
    const Float fy = to_float(pixel.y) + Float(0.5f) + filter_offset(params.filter_table, film.y);
    // Map the pixel to the film point (s, t).
    const Float width = to_float(Uint(params.width));
    const Float height = to_float(Uint(params.height));
    const Float s =
        fma(fms(fx / width, 2.0f, 1.0f), Float(camera.half_width), Float(camera.shift_s));
    const Float t =
        fma(fnma(fy / height, 2.0f, 1.0f), Float(camera.half_height), Float(camera.shift_t));
    const bool is_parallel = camera.is_orthographic != 0;
    // Narrow the ray cone: a later sample shares the pixel with those before it.
    const Float share = Float(1.0f) / sqrt(fma(to_float(sample), 3.0f, 1.0f));

    // Write the initial state.
    PathLanes path = {hashed,
                      sample,
                      0u,
                      0u,
                      kPathAlive | kPathSpecular,
                      splat(1.0f),
                      kInfinity,
                      0.0f,
                      share * Float(is_parallel ? camera.pixel_width_m : 0.0f),
                      share * Float(is_parallel ? 0.0f : camera.pixel_spread),
                      alpha_key(hashed, sample, 0u),
                      {},
                      splat(0.0f),
                      0.0f,
                      splat(0.0f)};
    for (Uint& medium : path.media.entry) {
        medium = kNone;
    }
    store_path(paths, g, path, true);
    // Write the camera ray and empty AOVs.
    store_rays(paths.ray, g, all_lanes(true), camera_ray(camera, s, t, numbers));
    clear_aovs(paths.aov, g);
    clear_seen(paths.seen, g);
    clear_split(paths.split, g);
    store_where(paths.widest, g, all_lanes(true), 0.0f);
    store_where(paths.first_light, g, all_lanes(true), 0.0f);
}

}  // namespace

void camera(const CameraRecord& record,
            const RenderParams& params,
            const PathView& paths,
            const u32* ids,
            u32 count,
            ShadeCounters& counters) {
    Lockstep lockstep(counters.divergence);
    for (u32 first = 0; first < count; first += kLanes) {
        camera_group(record, params, paths, load_group(ids, first, count, counters, lockstep));
    }
}

CameraRow camera_row_here() {
    return {&camera, kLanes};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif

#if HWY_ONCE

namespace weft::shaders::WEFT_WIDTH {

CameraRow camera_row([[maybe_unused]] Isa isa) {
    WEFT_PICK_ISA(isa, camera_row_here())
    return {nullptr, 0};
}

}  // namespace weft::shaders::WEFT_WIDTH

#endif
