// test_light_densities.cpp — light samples of the shade kernel follow their densities, and carry
// radiance over density, on every instruction set.
//
// Chi-square tests points on triangles and the choice among lights; one-sided, since the samples
// are more even than random ones. It must also reject a wrong density. Contributions are compared
// with closed forms.
#include <doctest/doctest.h>

#include "engine/trace/reference/reference_lights.h"
#include "tests/engine/trace/floor_draws.h"

namespace weft::tests {

namespace {

// A light of one or two triangles, by its corners in fan order.
Shape light_shape(const std::vector<Float3>& corners) {
    Shape shape;
    for (const Float3& corner : corners) {
        shape.positions.insert(shape.positions.end(), &corner.x, &corner.x + 3);
    }
    for (u32 k = 1; k + 1 < corners.size(); ++k) {
        shape.indices.insert(shape.indices.end(), {0, k, k + 1});
    }
    return shape;
}

// Solid-angle density of a sample of the triangle's area alone, seen from the origin.
double area_density(const std::array<Point, 3>& corners, const shaders::TraceRay& shadow) {
    const Point across = cross(corners[1] - corners[0], corners[2] - corners[0]);
    const double twice_area = length(across);
    const double cosine = std::fabs(dot(across, point_of(shadow.direction))) / twice_area;
    const double distance = static_cast<double>(shadow.t);
    return distance * distance / (0.5 * twice_area * cosine);
}

// Probability that a light sample at the floor chooses a light.
double choice_at_floor(const trace::SceneTables& tables, const shaders::LightRecord& light) {
    return trace::reference::choice_pdf(tables.view, light, {{0, 0, 0}, {0, 1, 0}, false});
}

// Bins of a triangle: kSide² congruent parts, two to each (i, j) but one on the long edge.
constexpr std::size_t kSide = 12;

std::size_t part_of(double b1, double b2) {
    const double x = std::clamp(b1 * kSide, 0.0, kSide - 1e-9);
    const double y = std::clamp(b2 * kSide, 0.0, kSide - 1e-9);
    const auto i = static_cast<std::size_t>(x);
    const auto j = std::min(static_cast<std::size_t>(y), kSide - 1 - i);
    const bool is_upper = i + j + 1 < kSide && x + y - static_cast<double>(i + j) > 1;
    return 2 * (i * kSide + j) + (is_upper ? 1 : 0);
}

// Shares of the parts if b1 falls in a row of n parts with probability `row_share(n)`, evenly over
// it.
template <typename RowShare>
std::vector<double> part_shares(const RowShare& row_share) {
    std::vector<double> shares(2 * kSide * kSide, 0.0);
    for (std::size_t i = 0; i < kSide; ++i) {
        const double parts = 2 * static_cast<double>(kSide - i) - 1;
        for (std::size_t j = 0; i + j < kSide; ++j) {
            const std::size_t bin = 2 * (i * kSide + j);
            shares[bin] = row_share(parts) / parts;
            shares[bin + 1] = i + j + 1 < kSide ? shares[bin] : 0.0;
        }
    }
    return shares;
}

// Statistics of draws of a one-triangle light of radiance 2 (instance 1).
struct TriangleDraws {
    std::vector<double> observed = std::vector<double>(2 * kSide * kSide, 0.0);
    double off_triangle = 0;  // largest distance of a point outside of it
    double light_error = 0;
};

TriangleDraws triangle_draws(const std::vector<std::optional<Draw>>& draws,
                             const std::array<Point, 3>& p) {
    const Point e1 = p[1] - p[0];
    const Point e2 = p[2] - p[0];
    const Point normal = cross(e1, e2);
    TriangleDraws result;
    for (const std::optional<Draw>& draw : draws) {
        REQUIRE(draw.has_value());
        REQUIRE(draw->shadow.instance == 1);
        REQUIRE(draw->shadow.primitive == 0);
        const Point wi = point_of(draw->shadow.direction);
        const double t = static_cast<double>(draw->shadow.t);
        const Point q = t * wi - p[0];
        const double b1 = dot(cross(q, e2), normal) / dot(normal, normal);
        const double b2 = dot(cross(e1, q), normal) / dot(normal, normal);
        result.off_triangle =
            std::max({result.off_triangle, std::fabs(dot(q, normal)), -b1, -b2, b1 + b2 - 1});
        result.observed[part_of(b1, b2)] += 1;
        const double density = area_density(p, draw->shadow);
        const double arriving = 2 / density * mis_weight(density, wi[1]);
        result.light_error =
            std::max(result.light_error, light_error(*draw, wi[1] / kPi * arriving));
    }
    return result;
}

// Irradiance at the origin of the plane y = 0 by a polygon above it of radiance 1 (Lambert 1760).
double polygon_irradiance(const std::vector<Float3>& corners) {
    double sum = 0;
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const Point a = point_of(corners[k]);
        const Point b = point_of(corners[(k + 1) % corners.size()]);
        const Point side = cross(a, b);
        const double angle = std::atan2(length(side), dot(a, b));
        sum += angle * side[1] / length(side);
    }
    return 0.5 * std::fabs(sum);
}

// Light samples of one punctual light relative to throughput · `grey`; 0: no sample.
void check_delta(const scene::Light& light, double grey, const Point& direction, double distance) {
    CAPTURE(light.name);
    scene::Scene scene = floor_scene();
    scene.lights = {light};
    const trace::SceneTables tables = trace::make_scene_tables(scene, {});
    for_each_isa([&](Isa isa) {
        double error = 0;
        for (const std::optional<Draw>& draw : light_draws(isa, tables.view)) {
            REQUIRE(draw.has_value() == (grey > 0));
            if (!draw) {
                continue;
            }
            error = std::max(error, light_error(*draw, grey));
            error = std::max(error, length(point_of(draw->shadow.direction) - direction));
            REQUIRE(draw->shadow.primitive == kNone);
            const double t = static_cast<double>(draw->shadow.t);
            error = std::max(
                error,
                std::isinf(distance) ? (std::isinf(t) ? 0.0 : 1.0) : std::fabs(t / distance - 1));
        }
        CHECK(error < 1e-5);
    });
}

}  // namespace

