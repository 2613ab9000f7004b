// shade.cpp — the kernel of hits: emission, a light sample, and the next direction of each path.
//
// Follows bsdf.md sections 3 to 6 in order. A path that a medium scatters before its hit runs
// through the same code: the phase function stands in for the BSDF. This kernel takes more than
// half of a render's time. Packets arrive sorted by material, so groups skip whole features.
// Compiled once per instruction set; called through shade_kernels().
#include "shaders/kernels/kernel_rows.h"
#include "shaders/lanes/width.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shaders/kernels/shade.cpp"
#include <hwy/foreach_target.h>
#include "shaders/kernels/guided_surface-inl.h"
#include "shaders/kernels/medium_vertex-inl.h"
#include "shaders/kernels/seen_surface-inl.h"
#include "shaders/kernels/split_light-inl.h"
// clang-format on

#if WEFT_HAS_TARGET

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace {

// Most hits of a path, straight passages included.
constexpr u32 kMaxHits = 64;
// Russian roulette starts after so many bounces. The survival probability is 1.25 times the square
// root of the throughput: survivors are lighter than with the throughput itself, and not many more.
constexpr u32 kFirstRoulette = 3;
constexpr float kSurvivalScale = 1.25f;
// From so many bounces on a path also ends by chance where it loses no light, as in clear glass.
constexpr u32 kFirstCertainRoulette = 8;
constexpr float kMostSurvival = 0.95f;
// Where the guide tells what light is to be expected, survival is twice the root of what the path
// would bring of it, relative to the light at its first guided surface.
constexpr float kExpectedScale = 2.0f;

// Origin of a ray that leaves on the side of `direction`.
Float3 ray_origin(const SurfaceInteraction& p, Float3 direction) {
    const Float offset = p.hit.triangle.offset;
    const Float side = dot(direction, p.hit.n_g);
    return fma(p.hit.n_g, select(side < Float(0.0f), -offset, offset), p.hit.position);
}

void clear_tints(const PathView& paths, const Group& g) {
    for (u32 k = 0; k < g.count; ++k) {
        u32* tint = paths.shadow_tint + 3 * std::size_t{g.element[k]};
        tint[0] = tint[1] = tint[2] = 0;
    }
}

// Stores the media around the origins of shadow rays.
void store_shadow_media(ShadowMedia* media, const Group& g, Bool where, const MediumStack& around) {
    alignas(64) u32 at[kLanes];
    store(shift_left<6>(g.slot), at);
    const QuadStore<2> quads(reinterpret_cast<u32*>(media), at, bits_of(where) & g.mask);
    quads.store<0>({around.entry[0], around.entry[1], around.entry[2], around.entry[3]});
    quads.store<1>({Uint(0u), Uint(0u), Uint(0u), Uint(0u)});
}

// Samples one light for the lanes of `where`; stores its contribution and shadow ray. Returns the
// lanes with a shadow ray to trace.
Bool shade_light(const SceneView& scene,
                 const RenderParams& params,
                 const PathView& paths,
                 const Group& g,
                 const SurfaceInteraction& p,
                 PathLanes& path,
                 const Bsdf& bsdf,
                 LitSurface surface,
                 Bool where) {
    Bool is_traced = all_lanes(false);
    if (scene.light_count != 0 && any(where)) {
        // Sample a light.
        const SampleTuple numbers =
            sample_tuple(path.pixel_hash, path.sample, light_tuple(path.depth));
        const Float2 point = first_two(numbers);
        const Float2 choice = last_two(numbers);
        const FineNumber fine = {path.pixel_hash, path.sample, path.depth};
        const LightSample s =
            sample_light(scene, bsdf, p.hit.position, surface, {choice.x, choice.y, fine, point});
        // Evaluate the BSDF towards it, and weigh the sample by MIS. No ray hits a punctual
        // light: its sample counts fully, and where two strategies draw it, a divisor of their own
        // combines them.
        const BsdfValue f = evaluate(bsdf, s.wi);
        const Float pdf = max(s.pdf, 1e-30f);
        const Float ratio = select(s.is_punctual, Float(0.0f), f.pdf / pdf);
        const Float divisor = pdf * fma(ratio, ratio, 1.0f) * lobe_divisor(s, f.pdf);
        const Float3 arriving = s.radiance * (Float(1.0f) / divisor);
        Float3 light = path.throughput * f.value * arriving;

        // Attenuate by the medium that the shadow ray enters; along rays that pass boundaries of
        // media this is done at their end.
        const Bool leads_through = p.is_solid & (dot(s.wi, bsdf.n_g) < Float(0.0f));
        const MediumStack around = select(leads_through, p.media_after, path.media);
        if (!may_have(kMaterialBoundary) || paths.shadow_media == nullptr) {
            const Bool is_near = s.distance < Float(kInfinity);
            const Float distance = select(is_near, s.distance, Float(0.0f));
            light = light * attenuation(scene, around, distance);
        }
        // Clamp the contribution.
        light = clamp_contribution(params, light, path.bounces + Uint(1u));
        // Choose the lanes whose light sample is not black.
        is_traced = where & (s.pdf > Float(0.0f)) & !(max_of(light) <= Float(0.0f));
        // Store the pending light sample and its shadow ray.
        path.light = select(is_traced, light, splat(0.0f));
        if (paths.shadow_tint != nullptr) {
            clear_tints(paths, g);
        }
        if (may_have(kMaterialBoundary) && paths.shadow_media != nullptr) {
            store_shadow_media(paths.shadow_media, g, is_traced, around);
        }
        store_rays(paths.shadow,
                   g,
                   is_traced,
                   {ray_origin(p, s.wi),
                    s.wi,
                    s.distance,
                    s.primitive,
                    s.instance,
                    p.self_primitive,
                    p.ray.instance});
        if (paths.split.way != nullptr) {
            const Uint light_group = group_of_light(scene, s.light);
            store_where(paths.split.pending, g, where, shift_left<kSplitGroupShift>(light_group));
        }
    }
    return is_traced;
}

// The next direction of each path, and what becomes of its state.
struct Step {
    Float3 wi;
    Bool goes_on;
    Bool crosses;  // passes the boundary of a solid: `media_after` takes effect
    // Where it scatters:
    Bool is_straight;  // through a thin wall
    Bool is_clear;     // by a lobe that shows what lies beyond (seen_surface-inl.h)
    Float alpha;       // of the lobe drawn
};

// Continues straight through boundaries without a surface, hidden boundaries and culled faces.
// Hidden ones block shadow rays, so emission behind them counts fully.
Step pass_by(PathLanes& path, const SurfaceInteraction& p, Bool where) {
    path.travelled = select(where, path.travelled + p.ray.t, path.travelled);
    const Bool crosses = where & (p.is_hidden | p.is_boundary);
    path.media = select(crosses, p.media_after, path.media);
    path.pdf = select(where & p.is_hidden & !p.is_boundary, Float(kInfinity), path.pdf);
    return {p.ray.direction, where, crosses, all_lanes(false), all_lanes(false), 0.0f};
}

// At its first dispersive boundary a path commits to one wavelength.
void take_wavelength(PathLanes& path, const SurfaceInteraction& p, Bool where) {
    if (!may_have(kMaterialDispersion) || !any(p.is_dispersed)) {
        return;
    }
    const Bool begins = where & p.is_dispersed & !has_flag(path.flags, kPathDispersed);
    path.throughput = select(begins, path.throughput * p.color_of_wave, path.throughput);
    path.flags = select(begins, path.flags | Uint(kPathDispersed), path.flags);
}

// The probability that a path survives Russian roulette, from its throughput after the hit.
Float survival(Uint bounces, Float throughput, const GuidedSurface& guided, Float density_ratio) {
    const Bool is_late = !is_less(bounces, Uint(kFirstCertainRoulette));
    const Float most = select(is_late, Float(kMostSurvival), Float(1.0f));
    Float plain = Float(kSurvivalScale) * sqrt(throughput);
    if (guided.has_guide) {
        const Float expected = throughput * density_ratio * guided.here / guided.first;
        plain = select(guided.is_there, Float(kExpectedScale) * sqrt(expected), plain);
    }
    return min(plain, most);
}

// Samples the next direction of the lanes of `where`; other lanes keep their state.
Step scatter(PathLanes& path,
             const SurfaceInteraction& p,
             const Bsdf& bsdf,
             const PathView& paths,
             const Group& g,
             const GuidedSurface& guided,
             Uint surface,
             Bool where) {
    // Sample the BSDF.
    const SampleTuple numbers =
        sample_tuple(path.pixel_hash, path.sample, direction_tuple(path.depth));
    const BsdfSample s = sample(bsdf, third(numbers), first_two(numbers));

    // Count the bounce.
    Float3 throughput = path.throughput * s.weight;
    const Bool bounces_on = where & !s.is_straight;
    if (paths.guide_vertices != nullptr) {
        note_scattering(paths, g, p.hit.position, bsdf, s, throughput, path.bounces, bounces_on);
    }
    path.bounces = select(bounces_on, path.bounces + Uint(1u), path.bounces);
    // Apply Russian roulette.
    const Bool is_gambling = !is_less(path.bounces, Uint(kFirstRoulette));
    Bool is_lost = all_lanes(false);
    if (any(is_gambling)) {
        const Float q = survival(path.bounces, max_of(throughput), guided, density_ratio(bsdf, s));
        is_lost = is_gambling & !(fourth(numbers) < q);
        throughput = throughput * (Float(1.0f) / select(is_gambling, q, Float(1.0f)));
    }
    // Go on with the paths that survive and still carry light.
    const Bool goes_on = where & !is_lost & !(max_of(throughput) <= Float(0.0f));
    path.throughput = select(goes_on, throughput, path.throughput);

    // Update density and distance for MIS. A straight passage through a thin wall keeps them.
    // Solids block shadow rays, so emission behind a straight passage through one counts fully.
    const Bool crosses = where & p.is_solid & s.is_transmitted;
    const Float straight_pdf = select(p.is_solid, Float(kInfinity), path.pdf);
    path.pdf = select(where, select(s.is_straight, straight_pdf, s.pdf), path.pdf);
    const Float way = select(s.is_straight, path.travelled + p.ray.t, Float(0.0f));
    path.travelled = select(where, way, path.travelled);
    // Enter or leave the medium.
    path.media = select(crosses, p.media_after, path.media);
    // Widen the ray cone after a rough lobe.
    const Float rough_spread = max(path.cone_spread, kRoughSpread);
    path.cone_spread = select(where & (s.alpha >= Float(0.1f)), rough_spread, path.cone_spread);
    // Mark the path as scattered by this surface or medium.
    const Uint scattered = (path.flags & Uint(~(kPathSpecular | kPathSurface))) | surface;
    path.flags = select(bounces_on, scattered, path.flags);
    const Bool is_clear = goes_on & (s.alpha < Float(kBlurredAlpha));
    return {s.wi, goes_on, crosses, s.is_straight, is_clear, s.alpha};
}

// Counts and marks paths whose medium stack overflowed.
void count_overflows(const Group& g, Bool where, PathLanes& path, ShadeCounters& counters) {
    if (any(where)) {
        counters.medium_overflows += count_lanes(g, where);
        path.flags = select(where, path.flags | Uint(kPathMediumOverflow), path.flags);
    }
}

void shade_group(const SceneView& scene,
                 const RenderParams& params,
                 const PathView& paths,
                 const Group& g,
                 ShadeCounters& counters) {
    // Load the paths.
    PathLanes path;
    load_path(paths, g, path);
    // Evaluate their surface interactions.
    SurfaceInteraction p;
    load_interaction(scene, params, paths, g, path, p);
    path.flags = path.flags & Uint(~(kPathAlive | kPathShadow | kPathMissed));
    if (paths.guide_vertices != nullptr) {
        note_arrival(paths, g, path.bounces, path.radiance);
    }
    // Cross the medium on the way, which may scatter the path before its hit.
    const MediumVertex vertex = cross_medium(scene, path, p);
    const Bool is_passed = p.is_culled | p.is_hidden | p.is_boundary;
    // Record the AOVs of the first surface, and add emission.
    record_first_surface(scene, paths, g, p, path, is_passed);
    add_emission(scene, params, paths, g, p, path, is_passed);
    path.light = splat(0.0f);
    if (paths.split.way != nullptr) {
        record_found(paths.split, g, group_of_instance(scene, p.ray.instance));
    }

    // Paths scatter before the last bounce, unless the surface is unlit or passed. Boundaries
    // without a surface are passed.
    const Bool is_unlit = has_flag(p.surface.point.flags, kMaterialUnlit);
    const Bool may_bounce = is_less(path.bounces, Uint(params.max_bounces));
    const Bool scatters = may_bounce & !is_passed & !is_unlit;
    // Pass culled faces and boundaries.
    Step step = pass_by(path, p, is_passed);
    Bool has_shadow = all_lanes(false);
    const bool has_seen = paths.seen.stage != nullptr;
    SeenHit seen = {!is_passed,
                    path.throughput,
                    splat(0.0f),
                    splat(0.0f),
                    0.0f,
                    step.is_straight,
                    path.radiance};
    if (any(scatters)) {
        // Commit to one wavelength where the boundary disperses.
        take_wavelength(path, p, scatters);
        // Widen the facets that the path reaches by wide lobes.
        const bool is_regularized = paths.widest != nullptr;
        Float widest = 0.0f;
        if (is_regularized) {
            widest = load_field(paths.widest, g);
            widen_facets(p.surface.point, min(widest, params.regularized_alpha));
        }
        // Make the BSDF.
        Bsdf bsdf;
        make_bsdf(scene, p.surface.point, p.surface.geometry, bsdf);
        // Pack what the light tree needs of the surface.
        LitSurface surface = {0u, 0u};
        if (scene.light_nodes != nullptr) {
            surface.flags = pack_surface(bsdf.frame.n, bsdf.p_trans > Float(0.0f));
        }
        if (paths.highlight != nullptr) {
            surface.highlight = pack_highlight(bsdf);
        }
        if (may_have(kMaterialScattering) && any(vertex.is_there)) {
            put_phase(bsdf, vertex.is_there, vertex.g);
            surface.flags = select(vertex.is_there, Uint(kPathInMedium), surface.flags);
            surface.highlight = select(vertex.is_there, Uint(0u), surface.highlight);
        }
        // Find what a pilot learned of the light here.
        const GuidedSurface guided = guide_surface(scene, paths, g, p.hit.position, bsdf, scatters);
        // Sample a light and start its shadow ray.
        has_shadow = shade_light(scene, params, paths, g, p, path, bsdf, surface, scatters);
        // Sample the next direction.
        const Step scattered = scatter(path, p, bsdf, paths, g, guided, surface.flags, scatters);
        store_where(paths.highlight, g, scatters & !scattered.is_straight, surface.highlight);
        step = {select(scatters, scattered.wi, step.wi),
                step.goes_on | scattered.goes_on,
                step.crosses | scattered.crosses,
                scatters & scattered.is_straight,
                scatters & scattered.is_clear,
                scattered.alpha};
        if (is_regularized) {
            store_where(paths.widest, g, scatters, max(widest, scattered.alpha));
        }
        if (paths.split.diffuse[0] != nullptr) {
            record_lobes(paths, g, bsdf, scatters, scattered.wi);
        }
        if (has_seen) {
            seen.passed_on = select(step.is_clear, passed_weight(bsdf), Float(0.0f));
            seen.is_straight = step.is_straight & step.goes_on;
        }
    }
    // Record what the path sees through mirrors and glass, for denoising.
    if (has_seen) {
        seen.albedo = seen_albedo(p);
        seen.normal = p.surface.geometry.frame.n;
        record_seen(paths.seen, g, seen);
    }

    // Update what the next hit needs: depth, cone, flags and the key of alpha decisions.
    count_overflows(g, step.crosses & p.overflows, path, counters);
    path.depth = path.depth + Uint(1u);
    path.cone_width = p.cone_width;
    const Bool goes_on = step.goes_on & is_less(path.depth, Uint(kMaxHits));
    path.flags = path.flags | select(goes_on, Uint(kPathAlive), Uint(0u)) |
                 select(has_shadow, Uint(kPathShadow), Uint(0u));
    path.alpha_key =
        scene.blends != 0 ? alpha_key(path.pixel_hash, path.sample, path.depth) : Uint(0u);
    // Store the path and its next ray.
    store_path(paths, g, path, any(step.crosses));
    store_rays(paths.ray,
               g,
               goes_on,
               {ray_origin(p, step.wi),
                step.wi,
                kInfinity,
                kNone,
                kNone,
                p.self_primitive,
                p.ray.instance});
}

}  // namespace

void shade(const SceneView& scene,
           const RenderParams& params,
           const PathView& paths,
           const u32* ids,
           u32 count,
           ShadeCounters& counters) {
    Lockstep lockstep(counters.divergence);
    for (u32 first = 0; first < count; first += kLanes) {
        shade_group(
            scene, params, paths, load_group(ids, first, count, counters, lockstep), counters);
    }
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif

#if HWY_ONCE

namespace weft::shaders::WEFT_WIDTH {

ShadeKernel shade_kernel([[maybe_unused]] Isa isa) {
    WEFT_PICK_ISA(isa, shade)
    return nullptr;
}

}  // namespace weft::shaders::WEFT_WIDTH

#endif
