// test_image_bench.cpp — whole images of all modes that must agree have one hash.
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "engine/bench/image_bench.h"
#include "scheduler/unit/float_state.h"
#include "tests/engine/frame/rich_scene.h"

namespace {

using namespace weft;

std::unique_ptr<bench::BenchScene> prepare(const scene::Scene& scene) {
    unit::set_float_state();
    frame::RenderSettings settings;
    settings.width = 48;
    settings.height = 40;
    settings.samples_per_pixel = 2;
    settings.thread_count = 2;
    auto prepared = bench::BenchScene::prepare(scene, scene.cameras.front(), settings, {});
    REQUIRE(prepared.is_ok());
    return std::move(prepared.value());
}

}  // namespace

TEST_SUITE("engine/bench/image_bench") {
    TEST_CASE("keyed and unkeyed images and those of all policies have one hash") {
        const scene::Scene scene = tests::rich_scene();
        const auto prepared = prepare(scene);
        bench::ImageBenchConfig config;
        config.repeats = 2;
        config.policy_repeats = 1;
        u32 told = 0;
        config.on_image = [&](const bench::ImageVariant&, u32) { ++told; };
        const auto embree = prepared->build_embree(true);
        REQUIRE(embree.is_ok());
        const auto rows =
            bench::compare_images(*prepared, *embree.value(), scene.cameras.front(), config);
        REQUIRE(rows.is_ok());
        CHECK(rows.value().size() == 11);
        CHECK(told == 11 + 5);
        std::set<std::string> own;
        std::set<std::string> shadings;
        for (const bench::ImageRow& row : rows.value()) {
            CHECK(row.spp == 2);
            CHECK(row.repeats ==
                  (row.variant.policy == "depth_first" || row.variant.policy == "none" ? 2 : 1));
            CHECK(row.seconds.median > 0);
            CHECK(row.cpu_seconds.median > 0);
            CHECK(row.msamples_per_s == doctest::Approx(48 * 40 * 2 / row.seconds.median * 1e-6));
            shadings.insert(row.variant.shading);
            if (row.variant.scheduler != "embree") {
                own.insert(row.film_hash);
                CHECK(row.is_repeatable);
            }
        }
        CHECK(own.size() == 1);
        CHECK(shadings == std::set<std::string>{"gathered", "path by path", "lockstep"});
    }

    TEST_CASE("a time limit ends a comparison after whole rounds and never before the first") {
        const scene::Scene scene = tests::rich_scene();
        const auto prepared = prepare(scene);
        const auto embree = prepared->build_embree(true);
        REQUIRE(embree.is_ok());
        bench::ImageBenchConfig config;
        config.time_limit_s = 0;
        const auto rows =
            bench::compare_images(*prepared, *embree.value(), scene.cameras.front(), config);
        REQUIRE(rows.is_ok());
        CHECK(rows.value().size() == 11);
        for (const bench::ImageRow& row : rows.value()) {
            CHECK(row.repeats == 1);
        }
    }

    TEST_CASE("a comparison that is stopped keeps the rows that it has") {
        const scene::Scene scene = tests::rich_scene();
        const auto prepared = prepare(scene);
        u32 images = 0;
        bench::ImageBenchConfig config;
        config.on_image = [&](const bench::ImageVariant&, u32) { ++images; };
        config.is_stopped = [&] { return images == 3; };
        const auto embree = prepared->build_embree(true);
        REQUIRE(embree.is_ok());
        const auto rows =
            bench::compare_images(*prepared, *embree.value(), scene.cameras.front(), config);
        REQUIRE(rows.is_ok());
        CHECK(rows.value().size() == 3);
        CHECK(images == 3);
    }
}
