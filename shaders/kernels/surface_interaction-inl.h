// surface_interaction-inl.h — the surface interactions of a group of paths: hit geometry, material
// and media, emission, and AOVs.
//
// First half of the shade kernel (bsdf.md sections 3, 4 and 6); shade.cpp continues with light
// samples and the next direction. Called by shade.cpp alone; writes slots of the group.
#if defined(WEFT_SHADERS_SURFACE_INTERACTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SURFACE_INTERACTION_INL_H_
#        undef WEFT_SHADERS_SURFACE_INTERACTION_INL_H_
#    else
#        define WEFT_SHADERS_SURFACE_INTERACTION_INL_H_
#    endif

#    include "shaders/kernels/path-inl.h"
#    include "shaders/lights/light-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// A group of hits with everything that shading needs of them.
struct SurfaceInteraction {
    HitLanes ray;
    Hit hit;
    MaterialHit surface;
    Float cone_width;  // at the hit
    Bool is_solid;
    Bool is_culled;    // single-sided, seen from behind by a camera ray that does not want it
    Bool is_hidden;    // a boundary inside a medium of higher priority
    Bool is_boundary;  // a solid without a surface (kMaterialBoundary)
    MediumStack media_after;  // the stack on the far side of a solid's boundary
    Bool overflows;           // the stack was full: `media_after` lacks the material
    Bool is_dispersed;        // a glass boundary with dispersion on either side
    Float3 color_of_wave;     // where is_dispersed: weight of the path's wavelength
    Uint self_primitive;      // that rays from here ignore; kNone: none
};

// Replaces the indices on both sides of a boundary by those at the path's wavelength, where either
// medium disperses.
HWY_INLINE void disperse(const SceneView& scene,
                         const PathLanes& path,
                         Uint around,
                         SurfaceInteraction& p,
                         Float& inside,
                         Float& outside) {
    const std::size_t offset = offsetof(MaterialRecord, dispersion);
    const Float spread_inside = medium_float(scene, p.hit.material, offset, 0.0f);
    const Float spread_outside = medium_float(scene, around, offset, 0.0f);
    const MaterialPoint& m = p.surface.point;
    const Bool is_glass = p.is_solid & (m.transmission > Float(0.0f)) & (m.metallic < Float(1.0f));
    p.is_dispersed = is_glass & ((spread_inside > Float(0.0f)) | (spread_outside > Float(0.0f)));
    if (any(p.is_dispersed)) {
        const Wavelength wave = wavelength_of(scene.spectrum, path.pixel_hash, path.sample);
        inside = index_at(inside, spread_inside, wave.term);
        outside = index_at(outside, spread_outside, wave.term);
        p.color_of_wave = wave.weight;
    }
}

// Loads the hits of a group: geometry, material, media and relative index.
HWY_INLINE void load_interaction(const SceneView& scene,
                                 const RenderParams& params,
                                 const PathView& paths,
                                 const Group& g,
                                 const PathLanes& path,
                                 SurfaceInteraction& p) {
    // Load the rays, and widen their cones.
    p.ray = load_hits(paths.ray, g);
    p.cone_width = fma(path.cone_spread, p.ray.t, path.cone_width);
    // Evaluate hit geometry and material at the cone's width. Corners that were copied out of pages
    // have the number of the path.
    const bool is_copied = paths.hits != nullptr;
    load_hit(is_copied ? *paths.hits : scene,
             p.ray.instance,
             is_copied ? g.slot : p.ray.primitive,
             p.ray.uv,
             -p.ray.direction,
             p.cone_width,
             path.cone_spread >= Float(kRoughSpread),
             p.hit);
    read_material(scene, p.hit, p.surface);
    // Classify the hit; defaults for hits outside solids follow.
    const Uint flags = p.surface.point.flags;
    p.is_solid = has_flag(flags, kMaterialSolid);
    const Bool is_culled_back = all_lanes(params.backface_culling != 0) &
                                has_flag(flags, kMaterialSingleSided) & !p.hit.is_front;
    p.is_culled = has_flag(path.flags, kPathSpecular) & !p.is_solid &
                  (is_culled_back | has_flag(flags, kMaterialUnseen));
    p.is_hidden = all_lanes(false);
    p.is_boundary = has_flag(flags, kMaterialBoundary);
    p.self_primitive = p.ray.primitive;
    p.overflows = all_lanes(false);
    p.media_after = path.media;
    p.is_dispersed = all_lanes(false);
    p.color_of_wave = splat(1.0f);
    if (may_have(kMaterialSolid) && any(p.is_solid)) {
        // Update the medium stack across the boundary of a solid.
        const Uint material = p.hit.material;
        p.is_hidden = p.is_solid & is_hidden_boundary(scene, path.media, material);
        const MediumStack left = pop_medium(path.media, p.is_solid & !p.hit.is_front, material);
        p.media_after = push_medium(left, p.is_solid & p.hit.is_front, material, p.overflows);
        // Find the indices on both sides: this solid's, and that of the medium in force without it.
        const Uint around = medium_in_force(scene, left);
        Float outside = medium_ior(scene, around);
        Float inside = medium_ior(scene, material);
        if (may_have(kMaterialDispersion) && scene.spectrum != nullptr) {
            disperse(scene, path, around, p, inside, outside);
        }
        const Float eta = select(p.hit.is_front, inside / outside, outside / inside);
        p.surface.geometry.eta = select(p.is_solid, eta, Float(1.0f));
    }
}

