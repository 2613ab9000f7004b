// test_hits.cpp — a hit is a function of ray and triangle: kernels of every instruction set, keyed
// or not, over trees of every shape give the bits of the brute force.
#include <limits>

#include <doctest/doctest.h>

#include "engine/math/affine.h"
#include "engine/math/vector.h"
#include "tests/engine/accel/test_stage.h"

using namespace weft;
using namespace weft::accel;
using shaders::Isa;

namespace {

const std::vector<BuildConfig> kTrees = {{1, 4, true, {}}, {2, 1, true, {}}, {1, 3, false, {}}};

// Rays in lanes, on the CPU and on the emulated device.
void expect_same_packets(const Stage& stage,
                         const Acceleration& tree,
                         const Rays& rays,
                         Isa isa,
                         bool is_any,
                         const Rays& truth) {
    const shaders::TraceKernels& row = *shaders::trace_kernels(isa);
    const auto packet = is_any ? row.any_packet : row.closest_packet;
    CHECK(count_differences(truth, trace_with(packet, stage, tree, rays)) == 0);
    if (!is_any) {
        CHECK(count_differences(truth, trace_with(row.closest_wide, stage, tree, rays)) == 0);
    }
    if (const shaders::TraceKernels* device = shaders::device_trace_kernels(isa)) {
        const auto group = is_any ? device->any_group : device->closest_group;
        CHECK(count_differences(truth, trace_with(group, stage, tree, rays)) == 0);
        KeyedStream stream(stage, tree, *device, is_any, 40);
        CHECK(count_differences(truth, stream.trace(rays)) == 0);
    }
}

// Checks every traversal strategy against the brute force.
void expect_same_hits(const Stage& stage, const Rays& rays, bool is_any) {
    const Rays truth = trace_brute(stage, must_build(stage), rays, is_any);
    for (std::size_t k = 0; k < kTrees.size(); ++k) {
        CAPTURE(k);
        const Acceleration tree = must_build(stage, kTrees[k]);
        for (const Isa isa : runnable_isas()) {
            CAPTURE(static_cast<u32>(isa));
            CHECK(count_differences(truth, trace_group(stage, tree, rays, isa, is_any)) == 0);
            expect_same_packets(stage, tree, rays, isa, is_any, truth);
            // Visits alone; then short lists as walks; then with too little room for all lists.
            for (const u32 limit : {0u, 12u, 100u, 20000u}) {
                KeyedStream stream(stage, tree, isa, is_any, limit);
                CHECK(count_differences(truth, stream.trace(rays)) == 0);
            }
        }
    }
}

void expect_same_hits(const Stage& stage, const Rays& rays) {
    expect_same_hits(stage, rays, false);
    expect_same_hits(stage, rays, true);
}

math::Affine stretched(float x, float y, float z, const Point& move) {
    return {x, 0, 0, move[0], 0, y, 0, move[1], 0, 0, z, move[2]};
}

// A random matrix, mirrored for odd seeds, whose axes have different lengths and are not
// orthogonal.
math::Affine random_affine(u64 seed) {
    Dice dice(seed);
    math::Affine matrix{};
    for (float& entry : matrix) {
        entry = dice.between(-0.6f, 0.6f);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        matrix[5 * axis] += seed % 2 == 1 && axis == 0 ? -1.2f : 1.2f;
    }
    return matrix;
}

std::vector<Corners> scaled_triangles(std::vector<Corners> triangles, float scale) {
    for (Corners& triangle : triangles) {
        for (Point& corner : triangle) {
            corner *= scale;
        }
    }
    return triangles;
}

// Where the ray meets the plane of the triangle that it hit, in double precision; infinite where it
// meets it at less than 6°.
double exact_distance(const Stage& stage, const shaders::TraceRay& ray) {
    const scene::Instance& instance = stage.scene().instances[ray.instance];
    const math::DAffine to_world = math::to_double(instance.object_to_world);
    std::array<math::DVec3, 3> corner{};
    const Corners corners = object_corners(stage.scene(), instance.mesh, ray.primitive);
    for (std::size_t k = 0; k < 3; ++k) {
        corner[k] = math::transform_point(to_world, math::DVec3(corners[k]));
    }
    const math::DVec3 normal = math::normalize(cross(corner[1] - corner[0], corner[2] - corner[0]));
    const math::DVec3 direction(math::vec3_at(ray.direction));
    const double cosine = dot(normal, direction) / length(direction);
    const math::DVec3 origin(math::vec3_at(ray.origin));
    return std::fabs(cosine) < 0.1 ? std::numeric_limits<double>::infinity()
                                   : dot(normal, corner[0] - origin) / dot(normal, direction);
}

}  // namespace

