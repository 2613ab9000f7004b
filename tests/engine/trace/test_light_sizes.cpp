// test_light_sizes.cpp — light samples of punctual lights with a size, drawn by the shade kernel of
// every instruction set: contribution, end and distribution, compared with closed forms.
#include <cstring>

#include <doctest/doctest.h>

#include "tests/engine/trace/light_cones.h"

namespace weft::tests {

namespace {

struct ConeDraws {
    std::vector<double> observed = std::vector<double>(kRings * kSectors, 0.0);
    double light_error = 0;
    double beside = 0;  // largest excess of a draw over the cone, as a share of its spread
    double off_ball = 0;
    double mean = 0;  // irradiance at the floor
};

ConeDraws draws_of(const scene::Light& light, Isa isa, const shaders::SceneView& view) {
    const Cone cone = cone_of(light);
    const Point middle = point_of(light.position);
    ConeDraws result;
    for (const std::optional<Draw>& draw : light_draws(isa, view)) {
        if (!draw) {
            continue;  // below the floor
        }
        const Point wi = point_of(draw->shadow.direction);
        const double t = static_cast<double>(draw->shadow.t);
        const Point off = wi - cone.axis;
        result.beside = std::max(result.beside, 0.5 * dot(off, off) / cone.spread - 1);
        result.observed[part_of(cone, wi)] += 1;
        result.light_error =
            std::max(result.light_error, light_error(*draw, wi[1] / kPi * cone.arriving));
        result.mean += draw->light[2] / kThroughput[2] * kPi / kDraws;
        REQUIRE(draw->shadow.primitive == kNone);
        if (light.kind == shaders::LightKind::Directional) {
            REQUIRE(std::isinf(t));
        } else {
            const Point end = t * wi;
            const double r = static_cast<double>(light.radius_m);
            result.off_ball = std::max(result.off_ball, std::fabs(length(end - middle) - r));
        }
    }
    return result;
}

// Illuminance of the floor in lx; every draw must have a shadow ray.
double irradiance_of_draws(Isa isa, const shaders::SceneView& view) {
    double sum = 0;
    for (const std::optional<Draw>& draw : light_draws(isa, view)) {
        REQUIRE(draw.has_value());
        sum += draw->light[0] / kThroughput[0] * kPi / kDraws;
    }
    return sum;
}

}  // namespace

TEST_SUITE("engine/trace/light_sizes") {
    TEST_CASE("samples of a light with a size are uniform over its cone") {
        const std::vector<double> even(kRings * kSectors, 1.0 / (kRings * kSectors));
        std::vector<double> inward(kRings * kSectors);  // even by angle, not by solid angle
        for (std::size_t k = 0; k < inward.size(); ++k) {
            const double low = std::sqrt(static_cast<double>(k / kSectors) / kRings);
            const double high = std::sqrt(static_cast<double>(k / kSectors + 1) / kRings);
            inward[k] = (high - low) / kSectors;
        }
        for (const scene::Light& light : {ball({1, 2, -0.5f}, 0.05f),
                                          ball({1, 2, -0.5f}, 1.5f),
                                          ball({0, 2, 0}, 1.9999f),
                                          sun({-1, -2, 0.4f}, 0.53f),
                                          sun({0.2f, -1, 0}, 60)}) {
            CAPTURE(light.radius_m);
            CAPTURE(light.angle_deg);
            scene::Scene scene = floor_scene();
            const trace::SceneTables tables = tables_of(scene, {light});
            for_each_isa([&](Isa isa) {
                const ConeDraws draws = draws_of(light, isa, tables.view);
                // Rounding of a direction, over the width of a narrow cone.
                const double rounding = 1e-6 / std::sqrt(cone_of(light).spread);
                CHECK(draws.beside < 1e-5 + rounding);
                CHECK(draws.light_error < kRounding);
                CHECK(draws.off_ball <= 1e-3 * static_cast<double>(light.radius_m));
                CHECK(p_value(draws.observed, even) > kTooFar);
                CHECK(p_value(draws.observed, inward) < kTooFar);
            });
        }
    }

    TEST_CASE("the irradiance of a facing floor does not depend on the light's size") {
        for (const float radius : {0.0f, 1e-6f, 0.01f, 0.5f, 1.0f, 1.9f}) {
            CAPTURE(radius);
            const scene::Light light = ball({0.3f, 2, 0.4f}, radius);
            const double d2 = 0.3 * 0.3 + 4 + 0.4 * 0.4;
            scene::Scene scene = floor_scene();
            const trace::SceneTables tables = tables_of(scene, {light});
            for_each_isa([&](Isa isa) {
                CHECK(irradiance_of_draws(isa, tables.view) ==
                      doctest::Approx(6 / d2 * 2 / std::sqrt(d2)).epsilon(5e-4));
            });
        }
        for (const float angle : {0.0f, 0.001f, 0.53f, 10.0f, 90.0f}) {
            CAPTURE(angle);
            const scene::Light light = sun({-0.6f, -0.8f, 0}, angle);
            scene::Scene scene = floor_scene();
            const trace::SceneTables tables = tables_of(scene, {light});
            for_each_isa([&](Isa isa) {
                CHECK(irradiance_of_draws(isa, tables.view) ==
                      doctest::Approx(6 * 0.8).epsilon(5e-4));
            });
        }
    }

    TEST_CASE("inside a light all directions are lit and nothing is infinite") {
        for (const Float3& middle : {Float3{0, 0, 0}, {0, 0.999f, 0}, {0.3f, -0.5f, 0.2f}}) {
            CAPTURE(middle[1]);
            const scene::Light light = ball(middle, 1);
            scene::Scene scene = floor_scene();
            const trace::SceneTables tables = tables_of(scene, {light});
            for_each_isa([&](Isa isa) {
                const ConeDraws draws = draws_of(light, isa, tables.view);
                CHECK(draws.light_error < kRounding);
                CHECK(draws.off_ball < 1e-5);
                CHECK(draws.mean == doctest::Approx(6).epsilon(2e-3));  // I / r²
            });
        }
    }

    TEST_CASE("a ball behind rough glass and thin walls is found by what passes") {
        // Smooth enough that the ball is wider than the lobe: L · (1 − F) arrives, F = 4 %. The
        // cone alone would meet the lobe once in a thousand draws.
        scene::Light light = ball({0.1f, -2, 0}, 1);
        const double radiance = 6 / kPi;
        for (const bool is_solid : {false, true}) {
            CAPTURE(is_solid);
            scene::Scene scene;
            add_object(scene,
                       quad({-1, 0, -1}, {0, 0, 2}, {2, 0, 0}),
                       is_solid ? glass(1.5f, 0.1f) : window({1, 1, 1}, 0.1f));
            const trace::SceneTables tables = tables_of(scene, {light});
            for_each_isa([&](Isa isa) {
                double sum = 0;
                double squares = 0;
                for (const std::optional<Draw>& draw : light_draws(isa, tables.view)) {
                    const double light_0 = draw ? draw->light[0] / kThroughput[0] : 0;
                    sum += light_0;
                    squares += light_0 * light_0;
                }
                const double mean = sum / kDraws;
                CHECK(mean == doctest::Approx(0.96 * radiance).epsilon(0.01));
                const double deviation = std::sqrt(squares / kDraws - mean * mean);
                CHECK(deviation < 1.5 * mean);
            });
        }
    }

    TEST_CASE("a spot with a radius applies its falloff to each direction") {
        scene::Light light = spot_light({0, 2, 0}, {0.2f, -1, 0}, {6, 6, 6}, 0.995f, 0.9f);
        light.radius_m = 0.6f;
        const Cone cone = cone_of(light);
        const Point down = point_of(light.direction);
        scene::Scene scene = floor_scene();
        const trace::SceneTables tables = tables_of(scene, {light});
        for_each_isa([&](Isa isa) {
            double error = 0;
            u32 dark = 0;
            double least = 1;
            double most = 0;
            for (const std::optional<Draw>& draw : light_draws(isa, tables.view)) {
                if (!draw) {
                    ++dark;
                    continue;
                }
                const Point wi = point_of(draw->shadow.direction);
                const double way = (-dot(down, wi) - 0.9) / (0.995 - 0.9);
                const double share = std::pow(std::clamp(way, 0.0, 1.0), 2);
                least = std::min(least, share);
                most = std::max(most, share);
                error = std::max(error,
                                 std::fabs(draw->light[2] - share * wi[1] / kPi * cone.arriving));
            }
            // Some of the ball's directions lie outside of the spot's cone, some at its full power.
            CHECK(error < 1e-4);
            CHECK(dark > kDraws / 100);
            CHECK(dark < kDraws / 2);
            CHECK(least < 0.01);
            CHECK(most == doctest::Approx(1));
        });
    }

    TEST_CASE("a light without a size keeps every bit beside one with a size") {
        const scene::Light sharp =
            spot_light({0.5f, 1, 0.3f}, {-0.4f, -1, 0}, {2, 3, 4}, 0.9f, 0.5f);
        const scene::Light sharp_sun = directional_light({0.3f, -1, 0.1f}, {1, 2, 3});
        scene::Scene scene = floor_scene();
        const trace::SceneTables bare =
            tables_of(scene, {sharp, ball({-0.5f, 3, 0}, 0), sharp_sun, sun({-0.2f, -1, 0}, 0)});
        scene::Scene sized_scene = floor_scene();
        const trace::SceneTables sized = tables_of(
            sized_scene, {sharp, ball({-0.5f, 3, 0}, 0.7f), sharp_sun, sun({-0.2f, -1, 0}, 9)});
        const double near = length(point_of(sharp.position));
        for_each_isa([&](Isa isa) {
            const auto before = light_draws(isa, bare.view);
            const auto after = light_draws(isa, sized.view);
            u32 same = 0;
            u32 other = 0;
            for (std::size_t i = 0; i < before.size(); ++i) {
                REQUIRE(before[i].has_value());
                REQUIRE(after[i].has_value());
                const shaders::TraceRay& ray = before[i]->shadow;
                const bool is_spot = std::fabs(static_cast<double>(ray.t) - near) < 1e-3;
                const bool is_first_sun = std::isinf(ray.t) && ray.direction[0] < 0;
                const bool is_equal = std::memcmp(&ray, &after[i]->shadow, sizeof(ray)) == 0 &&
                                      before[i]->light == after[i]->light;
                if (is_spot || is_first_sun) {
                    same += is_equal ? 1 : 0;
                    CHECK_MESSAGE(is_equal, i);
                } else {
                    other += is_equal ? 0 : 1;
                }
            }
            CHECK(same > kDraws / 10);
            CHECK(other > kDraws / 10);
        });
    }
}

}  // namespace weft::tests
