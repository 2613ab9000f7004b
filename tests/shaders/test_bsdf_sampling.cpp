// test_bsdf_sampling.cpp — sampled directions follow the BSDF's pdf, for single lobes and mixtures.
//
// Compares histograms over the sphere (16 × 32 cells of equal solid angle) with the density
// integrated over each cell with 6 × 6 points (24 × 24 for refraction, which is narrower and has an
// edge); a last bin holds draws that ended the path or went straight. Roughness is at least 0.3, so
// that cells resolve the peaks. 20000 draws each.
#include <doctest/doctest.h>

#include "tests/shaders/probe_materials.h"
#include "tests/shaders/statistics.h"

namespace weft::tests {

namespace {

using shaders::ProbeSample;
using shaders::ProbeValue;

constexpr u32 kRows = 16;
constexpr u32 kColumns = 32;
constexpr u32 kCells = kRows * kColumns;
constexpr u32 kDirections = 20000;
constexpr double kTwoPi = 6.28318530717958647692;

// Probability of each cell by the pdf.
std::vector<double> cell_probabilities(Isa isa, const shaders::ProbeSurface& surface) {
    const bool is_solid = (surface.material.flags & shaders::kMaterialSolid) != 0;
    const u32 sub = is_solid ? 24 : 6;
    std::vector<float> wi;
    for (u32 row = 0; row < kRows * sub; ++row) {
        for (u32 column = 0; column < kColumns * sub; ++column) {
            const double z = 1 - 2 * (row + 0.5) / (kRows * sub);
            const double phi = kTwoPi * (column + 0.5) / (kColumns * sub);
            const double s = std::sqrt(1 - z * z);
            wi.push_back(static_cast<float>(s * std::cos(phi)));
            wi.push_back(static_cast<float>(s * std::sin(phi)));
            wi.push_back(static_cast<float>(z));
        }
    }
    const u32 count = static_cast<u32>(wi.size() / 3);
    std::vector<ProbeValue> values(count);
    shaders::bsdf_probe(isa)->evaluate(surface, wi.data(), count, values.data());
    std::vector<double> cells(kCells);
    const double area = 2 * kTwoPi / count;
    for (u32 i = 0; i < count; ++i) {
        const u32 row = i / (kColumns * sub) / sub;
        const u32 column = i % (kColumns * sub) / sub;
        cells[row * kColumns + column] += static_cast<double>(values[i].pdf) * area;
    }
    return cells;
}

std::vector<ProbeSample> draw(Isa isa, const shaders::ProbeSurface& surface, u32 count, u64 seed) {
    Random random(seed);
    std::vector<float> u(3 * std::size_t{count});
    for (float& x : u) {
        x = random.unit();
    }
    std::vector<ProbeSample> samples(count);
    shaders::bsdf_probe(isa)->sample(surface, u.data(), count, samples.data());
    return samples;
}

u32 cell_of(const ProbeSample& s) {
    const double z = static_cast<double>(s.wi[2]);
    const double turns =
        std::atan2(static_cast<double>(s.wi[1]), static_cast<double>(s.wi[0])) / kTwoPi;
    const double row = std::clamp((1 - z) * 0.5 * kRows, 0.0, kRows - 1.0);
    const double column =
        std::clamp((turns < 0 ? turns + 1 : turns) * kColumns, 0.0, kColumns - 1.0);
    return static_cast<u32>(row) * kColumns + static_cast<u32>(column);
}

}  // namespace

TEST_SUITE("shaders/bsdf_sampling") {
    TEST_CASE("sampled directions follow the pdf") {
        // At this level a correct sampler fails one of the 270 tests in one run of 400; the seed is
        // fixed.
        constexpr double kLeast = 1e-5;
        for (const Isa isa : supported_isas()) {
            for (const float roughness : {0.3f, 0.6f, 1.0f}) {
                for (const NamedMaterial& material : all_materials(roughness)) {
                    for (const float cosine : {0.9f, 0.35f}) {
                        const shaders::ProbeSurface surface = probe_surface(material, cosine);
                        std::vector<double> expected = cell_probabilities(isa, surface);
                        double whole = 0;
                        for (double& p : expected) {
                            whole += p;
                            p *= kDirections;
                        }
                        CAPTURE(material.name);
                        CAPTURE(roughness);
                        CAPTURE(cosine);
                        CAPTURE(isa_label(isa));
                        CHECK(whole < 1.003);
                        expected.push_back(std::max(1 - whole, 0.0) * kDirections);
                        std::vector<double> observed(kCells + 1);
                        for (const ProbeSample& s : draw(isa, surface, kDirections, 11)) {
                            const bool is_lost = s.is_straight != 0 || !(s.weight[0] > 0);
                            observed[is_lost ? kCells : cell_of(s)] += 1;
                        }
                        CHECK(chi_square_p_value(observed, expected) > kLeast);
                    }
                }
            }
        }
    }

    TEST_CASE("a sample's weight is value over density") {
        constexpr u32 kChecked = 500;
        for (const Isa isa : supported_isas()) {
            for (const float roughness : {0.0f, 0.2f, 0.7f}) {
                for (const NamedMaterial& material : all_materials(roughness)) {
                    const shaders::ProbeSurface surface = probe_surface(material, 0.6f);
                    const std::vector<ProbeSample> samples = draw(isa, surface, kChecked, 3);
                    std::vector<float> wi;
                    for (const ProbeSample& s : samples) {
                        wi.insert(wi.end(), s.wi, s.wi + 3);
                    }
                    std::vector<ProbeValue> values(kChecked);
                    shaders::bsdf_probe(isa)->evaluate(surface, wi.data(), kChecked, values.data());
                    double largest = 0;
                    for (u32 i = 0; i < kChecked; ++i) {
                        const ProbeSample& s = samples[i];
                        const ProbeValue& v = values[i];
                        if (s.is_straight != 0 || !(s.weight[0] > 0)) {
                            continue;
                        }
                        for (u32 k = 0; k < 3; ++k) {
                            const double right = static_cast<double>(v.value[k] / v.pdf);
                            const double error =
                                std::fabs(static_cast<double>(s.weight[k]) - right);
                            largest = std::max(largest, error / right);
                        }
                    }
                    CAPTURE(material.name);
                    CAPTURE(roughness);
                    CAPTURE(isa_label(isa));
                    CHECK(largest < 1e-5);
                }
            }
        }
    }

    TEST_CASE("rough glass transmits as much light forwards as backwards") {
        // Basic radiance: n² f of one way is n² f of the other (Veach 1997, 5.2).
        for (const Isa isa : supported_isas()) {
            for (const float eta : {1.5f, 1 / 1.5f, 2.4f}) {
                for (const float roughness : {0.3f, 0.7f, 1.0f}) {
                    const NamedMaterial forwards = glass_of(eta, roughness);
                    const NamedMaterial backwards = glass_of(1 / eta, roughness);
                    const float seen = 0.8f;   // cosine on the one side
                    const float lit = -0.45f;  // and on the other
                    const shaders::ProbeSurface here = probe_surface(forwards, seen, 0.6f);
                    const shaders::ProbeSurface there = probe_surface(backwards, -lit, 2.5f);
                    const float to_light[3] = {there.wo[0], there.wo[1], -there.wo[2]};
                    const float to_viewer[3] = {here.wo[0], here.wo[1], -here.wo[2]};
                    ProbeValue one{};
                    ProbeValue other{};
                    shaders::bsdf_probe(isa)->evaluate(here, to_light, 1, &one);
                    shaders::bsdf_probe(isa)->evaluate(there, to_viewer, 1, &other);
                    CAPTURE(eta);
                    CAPTURE(roughness);
                    CAPTURE(isa_label(isa));
                    const float passed = one.value[0] / -lit;
                    CHECK(passed > 0);
                    CHECK(passed ==
                          doctest::Approx(other.value[0] / seen * eta * eta).epsilon(1e-4));
                }
            }
        }
    }
}

}  // namespace weft::tests