TEST_SUITE("engine/trace/light_densities") {
    TEST_CASE("points on a triangle are uniform by area whichever way it faces") {
        const std::array<Float3, 3> corners = {
            {{-0.7f, 1.2f, -0.3f}, {0.9f, 0.8f, -0.5f}, {0.2f, 1.9f, 1.1f}}};
        const auto by_area = part_shares([](double parts) { return parts / (kSide * kSide); });
        // Without the root: b1 = u0.
        const auto by_side = part_shares([](double) { return 1.0 / kSide; });
        for (const std::size_t second : {1u, 2u}) {
            CAPTURE(second);
            const Float3& b = corners[second];
            const Float3& c = corners[3 - second];
            scene::Scene scene = floor_scene();
            add_object(scene, light_shape({corners[0], b, c}), emitter({2, 2, 2}));
            const trace::SceneTables tables = trace::make_scene_tables(scene, {});
            for_each_isa([&](Isa isa) {
                const TriangleDraws draws =
                    triangle_draws(light_draws(isa, tables.view),
                                   {point_of(corners[0]), point_of(b), point_of(c)});
                CHECK(draws.off_triangle < 1e-5);
                CHECK(draws.light_error < kRounding);
                CHECK(p_value(draws.observed, by_area) > kTooFar);
                CHECK(p_value(draws.observed, by_side) < kTooFar);
            });
        }
    }

    TEST_CASE("light samples of a quad without their MIS weight average to its irradiance") {
        const std::vector<Float3> corners = {
            {0.3f, 1.5f, -0.4f}, {0.9f, 1.5f, -0.4f}, {0.9f, 1.5f, 0.4f}, {0.3f, 1.5f, 0.4f}};
        constexpr double kRadiance = 3;
        scene::Scene scene = floor_scene();
        add_object(scene, light_shape(corners), emitter({3, 3, 3}));
        const trace::SceneTables tables = trace::make_scene_tables(scene, {});
        const double wanted = kRadiance * polygon_irradiance(corners) / kPi;
        for_each_isa([&](Isa isa) {
            double sum = 0;
            double weighted = 0;
            for (const std::optional<Draw>& draw : light_draws(isa, tables.view)) {
                REQUIRE(draw.has_value());
                const u32 k = draw->shadow.primitive;
                REQUIRE(k < 2);
                const shaders::LightRecord& light =
                    tables.lights[tables.instances[1].first_light + k];
                const std::array<Point, 3> p = {
                    point_of(corners[0]), point_of(corners[k + 1]), point_of(corners[k + 2])};
                const double density =
                    choice_at_floor(tables, light) * area_density(p, draw->shadow);
                const double cosine = static_cast<double>(draw->shadow.direction[1]);
                sum += draw->light[2] / mis_weight(density, cosine) / kDraws;
                weighted += draw->light[2] / kDraws;
            }
            CHECK(sum == doctest::Approx(wanted).epsilon(5e-4));
            CHECK(weighted < 0.999 * wanted);  // the scattered half is missing
        });
    }

    TEST_CASE("lights are chosen with their probability and not evenly") {
        scene::Scene scene = floor_scene();
        scene.lights = {point_light({0.5f, 1, 0}, {2, 2, 2}),
                        point_light({-0.5f, 2, 0}, {1, 1, 1}),
                        spot_light({0, 3, 0}, {0, -1, 0}, {4, 4, 4}, 0.9f, 0.8f),
                        directional_light({0.2f, -1, 0.1f}, {0.5f, 0.5f, 0.5f})};
        add_object(
            scene,
            light_shape(
                {{0.3f, 1.5f, -0.4f}, {0.9f, 1.5f, -0.4f}, {0.9f, 1.5f, 0.1f}, {0.3f, 1.5f, 0.8f}}),
            emitter({3, 3, 3}));
        scene.environment.width = 2;
        scene.environment.height = 1;
        scene.environment.pixels.assign(6, 0.4f);
        trace::TablesConfig config;
        SUBCASE("by power") {
            config.light_choice = trace::LightChoice::Power;
        }
        SUBCASE("by the light tree") {
            config.light_choice = trace::LightChoice::Tree;
        }
        const trace::SceneTables tables = trace::make_scene_tables(scene, config);
        REQUIRE(tables.lights.size() >= 7);
        // One bin for each light, and one for directions below the floor: half of the environment.
        std::vector<double> shares;
        std::vector<double> even(8, 1.0 / 7);
        for (std::size_t k = 0; k < 7; ++k) {
            shares.push_back(choice_at_floor(tables, tables.lights[k]));
        }
        shares.push_back(0.5 * shares[6]);
        shares[6] *= 0.5;
        even[6] = even[7] = 0.5 / 7;
        const auto bin_of = [&](const std::optional<Draw>& draw) -> std::size_t {
            if (!draw) {
                return 7;
            }
            const shaders::TraceRay& shadow = draw->shadow;
            if (shadow.primitive != kNone) {
                return tables.instances[shadow.instance].first_light + shadow.primitive;
            }
            if (std::isinf(shadow.t)) {
                const Point off = point_of(shadow.direction) - point_of(tables.lights[3].direction);
                return length(off) > 2 - 1e-6 ? 3 : 6;
            }
            return shadow.t > 2.5f ? 2 : (shadow.t > 1.5f ? 1 : 0);
        };
        for_each_isa([&](Isa isa) {
            std::vector<double> observed(8, 0.0);
            for (const std::optional<Draw>& draw : light_draws(isa, tables.view)) {
                observed[bin_of(draw)] += 1;
            }
            CHECK(p_value(observed, shares) > kTooFar);
            CHECK(p_value(observed, even) < kTooFar);
        });
    }

    TEST_CASE("samples of a thousand lamps average to their sum, with less noise by the tree") {
        scene::Scene scene = floor_scene();
        double wanted = 0;
        for (u32 k = 0; k < 1000; ++k) {
            // Lamps on a spiral over a hall of 60 m.
            const double turn = 2.39996 * k;
            const double radius = std::sqrt(static_cast<double>(k)) + 0.5;
            const Point at = {
                radius * std::cos(turn), 2.5 + 0.5 * std::sin(5 * turn), radius * std::sin(turn)};
            const double intensity = 1 + 0.5 * std::cos(3 * turn);
            const auto grey = static_cast<float>(intensity);
            scene.lights.push_back(point_light(Float3(at), {grey, grey, grey}));
            const double distance2 = dot(at, at);
            wanted += intensity * at[1] / (distance2 * std::sqrt(distance2)) / kPi;
        }
        for_each_isa([&](Isa isa) {
            std::array<double, 2> mean{};
            std::array<double, 2> variance{};
            for (const auto choice : {trace::LightChoice::Tree, trace::LightChoice::Power}) {
                trace::TablesConfig config;
                config.light_choice = choice;
                const trace::SceneTables tables = trace::make_scene_tables(scene, config);
                const auto k = static_cast<std::size_t>(choice);
                for (const std::optional<Draw>& draw : light_draws(isa, tables.view)) {
                    const double light = draw ? draw->light[2] : 0;
                    mean[k] += light / kDraws;
                    variance[k] += (light - wanted) * (light - wanted) / kDraws;
                }
                CHECK(mean[k] == doctest::Approx(wanted).epsilon(
                                     choice == trace::LightChoice::Tree ? 2e-3 : 2e-2));
            }
            CHECK(variance[0] < 0.1 * variance[1]);
        });
    }

    TEST_CASE("point and spot and directional lights give their closed form") {
        const double distance = std::sqrt(1.0 + 4.0 + 0.25);
        const Point wi = {1 / distance, 2 / distance, -0.5 / distance};
        const double arriving = 6 / (distance * distance) * wi[1] / kPi;
        check_delta(point_light({1, 2, -0.5f}, {6, 6, 6}), arriving, wi, distance);
        check_delta(point_light({1, -2, -0.5f}, {6, 6, 6}), 0, wi, distance);

        // Straight down, seen at the cosine wi[1] ≈ 0.873: inside the cone, in its falloff,
        // outside.
        const auto spot = [](float cos_inner, float cos_outer) {
            return spot_light({1, 2, -0.5f}, {0, -1, 0}, {6, 6, 6}, cos_inner, cos_outer);
        };
        check_delta(spot(0.85f, 0.8f), arriving, wi, distance);
        const double share = (wi[1] - 0.75) / (0.9375 - 0.75);
        check_delta(spot(0.9375f, 0.75f), arriving * share * share, wi, distance);
        check_delta(spot(0.95f, 0.9f), 0, wi, distance);

        check_delta(directional_light({-0.6f, -0.8f, 0}, {5, 5, 5}),
                    5 * 0.8 / kPi,
                    {0.6, 0.8, 0},
                    INFINITY);
        check_delta(directional_light({0.6f, 0.8f, 0}, {5, 5, 5}), 0, {0.6, 0.8, 0}, INFINITY);
    }
}

}  // namespace weft::tests
