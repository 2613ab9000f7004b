// seen_surface-inl.h — what a path sees through mirrors and clear glass, and which of its light is
// direct (bsdf.md section 7): features for denoising.
//
// Called by shade.cpp and miss.cpp; writes slots of the group. Everything here is skipped where the
// features are not wanted.
#if defined(WEFT_SHADERS_SEEN_SURFACE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SEEN_SURFACE_INL_H_
#        undef WEFT_SHADERS_SEEN_SURFACE_INL_H_
#    else
#        define WEFT_SHADERS_SEEN_SURFACE_INL_H_
#    endif

#    include "shaders/kernels/path-inl.h"
#    include "shaders/surface/layers-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Lobes show what lies beyond them: those of at most the first α wholly, from the second on not.
inline constexpr float kClearAlpha = 0.01f;
inline constexpr float kBlurredAlpha = 0.06f;
// A surface passes weight on where clear lobes have more than the first share of what it scatters;
// all of it from the second on.
inline constexpr float kLeastClear = 0.3f;
inline constexpr float kMostClear = 0.6f;

HWY_INLINE Float clearness(Float alpha) {
    constexpr float kScale = 1.0f / (kBlurredAlpha - kClearAlpha);
    return clamp((Float(kBlurredAlpha) - alpha) * Float(kScale), 0.0f, 1.0f);
}

// The weight, in [0, 1], that a surface passes on to what its clear lobes show.
HWY_INLINE Float passed_weight(const Bsdf& b) {
    const Float alpha = max(b.ggx.along, b.ggx.across);
    const Float clear = clearness(alpha);
    Float sum = b.p_spec * clear;
    sum = fma(b.p_trans, select(b.trans.is_straight, Float(1.0f), clear), sum);
    if (may_have(kMaterialCoat) && any(b.p_coat > Float(0.0f))) {
        sum = fma(b.p_coat, clearness(b.coat_ggx.along), sum);
    }
    constexpr float kScale = 1.0f / (kMostClear - kLeastClear);
    return clamp((sum - Float(kLeastClear)) * Float(kScale), 0.0f, 1.0f);
}

HWY_INLINE void add_where(float* field, const Group& g, Bool where, Float value) {
    const Float sum = load_field(field, g);
    store_field(field, g, select(where, sum + value, sum));
}

HWY_INLINE void add_seen(
    const SeenView& seen, const Group& g, Bool where, Float3 albedo, Float3 normal) {
    add_where(seen.albedo[0], g, where, albedo.x);
    add_where(seen.albedo[1], g, where, albedo.y);
    add_where(seen.albedo[2], g, where, albedo.z);
    add_where(seen.normal[0], g, where, normal.x);
    add_where(seen.normal[1], g, where, normal.y);
    add_where(seen.normal[2], g, where, normal.z);
}

// A hit as the features see it.
struct SeenHit {
    Bool counts;      // is not passed
    Float3 arriving;  // throughput before it scattered
    Float3 albedo;
    Float3 normal;
    Float passed_on;   // weight left to what lies beyond it; 0 where the path ends
    Bool is_straight;  // the path goes on straight, through a thin wall
    Float3 radiance;   // up to the hit's emission
};

HWY_INLINE void record_seen(const SeenView& seen, const Group& g, const SeenHit& hit) {
    const Float left = load_field(seen.left, g);
    const Uint stage = load_field(seen.stage, g);
    // Give the surface its part of the weight that is left.
    const Bool adds = hit.counts & (left > Float(0.0f));
    if (any(adds)) {
        const Float rest = left * hit.passed_on;
        const Float own = left - rest;
        add_seen(seen, g, adds, min(hit.arriving * hit.albedo, 1.0f) * own, hit.normal * own);
        store_where(seen.left, g, adds, rest);
    }
    // The surface that keeps most of its weight is lit by direct light; what the next one scatters
    // is indirect.
    const Bool settles = hit.counts & (stage == Uint(kSeenPassing)) & (hit.passed_on < Float(0.5f));
    const Bool scatters = hit.counts & (stage == Uint(kSeenSettled)) & !hit.is_straight;
    store_where(seen.stage, g, settles, Uint(kSeenSettled));
    if (any(scatters)) {
        store_where(seen.direct[0], g, scatters, hit.radiance.x);
        store_where(seen.direct[1], g, scatters, hit.radiance.y);
        store_where(seen.direct[2], g, scatters, hit.radiance.z);
        store_where(seen.stage, g, scatters, Uint(kSeenScattered));
    }
}

// What a ray that hits nothing sees is white, in the colour of the mirrors and glass before it.
HWY_INLINE void record_seen_miss(const SeenView& seen, const Group& g, Float3 throughput) {
    const Float left = load_field(seen.left, g);
    const Bool adds = left > Float(0.0f);
    add_seen(seen, g, adds, min(throughput, 1.0f) * left, splat(0.0f));
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
