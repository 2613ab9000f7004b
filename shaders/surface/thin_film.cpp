#include "shaders/surface/thin_film.h"

#include <algorithm>
#include <cmath>

#include "shaders/host/scalar_math.h"

namespace weft::shaders {

namespace {

using Rgb = std::array<double, 3>;

double square(double x) {
    return x * x;
}

double schlick(double f0, double cosine) {
    const double x = 1 - cosine;
    return f0 + (1 - f0) * square(square(x)) * x;
}

double reflectance_of_interface(double from, double to) {
    return square((to - from) / (to + from));
}

// Fourier transform of the CIE 1931 curves (Gaussian fits), for a path difference and a phase shift
// per channel.
Rgb sensitivity(double path_nm, const Rgb& shift) {
    const double phase = 2 * kPi * path_nm * 1e-9;
    const double squared = phase * phase;
    constexpr Rgb kValue = {5.4856e-13, 4.4201e-13, 5.2481e-13};
    constexpr Rgb kPosition = {1.6810e+06, 1.7953e+06, 2.2084e+06};
    constexpr Rgb kVariance = {4.3278e+09, 9.3046e+09, 6.6121e+09};
    Rgb xyz{};
    for (std::size_t k = 0; k < 3; ++k) {
        xyz[k] = kValue[k] * std::sqrt(2 * kPi * kVariance[k]) *
                 cos_of(kPosition[k] * phase + shift[k]) * exp_of(-squared * kVariance[k]);
    }
    xyz[0] += 9.7470e-14 * std::sqrt(2 * kPi * 4.5282e+09) * cos_of(2.2399e+06 * phase + shift[0]) *
              exp_of(-4.5282e+09 * squared);
    for (double& value : xyz) {
        value /= 1.0685e-7;
    }
    return {3.2404542 * xyz[0] - 1.5371385 * xyz[1] - 0.4985314 * xyz[2],
            -0.9692660 * xyz[0] + 1.8760108 * xyz[1] + 0.0415560 * xyz[2],
            0.0556434 * xyz[0] - 0.2040259 * xyz[1] + 1.0572252 * xyz[2]};
}

}  // namespace

std::array<double, 3> thin_film_reflectance(double film_ior,
                                            double cosine,
                                            double thickness_nm,
                                            const std::array<double, 3>& f0) {
    // A film thinner than 0.03 nm fades into vacuum.
    const double s = std::clamp(thickness_nm / 0.03, 0.0, 1.0);
    const double ior = 1 + (film_ior - 1) * s * s * (3 - 2 * s);
    const double cosine2_squared = 1 - square(1 / ior) * (1 - square(cosine));
    if (cosine2_squared < 0) {
        return {1, 1, 1};
    }
    const double cosine2 = std::sqrt(cosine2_squared);
    // First interface: vacuum to film.
    const double r12 = schlick(reflectance_of_interface(1, ior), cosine);
    const double t121 = 1 - r12;
    const double phase21 = ior < 1 ? 0 : kPi;
    // Second interface: film to base, whose index stands for f0.
    Rgb r23{};
    Rgb phase{};
    for (std::size_t k = 0; k < 3; ++k) {
        const double root = std::sqrt(std::clamp(f0[k], 0.0, 0.9999));
        const double base_ior = (1 + root) / (1 - root);
        r23[k] = schlick(reflectance_of_interface(ior, base_ior), cosine2);
        phase[k] = phase21 + (base_ior < ior ? kPi : 0);
    }
    // Mean reflectance and two harmonics of the interference.
    const double path_nm = 2 * ior * thickness_nm * cosine2;
    const Rgb first = sensitivity(path_nm, phase);
    const Rgb second = sensitivity(2 * path_nm, {2 * phase[0], 2 * phase[1], 2 * phase[2]});
    Rgb result{};
    for (std::size_t k = 0; k < 3; ++k) {
        const double r123 = std::clamp(r12 * r23[k], 1e-5, 0.9999);
        const double amplitude = std::sqrt(r123);
        const double rs = square(t121) * r23[k] / (1 - r123);
        const double harmonic = (rs - t121) * amplitude;
        result[k] = r12 + rs + 2 * harmonic * first[k] + 2 * harmonic * amplitude * second[k];
        result[k] = std::max(result[k], 0.0);
    }
    return result;
}

}  // namespace weft::shaders
