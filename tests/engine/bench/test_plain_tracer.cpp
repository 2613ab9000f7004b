// test_plain_tracer.cpp — the tracer without a scheduler renders the product's pictures, so what it
// records are rays of real renders.
#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "engine/bench/image_bench.h"
#include "engine/bench/ray_record.h"
#include "engine/frame/renderer.h"
#include "scheduler/unit/float_state.h"
#include "tests/engine/frame/rich_scene.h"

namespace {

using namespace weft;
using bench::BenchScene;
using bench::RayClass;

frame::RenderSettings small_settings() {
    frame::RenderSettings settings;
    settings.width = 150;  // three tiles across, the last one narrow
    settings.height = 70;
    settings.samples_per_pixel = 2;
    settings.thread_count = 2;
    return settings;
}

std::unique_ptr<BenchScene> prepare(const scene::Scene& scene,
                                    const frame::RenderSettings& settings) {
    unit::set_float_state();
    auto prepared = BenchScene::prepare(scene, scene.cameras.front(), settings, {});
    REQUIRE(prepared.is_ok());
    return std::move(prepared.value());
}

}  // namespace

TEST_SUITE("engine/bench/plain_tracer") {
    TEST_CASE("one path at a time and sixteen in lockstep give the film hash of the renderer") {
        const scene::Scene scene = tests::rich_scene();
        const frame::RenderSettings settings = small_settings();
        auto renderer = frame::Renderer::prepare(scene, scene.cameras.front(), settings, {});
        REQUIRE(renderer.is_ok());
        REQUIRE(renderer.value()->render({}).is_ok());
        const std::string expected = renderer.value()->film().film_hash();
        const auto prepared = prepare(scene, settings);
        for (const u32 path_count : {1U, 16U, 1000U}) {
            const auto image = bench::render_plain(*prepared, nullptr, path_count);
            REQUIRE(image.is_ok());
            CHECK(image.value().film_hash == expected);
            CHECK(image.value().rays > 0);
        }
    }

    TEST_CASE("plain paths start in the fog around the camera and pass its boundary") {
        scene::Scene scene = tests::rich_scene();
        shaders::MaterialRecord fog = tests::lambert({1, 1, 1});
        fog.flags |= shaders::kMaterialSolid | shaders::kMaterialBoundary;
        std::fill_n(fog.sigma_a, 3, 0.1F);
        std::fill_n(fog.sigma_s, 3, 0.2F);
        const float* const place = scene.cameras.front().to_world.data();
        const tests::Float3 around(place[3], place[7], place[11]);
        tests::add_object(scene, tests::uv_sphere(around, 2, 24, 12, tests::Shading::Flat), fog);
        const auto prepared = prepare(scene, small_settings());
        CHECK(prepared->media != trace::kEmptySpace);
        auto renderer =
            frame::Renderer::prepare(scene, scene.cameras.front(), small_settings(), {});
        REQUIRE(renderer.is_ok());
        REQUIRE(renderer.value()->render({}).is_ok());
        const auto image = bench::render_plain(*prepared, nullptr, 16);
        REQUIRE(image.is_ok());
        CHECK(image.value().film_hash == renderer.value()->film().film_hash());
    }

    TEST_CASE("a path by path picture sends as many rays as the renderer") {
        const scene::Scene scene = tests::rich_scene();
        const frame::RenderSettings settings = small_settings();
        auto renderer = frame::Renderer::prepare(scene, scene.cameras.front(), settings, {});
        REQUIRE(renderer.is_ok());
        REQUIRE(renderer.value()->render({}).is_ok());
        const trace::IntegratorCounters& counted = renderer.value()->figures().integrator;
        const auto image = bench::render_plain(*prepare(scene, settings), nullptr, 7);
        REQUIRE(image.is_ok());
        CHECK(image.value().rays ==
              counted.camera_rays + counted.bounce_rays + counted.shadow_rays);
    }
}

TEST_SUITE("engine/bench/ray_record") {
    TEST_CASE("rays of every class are recorded and primary rays start at the camera") {
        const scene::Scene scene = tests::rich_scene();
        const auto prepared = prepare(scene, small_settings());
        const auto record = bench::record_rays(*prepared, 500, 2);
        REQUIRE(record.is_ok());
        for (const RayClass ray_class : bench::kAllRayClasses) {
            CAPTURE(bench::ray_class_name(ray_class));
            CHECK(!record.value().of(ray_class).empty());
            CHECK(record.value().of(ray_class).size() <= 500);
        }
        for (const shaders::TraceRay& ray : record.value().of(RayClass::Primary)) {
            CHECK(ray.origin[0] == prepared->camera.origin[0]);
            CHECK(ray.self_primitive == kNone);
        }
        for (const shaders::TraceRay& ray : record.value().of(RayClass::Ambient)) {
            CHECK(ray.self_primitive != kNone);
            CHECK(ray.t < __builtin_huge_valf());
        }
    }

    TEST_CASE("two recordings give the same rays and shares that add up to one") {
        const scene::Scene scene = tests::rich_scene();
        const auto prepared = prepare(scene, small_settings());
        const auto first = bench::record_rays(*prepared, 300, 1);
        const auto second = bench::record_rays(*prepared, 300, 1);
        REQUIRE(first.is_ok());
        REQUIRE(second.is_ok());
        double sum = 0;
        for (const RayClass ray_class : bench::kAllRayClasses) {
            const auto& a = first.value().of(ray_class);
            const auto& b = second.value().of(ray_class);
            REQUIRE(a.size() == b.size());
            for (std::size_t k = 0; k < a.size(); ++k) {
                CHECK(a[k].origin[1] == b[k].origin[1]);
                CHECK(a[k].direction[2] == b[k].direction[2]);
            }
            sum += first.value().share[static_cast<u32>(ray_class)];
        }
        CHECK(sum == doctest::Approx(1));
    }

    TEST_CASE("a class that the scene never sends stays empty and does not keep recording going") {
        scene::Scene scene = tests::rich_scene();
        frame::RenderSettings settings = small_settings();
        settings.max_bounces = 1;
        const auto record = bench::record_rays(*prepare(scene, settings), 200, 1);
        REQUIRE(record.is_ok());
        CHECK(record.value().of(RayClass::Diffuse2).empty());
        CHECK(record.value().of(RayClass::Diffuse3).empty());
        CHECK(!record.value().of(RayClass::Primary).empty());
    }
}
