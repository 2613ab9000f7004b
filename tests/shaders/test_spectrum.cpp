#include <cmath>

#include <doctest/doctest.h>

#include "shaders/host/scene_view.h"
#include "shaders/surface/spectrum.h"

using namespace weft;
using namespace weft::shaders;

namespace {

constexpr u32 kEntries = kSpectrumSize + 1;

double word_of(u32 entry, u32 word) {
    return static_cast<double>(spectrum_table()[4 * std::size_t{entry} + word]);
}

double wavelength_nm(u32 entry) {
    return std::sqrt(523655 / (word_of(entry, 0) + 1.5168));
}

}  // namespace

TEST_SUITE("shaders/spectrum") {
    TEST_CASE("all wavelengths together are white and no weight is negative") {
        REQUIRE(spectrum_table().size() == 4 * kEntries);
        for (u32 channel = 1; channel <= 3; ++channel) {
            double mean = 0;
            for (u32 k = 0; k < kEntries; ++k) {
                const double share = k == 0 || k == kSpectrumSize ? 0.5 : 1;
                mean += share * word_of(k, channel) / kSpectrumSize;
                CHECK(word_of(k, channel) >= 0);
            }
            CHECK(mean == doctest::Approx(1).epsilon(1e-6));
        }
    }

    TEST_CASE("wavelengths grow from violet to red and each has its colour") {
        for (u32 k = 1; k < kEntries; ++k) {
            CHECK(wavelength_nm(k) > wavelength_nm(k - 1));
        }
        CHECK(wavelength_nm(0) >= 419.9);
        CHECK(wavelength_nm(kSpectrumSize) <= 680.1);
        const auto strongest_at = [](double nm) {
            u32 entry = 0;
            while (entry < kSpectrumSize && wavelength_nm(entry) < nm) {
                ++entry;
            }
            const double red = word_of(entry, 1);
            const double green = word_of(entry, 2);
            const double blue = word_of(entry, 3);
            return blue > red && blue > green ? 'b' : green > red ? 'g' : 'r';
        };
        CHECK(strongest_at(450) == 'b');
        CHECK(strongest_at(535) == 'g');
        CHECK(strongest_at(630) == 'r');
    }
}
