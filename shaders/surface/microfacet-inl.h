// microfacet-inl.h — the two microfacet distributions: anisotropic GGX and the sheen's inverted
// Gaussian of the sine.
//
// Directions are local to the lobe's frame (z along its normal). GGX with height-correlated Smith
// masking (Heitz 2014) and sampling of visible normals (Heitz, "Sampling the GGX Distribution of
// Visible Normals", JCGT 2018); sheen after Estevez and Kulla 2017 with Ashikhmin's visibility.
// Pure.
#if defined(WEFT_SHADERS_MICROFACET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_MICROFACET_INL_H_
#        undef WEFT_SHADERS_MICROFACET_INL_H_
#    else
#        define WEFT_SHADERS_MICROFACET_INL_H_
#    endif

#    include "shaders/lanes/sampler-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Roughness along the tangent and across it, both at least 0.001, and their reciprocals.
struct Ggx {
    Float along, across;
    Float per_along, per_across;
};

HWY_INLINE Ggx isotropic_ggx(Float alpha) {
    const Float inverse = Float(1.0f) / alpha;
    return {alpha, alpha, inverse, inverse};
}

// 1 over the density of normals per projected area. Components of h are used, not 1 − h.z², which
// would cancel at small roughness.
HWY_INLINE Float inverse_ggx_density(const Ggx& ggx, Float3 h) {
    const Float x = h.x * ggx.per_along;
    const Float y = h.y * ggx.per_across;
    const Float s = fma(x, x, fma(y, y, h.z * h.z));
    return Float(kPiF) * (ggx.along * ggx.across * s * s);
}

// Smith's Λ of a direction on either side: masked area per visible area.
HWY_INLINE Float ggx_lambda(const Ggx& ggx, Float3 w) {
    const Float x = ggx.along * w.x;
    const Float y = ggx.across * w.y;
    const Float tan2 = fma(x, x, y * y) / max(w.z * w.z, 1e-16f);
    return fma(sqrt(tan2 + Float(1.0f)), 0.5f, -0.5f);
}

HWY_INLINE Float masking_g1(Float lambda) {
    return Float(1.0f) / (lambda + Float(1.0f));
}

HWY_INLINE Float masking_g2(Float lambda_o, Float lambda_i) {
    return Float(1.0f) / (lambda_o + lambda_i + Float(1.0f));
}

// A normal visible from wo, from a point of the unit disk in polar form (radius √u0, u1 turns).
HWY_INLINE Float3
sample_visible_normal(Float along, Float across, Float3 wo, Float radius, SinCos angle) {
    // Stretch to the hemisphere configuration, project the disk, unstretch.
    const Float3 v = normalize({along * wo.x, across * wo.y, wo.z});
    const Float length2 = fma(v.x, v.x, v.y * v.y);
    const Bool is_upright = length2 <= Float(0.0f);
    const Float scale = Float(1.0f) / sqrt(select(is_upright, Float(1.0f), length2));
    const Float3 t1 = {select(is_upright, Float(1.0f), -v.y * scale),
                       select(is_upright, Float(0.0f), v.x * scale),
                       0.0f};
    const Float3 t2 = cross(v, t1);
    const Float p1 = radius * angle.cos;
    const Float s = fma(v.z, 0.5f, 0.5f);
    const Float up = sqrt(max(fnma(p1, p1, 1.0f), 0.0f));
    const Float p2 = fma(s, radius * angle.sin, (Float(1.0f) - s) * up);
    const Float p3 = sqrt(max(fnma(p1, p1, fnma(p2, p2, 1.0f)), 0.0f));
    const Float3 h = fma(t1, p1, fma(t2, p2, v * p3));
    return normalize({along * h.x, across * h.y, max(h.z, 0.0f)});
}

// Density times visibility of the sheen; cosines above zero.
HWY_INLINE Float sheen_value(Float alpha, Float cos_h, Float cos_o, Float cos_i) {
    const Float inverse = Float(1.0f) / alpha;
    const Float sin2 = max(fnma(cos_h, cos_h, 1.0f), 0.0f);
    const Float density =
        (inverse + Float(2.0f)) * pow(sin2, inverse * Float(0.5f)) * Float(kInvTwoPiF);
    return density / (Float(4.0f) * max(fnma(cos_i, cos_o, cos_i + cos_o), 1e-7f));
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
