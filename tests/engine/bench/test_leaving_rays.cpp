// test_leaving_rays.cpp — rays that leave a wall along an axis start outside of the boxes of its
// triangles, which traversal widens, and so test none of them.
#include <doctest/doctest.h>

#include "engine/bench/ray_variant.h"
#include "scheduler/unit/float_state.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using namespace weft;
using bench::RayClass;

// A floor of two triangles under a sky, away from the world's origin, and others below it, so that
// the tree has a node.
scene::Scene floor_at(float height) {
    scene::Scene scene;
    for (const float below : {0.F, 40.F, 41.F, 42.F}) {
        tests::add_object(scene,
                          tests::quad({5, height - below, 9}, {8, 0, 0}, {0, 0, -8}),
                          tests::lambert({0.5F, 0.5F, 0.5F}));
    }
    tests::set_sky(scene, 16, 8);
    tests::set_camera(scene, {9, height + 3, 5.5F}, {9, height, 5}, 0.8F);
    return scene;
}

}  // namespace

TEST_SUITE("engine/bench/leaving_rays") {
    TEST_CASE("rays that leave a floor test none of its triangles") {
        unit::set_float_state();
        for (const float height : {-30.7F, 0.F, 0.1F, 7.99F, 8.01F}) {
            const scene::Scene scene = floor_at(height);
            frame::RenderSettings settings;
            settings.width = 32;
            settings.height = 32;
            settings.thread_count = 1;
            auto prepared = bench::BenchScene::prepare(scene, scene.cameras.front(), settings, {});
            REQUIRE(prepared.is_ok());
            const auto record = bench::record_rays(*prepared.value(), 500, 1);
            REQUIRE(record.is_ok());
            for (const RayClass ray_class : {RayClass::Shadow, RayClass::Diffuse1}) {
                const std::vector<shaders::TraceRay>& rays = record.value().of(ray_class);
                REQUIRE(rays.size() > 100);
                const auto single =
                    std::move(bench::make_own_variants(*prepared.value(), ray_class, 500).front());
                single->trace(rays, {});
                CAPTURE(height);
                CAPTURE(bench::ray_class_name(ray_class));
                CHECK(single->counts().trace.leaf_tests == 0);
            }
        }
    }
}
