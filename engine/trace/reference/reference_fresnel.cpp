// reference_fresnel.cpp — see reference_fresnel.h.
#include "engine/trace/reference/reference_fresnel.h"

namespace weft::trace::reference {

namespace {

double normal_reflectance(double beyond, double here) {
    return square((beyond - here) / (beyond + here));
}

double schlick_scalar(double f0, double cosine) {
    return f0 + (1 - f0) * fifth_power(1 - saturate(cosine));
}

double smoothstep(double low, double high, double x) {
    const double t = saturate((x - low) / (high - low));
    return t * t * (3 - 2 * t);
}

// One Gaussian of the colour matching functions in the frequency domain.
double gaussian_response(
    double value, double position, double variance, double phase, double shift) {
    return value * std::sqrt(2 * kPi * variance) * std::cos(position * phase + shift) *
           std::exp(-square(phase) * variance);
}

// Rec. 709 response to an optical path difference, with a phase shift per channel.
Rgb sensitivity(double path_difference_nm, Vec shift) {
    const double phase = 2 * kPi * path_difference_nm * 1e-9;
    Vec xyz = {gaussian_response(5.4856e-13, 1.6810e+06, 4.3278e+09, phase, shift.x),
               gaussian_response(4.4201e-13, 1.7953e+06, 9.3046e+09, phase, shift.y),
               gaussian_response(5.2481e-13, 2.2084e+06, 6.6121e+09, phase, shift.z)};
    xyz.x += gaussian_response(9.7470e-14, 2.2399e+06, 4.5282e+09, phase, shift.x);
    xyz = xyz / 1.0685e-7;
    return {dot({3.2404542, -1.5371385, -0.4985314}, xyz),
            dot({-0.9692660, 1.8760108, 0.0415560}, xyz),
            dot({0.0556434, -0.2040259, 1.0572252}, xyz)};
}

}  // namespace

double dielectric_fresnel(double cosine, double eta) {
    const double sine2_beyond = (1 - square(cosine)) / square(eta);
    if (sine2_beyond >= 1) {
        return 1;
    }
    const double cosine_beyond = std::sqrt(1 - sine2_beyond);
    const double perpendicular = (cosine - eta * cosine_beyond) / (cosine + eta * cosine_beyond);
    const double parallel = (eta * cosine - cosine_beyond) / (eta * cosine + cosine_beyond);
    return (square(perpendicular) + square(parallel)) / 2;
}

Rgb film_reflectance(double film_ior, double cosine, double thickness_nm, Rgb f0) {
    // A film that vanishes becomes air.
    const double ior = mix(1.0, film_ior, smoothstep(0.0, 0.03, thickness_nm));
    const double cosine2_inside = 1 - (1 - square(cosine)) / square(ior);
    if (cosine2_inside < 0) {
        return gray(1);
    }
    const double cosine_inside = std::sqrt(cosine2_inside);

    // Air to film, and its phase shift seen from inside.
    const double r12 = schlick_scalar(normal_reflectance(ior, 1), cosine);
    const double t121 = 1 - r12;
    const double phase_21 = kPi - (ior < 1 ? kPi : 0);

    // Film to base: the base's index from its reflectance in air.
    const Rgb base_ior = per_channel(f0, [](double f) {
        const double root = std::sqrt(std::clamp(f, 0.0, 0.9999));
        return (1 + root) / (1 - root);
    });
    const Rgb r23 = per_channel(base_ior, [&](double base) {
        return schlick_scalar(normal_reflectance(base, ior), cosine_inside);
    });
    const Rgb phase =
        per_channel(base_ior, [&](double base) { return phase_21 + (base < ior ? kPi : 0); });

    // The sum of all inner reflections: its mean, then two waves.
    const double path_difference = 2 * ior * thickness_nm * cosine_inside;
    const Rgb r123 = per_channel(r23, [&](double r) { return std::clamp(r12 * r, 1e-5, 0.9999); });

    const Rgb mean = {square(t121) * r23.x / (1 - r123.x),
                      square(t121) * r23.y / (1 - r123.y),
                      square(t121) * r23.z / (1 - r123.z)};
    Rgb sum = gray(r12) + mean;
    Rgb amplitude = mean - gray(t121);
    for (int wave = 1; wave <= 2; ++wave) {
        amplitude = amplitude * per_channel(r123, [](double r) { return std::sqrt(r); });
        sum += amplitude * 2 * sensitivity(wave * path_difference, phase * wave);
    }
    return per_channel(sum, [](double value) { return std::max(value, 0.0); });
}

Rgb inverse_schlick(Rgb reflectance, double cosine) {
    const double x = std::min(fifth_power(1 - saturate(cosine)), 0.999);
    return per_channel(reflectance, [x](double f) { return saturate((f - x) / (1 - x)); });
}

}  // namespace weft::trace::reference
