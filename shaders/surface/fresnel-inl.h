// fresnel-inl.h — how much a smooth boundary reflects: Schlick's approximation, the exact
// dielectric, thin films.
//
// Thin films after Belcour and Barla, "A Practical Extension to Microfacet Theory for the Modeling
// of Varying Iridescence", SIGGRAPH 2017, in the form that KHR_materials_iridescence gives.
// Meaning: bsdf.md section 4. Pure.
#if defined(WEFT_SHADERS_FRESNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_FRESNEL_INL_H_
#        undef WEFT_SHADERS_FRESNEL_INL_H_
#    else
#        define WEFT_SHADERS_FRESNEL_INL_H_
#    endif

#    include "shaders/lanes/elementary-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// (1 − c)⁵.
HWY_INLINE Float schlick_weight(Float c) {
    const Float x = saturate(Float(1.0f) - c);
    const Float x2 = x * x;
    return x2 * x2 * x;
}

HWY_INLINE Float schlick(Float f0, Float f90, Float weight) {
    return mix(f0, f90, weight);
}

HWY_INLINE Float3 schlick(Float3 f0, Float f90, Float weight) {
    return mix(f0, splat(f90), weight);
}

// Unpolarised reflectance for cosine c ≥ 0 on the side of η_i; eta = η_t / η_i. 1 under total
// reflection.
HWY_INLINE Float fresnel_dielectric(Float c, Float eta) {
    const Float sin2 = fnma(c, c, 1.0f) / (eta * eta);
    const Float ct = sqrt(max(Float(1.0f) - sin2, 0.0f));
    const Float rs = fnma(eta, ct, c) / max(fma(eta, ct, c), 1e-12f);
    const Float rp = fms(eta, c, ct) / max(fma(eta, c, ct), 1e-12f);
    const Float reflectance = Float(0.5f) * fma(rs, rs, rp * rp);
    return select(sin2 >= Float(1.0f), Float(1.0f), reflectance);
}

// Reflectance at normal incidence between two indices, and the index above `below` that would give
// it.
HWY_INLINE Float reflectance_of(Float index, Float outside) {
    return square((index - outside) / (index + outside));
}

HWY_INLINE Float index_of(Float reflectance) {
    const Float root = sqrt(clamp(reflectance, 0.0f, 0.9999f));
    return (Float(1.0f) + root) / (Float(1.0f) - root);
}

// The eye's response to a spectral oscillation of optical path `opd_nm`, one phase (in turns) per
// channel; linear Rec. 709.
HWY_INLINE Float3 film_sensitivity(Float opd_nm, Float3 turns) {
    // Gaussian fits of the colour matching functions in the Fourier domain; the constants are the
    // paper's.
    const Float opd = opd_nm * Float(1e-9f);
    const Float phase = opd * Float(kTwoPiF);
    const Float phase2 = phase * phase;
    // Each term: value · √(2π variance) / 1.0685e−7, position, variance.
    const auto lobe = [&](float scale, float position, float variance, Float shift) HWY_ATTR {
        const Float oscillation = sin_cos_turns(fma(opd, position, shift)).cos;
        return Float(scale) * oscillation * exp(phase2 * Float(-variance));
    };
    const Float x = lobe(0.846590002f, 1.6810e6f, 4.3278e9f, turns.x) +
                    lobe(0.153868307f, 2.2399e6f, 4.5282e9f, turns.x);
    const Float y = lobe(1.000221894f, 1.7953e6f, 9.3046e9f, turns.y);
    const Float z = lobe(1.001122486f, 2.2084e6f, 6.6121e9f, turns.z);
    return {fma(x, 3.2404542f, fma(y, -1.5371385f, z * Float(-0.4985314f))),
            fma(x, -0.9692660f, fma(y, 1.8760108f, z * Float(0.0415560f))),
            fma(x, 0.0556434f, fma(y, -0.2040259f, z * Float(1.0572252f)))};
}

// What lies under a film at one channel: reflectance of the lower boundary, and half a turn where
// it flips the phase.
struct FilmBase {
    Float reflectance, turns;
};

HWY_INLINE FilmBase film_base(Float f0, Float film_index, Float cos_inside) {
    const Float index = index_of(f0);
    const Float r = reflectance_of(index, film_index);
    return {schlick(r, 1.0f, schlick_weight(cos_inside)),
            select(index < film_index, Float(0.5f), Float(0.0f))};
}

// The reflectance at cosine c of a film of `thickness_nm` and `film_ior` in air on a base of
// reflectance f0.
HWY_NOINLINE inline Float3 film_reflectance(Float film_ior,
                                            Float c,
                                            Float thickness_nm,
                                            Float3 f0) {
    // A vanishing film fades to air.
    const Float s = saturate(thickness_nm * Float(1.0f / 0.03f));
    const Float index = mix(1.0f, film_ior, s * s * fnma(s, 2.0f, 3.0f));
    const Float cos2 = Float(1.0f) - fnma(c, c, 1.0f) / (index * index);
    const Float cos_inside = sqrt(max(cos2, 0.0f));

    const Float r12 = schlick(reflectance_of(index, 1.0f), 1.0f, schlick_weight(c));
    const Float t121 = Float(1.0f) - r12;
    const Float upper_turns = select(index < Float(1.0f), Float(0.0f), Float(0.5f));
    const FilmBase red = film_base(f0.x, index, cos_inside);
    const FilmBase green = film_base(f0.y, index, cos_inside);
    const FilmBase blue = film_base(f0.z, index, cos_inside);
    const Float3 r23 = {red.reflectance, green.reflectance, blue.reflectance};
    const Float3 turns = Float3{red.turns, green.turns, blue.turns} + splat(upper_turns);
    const Float opd_nm = Float(2.0f) * index * thickness_nm * cos_inside;

    // Order 0 is the incoherent sum; two orders of interference on top.
    const Float3 r123 = min(max(r23 * r12, 1e-5f), 0.9999f);
    const Float3 amplitude = {sqrt(r123.x), sqrt(r123.y), sqrt(r123.z)};
    const Float3 rs = r23 * square(t121) / (splat(1.0f) - r123);
    Float3 sum = rs + splat(r12);
    Float3 coefficient = (rs - splat(t121)) * amplitude;
    sum = fma(coefficient, film_sensitivity(opd_nm, turns) * Float(2.0f), sum);
    coefficient = coefficient * amplitude;
    sum = fma(coefficient,
              film_sensitivity(opd_nm * Float(2.0f), turns * Float(2.0f)) * Float(2.0f),
              sum);
    return select(cos2 < Float(0.0f), splat(1.0f), max(sum, 0.0f));
}

// The F0 with which Schlick's curve passes through the film's reflectance at cosine c.
HWY_INLINE Float3 film_f0(Float film_ior, Float c, Float thickness_nm, Float3 f0) {
    const Float3 f = film_reflectance(film_ior, c, thickness_nm, f0);
    const Float x = min(schlick_weight(c), 0.999f);
    const Float scale = Float(1.0f) / (Float(1.0f) - x);
    const Float3 inverted = (f - splat(x)) * scale;
    return min(max(inverted, 0.0f), 1.0f);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