// The albedo of a surface as layers show it.
HWY_INLINE Float3 shown_albedo(const MaterialPoint& m) {
    const Float below = max(Float(1.0f) - max_of(m.specular_color), 0.0f);
    const Float3 gloss = min(fma(m.base, below, m.specular_color), 1.0f);
    return select(has_flag(m.flags, kMaterialSpecGloss), gloss, m.base);
}

// Writes the AOVs of the lanes of `is_first`.
HWY_INLINE void store_aovs(const SceneView& corners,
                           const AovView& aov,
                           const Group& g,
                           const SurfaceInteraction& p,
                           const PathLanes& path,
                           Bool is_first) {
    const Float3 albedo = shown_albedo(p.surface.point);
    const Float3 normal = p.surface.geometry.frame.n;
    store_where(aov.albedo[0], g, is_first, albedo.x);
    store_where(aov.albedo[1], g, is_first, albedo.y);
    store_where(aov.albedo[2], g, is_first, albedo.z);
    store_where(aov.normal[0], g, is_first, normal.x);
    store_where(aov.normal[1], g, is_first, normal.y);
    store_where(aov.normal[2], g, is_first, normal.z);
    store_where(aov.position[0], g, is_first, p.hit.position.x);
    store_where(aov.position[1], g, is_first, p.hit.position.y);
    store_where(aov.position[2], g, is_first, p.hit.position.z);
    store_where(aov.depth, g, is_first, path.travelled + p.ray.t);
    store_where(aov.instance, g, is_first, p.ray.instance);
    if (aov.uv[0] != nullptr) {
        const Float2 uv = first_uv(corners, p.hit.triangle, p.hit.weights);
        store_where(aov.uv[0], g, is_first, uv.x);
        store_where(aov.uv[1], g, is_first, uv.y);
    }
}

// Records the first surface of camera paths: writes AOVs and sets alpha to 1.
HWY_INLINE void record_first_surface(const SceneView& scene,
                                     const PathView& paths,
                                     const Group& g,
                                     const SurfaceInteraction& p,
                                     PathLanes& path,
                                     Bool is_passed) {
    // Passed surfaces do not count; a path with alpha 1 has its first surface behind it.
    const Bool hits = has_flag(path.flags, kPathSpecular) & !is_passed;
    if (!any(hits)) {
        return;
    }
    const Bool is_first = hits & (path.alpha == Float(0.0f));
    if (any(is_first)) {
        store_aovs(paths.hits != nullptr ? *paths.hits : scene, paths.aov, g, p, path, is_first);
        path.alpha = select(hits, Float(1.0f), path.alpha);
    }
}

// Whether a hit emits, or shows its base colour unlit.
HWY_INLINE Bool is_emitting(const SurfaceInteraction& p) {
    const Uint flags = p.surface.point.flags;
    const Bool is_dark_back = has_flag(flags, kMaterialFrontEmission) & !p.hit.is_front;
    return (has_flag(flags, kMaterialUnlit) | has_flag(flags, kMaterialEmissive)) & !is_dark_back;
}

// The albedo of a hit for denoising: light that it emits counts as reflected.
HWY_INLINE Float3 seen_albedo(const SurfaceInteraction& p) {
    const MaterialPoint& m = p.surface.point;
    const Float3 albedo = shown_albedo(m);
    if (!may_have(kMaterialEmissive)) {
        return albedo;
    }
    const Bool adds = is_emitting(p) & !has_flag(m.flags, kMaterialUnlit);
    return select(adds, min(albedo + p.surface.emitted, 1.0f), albedo);
}

// Adds the emission of the hit to the path's radiance.
HWY_INLINE void add_emission(const SceneView& scene,
                             const RenderParams& params,
                             const PathView& paths,
                             const Group& g,
                             const SurfaceInteraction& p,
                             PathLanes& path,
                             Bool is_passed) {
    const MaterialPoint& m = p.surface.point;
    const Bool is_unlit = has_flag(m.flags, kMaterialUnlit);
    const Bool emits = is_emitting(p) & !is_passed;
    if (!may_have(kMaterialUnlit | kMaterialEmissive) || !any(emits)) {
        return;
    }
    // Compute the MIS weight against sampling this triangle as a light.
    const Uint first = p.hit.triangle.first_light;
    const Bool is_light = (first != Uint(kNone)) & !is_unlit;
    const Uint light = select(is_light, first + p.ray.primitive, Uint(kNone));
    const Float cosine = abs(dot(p.hit.n_g, p.hit.wo));
    const Float distance = path.travelled + p.ray.t;
    const LitSurface surface = {path.flags, load_highlight(paths, g)};
    const LitPoint lit = lit_point(fma(p.hit.wo, distance, p.hit.position), surface);
    const Float weight = emission_weight(scene, lit, path.pdf, {light, distance, cosine});
    // Add throughput · emission · weight. Unlit surfaces emit their base colour and are no lights.
    const Float3 emitted = select(is_unlit, m.base, p.surface.emitted) * weight;
    const Float3 gained = clamp_contribution(params, path.throughput * emitted, path.bounces);
    path.radiance = select(emits, path.radiance + gained, path.radiance);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
