// guided_surface-inl.h — what the shade kernel asks of the guide, and what a pilot tells it
// (bsdf.md section 9).
//
// One thread per group of paths.
#if defined(WEFT_SHADERS_GUIDED_SURFACE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_GUIDED_SURFACE_INL_H_
#        undef WEFT_SHADERS_GUIDED_SURFACE_INL_H_
#    else
#        define WEFT_SHADERS_GUIDED_SURFACE_INL_H_
#    endif

#    include "shaders/kernels/path-inl.h"
#    include "shaders/surface/bsdf-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// The light that the guide expects at a surface, and expected at the first guided one of the path.
struct GuidedSurface {
    bool has_guide;
    Bool is_there;
    Float here, first;
};

HWY_INLINE Float luminance(Float3 c) {
    return fma(c.x, 0.2126f, fma(c.y, 0.7152f, c.z * Float(0.0722f)));
}

// The probability that a rough specular lobe can lend to the cosine lobe.
HWY_INLINE Float lendable(const Bsdf& bsdf) {
    constexpr float kScale = kMostLent / (kMostLendingAlpha - kLeastLendingAlpha);
    const Float alpha = min(bsdf.ggx.along, bsdf.ggx.across);
    const Float above = (alpha - Float(kLeastLendingAlpha)) * Float(kScale);
    return bsdf.p_spec * clamp(above, 0.0f, kMostLent);
}

// Finds the guide of a surface with a cosine or rough specular lobe. A pilot draws as guided paths
// do, though it has no guide at first.
HWY_INLINE GuidedSurface guide_surface(const SceneView& scene,
                                       const PathView& paths,
                                       const Group& g,
                                       Float3 position,
                                       Bsdf& bsdf,
                                       Bool where) {
    GuidedSurface surface = {false, all_lanes(false), 1.0f, 1.0f};
    const bool is_pilot = paths.guide_vertices != nullptr;
    if (scene.guide_tables == nullptr && !is_pilot) {
        return surface;
    }
    const Float lent = lendable(bsdf);
    const Bool is_spread = bsdf.p_diffuse + bsdf.p_sheen + lent > Float(0.0f);
    const Bool is_wanted = where & is_spread & !bsdf.is_phase;
    if (scene.guide_tables != nullptr) {
        bsdf.guide = find_guide(scene, position, bsdf.frame.n, is_wanted);
    }
    const Bool lends = is_pilot ? is_wanted : bsdf.guide.is_there;
    bsdf.p_spec = select(lends, bsdf.p_spec - lent, bsdf.p_spec);
    bsdf.p_diffuse = select(lends, bsdf.p_diffuse + lent, bsdf.p_diffuse);
    if (scene.guide_tables == nullptr) {
        return surface;
    }
    surface.has_guide = true;
    surface.is_there = bsdf.guide.is_there;
    surface.here = guide_light(bsdf.guide);
    const Float known = load_field(paths.first_light, g);
    const Float first = select(known > Float(0.0f), known, surface.here);
    store_where(paths.first_light, g, surface.is_there, first);
    surface.first = select(surface.is_there, first, Float(1.0f));
    return surface;
}

// The density of a direction over that without the guide.
HWY_INLINE Float density_ratio(const Bsdf& bsdf, const BsdfSample& s) {
    if (bsdf.guide.words == nullptr) {
        return 1.0f;
    }
    const Float cosine = dot(s.wi, bsdf.frame.n) * Float(kInvPiF);
    const Float lobe = (bsdf.p_diffuse + bsdf.p_sheen) * cosine;
    const Float plain = fnma(lobe, guide_density(bsdf.guide, s.wi) - Float(1.0f), s.pdf);
    const Bool counts =
        bsdf.guide.is_there & !s.is_transmitted & (cosine > Float(0.0f)) & (plain > Float(0.0f));
    return select(counts, s.pdf / select(counts, plain, Float(1.0f)), Float(1.0f));
}

// Tells the pilot what light a path had gathered when it reached this hit.
inline void note_arrival(const PathView& paths, const Group& g, Uint bounces, Float3 radiance) {
    u32 bounce[kLanes];
    float light[kLanes];
    store(bounces, bounce);
    store(luminance(radiance), light);
    for (u32 k = 0; k < g.count; ++k) {
        if (bounce[k] > 0 && bounce[k] <= kMostGuideVertices) {
            paths.guide_vertices[g.element[k] * kMostGuideVertices + bounce[k] - 1].before =
                light[k];
        }
    }
}

// Tells the pilot where a path scatters, as event number `bounces`, and by which bin.
inline void note_scattering(const PathView& paths,
                            const Group& g,
                            Float3 position,
                            const Bsdf& bsdf,
                            const BsdfSample& s,
                            Float3 throughput,
                            Uint bounces,
                            Bool where) {
    const Uint axis = guide_axis(bsdf.frame.n);
    const Float3 along = guide_along(axis, bsdf.frame.n);
    const Uint bin = guide_bin(along, cross(bsdf.frame.n, along), s.wi);
    const Bool is_cosine = (s.alpha == Float(1.0f)) & !s.is_transmitted & !bsdf.is_phase;
    u32 bins[kLanes], bounce[kLanes], live[kLanes];
    float x[kLanes], y[kLanes], z[kLanes], through[kLanes];
    store(select(is_cosine, axis * Uint(kGuideBins) + bin, Uint(kGuideNoKey)), bins);
    store(position.x, x);
    store(position.y, y);
    store(position.z, z);
    store(luminance(throughput), through);
    store(bounces, bounce);
    store(to_uint(where), live);
    for (u32 k = 0; k < g.count; ++k) {
        if (live[k] != 0 && bounce[k] < kMostGuideVertices) {
            paths.guide_vertices[g.element[k] * kMostGuideVertices + bounce[k]] = {
                {x[k], y[k], z[k]}, bins[k], through[k], -1.0f};
        }
    }
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