TEST_SUITE("engine/accel/hits") {
    TEST_CASE("every kernel and tree and order gives the same hits on a soup") {
        Stage stage;
        stage.add(triangle_soup(600, 0.2f, 1));
        stage.finish();
        const Rays rays = random_rays(3000, 1.5f, 2);
        expect_same_hits(stage, rays);
        const Acceleration tree = must_build(stage);
        const u32 hits = count_hits(trace_group(stage, tree, rays, Isa::Sse4, false));
        CHECK(hits > 1500);
        CHECK(hits < 3000);
    }

    TEST_CASE("instruction sets agree on a large soup") {
        Stage stage;
        stage.add(triangle_soup(20000, 0.05f, 3));
        stage.finish();
        const Acceleration tree = must_build(stage);
        const Rays rays = random_rays(20000, 1.5f, 4);
        for (const bool is_any : {false, true}) {
            const Rays first = trace_group(stage, tree, rays, Isa::Sse4, is_any);
            CHECK(count_hits(first) > 10000);
            for (const Isa isa : runnable_isas()) {
                CHECK(count_differences(first, trace_group(stage, tree, rays, isa, is_any)) == 0);
            }
        }
    }

    TEST_CASE("every kernel gives the same hits on needles") {
        Dice dice(5);
        std::vector<Corners> needles;
        for (u32 k = 0; k < 500; ++k) {
            const Point from = dice.point(1);
            const Point to = dice.point(1);
            const Point near_to = {to[0] + dice.between(-1e-4f, 1e-4f), to[1], to[2] + 1e-5f};
            needles.push_back({from, to, near_to});
        }
        Stage stage;
        stage.add(needles);
        stage.finish();
        Rays rays = random_rays(1000, 1.5f, 6);
        // Aim at the needles: random rays would hardly hit any.
        for (u32 k = 0; k < 2000; ++k) {
            const Corners& needle = needles[k % needles.size()];
            const Point from = dice.point(2);
            const float s = dice.unit();
            Point direction{};
            for (u32 axis = 0; axis < 3; ++axis) {
                direction[axis] = needle[0][axis] * s +
                                  0.5f * (needle[1][axis] + needle[2][axis]) * (1 - s) - from[axis];
            }
            rays.add(from, direction);
        }
        expect_same_hits(stage, rays);
    }

    TEST_CASE("of coplanar duplicates the lowest instance and primitive wins") {
        const Corners square_half = {{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}};
        Stage stage;
        const u32 mesh =
            stage.add_mesh({square_half, square_half, square_half, square_half, square_half});
        const u32 other = stage.add_mesh({square_half, square_half});
        stage.add_instance(other);
        stage.add_instance(mesh);
        stage.finish();
        Rays rays;
        Dice dice(7);
        for (u32 k = 0; k < 200; ++k) {
            rays.add({dice.between(-1, 1), dice.between(-1, 1), 2},
                     {dice.between(-0.1f, 0.1f), 0.05f, -1});
        }
        rays.rays[0].self_instance = 0;
        rays.rays[0].self_primitive = 0;
        rays.rays[0].origin[0] = rays.rays[0].origin[1] = 0;
        expect_same_hits(stage, rays);
        const Rays traced = trace_group(stage, must_build(stage), rays, Isa::Sse4, false);
        CHECK(traced.rays[0].instance == 0);
        CHECK(traced.rays[0].primitive == 1);
        for (u32 k = 1; k < traced.size(); ++k) {
            if (traced.rays[k].primitive != kNone) {
                CHECK(traced.rays[k].instance == 0);
                CHECK(traced.rays[k].primitive == 0);
            }
        }
    }

    TEST_CASE("rays along the planes of boxes lose no triangle") {
        // Walls across a grid: box sides, triangle edges and rays all share the same coordinates.
        std::vector<Corners> walls;
        for (i32 x = -4; x < 4; ++x) {
            for (i32 y = -4; y < 4; ++y) {
                const auto x0 = static_cast<float>(x);
                const auto y0 = static_cast<float>(y);
                const float z = static_cast<float>((x + y) % 3);
                walls.push_back({{{x0, y0, z}, {x0 + 1, y0, z}, {x0 + 1, y0 + 1, z}}});
                walls.push_back({{{x0, y0, z}, {x0 + 1, y0 + 1, z}, {x0, y0 + 1, z}}});
            }
        }
        Stage stage;
        stage.add(walls);
        stage.finish();
        Rays rays;
        for (i32 x = -3; x <= 3; ++x) {
            for (i32 y = -3; y <= 3; ++y) {
                for (const float zero : {0.0f, -0.0f}) {
                    rays.add({static_cast<float>(x), static_cast<float>(y), 9}, {zero, zero, -1});
                    rays.add({static_cast<float>(x), static_cast<float>(y) + 0.5f, 9},
                             {zero, zero, -2});
                    rays.add({-9, static_cast<float>(y), static_cast<float>(x % 3)},
                             {1, zero, zero});
                }
            }
        }
        expect_same_hits(stage, rays);
        for (const Isa isa : runnable_isas()) {
            const Rays traced = trace_group(stage, must_build(stage), rays, isa, false);
            for (u32 k = 0; k < traced.size(); ++k) {
                if (traced.rays[k].direction[2] < 0) {
                    CHECK(traced.rays[k].primitive != kNone);
                }
            }
        }
    }

    TEST_CASE("hits agree at scales from a micrometre to a thousand kilometres") {
        for (const float scale : {1e-6f, 1e-3f, 1e3f, 1e6f}) {
            CAPTURE(scale);
            Stage stage;
            stage.add(scaled_triangles(triangle_soup(300, 0.2f, 8), scale));
            stage.finish();
            const Rays rays = random_rays(500, 1.5f * scale, 9);
            expect_same_hits(stage, rays);
            const Acceleration tree = must_build(stage);
            CHECK(count_hits(trace_group(stage, tree, rays, Isa::Sse4, false)) > 200);
        }
    }

    TEST_CASE("hits agree on mirrored and sheared and stretched instances") {
        Stage stage;
        const u32 shared = stage.add_mesh(triangle_soup(60, 0.3f, 10));
        const u32 second = stage.add_mesh(triangle_soup(9, 0.5f, 11));
        for (u64 k = 0; k < 12; ++k) {
            math::Affine matrix = random_affine(k);
            matrix[3] *= 4;
            matrix[7] *= 4;
            matrix[11] *= 4;
            stage.add_instance(k % 3 == 0 ? second : shared, 0, matrix);
        }
        stage.add_instance(shared, 0, stretched(1e-3f, 2, 1, {0, 0, 1}));
        stage.add_instance(second, 0, stretched(0, 1, 1, {0, 1, 0}));  // flattened: baked
        stage.add(triangle_soup(100, 0.3f, 12));
        stage.finish();
        const Rays rays = random_rays(2000, 4, 13);
        expect_same_hits(stage, rays);
        const Acceleration tree = must_build(stage);
        CHECK(tree.placements.size() == 13);
        const Rays traced = trace_group(stage, tree, rays, Isa::Sse4, false);
        std::array<u32, 15> hits{};
        for (const shaders::TraceRay& ray : traced.rays) {
            if (ray.primitive != kNone) {
                ++hits.at(ray.instance);
            }
        }
        for (std::size_t k = 0; k < 12; ++k) {
            CHECK(hits[k] > 0);
        }
        CHECK(hits[14] > 0);
    }

    TEST_CASE("hits are as exact on far placements as on near ones") {
        constexpr double kMostError =
            4e-6;  // of rays up to 4 long; floats near 3000 are 2⁻¹² apart
        Stage stage;
        const u32 mesh = stage.add_mesh(triangle_soup(400, 0.2f, 31));
        const Point place = {2000, 40, -3000};
        for (u32 k = 0; k < 2; ++k) {
            math::Affine to_world = random_affine(32 + k);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                to_world[4 * axis + 3] = place[axis] + static_cast<float>(4 * k);
            }
            stage.add_instance(mesh, 0, to_world);
        }
        stage.finish();
        Rays rays = random_rays(2000, 1.5f, 34);
        for (shaders::TraceRay& ray : rays.rays) {
            for (u32 axis = 0; axis < 3; ++axis) {
                ray.origin[axis] += place[axis];
            }
        }
        expect_same_hits(stage, rays);
        const Rays hits = trace_group(stage, must_build(stage), rays, Isa::Sse4, false);
        u32 measured = 0;
        for (const shaders::TraceRay& hit : hits.rays) {
            const double exact = hit.primitive == kNone ? 9 : exact_distance(stage, hit);
            if (exact < 4) {
                ++measured;
                CHECK(std::fabs(static_cast<double>(hit.t) - exact) < kMostError);
            }
        }
        CHECK(measured > 500);
    }

    TEST_CASE("bundles of rays traverse placements together and hits agree") {
        Stage stage;
        const u32 veil = stage.add_material(veil_material(0.6f));
        const u32 pane = stage.add_material(pane_material());
        const u32 shared = stage.add_mesh(triangle_soup(80, 0.3f, 30));
        for (u64 k = 0; k < 9; ++k) {
            math::Affine matrix = random_affine(k);
            matrix[3] *= 3;
            matrix[7] *= 3;
            stage.add_instance(shared, k % 3 == 0 ? veil : k % 3 == 1 ? pane : 0, matrix);
        }
        stage.add(triangle_soup(50, 0.3f, 31));
        stage.finish();
        // 60 bundles of 50 rays each: more rays of a class than one set or one packet holds.
        Dice dice(32);
        Rays rays;
        for (u32 bundle = 0; bundle < 60; ++bundle) {
            const Point from = dice.point(4);
            const Point to = dice.point(1);
            for (u32 k = 0; k < 50; ++k) {
                const Point off = dice.point(0.2f);
                rays.add(
                    from,
                    {to[0] + off[0] - from[0], to[1] + off[1] - from[1], to[2] + off[2] - from[2]});
            }
        }
        expect_same_hits(stage, rays);
        const Acceleration tree = must_build(stage);
        CHECK(tree.placements.size() == 9);
        const Rays traced = trace_group(stage, tree, rays, Isa::Sse4, false);
        CHECK(count_hits(traced) > 500);
        // Trace again from the same origins without the hits; shadow rays end on the next hit.
        for (u32 k = 0; k < rays.size(); ++k) {
            rays.rays[k].self_primitive = traced.rays[k].primitive;
            rays.rays[k].self_instance = traced.rays[k].instance;
        }
        expect_same_hits(stage, rays, false);
        const Rays next = trace_group(stage, tree, rays, Isa::Sse4, false);
        CHECK(count_differences(traced, next) > 500);
        for (u32 k = 0; k < rays.size(); ++k) {
            rays.rays[k].primitive = next.rays[k].primitive;
            rays.rays[k].instance = next.rays[k].instance;
            rays.rays[k].t = next.rays[k].t;
        }
        expect_same_hits(stage, rays, true);
    }

    TEST_CASE("a shadow ray ignores the triangle it starts on and the one it ends on") {
        const Corners floor = {{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}};
        const Corners light = {{{-1, -1, 1}, {1, -1, 1}, {0, 1, 1}}};
        const Corners shade = {{{-1, -1, 0.5f}, {1, -1, 0.5f}, {0, 1, 0.5f}}};
        for (const bool is_shaded : {false, true}) {
            Stage stage;
            stage.add(is_shaded ? std::vector<Corners>{floor, light, shade}
                                : std::vector<Corners>{floor, light});
            stage.finish();
            Rays rays;
            rays.add({0, 0, -1e-3f}, {0, 0, 1}, 1.5f);
            rays.rays[0].self_instance = rays.rays[0].instance = 0;
            rays.rays[0].self_primitive = 0;
            rays.rays[0].primitive = 1;
            const Acceleration tree = must_build(stage);
            for (const Isa isa : runnable_isas()) {
                const Rays traced = trace_group(stage, tree, rays, isa, true);
                CHECK((traced.rays[0].t < 0) == is_shaded);
                CHECK(traced.rays[0].primitive == 1);
                CHECK(traced.rays[0].instance == 0);
            }
        }
    }

    TEST_CASE("translucent triangles stop some rays and panes tint the others") {
        Stage stage;
        const u32 veil = stage.add_material(veil_material(0.4f));
        const u32 pane = stage.add_material(pane_material());
        stage.add(triangle_soup(200, 0.3f, 14), veil);
        stage.add(triangle_soup(60, 0.3f, 15), pane);
        stage.add(triangle_soup(20, 0.2f, 16));
        const u32 shared = stage.add_mesh(triangle_soup(10, 0.4f, 17));
        stage.add_instance(shared, pane, random_affine(1));
        stage.add_instance(shared, 0, random_affine(2));
        stage.finish();
        const Rays rays = random_rays(1500, 1.5f, 18);
        expect_same_hits(stage, rays);
        const Rays traced = trace_group(stage, must_build(stage), rays, Isa::Sse4, true);
        u32 tinted = 0;
        u32 blocked = 0;
        for (u32 k = 0; k < traced.size(); ++k) {
            blocked += traced.rays[k].t < 0 ? 1u : 0u;
            if (traced.rays[k].t >= 0 && traced.tints[3 * k] != 0) {
                ++tinted;
                CHECK(traced.tints[3 * k] % (1u << 20) == 0);  // halves: whole stops
                CHECK(traced.tints[3 * k + 1] == 0);
                CHECK(traced.tints[3 * k + 2] == 2 * traced.tints[3 * k]);
            }
        }
        CHECK(tinted > 50);
        CHECK(blocked > 100);
    }

    TEST_CASE("tints saturate instead of wrapping") {
        Stage stage;
        const u32 pane = stage.add_material(pane_material());
        stage.add({{{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}}}, pane);
        stage.finish();
        Rays rays;
        rays.add({0, 0, 1}, {0, 0, -1});
        rays.tints = {0xfffffff0u, 5, 0xffffffffu};
        const Rays traced = trace_group(stage, must_build(stage), rays, Isa::Sse4, true);
        CHECK(traced.tints == std::vector<u32>{0xffffffffu, 5, 0xffffffffu});
    }

    TEST_CASE("the interval of a ray ends at its t and starts after zero") {
        Stage stage;
        stage.add({{{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}}});
        stage.finish();
        Rays rays;
        rays.add({0, 0, 1}, {0, 0, -1}, 1);
        rays.add({0, 0, 1}, {0, 0, -1}, std::nextafter(1.0f, 0.0f));
        rays.add({0, 0, 0}, {0, 0, -1});
        rays.add({0, 0, -1}, {0, 0, -1});
        rays.add({0, 0, 2}, {0, 0, -0.5f});
        for (const Isa isa : runnable_isas()) {
            const Rays traced = trace_group(stage, must_build(stage), rays, isa, false);
            CHECK(traced.rays[0].primitive == 0);
            CHECK(traced.rays[0].t == 1);
            CHECK(traced.rays[0].u == 0.25f);
            CHECK(traced.rays[0].v == 0.5f);
            CHECK(traced.rays[1].primitive == kNone);
            CHECK(traced.rays[2].primitive == kNone);
            CHECK(traced.rays[3].primitive == kNone);
            CHECK(traced.rays[4].t == 4);
        }
        expect_same_hits(stage, rays);
    }

    TEST_CASE("no ray hits an empty tree") {
        Stage stage;
        stage.finish();
        const Acceleration tree = must_build(stage);
        CHECK(tree.root == shaders::kRefEmpty);
        for (const Isa isa : runnable_isas()) {
            CHECK(count_hits(trace_group(stage, tree, random_rays(40, 1, 20), isa, false)) == 0);
            CHECK(count_hits(trace_group(stage, tree, random_rays(40, 1, 20), isa, true)) == 0);
        }
    }

    TEST_CASE("a list shares one fetch of a node and a group fetches per ray") {
        Stage stage;
        stage.add(triangle_soup(3000, 0.1f, 21));
        stage.finish();
        const Acceleration tree = must_build(stage);
        const Rays rays = random_rays(4000, 1.5f, 22);
        shaders::TraceCounters alone;
        trace_group(stage, tree, rays, Isa::Sse4, false, &alone);
        CHECK(alone.node_visits == alone.node_tests);
        CHECK(alone.rays_in_lists == 0);
        CHECK(alone.lanes_active > 0);
        CHECK(alone.lanes_active <= alone.lanes_issued);
        KeyedStream stream(stage, tree, Isa::Sse4, false, 0);
        stream.trace(rays);
        CHECK(stream.counters.node_visits < stream.counters.node_tests / 10);
        CHECK(stream.counters.rays_in_lists > 0);
        CHECK(stream.counters.rays_in_lists <= stream.counters.node_tests);
        CHECK(stream.counters.leaf_tests > 0);
    }
}
