// test_furnace.cpp — no material gives back more light than it gets, and lossless white ones give
// back all of it.
//
// A surface in a uniform white world has the radiance mean(weight) over draws of sample(). Draws
// are 16384 points of a rank-1 lattice in (lobe, direction); its error here is below 0.004 where
// roughness is above 0.1 (seen by doubling).
#include <doctest/doctest.h>

#include "tests/shaders/probe_materials.h"

namespace weft::tests {

namespace {

using shaders::ProbeSample;

constexpr u32 kDraws = 16384;

// Additive recurrence with the three-dimensional golden ratio.
std::vector<float> lattice_points() {
    std::vector<float> points(3 * std::size_t{kDraws});
    for (u32 i = 0; i < kDraws; ++i) {
        const double ratios[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
        for (u32 k = 0; k < 3; ++k) {
            const double x = (i + 0.5) * ratios[k];
            points[3 * i + k] = std::min(static_cast<float>(x - std::floor(x)), 0x1.fffffep-1f);
        }
    }
    return points;
}

struct Furnace {
    double mean[3];
};

Furnace furnace(Isa isa, const NamedMaterial& material, float cosine) {
    static const std::vector<float> kPoints = lattice_points();
    std::vector<ProbeSample> samples(kDraws);
    const shaders::ProbeSurface surface = probe_surface(material, cosine);
    shaders::bsdf_probe(isa)->sample(surface, kPoints.data(), kDraws, samples.data());
    Furnace result{};
    for (const ProbeSample& s : samples) {
        for (u32 k = 0; k < 3; ++k) {
            result.mean[k] += static_cast<double>(s.weight[k]) / kDraws;
        }
    }
    return result;
}

constexpr float kRoughnesses[] = {0.0f, 0.04f, 0.15f, 0.35f, 0.6f, 1.0f};
constexpr float kCosines[] = {1.0f, 0.7f, 0.3f, 0.08f};

}  // namespace

TEST_SUITE("shaders/furnace") {
    TEST_CASE("no material gives back more than it gets in a white furnace") {
        for (const Isa isa : supported_isas()) {
            for (const float roughness : kRoughnesses) {
                for (const NamedMaterial& material : all_materials(roughness)) {
                    for (const float cosine : kCosines) {
                        const Furnace f = furnace(isa, material, cosine);
                        // Compensation looks up the mean of two roughnesses, which is too much from
                        // some sides.
                        const bool is_anisotropic = material.record.anisotropy > 0;
                        const double most = is_anisotropic ? 1.05 : 1.01;
                        CAPTURE(material.name);
                        CAPTURE(roughness);
                        CAPTURE(cosine);
                        CAPTURE(isa_label(isa));
                        for (const double mean : f.mean) {
                            CHECK(mean <= most);
                            CHECK(mean >= 0.3);
                        }
                    }
                }
            }
        }
    }

    TEST_CASE("lossless white materials vanish in a white furnace") {
        for (const Isa isa : supported_isas()) {
            for (const float roughness : kRoughnesses) {
                for (const NamedMaterial& material : all_materials(roughness)) {
                    for (const float cosine : kCosines) {
                        if (!material.is_lossless) {
                            continue;
                        }
                        const Furnace f = furnace(isa, material, cosine);
                        CAPTURE(material.name);
                        CAPTURE(roughness);
                        CAPTURE(cosine);
                        CAPTURE(isa_label(isa));
                        for (const double mean : f.mean) {
                            CHECK(mean == doctest::Approx(1).epsilon(0.01));
                        }
                    }
                }
            }
        }
    }
}

}  // namespace weft::tests
