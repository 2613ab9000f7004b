// miss.cpp — the kernel of rays that hit nothing: adds the environment with its MIS weight and ends
// the path.
//
// bsdf.md sections 5 and 6. Compiled once per instruction set; called through shade_kernels().
#include "shaders/kernels/kernel_rows.h"
#include "shaders/lanes/width.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shaders/kernels/miss.cpp"
#include <hwy/foreach_target.h>
#include "shaders/lights/light-inl.h"
#include "shaders/kernels/guided_surface-inl.h"
#include "shaders/kernels/path-inl.h"
#include "shaders/kernels/seen_surface-inl.h"
#include "shaders/kernels/split_light-inl.h"
// clang-format on

#if WEFT_HAS_TARGET

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace {

// Probability that a light sample chose the environment where the lanes' paths scattered last.
Float environment_choice(const SceneView& scene,
                         const PathView& paths,
                         const Group& g,
                         Float3 direction,
                         Float pdf,
                         Uint flags) {
    const Records light = records_of(scene.lights, Uint(scene.environment_light));
    const Bool competes = pdf < Float(kInfinity);
    if (scene.light_nodes == nullptr || !any(competes)) {
        return scene.lights[scene.environment_light].choice_pdf;
    }
    const Float3 origin = first_three(load_quad(quads_of(paths.ray, 0), g.at));
    const Float travelled = bits_to_float(load_quad(quads_of(paths.record, 2), g.at).a);
    const LitSurface surface = {flags, load_highlight(paths, g)};
    const LitPoint lit = lit_point(fma(direction, -travelled, origin), surface);
    return choice_probability(scene, lit, read_light_head(light), competes);
}

void miss_group(const SceneView& scene,
                const RenderParams& params,
                const PathView& paths,
                const Group& g) {
    // Load the direction, throughput and radiance of each path.
    const Float3 direction = first_three(load_quad(quads_of(paths.ray, 1), g.at));
    const QuadLanes weights = load_quad(quads_of(paths.record, 1), g.at);
    const QuadLanes sum = load_quad(quads_of(paths.gain, 0), g.half_at);
    QuadLanes rest = load_quad(quads_of(paths.gain, 1), g.half_at);
    const Uint flags = rest.d;
    if (paths.guide_vertices != nullptr) {
        note_arrival(paths, g, load_quad(quads_of(paths.record, 0), g.at).d, first_three(sum));
    }
    const MapPoint point = map_point(scene, direction);

    // Compute the MIS weight. Paths without a competing light sample (camera rays, straight
    // passages through solids) carry an infinite density and count fully.
    Float weight = 1.0f;
    if (scene.environment_light != kNone) {
        const Float pdf = bits_to_float(weights.d);
        const Float choice = environment_choice(scene, paths, g, direction, pdf, flags);
        weight = mis_weight(pdf, choice * environment_pdf(scene, point));
    }
    // Evaluate the environment and clamp the contribution.
    const Float3 seen = environment_radiance(scene, point) * weight;
    Float3 gained = first_three(weights) * seen;
    if (has_clamp(params)) {
        const Uint bounces = load_quad(quads_of(paths.record, 0), g.at).d;
        gained = clamp_contribution(params, gained, bounces);
    }

    if (paths.seen.stage != nullptr) {
        record_seen_miss(paths.seen, g, first_three(weights));
    }

    if (paths.split.way != nullptr) {
        record_found(paths.split, g, scene.environment_group);
    }

    // Add it, unless a camera ray sees an invisible environment past all surfaces; end the path.
    // Through a clear pane, whose alpha is 1, it shows as through any other glass.
    const Bool is_camera_ray = has_flag(flags, kPathSpecular);
    const Bool is_visible = all_lanes(scene.environment_is_visible != 0);
    const Bool has_hit = bits_to_float(sum.d) > Float(0.0f);
    const Bool counts = is_visible | !is_camera_ray | has_hit;
    const Float3 radiance = first_three(sum);
    const Bool is_opaque = is_visible & is_camera_ray;
    const Float alpha = select(is_opaque, Float(1.0f), bits_to_float(sum.d));
    rest.d = (flags & Uint(~(kPathAlive | kPathShadow))) | Uint(kPathMissed);
    const QuadStore<2> gain(reinterpret_cast<u32*>(paths.gain), g.half_at, g.mask);
    gain.store<0>(quad_of(select(counts, radiance + gained, radiance), alpha));
    gain.store<1>(rest);
}

}  // namespace

void miss(const SceneView& scene,
          const RenderParams& params,
          const PathView& paths,
          const u32* ids,
          u32 count,
          ShadeCounters& counters) {
    Lockstep lockstep(counters.divergence);
    for (u32 first = 0; first < count; first += kLanes) {
        miss_group(scene, params, paths, load_group(ids, first, count, counters, lockstep));
    }
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif

#if HWY_ONCE

namespace weft::shaders::WEFT_WIDTH {

MissKernel miss_kernel([[maybe_unused]] Isa isa) {
    WEFT_PICK_ISA(isa, miss)
    return nullptr;
}

}  // namespace weft::shaders::WEFT_WIDTH

#endif
