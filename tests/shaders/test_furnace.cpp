// test_furnace.cpp — no material gives back more light than it gets, and lossless white ones give
// back all of it.
//
// A surface in a uniform white world has the radiance mean(weight) over draws of sample(). Draws
// are stratified points in (lobe, direction): 16384 have an error below 0.001 where roughness is
// above 0.1, 65536 one of about 0.0001 (seen by quadrupling).
#include <doctest/doctest.h>

#include "tests/shaders/probe_materials.h"

namespace weft::tests {

namespace {

using shaders::ProbeSample;

constexpr u32 kDraws = 16384;
constexpr u32 kFineDraws = 65536;

// Even steps choose the lobe; an additive recurrence with the two-dimensional golden ratio chooses
// the direction.
std::vector<float> stratified_points(u32 count) {
    std::vector<float> points(3 * std::size_t{count});
    for (u32 i = 0; i < count; ++i) {
        const double ratios[3] = {1.0 / count, 0.7548776662466927, 0.5698402909980532};
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

Furnace furnace(Isa isa,
                const NamedMaterial& material,
                float cosine,
                float azimuth = 0.6f,
                u32 draws = kDraws) {
    static const std::vector<float> kPoints = stratified_points(kDraws);
    static const std::vector<float> kFinePoints = stratified_points(kFineDraws);
    const std::vector<float>& points = draws == kDraws ? kPoints : kFinePoints;
    std::vector<ProbeSample> samples(draws);
    const shaders::ProbeSurface surface = probe_surface(material, cosine, azimuth);
    shaders::bsdf_probe(isa)->sample(surface, points.data(), draws, samples.data());
    Furnace result{};
    for (const ProbeSample& s : samples) {
        for (u32 k = 0; k < 3; ++k) {
            result.mean[k] += static_cast<double>(s.weight[k]) / draws;
        }
    }
    return result;
}

struct Bounds {
    double low;
    double high;
};

// Every direction is within `single`, and the whole hemisphere, each direction weighted by its
// cosine as a ball shows it, within `ball`.
void check_hemisphere(const NamedMaterial& material, Bounds single, Bounds ball) {
    constexpr u32 kRings = 8;
    double sum = 0;
    u32 count = 0;
    for (u32 ring = 0; ring < kRings; ++ring) {
        // Rings of equal area on the disk that a ball looks like.
        const float cosine = std::sqrt(1 - (static_cast<float>(ring) + 0.5f) / kRings);
        for (const float azimuth : {0.0f, 0.4f, 0.8f, 1.2f, 1.5707f}) {
            const Furnace f =
                furnace(supported_isas().back(), material, cosine, azimuth, kFineDraws);
            CAPTURE(material.name);
            CAPTURE(cosine);
            CAPTURE(azimuth);
            CHECK(f.mean[0] >= single.low);
            CHECK(f.mean[0] <= single.high);
            sum += f.mean[0];
            ++count;
            if (material.record.anisotropy <= 0) {
                break;
            }
        }
    }
    CAPTURE(material.name);
    CHECK(sum / count >= ball.low);
    CHECK(sum / count <= ball.high);
}

// Isotropic glass and walls.
constexpr Bounds kSingle = {0.9985, 1.0013};
constexpr Bounds kBall = {0.9995, 1.0004};
// Anisotropic ones.
constexpr Bounds kBrushedSingle = {0.9965, 1.0035};
constexpr Bounds kBrushedGlassSingle = {0.98, 1.02};
constexpr Bounds kBrushedBall = {0.9985, 1.0015};

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
                        CAPTURE(material.name);
                        CAPTURE(roughness);
                        CAPTURE(cosine);
                        CAPTURE(isa_label(isa));
                        for (const double mean : f.mean) {
                            CHECK(mean <= 1.005);
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
                        const bool is_brushed_glass = material.name == "anisotropic solid glass";
                        for (const double mean : f.mean) {
                            CHECK(mean ==
                                  doctest::Approx(1).epsilon(is_brushed_glass ? 0.02 : 0.005));
                        }
                    }
                }
            }
        }
    }

    TEST_CASE("dielectric and metal in any mixture are as white as each, with a film and without") {
        for (const float metallic : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
            for (const float roughness : {0.0f, 0.3f, 0.5f, 0.7f, 1.0f}) {
                for (const float cosine : {1.0f, 0.99f, 0.87f, 0.5f, 0.17f}) {
                    for (const float film : {0.0f, 1.0f}) {
                        NamedMaterial material = metal(roughness);
                        material.record.metallic = metallic;
                        material.record.iridescence = film;
                        material.record.iridescence_min_nm = 100;
                        material.record.iridescence_max_nm = 400;
                        material.record.flags |= film > 0 ? shaders::kMaterialIridescence : 0;
                        const Furnace f =
                            furnace(supported_isas().back(), material, cosine, 0.6f, kFineDraws);
                        CAPTURE(metallic);
                        CAPTURE(roughness);
                        CAPTURE(cosine);
                        CAPTURE(film);
                        for (const double mean : f.mean) {
                            CHECK(mean > (film > 0 ? 0.97 : 0.998));
                            CHECK(mean < 1.002);
                        }
                    }
                }
            }
        }
    }

    TEST_CASE("rough glass of every index gives all light back on both sides") {
        for (const float eta : {1.05f, 1.1f, 1.2f, 1.33f, 1.5f, 1.8f, 2.1f, 2.5f}) {
            for (const float roughness : {0.06f, 0.12f, 0.175f, 0.25f, 0.35f, 0.5f, 0.75f, 1.0f}) {
                CAPTURE(eta);
                CAPTURE(roughness);
                check_hemisphere(glass_of(eta, roughness), kSingle, kBall);
                check_hemisphere(glass_of(1 / eta, roughness), kSingle, kBall);
                check_hemisphere(thin_of(eta, roughness), kSingle, kBall);
            }
        }
    }

    TEST_CASE("anisotropic glass of every strength gives all light back on both sides") {
        for (const float eta : {1.1f, 1.5f, 2.4f}) {
            for (const float strength : {0.3f, 0.6f, 0.9f}) {
                for (const float roughness : {0.0f, 0.175f, 0.5f}) {
                    CAPTURE(eta);
                    CAPTURE(strength);
                    CAPTURE(roughness);
                    for (const float side : {eta, 1 / eta}) {
                        check_hemisphere(brushed_glass(side, roughness, strength),
                                         kBrushedGlassSingle,
                                         kBrushedBall);
                    }
                }
            }
        }
    }

    TEST_CASE("brushed metal of every strength gives all light back from every side") {
        for (const float strength : {0.1f, 0.3f, 0.5f, 0.7f, 0.9f, 1.0f}) {
            for (const float roughness : {0.0f, 0.1f, 0.2f, 0.35f, 0.5f, 0.7f, 0.9f, 1.0f}) {
                CAPTURE(strength);
                CAPTURE(roughness);
                check_hemisphere(brushed(roughness, strength), kBrushedSingle, kBrushedBall);
            }
        }
    }

    TEST_CASE("brushed dielectrics of every strength give all light back from every side") {
        for (const float strength : {0.1f, 0.3f, 0.5f, 0.7f, 0.9f, 1.0f}) {
            for (const float roughness : {0.0f, 0.1f, 0.2f, 0.35f, 0.5f, 0.7f, 0.9f, 1.0f}) {
                NamedMaterial material = brushed(roughness, strength);
                material.name = "anisotropic dielectric";
                material.record.metallic = 0;
                CAPTURE(strength);
                CAPTURE(roughness);
                check_hemisphere(material, kBrushedSingle, kBrushedBall);
            }
        }
    }
}

}  // namespace weft::tests
