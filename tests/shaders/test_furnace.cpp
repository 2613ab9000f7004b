// test_furnace.cpp — no material reflects more light than it receives, and lossless white materials
// reflect all of it.
//
// A surface in a uniform white world has the radiance mean(weight) over draws of sample(). Draws
// are 16384 points of a rank-1 lattice in (lobe, direction); the error is below 0.004 for roughness
// above 0.1 (estimated by doubling the points).
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

Furnace furnace(Isa isa, const NamedMaterial& material, float cosine, float azimuth = 0.6f) {
    static const std::vector<float> kPoints = lattice_points();
    std::vector<ProbeSample> samples(kDraws);
    const shaders::ProbeSurface surface = probe_surface(material, cosine, azimuth);
    shaders::bsdf_probe(isa)->sample(surface, kPoints.data(), kDraws, samples.data());
    Furnace result{};
    for (const ProbeSample& s : samples) {
        for (u32 k = 0; k < 3; ++k) {
            result.mean[k] += static_cast<double>(s.weight[k]) / kDraws;
        }
    }
    return result;
}

// Bounds the error of each direction, and more tightly the mean over the hemisphere weighted by the
// cosine, as a ball shows it.
void check_hemisphere(const NamedMaterial& material) {
    constexpr u32 kRings = 8;
    double sum = 0;
    u32 count = 0;
    for (u32 ring = 0; ring < kRings; ++ring) {
        // Rings of equal area on the projected disk of a ball.
        const float cosine = std::sqrt(1 - (static_cast<float>(ring) + 0.5f) / kRings);
        for (const float azimuth : {0.0f, 0.4f, 0.8f, 1.2f, 1.5707f}) {
            const Furnace f = furnace(supported_isas().back(), material, cosine, azimuth);
            CAPTURE(material.name);
            CAPTURE(cosine);
            CAPTURE(azimuth);
            CHECK(f.mean[0] == doctest::Approx(1).epsilon(0.012));
            sum += f.mean[0];
            ++count;
            if (material.record.anisotropy <= 0) {
                break;
            }
        }
    }
    CAPTURE(material.name);
    CHECK(sum / count > 0.995);
    CHECK(sum / count < 1.003);
}

constexpr float kRoughnesses[] = {0.0f, 0.04f, 0.15f, 0.35f, 0.6f, 1.0f};
constexpr float kCosines[] = {1.0f, 0.7f, 0.3f, 0.08f};

}  // namespace

TEST_SUITE("shaders/furnace") {
    TEST_CASE("no material reflects more than it receives in a white furnace") {
        for (const Isa isa : supported_isas()) {
            for (const float roughness : kRoughnesses) {
                for (const NamedMaterial& material : all_materials(roughness)) {
                    for (const float cosine : kCosines) {
                        const Furnace f = furnace(isa, material, cosine);
                        // Of anisotropic surfaces Schlick's two parts, and what glass loses, are
                        // estimated from the mean of two roughnesses.
                        const bool is_estimated = material.record.anisotropy > 0;
                        CAPTURE(material.name);
                        CAPTURE(roughness);
                        CAPTURE(cosine);
                        CAPTURE(isa_label(isa));
                        for (const double mean : f.mean) {
                            CHECK(mean <= (is_estimated ? 1.03 : 1.01));
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

    TEST_CASE("rough glass of every index loses no light on either side") {
        for (const float eta : {1.1f, 1.33f, 1.5f, 2.0f, 2.4f}) {
            for (const float roughness : {0.06f, 0.175f, 0.35f, 0.5f, 0.75f, 1.0f}) {
                for (const bool is_inside : {false, true}) {
                    CAPTURE(eta);
                    CAPTURE(roughness);
                    CAPTURE(is_inside);
                    check_hemisphere(glass_of(is_inside ? 1 / eta : eta, roughness));
                }
                check_hemisphere(thin_of(eta, roughness));
            }
        }
    }

    TEST_CASE("brushed metal of every strength loses no light at any azimuth") {
        for (const float strength : {0.1f, 0.3f, 0.5f, 0.7f, 0.9f, 1.0f}) {
            for (const float roughness : {0.1f, 0.2f, 0.35f, 0.5f, 0.7f, 0.9f}) {
                CAPTURE(strength);
                CAPTURE(roughness);
                check_hemisphere(brushed(roughness, strength));
            }
        }
    }
}

}  // namespace weft::tests
