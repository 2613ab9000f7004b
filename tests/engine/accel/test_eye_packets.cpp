// test_eye_packets.cpp — packets whose rays start at one point cull triangles by their beam: no hit
// changes, at corners and edges, at any size and from any distance.
#include <doctest/doctest.h>

#include "engine/math/vector.h"
#include "tests/engine/accel/test_stage.h"

namespace weft::accel {

namespace {

using shaders::Isa;
using shaders::TraceKernels;

// As many rays as a packet of camera rays has.
constexpr u32 kBundle = 32;

struct View {
    float scale;      // of the scene
    float distance;   // of the eye, in sizes of the scene
    float thickness;  // of bundles, in sizes of a triangle
};

constexpr View kViews[] = {{1, 3, 1},
                           {1, 3, 0.01f},
                           {1, 0.1f, 0.3f},
                           {1, 500, 1},
                           {1e-6f, 2, 0.1f},
                           {1e6f, 2, 0.1f},
                           {1e-16f, 2, 0.1f}};

Point between(const Point& a, const Point& b, float s) {
    return a * (1 - s) + b * s;
}

// Bundles from one eye each, about one triangle each: of a bundle a quarter of the rays aim at a
// corner, a quarter at points on an edge, the others into its surroundings.
Rays bundles_of(const std::vector<Corners>& triangles, const View& view, u32 count, u64 seed) {
    Dice dice(seed);
    Rays rays;
    for (u32 bundle = 0; bundle < count; ++bundle) {
        const Corners& aim = triangles[dice.bits() % triangles.size()];
        const Point eye = dice.point(view.distance * view.scale);
        const float size = length(aim[1] - aim[0]) * view.thickness;
        for (u32 k = 0; k < kBundle; ++k) {
            const Point& corner = aim[bundle % 3];
            Point to = corner + dice.point(size);
            if (k % 4 == 0) {
                to = corner;
            } else if (k % 4 == 1) {
                to = between(corner, aim[(bundle + 1) % 3], dice.unit() * view.thickness);
            }
            rays.add(eye, to - eye);
        }
    }
    return rays;
}

// Compares packets of 32 rays with single rays.
void expect_same_hits(const Stage& stage, const Rays& rays, const Rays& truth) {
    const Acceleration tree = must_build(stage);
    for (const Isa isa : runnable_isas()) {
        CAPTURE(static_cast<u32>(isa));
        const TraceKernels& row = *shaders::trace_kernels(isa);
        CHECK(count_differences(truth, trace_with(row.closest_wide, stage, tree, rays)) == 0);
        if (const TraceKernels* device = shaders::device_trace_kernels(isa)) {
            CHECK(count_differences(truth, trace_with(device->closest_group, stage, tree, rays)) ==
                  0);
        }
    }
}

}  // namespace

TEST_SUITE("engine/accel/eye_packets") {
    TEST_CASE("bundles at corners and edges of a soup hit what single rays hit") {
        for (const View& view : kViews) {
            CAPTURE(view.scale);
            CAPTURE(view.distance);
            CAPTURE(view.thickness);
            std::vector<Corners> triangles = triangle_soup(400, 0.4f, 1);
            for (Corners& triangle : triangles) {
                for (Point& corner : triangle) {
                    corner *= view.scale;
                }
            }
            Stage stage;
            stage.add(triangles);
            stage.finish();
            const Rays rays = bundles_of(triangles, view, 300, 2);
            const Rays truth = trace_group(stage, must_build(stage), rays, Isa::Sse4, false);
            CHECK(count_hits(truth) > rays.size() / 4);
            expect_same_hits(stage, rays, truth);
        }
    }

    TEST_CASE("bundles at corners and edges of a placed mesh hit what single rays hit") {
        Stage stage;
        const std::vector<Corners> triangles = triangle_soup(200, 0.4f, 3);
        const u32 mesh = stage.add_mesh(triangles);
        stage.add_instance(mesh);
        stage.add_instance(mesh, 0, {-1, 0, 0.3f, -1, 0, 2, 0, 0, 0.2f, 0, 0.5f, 0});
        stage.finish();
        const Rays rays = bundles_of(triangles, {1, 3, 0.3f}, 300, 4);
        const Rays truth = trace_group(stage, must_build(stage), rays, Isa::Sse4, false);
        CHECK(count_hits(truth) > rays.size() / 4);
        expect_same_hits(stage, rays, truth);
    }

    TEST_CASE("a bundle beside the scene visits the root alone and changes no ray") {
        Stage stage;
        stage.add(triangle_soup(400, 0.4f, 6));
        stage.finish();
        const Acceleration tree = must_build(stage);
        // Full and partial packets, from one point and from several, away from the scene.
        Dice dice(7);
        for (const u32 count : {kBundle, 7u, 1u}) {
            for (const float spread : {0.0f, 0.1f}) {
                CAPTURE(count);
                CAPTURE(spread);
                Rays rays;
                for (u32 k = 0; k < count; ++k) {
                    rays.add(Point{0, 0, 9} + dice.point(spread), {dice.unit(), -dice.unit(), 3});
                }
                for (const Isa isa : runnable_isas()) {
                    Rays traced = rays;
                    const std::vector<u32> ids = rays.all_ids();
                    shaders::TraceCounters counters;
                    shaders::trace_kernels(isa)->closest_wide(traced.scene(stage, tree),
                                                              tree.root,
                                                              traced.rays.data(),
                                                              ids.data(),
                                                              count,
                                                              counters);
                    // Rows without 32 lanes lend narrow packets, which may split the bundle.
                    CHECK(counters.node_visits >= 1);
                    CHECK(counters.node_tests == count);
                    CHECK(counters.leaf_tests == 0);
                    CHECK(count_hits(traced) == 0);
                    CHECK(count_differences(rays, traced) == 0);
                }
            }
        }
    }

    TEST_CASE("no ray of a bundle slips between the triangles of a surface") {
        // A bumpy sheet of 2·24² triangles, each corner shared by six; bundles aim at its corners.
        constexpr u32 kSide = 24;
        Dice dice(5);
        std::vector<Point> corners;
        for (u32 k = 0; k < (kSide + 1) * (kSide + 1); ++k) {
            corners.push_back({static_cast<float>(k % (kSide + 1)),
                               static_cast<float>(k / (kSide + 1)),
                               dice.between(-0.2f, 0.2f)});
        }
        std::vector<Corners> triangles;
        for (u32 k = 0; k < kSide * kSide; ++k) {
            const u32 a = k / kSide * (kSide + 1) + k % kSide;
            const u32 c = a + kSide + 2;
            triangles.push_back({corners[a], corners[a + 1], corners[c]});
            triangles.push_back({corners[c], corners[c - 1], corners[a]});
        }
        Stage stage;
        stage.add(triangles);
        stage.finish();
        const Acceleration tree = must_build(stage);
        for (const float distance : {15.0f, 300.0f, 3000.0f}) {
            Rays rays;
            for (u32 bundle = 0; bundle < 400; ++bundle) {
                const Point eye = {kSide / 2.0f + dice.between(-3, 3),
                                   kSide / 2.0f + dice.between(-3, 3),
                                   distance};
                const u32 column = 3 + bundle % (kSide - 6);
                const u32 row = 3 + bundle / kSide % (kSide - 6);
                for (u32 k = 0; k < kBundle; ++k) {
                    const u32 at = (row + k / 4 % 3) * (kSide + 1) + column + k % 3;
                    const Point to = between(corners[at], corners[at + 1], k < 8 ? dice.unit() : 0);
                    rays.add(eye, to - eye);
                }
            }
            for (const Isa isa : runnable_isas()) {
                const TraceKernels& row = *shaders::trace_kernels(isa);
                const Rays traced = trace_with(row.closest_wide, stage, tree, rays);
                CHECK(count_hits(traced) == rays.size());
            }
        }
    }
}

}  // namespace weft::accel
