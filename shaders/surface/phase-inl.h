// phase-inl.h — the phase function of media in lanes: how light that they scatter spreads about the
// direction in which it travelled.
//
// Henyey and Greenstein, "Diffuse radiation in the Galaxy", 1941 (bsdf.md "Media"). The forms here
// add up positive terms, so that they stay exact where |g| is near 1. Pure.
#if defined(WEFT_SHADERS_PHASE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_PHASE_INL_H_
#        undef WEFT_SHADERS_PHASE_INL_H_
#    else
#        define WEFT_SHADERS_PHASE_INL_H_
#    endif

#    include "shaders/lanes/elementary-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// The direction where the peak is.
HWY_INLINE Float3 phase_peak(Float3 forward, Float g) {
    return select(g < Float(0.0f), -forward, forward);
}

// Value and density per steradian at an angle from the peak. aside2: 2 (1 − cosine) of that angle.
HWY_INLINE Float phase_about_peak(Float g, Float aside2) {
    const Float a = abs(g);
    const Float near = Float(1.0f) - a;
    const Float base = fma(near, near, a * aside2);
    return near * (Float(1.0f) + a) * Float(0.25f * kInvPiF) / (base * sqrt(base));
}

// The same of light that travels along `forward` and goes on along wi.
HWY_INLINE Float phase_value(Float3 forward, Float g, Float3 wi) {
    const Float3 aside = wi - phase_peak(forward, g);
    return phase_about_peak(g, dot(aside, aside));
}

// Draws a direction by phase_value().
HWY_INLINE Float3 sample_phase(Float3 forward, Float g, Float2 u) {
    // Draw the cosine against the peak.
    const Float a = abs(g);
    const Bool is_back = g < Float(0.0f);
    const Float v = select(is_back, Float(1.0f) - u.x, u.x);
    const Float near = Float(1.0f) - a;
    const Float along = Float(2.0f) * a * v;
    const Float divisor = square(near + along);
    const Float pull = a * fma(near * (Float(3.0f) + a), 0.5f, along) / divisor;
    const Float turned = fma(Float(4.0f) * v * (Float(1.0f) - v), pull, fms(v, 2.0f, 1.0f));
    const Float cosine = clamp(select(is_back, -turned, turned), -1.0f, 1.0f);
    // Turn it about the axis.
    const Float sine = sqrt(max(fnma(cosine, cosine, 1.0f), 0.0f));
    const SinCos angle = sin_cos_turns(u.y);
    return normalize(to_world(frame_around(forward), {angle.cos * sine, angle.sin * sine, cosine}));
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
