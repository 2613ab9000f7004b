// The consistency of lobes: samples follow pdf(), and weights equal evaluate() over pdf().
#include <doctest/doctest.h>

#include "engine/trace/reference/reference_bsdf.h"
#include "engine/trace/reference/reference_fresnel.h"
#include "tests/engine/trace/reference_stage.h"

namespace weft::tests {

namespace {

using namespace trace::reference;

constexpr u32 kDirections = 1u << 17;

Vec uniform_direction(Pair u) {
    const double z = 1 - 2 * u.u0;
    const double r = std::sqrt(std::max(0.0, 1 - z * z));
    return {r * std::cos(2 * kPi * u.u1), r * std::sin(2 * kPi * u.u1), z};
}

// One surface with its material, seen along `wo` (z up).
struct Probe {
    ReferenceStage stage;
    Surface surface;
    MaterialPoint material;

    static scene::Scene floor(const shaders::MaterialRecord& record) {
        scene::Scene scene;
        add_object(scene, quad({-1, -1, 0}, {2, 0, 0}, {0, 2, 0}), record);
        set_camera(scene, {0, 0, 3}, {0, 0, 0}, 0.3f);
        return scene;
    }

    Probe(const shaders::MaterialRecord& record, Vec wo) : stage(floor(record), {}) {
        RayHit hit;
        hit.t = 1;
        hit.b1 = 0.3;
        hit.b2 = 0.3;
        hit.name = {0, 0};
        surface = make_surface(stage.tables().view, hit, -normalize(wo), {});
        material = read_material(stage.tables().view, surface);
    }
};

// Mean weight of samples against the integral of the value; share of good samples against the
// integral of the density.
void check_lobes(const shaders::MaterialRecord& record, Vec wo, double eta) {
    Probe probe(record, wo);
    const Bsdf bsdf(probe.stage.tables().view, probe.surface, probe.material, eta);
    const u32 pixel = pixel_hash(1, 2, 3);
    Rgb weight_sum;
    Rgb value_sum;
    double good = 0;
    double density_sum = 0;
    for (u32 i = 0; i < kDirections; ++i) {
        const BsdfSample sample =
            bsdf.sample(sample_tuple(pixel, i, 0).last.u0, sample_tuple(pixel, i, 0).first);
        weight_sum += sample.weight / kDirections;
        good += sample.pdf > 0 ? 1.0 / kDirections : 0;
        const Vec wi = uniform_direction(sample_tuple(pixel, i, 1).first);
        value_sum += bsdf.evaluate(wi) * (4 * kPi / kDirections);
        density_sum += bsdf.pdf(wi) * (4 * kPi / kDirections);
    }
    CHECK(density_sum == doctest::Approx(good).epsilon(0.01));
    CHECK(relative_difference(weight_sum, value_sum) < 0.01);
    CHECK(largest(weight_sum) < 1.01);
}

}  // namespace

TEST_SUITE("engine/trace/reference_bsdf") {
    const Vec kSteep = {0.2, 0.1, 1};
    const Vec kFlat = {1, -0.3, 0.5};

    TEST_CASE("samples of plastic match its density and value") {
        check_lobes(plastic({0.8f, 0.5f, 0.3f}, 0.5f), kSteep, 1);
        check_lobes(plastic({0.8f, 0.5f, 0.3f}, 0.5f), kFlat, 1);
    }

    TEST_CASE("samples of brushed metal match its density and value") {
        shaders::MaterialRecord record = metal({0.9f, 0.6f, 0.3f}, 0.5f);
        record.anisotropy = 0.8f;
        record.anisotropy_cos = 0.6f;
        record.anisotropy_sin = 0.8f;
        check_lobes(record, kSteep, 1);
        check_lobes(record, kFlat, 1);
    }

    TEST_CASE("samples of coat over sheen over plastic match its density and value") {
        shaders::MaterialRecord record = plastic({0.8f, 0.5f, 0.3f}, 0.6f);
        record.coat = 0.9f;
        record.coat_roughness = 0.5f;
        record.sheen_color[0] = 0.8f;
        record.sheen_color[1] = 0.3f;
        record.sheen_roughness = 0.6f;
        check_lobes(record, kSteep, 1);
        check_lobes(record, kFlat, 1);
    }

    TEST_CASE("samples of a rough window match its density and value") {
        shaders::MaterialRecord record = window({0.8f, 0.5f, 0.3f}, 0.5f);
        record.transmission = 0.7f;
        check_lobes(record, kSteep, 1);
        check_lobes(record, kFlat, 1);
    }

    TEST_CASE("samples of rough glass match its density and value on both sides") {
        check_lobes(glass(1.5f, 0.6f), kSteep, 1.5);
        check_lobes(glass(1.5f, 0.6f), kFlat, 1.5);
        check_lobes(glass(1.5f, 0.6f), kSteep, 1 / 1.5);
        check_lobes(glass(1.5f, 0.6f), kFlat, 1 / 1.5);
    }

    TEST_CASE(
        "exact Fresnel reflects four percent at 1.5 and everything beyond the critical angle") {
        CHECK(dielectric_fresnel(1, 1.5) == doctest::Approx(0.04));
        CHECK(dielectric_fresnel(1, 1 / 1.5) == doctest::Approx(0.04));
        CHECK(dielectric_fresnel(0.5, 1 / 1.5) == 1);
        // Brewster's angle: only one polarisation is reflected.
        const double brewster = std::cos(std::atan(1.5));
        CHECK(dielectric_fresnel(brewster, 1.5) == doctest::Approx(square(5.0 / 13) / 2));
    }

    TEST_CASE("a thin film that vanishes leaves the base as it is") {
        // The model sums two waves of inner reflections only.
        const Rgb base = {0.04, 0.3, 0.9};
        CHECK(relative_difference(film_reflectance(1.4, 1, 1e-6, base), base) < 0.01);
    }

    TEST_CASE("a thin film colours a grey base by its thickness") {
        const Rgb thin = film_reflectance(1.4, 0.9, 250, gray(0.04));
        const Rgb thick = film_reflectance(1.4, 0.9, 400, gray(0.04));
        CHECK(std::fabs(thin.x / thin.z - thick.x / thick.z) > 0.1);
        CHECK(largest(thin) < 0.2);
    }

    TEST_CASE("inverse Schlick undoes Schlick") {
        const Rgb f0 = {0.02, 0.4, 0.8};
        CHECK(relative_difference(inverse_schlick(schlick(f0, 1, 0.4), 0.4), f0) < 1e-12);
    }
}

}  // namespace weft::tests
