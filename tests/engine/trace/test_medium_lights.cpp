// test_medium_lights.cpp — light samples of lights with a size at a point in a medium: cone and
// phase function draw them by one density, on every instruction set.
#include <doctest/doctest.h>

#include "engine/trace/reference/reference_phase.h"
#include "tests/engine/trace/light_cones.h"

namespace weft::tests {

namespace {

// Where the medium scatters all paths, and the direction in which they travel.
const Point kFrom = {0, 1, 0};
const Point kForward = {0, -1, 0};

// A floor in a medium so dense that it scatters each path where it starts.
scene::Scene dense_scene(float g) {
    scene::Scene scene = floor_scene();
    shaders::MaterialRecord medium = lambert({1, 1, 1});
    medium.flags |= shaders::kMaterialSolid | shaders::kMaterialBoundary;
    std::fill_n(medium.sigma_s, 3, 1e7F);
    medium.phase_g = g;
    add_object(scene, box({-2, -2, -2}, {2, 2, 2}, Facing::Out), medium);
    return scene;
}

std::vector<std::optional<Draw>> draws_in_medium(Isa isa, const trace::SceneTables& tables) {
    return light_draws(isa, tables.view, tables.instances[1].material);
}

trace::reference::Vec vec_of(const Point& p) {
    return {p[0], p[1], p[2]};
}

// Shares of the parts of a cone by a density over its directions. Directions that `density` has
// beside the cone are a part of their own, the last.
template <typename Density>
std::vector<double> shares_of(const Cone& cone, const Density& density) {
    // Pieces of a ring and of a sector.
    constexpr std::size_t kThin = 400;
    constexpr std::size_t kFine = 12;
    const Point side = std::fabs(cone.axis[0]) > 0.9 ? Point{0, 0, 1} : Point{1, 0, 0};
    const Point x = math::normalize(cross(cone.axis, side));
    const Point y = cross(cone.axis, x);
    std::vector<double> shares(kRings * kSectors + 1, 0.0);
    const double piece = 2 * kPi * cone.spread / (kRings * kSectors * kThin * kFine);
    double sum = 0;
    for (std::size_t i = 0; i < kRings * kThin; ++i) {
        const double depth = cone.spread * (static_cast<double>(i) + 0.5) / (kRings * kThin);
        const double sine = std::sqrt(depth * (2 - depth));
        for (std::size_t j = 0; j < kSectors * kFine; ++j) {
            const double turn =
                2 * kPi * ((static_cast<double>(j) + 0.5) / (kSectors * kFine) - 0.5);
            const Point wi =
                (1 - depth) * cone.axis + sine * std::cos(turn) * x + sine * std::sin(turn) * y;
            const double share = density(wi) * piece;
            shares[i / kThin * kSectors + j / kFine] += share;
            sum += share;
        }
    }
    shares.back() = std::max(0.0, 1 - sum);
    return shares;
}

struct Moments {
    double mean = 0;
    double deviation = 0;
};

Moments moments_of(const std::vector<std::optional<Draw>>& draws) {
    double sum = 0;
    double squares = 0;
    for (const std::optional<Draw>& draw : draws) {
        const double light = draw ? draw->light[0] / kThroughput[0] : 0;
        sum += light / kDraws;
        squares += light * light / kDraws;
    }
    return {sum, std::sqrt(std::max(0.0, squares - sum * sum))};
}

}  // namespace

TEST_SUITE("engine/trace/medium_lights") {
    TEST_CASE("cone and phase function draw a light with a size by one density") {
        struct Case {
            float g;
            scene::Light light;
            bool is_shared;  // the phase function draws a part
        };

        // Lights before, beside and behind the path, seen from outside and from inside.
        for (const Case& c : {Case{0.9F, ball({0.2F, -1, 0}, 0.8F), true},
                              Case{0.9F, ball({0.9F, -1, 0.3F}, 0.8F), true},
                              Case{0.5F, ball({0.3F, 0.2F, 0}, 0.82F), true},
                              Case{-0.8F, ball({0.3F, 3, 0.4F}, 1.2F), true},
                              Case{0.8F, ball({0.2F, 0.8F, 0}, 2), true},
                              Case{0.95F, sun({0.1F, 1, 0.2F}, 40), true},
                              Case{0.9F, ball({0, 3, 0}, 1), false},
                              Case{0, ball({0, -1, 0}, 1.5F), false},
                              Case{0.9F, sun({0.1F, 1, 0}, 0.53F), false}}) {
            CAPTURE(c.g);
            CAPTURE(c.light.position.y);
            CAPTURE(c.light.angle_deg);
            scene::Scene scene = dense_scene(c.g);
            const trace::SceneTables tables = tables_of(scene, {c.light});
            const Cone cone = cone_of(c.light, kFrom);
            const double area = 2 * kPi * cone.spread;
            const trace::reference::Phase phase(vec_of(kForward), static_cast<double>(c.g));
            const double share = phase.lobe_share(vec_of(cone.axis), cone.spread);
            CHECK((share > 0) == c.is_shared);
            const auto density_of = [&](const Point& wi) {
                return (1 - share) / area + share * phase.pdf(vec_of(wi));
            };
            const std::vector<double> shares = shares_of(cone, density_of);
            const std::vector<double> even =
                shares_of(cone, [&](const Point& /*wi*/) { return 1 / area; });
            for_each_isa([&](Isa isa) {
                std::vector<double> observed(kRings * kSectors + 1, 0.0);
                double error = 0;
                for (const std::optional<Draw>& draw : draws_in_medium(isa, tables)) {
                    if (!draw) {
                        observed.back() += 1;
                        continue;
                    }
                    const Point wi = point_of(draw->shadow.direction);
                    observed[part_of(cone, wi)] += 1;
                    const double light = phase.pdf(vec_of(wi)) * cone.arriving / area;
                    error = std::max(error, light_error(*draw, light / density_of(wi)));
                }
                CHECK(error < 5e-4);
                CHECK(p_value(observed, shares) > kTooFar);
                CHECK((p_value(observed, even) < kTooFar) == c.is_shared);
            });
        }
    }

    TEST_CASE("a lamp wider than the phase function has little noise") {
        // The cone alone would meet the peak now and then: deviations of 2 to 12 times the mean.
        for (const float g : {0.9F, 0.95F, 0.99F}) {
            CAPTURE(g);
            scene::Scene scene = dense_scene(g);
            const scene::Light light = ball({0.1F, -1, 0}, 1);
            const trace::SceneTables tables = tables_of(scene, {light});
            const Cone cone = cone_of(light, kFrom);
            const trace::reference::Phase phase(vec_of(kForward), static_cast<double>(g));
            const auto density_of = [&](const Point& wi) { return phase.pdf(vec_of(wi)); };
            const double seen = 1 - shares_of(cone, density_of).back();
            for_each_isa([&](Isa isa) {
                const Moments light_moments = moments_of(draws_in_medium(isa, tables));
                CHECK(
                    light_moments.mean ==
                    doctest::Approx(seen * cone.arriving / (2 * kPi * cone.spread)).epsilon(0.01));
                CHECK(light_moments.deviation < 0.5 * light_moments.mean);
            });
        }
    }
}

}  // namespace weft::tests
