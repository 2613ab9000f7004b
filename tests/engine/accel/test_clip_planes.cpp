// test_clip_planes.cpp — clip planes are part of the definition of a hit: every kernel, tree and
// order, the brute force and Embree reject the same hits, and accept all others.
#include <cmath>

#include <doctest/doctest.h>

#include "engine/accel/embree_reference.h"
#include "shaders/host/clip_planes.h"
#include "tests/engine/accel/test_stage.h"

using namespace weft;
using namespace weft::accel;
using shaders::ClipPlane;
using shaders::Isa;

namespace {

constexpr float kHalfRoot = 0.70710678f;

// Three soups, cut by two planes, one and none, and placed instances with masks of their own, one
// of them translucent.
void fill_stage(Stage& stage) {
    stage.add(triangle_soup(500, 0.2f, 11));
    stage.add(triangle_soup(500, 0.2f, 12));
    stage.add(triangle_soup(200, 0.2f, 13));
    const u32 veil = stage.add_material(veil_material(0.5f));
    const u32 pane = stage.add_material(pane_material());
    const u32 shared = stage.add_mesh(triangle_soup(100, 0.3f, 14));
    stage.add_instance(shared, 0, {0.6f, 0, 0, 0.3f, 0, 0.6f, 0, 0, 0, 0, 0.6f, 0.2f});
    stage.add_instance(shared, veil, {-0.6f, 0, 0, -0.3f, 0, 0.6f, 0.1f, 0, 0, 0, 0.6f, 0});
    stage.add_instance(shared, pane, {0.5f, 0, 0, 0, 0, 0.7f, 0, 0.4f, 0, 0, 0.5f, 0});
    stage.finish();
    stage.cut({{{1, 0, 0}, 0.1f}, {{0, -kHalfRoot, kHalfRoot}, 0.2f}}, {3, 1, 0, 2, 3, 1});
}

BuildConfig asking(const Stage& stage, u32 leaf_fill = 4) {
    BuildConfig config;
    config.leaf_fill = leaf_fill;
    config.is_flagged = stage.flagged();
    return config;
}

Rays brute_rays(const Stage& stage, Rays rays, bool is_any) {
    const BruteForce brute(stage.scene(), {}, stage.flagged());
    const shaders::TraceScene scene = rays.scene(stage, Acceleration{});
    for (u32 k = 0; k < rays.size(); ++k) {
        if (is_any) {
            brute.any(scene, rays.rays[k], k);
        } else {
            brute.closest(scene, rays.rays[k], k);
        }
    }
    return rays;
}

// True if the hit of a ray lies on the kept side of all planes of its instance.
bool is_kept(const Stage& stage, const shaders::TraceRay& ray) {
    return !shaders::is_cut_away(stage.view(), ray.instance, ray.origin, ray.direction, ray.t);
}

}  // namespace

TEST_SUITE("engine/accel/clip_planes") {
    TEST_CASE("C4c C8 every kernel and tree and order sees the cut that the brute force sees") {
        Stage stage;
        fill_stage(stage);
        const Rays rays = random_rays(2000, 1.5f, 15);
        for (const bool is_any : {false, true}) {
            const Rays truth = brute_rays(stage, rays, is_any);
            for (const u32 leaf_fill : {1u, 4u}) {
                const Acceleration tree = must_build(stage, asking(stage, leaf_fill));
                for (const Isa isa : runnable_isas()) {
                    CAPTURE(static_cast<u32>(isa));
                    const shaders::TraceKernels& row = *shaders::trace_kernels(isa);
                    const auto packet = is_any ? row.any_packet : row.closest_packet;
                    CHECK(count_differences(truth, trace_with(packet, stage, tree, rays)) == 0);
                    CHECK(count_differences(truth, trace_group(stage, tree, rays, isa, is_any)) ==
                          0);
                    KeyedStream stream(stage, tree, isa, is_any, 12);
                    CHECK(count_differences(truth, stream.trace(rays)) == 0);
                }
            }
        }
    }

    TEST_CASE("hits lie on the kept side of enabled planes and rays continue through cut parts") {
        Stage stage;
        fill_stage(stage);
        Stage whole;
        fill_stage(whole);
        whole.cut({}, {0, 0, 0, 0, 0, 0});
        const Rays rays = random_rays(4000, 1.5f, 16);
        const Rays cut =
            trace_group(stage, must_build(stage, asking(stage)), rays, Isa::Sse4, false);
        const Rays uncut = trace_group(whole, must_build(whole), rays, Isa::Sse4, false);
        u32 opened = 0;
        for (u32 k = 0; k < rays.size(); ++k) {
            const shaders::TraceRay& before = uncut.rays[k];
            const shaders::TraceRay& after = cut.rays[k];
            if (after.primitive != kNone) {
                CHECK(is_kept(stage, after));
            }
            if (before.primitive == kNone) {
                CHECK(after.primitive == kNone);
            } else if (is_kept(stage, before)) {
                CHECK(is_same_hit(before, after));
            } else {
                CHECK((after.primitive == kNone || after.t >= before.t));
                ++opened;
            }
        }
        CHECK(opened > 500);
        CHECK(opened < 3500);
    }

    TEST_CASE("an instance without an enabled plane is not cut") {
        Stage stage;
        fill_stage(stage);
        stage.cut({{{1, 0, 0}, 0.1f}}, {0, 0, 0, 0, 0, 0});
        Stage whole;
        fill_stage(whole);
        whole.cut({}, {0, 0, 0, 0, 0, 0});
        const Rays rays = random_rays(500, 1.5f, 17);
        const Rays expected = trace_group(whole, must_build(whole), rays, Isa::Sse4, false);
        const Rays found = trace_group(stage, must_build(stage), rays, Isa::Sse4, false);
        CHECK(count_differences(expected, found) == 0);
    }

    TEST_CASE("Embree sees the cut except for rounding") {
        Stage stage;
        fill_stage(stage);
        const Rays rays = random_rays(4000, 1.5f, 18);
        auto embree = EmbreeReference::build(stage.scene(), 1, {}, stage.flagged());
        REQUIRE(embree.is_ok());
        for (const bool is_any : {false, true}) {
            const Rays truth = brute_rays(stage, rays, is_any);
            Rays found = rays;
            const std::vector<u32> ids = found.all_ids();
            const shaders::TraceScene scene = found.scene(stage, Acceleration{});
            if (is_any) {
                embree.value()->any(scene, found.rays.data(), ids.data(), found.size());
            } else {
                embree.value()->closest(scene, found.rays.data(), ids.data(), found.size());
            }
            u32 different = 0;
            for (u32 k = 0; k < rays.size(); ++k) {
                const float a = truth.rays[k].t;
                const float b = found.rays[k].t;
                different += std::fabs(a - b) > 1e-4f * std::fabs(a) ? 1u : 0u;
            }
            CHECK(different <= 2);
        }
    }

    TEST_CASE("a point lies behind exactly the planes whose far side it is on") {
        Stage stage;
        fill_stage(stage);
        const double points[4][3] = {{0, 0, 0}, {-0.2, 0, 0}, {0, 1, 0}, {-0.2, 1, 0}};
        for (u32 k = 0; k < 4; ++k) {
            CHECK(shaders::planes_behind(stage.view(), points[k]) == k);
        }
        const double on_the_plane[3] = {-static_cast<double>(0.1f), 0, 0};
        CHECK(shaders::planes_behind(stage.view(), on_the_plane) == 0);
    }
}
