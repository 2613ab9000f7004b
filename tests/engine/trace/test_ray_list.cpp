// test_ray_list.cpp — a list of rays gets the hits of the kernels, whatever its length and mode.
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "engine/accel/acceleration.h"
#include "engine/trace/ray_list.h"
#include "engine/trace/scene_tables.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using namespace weft;

std::vector<shaders::TraceRay> random_rays(u32 count) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> number(-1, 1);
    std::vector<shaders::TraceRay> rays(count);
    for (shaders::TraceRay& ray : rays) {
        for (u32 axis = 0; axis < 3; ++axis) {
            ray.origin[axis] = 2 * number(random);
            ray.direction[axis] = number(random) + 1e-3F;
            ray.reciprocal[axis] = shaders::safe_reciprocal(ray.direction[axis]);
        }
        ray.t = std::numeric_limits<float>::infinity();
        ray.primitive = kNone;
        ray.self_primitive = kNone;
        ray.self_instance = kNone;
    }
    return rays;
}

}  // namespace

TEST_SUITE("engine/trace/ray_list") {
    TEST_CASE("F17 the ray data manager's threads trace every ray of a list once") {
        scene::Scene scene;
        tests::add_object(scene,
                          tests::uv_sphere({0, 0, 0}, 1, 40, 20, tests::Shading::Flat),
                          tests::lambert({1, 1, 1}));
        tests::set_camera(scene, {0, 0, 3}, {0, 0, 0}, 0.6F);
        const trace::SceneTables tables = trace::make_scene_tables(scene, {});
        auto built = accel::build_acceleration(scene, {});
        REQUIRE(built.is_ok());
        trace::RayStage stage;
        stage.scene.bvh = built.value().view();
        stage.scene.scene = &tables.view;
        stage.kernels = shaders::trace_kernels(shaders::best_isa());
        for (const u32 count : {1U, 15U, 1000U, 5000U}) {
            std::vector<shaders::TraceRay> expected = random_rays(count);
            std::vector<u32> ids(count);
            std::vector<u32> keys(count);
            for (u32 k = 0; k < count; ++k) {
                ids[k] = k;
            }
            shaders::TraceCounters counters;
            stage.scene.alpha_keys = keys.data();
            stage.kernels->closest_group(
                stage.scene, stage.scene.bvh.root, expected.data(), ids.data(), count, counters);
            for (const auto mode : {trace::SchedulerMode::Keyed, trace::SchedulerMode::Unkeyed}) {
                trace::RayConfig config;
                config.mode = mode;
                config.batch = 512;
                config.group_limit = 16;
                trace::RayList list(config, stage, 512);
                REQUIRE(list.is_allocated());
                std::vector<shaders::TraceRay> rays = random_rays(count);
                list.trace(rays);
                u32 different = 0;
                u32 hits = 0;
                for (u32 k = 0; k < count; ++k) {
                    different += rays[k].t != expected[k].t ||
                                         rays[k].primitive != expected[k].primitive ||
                                         rays[k].u != expected[k].u
                                     ? 1U
                                     : 0U;
                    hits += rays[k].primitive == kNone ? 0U : 1U;
                }
                CHECK(different == 0);
                CHECK((count < 100 || hits > count / 10));
                CHECK(list.counters().numbers_taken == count);
                CHECK(list.counters().threads_finished == list.counters().threads_made);
            }
        }
    }
}
