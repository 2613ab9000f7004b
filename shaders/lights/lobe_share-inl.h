// lobe_share-inl.h — how many of the directions to a light with a size its cone draws, and how many
// the BSDF or the phase function at the point that it lights.
//
// bsdf.md section 5. Shares depend on the cone alone, not on the direction drawn, so they bias
// nothing. Pure.
#if defined(WEFT_SHADERS_LOBE_SHARE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LOBE_SHARE_INL_H_
#        undef WEFT_SHADERS_LOBE_SHARE_INL_H_
#    else
#        define WEFT_SHADERS_LOBE_SHARE_INL_H_
#    endif

#    include "shaders/surface/bsdf-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Cosine of the least angle between a direction and the directions of a cone.
HWY_INLINE Float missed_cosine(Float3 direction, Float3 axis, Float spread) {
    const Float cosine = dot(direction, axis);
    const Float rim = Float(1.0f) - spread;
    const Float sines =
        max(fnma(cosine, cosine, 1.0f), 0.0f) * max(spread * (Float(2.0f) - spread), 0.0f);
    return select(cosine < rim, fma(cosine, rim, sqrt(sines)), Float(1.0f));
}

// Upper bound of a GGX lobe's density over a cone: the peak of a reflection, lowered by the angle
// between the lobe's middle and the cone. alpha2: of both roughnesses together.
HWY_INLINE Float lobe_density(Float3 middle, Float alpha2, Float3 axis, Float spread) {
    const Float missed = missed_cosine(middle, axis, spread);
    const Float half_tan2 = (Float(1.0f) - missed) / max(Float(1.0f) + missed, 1e-6f);
    const Float falloff = Float(1.0f) / (Float(1.0f) + max(half_tan2, 0.0f) / alpha2);
    return square(falloff) * Float(0.25f * kInvPiF) / alpha2;
}

// The middle of a GGX lobe in reflection: the mirrored view.
HWY_INLINE Float3 mirrored_view(const Frame& frame, Float3 wo_local) {
    return to_world(frame, {-wo_local.x, -wo_local.y, wo_local.z});
}

// Upper bound of the transmission lobe's density over a cone, times the lobe's probability. The
// lobe of glass lies about the refracted view, that of a thin wall about the view's straight way.
// A facet that turns by an angle turns the refracted direction by |η − 1| / η of it, and the
// mirrored direction by twice as much: so glass has the lobe of a smaller roughness.
HWY_INLINE Float transmission_density(const Bsdf& bsdf, Float alpha2, Float3 axis, Float spread) {
    const Float eta = bsdf.trans.eta;
    const Float narrowed = Float(0.5f) * (eta - Float(1.0f)) / eta;
    const Float beyond =
        fnma(fnma(bsdf.wo_local.z, bsdf.wo_local.z, 1.0f), square(Float(1.0f) / eta), 1.0f);
    const Float3 refracted = to_world(bsdf.frame, refract(bsdf.wo_local, {0.0f, 0.0f, 1.0f}, eta));
    const Bool is_glass = bsdf.trans.is_glass;
    const Float3 middle = select(is_glass, refracted, -bsdf.wo);
    const Float width = select(is_glass, alpha2 * square(narrowed), alpha2);
    const Bool passes = (is_glass & (beyond > Float(0.0f))) | bsdf.trans.is_thin;
    const Float density = lobe_density(middle, max(width, 1e-12f), axis, spread);
    return select(passes, bsdf.p_trans * density, Float(0.0f));
}

// Probability that the phase function of a medium instead of the cone draws the direction to a
// light: 0 where it is nowhere denser than the cone, nearly 1 where it is much denser. It may take
// so much, unlike the lobes below, because its density has one peak and is known exactly.
HWY_INLINE Float phase_share(const Bsdf& bsdf, Float3 axis, Float spread, Float cone_area) {
    const Float missed = missed_cosine(phase_peak(-bsdf.wo, bsdf.phase_g), axis, spread);
    const Float aside2 = max(fnma(missed, 2.0f, 2.0f), 0.0f);
    const Float most = phase_about_peak(bsdf.phase_g, aside2) * cone_area;
    return Float(1.0f) - Float(1.0f) / max(most - Float(0.5f), 1.0f);
}

// Probability that the BSDF instead of the cone draws the direction to a light: up to ½ where a
// lobe is much narrower than the cone and overlaps it, 0 where it makes no difference.
HWY_INLINE Float lobe_share(const Bsdf& bsdf, Float3 axis, Float spread, Float cone_area) {
    // Add up the densities of the narrow lobes, weighted as the BSDF draws them.
    Float density = bsdf.p_spec + select(bsdf.trans.is_glass, bsdf.p_trans, Float(0.0f));
    const Float alpha2 = bsdf.ggx.along * bsdf.ggx.across;
    density =
        density * lobe_density(mirrored_view(bsdf.frame, bsdf.wo_local), alpha2, axis, spread);
    if (may_have(kMaterialTransmission) && any(bsdf.trans.is_glass | bsdf.trans.is_thin)) {
        density = density + transmission_density(bsdf, alpha2, axis, spread);
    }
    if (may_have(kMaterialCoat) && any(bsdf.p_coat > Float(0.0f))) {
        density = fma(bsdf.p_coat,
                      lobe_density(mirrored_view(bsdf.coat_frame, bsdf.wo_coat),
                                   bsdf.coat_ggx.along * bsdf.coat_ggx.across,
                                   axis,
                                   spread),
                      density);
    }
    // Compare them with the cone's density; drop shares that would not matter.
    const Float lobes = density * cone_area;
    Float share = Float(0.5f) * lobes / (lobes + Float(1.0f));
    // Or take the share of a medium's phase function.
    if (may_have(kMaterialScattering) && any(bsdf.is_phase)) {
        share = select(bsdf.is_phase, phase_share(bsdf, axis, spread, cone_area), share);
    }
    return select(share < Float(0x1p-6f), Float(0.0f), share);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
