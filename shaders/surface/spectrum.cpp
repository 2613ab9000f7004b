#include "shaders/surface/spectrum.h"

#include <algorithm>
#include <array>

#include "shaders/host/scalar_math.h"
#include "shaders/host/scene_view.h"

namespace weft::shaders {

namespace {

using Rgb = std::array<double, 3>;

// Outside of the range of wavelengths the eye sees little, and the fits below have the wrong hue.
constexpr u32 kSteps = 2600;  // of 0.1 nm

double lobe(double nm, double middle, double below, double above) {
    const double t = (nm - middle) * (nm < middle ? below : above);
    return exp_of(-0.5 * t * t);
}

double wavelength(double step) {
    return kShortestNm + (kLongestNm - kShortestNm) * step / kSteps;
}

std::vector<float> make_table() {
    // Scale each channel's response to a mean of 1 over the steps; the mean of the channels is the
    // density.
    std::vector<Rgb> steps;
    Rgb mean{};
    for (u32 i = 0; i < kSteps; ++i) {
        steps.push_back(color_response(wavelength(i + 0.5)));
        for (std::size_t c = 0; c < 3; ++c) {
            mean[c] += steps.back()[c] / kSteps;
        }
    }
    std::vector<double> below = {0};  // cumulative density
    for (Rgb& step : steps) {
        double density = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            step[c] /= mean[c];
            density += step[c] / 3;
        }
        below.push_back(below.back() + density);
    }

    // Invert the cumulative density at the table's entries.
    std::vector<double> table;
    Rgb sum{};
    u32 i = 0;
    for (u32 k = 0; k <= kSpectrumSize; ++k) {
        const double wanted = below.back() * k / kSpectrumSize;
        while (i + 1 < kSteps && below[i + 1] < wanted) {
            ++i;
        }
        const double density = below[i + 1] - below[i];
        const double nm = wavelength(i + std::min((wanted - below[i]) / density, 1.0));
        table.push_back(523655 / (nm * nm) - 1.5168);
        const double share = (k == 0 || k == kSpectrumSize ? 0.5 : 1.0) / kSpectrumSize;
        for (std::size_t c = 0; c < 3; ++c) {
            table.push_back(steps[i][c] / density);
            sum[c] += share * table.back();
        }
    }
    // Scale the weights, so that linear interpolation between entries has a mean of 1 as well.
    std::vector<float> rounded;
    for (std::size_t word = 0; word < table.size(); ++word) {
        const double scale = word % 4 == 0 ? 1 : sum[word % 4 - 1];
        rounded.push_back(static_cast<float>(table[word] / scale));
    }
    return rounded;
}

}  // namespace

// The colour matching functions of 1931 by Wyman, Sloan and Shirley, "Simple Analytic
// Approximations to the CIE XYZ Color Matching Functions", JCGT 2013, in linear Rec. 709.
std::array<double, 3> spectral_color(double nm) {
    const double x = 0.362 * lobe(nm, 442.0, 0.0624, 0.0374) +
                     1.056 * lobe(nm, 599.8, 0.0264, 0.0323) -
                     0.065 * lobe(nm, 501.1, 0.0490, 0.0382);
    const double y =
        0.821 * lobe(nm, 568.8, 0.0213, 0.0247) + 0.286 * lobe(nm, 530.9, 0.0613, 0.0322);
    const double z =
        1.217 * lobe(nm, 437.0, 0.0845, 0.0278) + 0.681 * lobe(nm, 459.0, 0.0385, 0.0725);
    return {3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
            -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
            0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
}

std::array<double, 3> color_response(double nm) {
    std::array<double, 3> color = spectral_color(nm);
    for (double& channel : color) {
        channel = std::max(0.0, channel);
    }
    return color;
}

const std::vector<float>& spectrum_table() {
    static const std::vector<float> kTable = make_table();
    return kTable;
}

}  // namespace weft::shaders
