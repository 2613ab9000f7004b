// test_compare_run.cpp — which mode gets the next turn, and that three modes complete their films.
#include <array>

#include <doctest/doctest.h>

#include "app/view/models/compare_run.h"
#include "tests/engine/trace/small_scenes.h"
#include "tests/rest.h"

using namespace weft;
using namespace weft::app;

namespace {

live::LiveJob small_job() {
    scene::Scene scene;
    tests::add_object(scene,
                      tests::uv_sphere({0, 0, 0}, 1, 24, 12, tests::Shading::Smooth),
                      tests::lambert({0.6F, 0.5F, 0.4F}));
    tests::add_object(
        scene, tests::quad({-2, 2, -2}, {4, 0, 0}, {0, 0, 4}), tests::emitter({5, 5, 5}));
    tests::set_camera(scene, {0, 0.5F, 4}, {0, 0, 0}, 0.9F);
    live::LiveJob job;
    job.camera = scene.cameras.front();
    job.scene = std::make_shared<const scene::Scene>(std::move(scene));
    job.settings.width = 64;
    job.settings.height = 48;
    job.settings.integrator.path_count = 512;
    job.settings.integrator.trace_batch = 512;
    return job;
}

}  // namespace

TEST_SUITE("app/view/compare_run") {
    TEST_CASE("the turn goes to the unfinished mode with the least time") {
        CHECK(whose_turn(std::array<TurnClaim, 3>{}) == 0);
        CHECK(whose_turn(
                  std::array{TurnClaim{2, false}, TurnClaim{1, false}, TurnClaim{1, false}}) == 1);
        CHECK(whose_turn(
                  std::array{TurnClaim{2, false}, TurnClaim{1, true}, TurnClaim{3, false}}) == 0);
        CHECK(!whose_turn(std::array{TurnClaim{2, true}, TurnClaim{1, true}}).has_value());
    }

    TEST_CASE("with turns of equal length no mode is ahead by more than a turn") {
        std::array<TurnClaim, 3> claims{};
        for (u32 turn = 0; turn < 100; ++turn) {
            const auto next = whose_turn(claims);
            REQUIRE(next.has_value());
            claims[*next].elapsed_s += 0.4;
            for (const TurnClaim& claim : claims) {
                CHECK(claims[*next].elapsed_s - claim.elapsed_s < 0.41);
            }
        }
    }

    TEST_CASE("three modes render in turns and keyed and unkeyed give the same film") {
        CompareRun run;
        CHECK(!run.is_running());
        run.begin(small_job(), {}, 3, 2);
        CHECK(!run.are_bits_same().has_value());
        double now_s = 0;
        bool is_one_at_a_time = true;
        while (run.is_running()) {
            now_s += 10;  // every turn ends at once
            run.step(now_s);
            u32 at_work = 0;
            for (const CompareRun::Variant& variant : run.variants()) {
                at_work +=
                    variant.live && variant.live->status().state == live::LiveState::Rendering ? 1U
                                                                                               : 0U;
            }
            is_one_at_a_time = is_one_at_a_time && at_work <= 1;
            tests::rest();
        }
        CHECK(is_one_at_a_time);
        CHECK(run.are_bits_same() == true);
        for (const CompareRun::Variant& variant : run.variants()) {
            CAPTURE(variant.name);
            CHECK(variant.error.empty());
            CHECK(variant.film_hash.size() == 32);
            CHECK(variant.status.samples_done == 3);
            CHECK(variant.picture_version > 0);
            CHECK(variant.rays >= 64 * 48 * 3);
            CHECK(variant.rays_per_s() > 0);
        }
        CHECK(run.variants()[0].rays == run.variants()[1].rays);
    }

    TEST_CASE("a run that was stopped or forgotten can begin again") {
        CompareRun run;
        run.begin(small_job(), {}, 1000, 2);
        run.step(0);
        run.step(1);
        run.stop();
        CHECK(!run.is_running());
        CHECK(run.variants()[0].live != nullptr);
        run.forget();
        CHECK(run.variants()[0].live == nullptr);
        run.begin(small_job(), {}, 1, 2);
        for (double now_s = 0; run.is_running(); now_s += 1) {
            run.step(now_s);
            tests::rest();
        }
        CHECK(run.are_bits_same() == true);
    }
}
