// test_live_render.cpp — jobs in, pictures out: a live film has the hash of `weft render`, whatever
// was shown before, and nothing hangs.
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/film/display.h"
#include "engine/frame/renderer.h"
#include "engine/live/live_render.h"
#include "engine/trace/sample_block.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"
#include "tests/rest.h"

namespace {

using namespace weft;
using frame::Renderer;
using frame::RenderSettings;
using live::LiveJob;
using live::LivePicture;
using live::LiveRender;
using live::LiveState;
using live::LiveStatus;
using tests::batch_hash;
using tests::shared_scene;
using tests::small_job;
using tests::small_settings;
using tests::wait_for_end;

}  // namespace

TEST_SUITE("engine/live/live_render") {
    TEST_CASE("a live render has the hash of a batch render with the same settings") {
        const LiveJob job = small_job();
        LiveRender live(2);
        const u64 number = live.show(job);
        const LiveStatus status = wait_for_end(live, number);
        CHECK(status.state == LiveState::Done);
        CHECK(status.samples_done == 4);
        CHECK(status.first_picture.count == 1);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("the newest of many jobs wins and ends with its own hash") {
        LiveRender live(2);
        LiveJob job = small_job();
        u64 number = 0;
        for (u32 k = 0; k < 60; ++k) {
            job.camera.yfov_rad = 0.5F + 0.01F * static_cast<float>(k);
            job.effect = scene::kEffectCamera;
            number = live.show(job);
        }
        CHECK(wait_for_end(live, number).state == LiveState::Done);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("a picture is taken once and has the size of the job") {
        LiveRender live(2);
        LivePicture picture;
        CHECK(!live.take_picture(picture));
        const LiveJob job = small_job();
        const u64 number = live.show(job);
        wait_for_end(live, number);
        CHECK(live.take_picture(picture));
        CHECK(picture.job == number);
        CHECK(picture.samples == 4);
        CHECK(picture.full_width == 96);
        CHECK(picture.rgba.size() == std::size_t{96} * 64 * 4);
        CHECK(!live.take_picture(picture));
    }

    TEST_CASE("a job that cannot be prepared says why and the old picture stays") {
        LiveRender live(2);
        LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        job.hidden = {"no such node"};
        const LiveStatus status = wait_for_end(live, live.show(job));
        CHECK(status.state == LiveState::Failed);
        CHECK(status.error == "--hide no such node: no node of the scene has this name");
        LivePicture picture;
        CHECK(live.take_picture(picture));
        CHECK(picture.job == 1);
    }

    TEST_CASE("a paused render goes on where it was") {
        LiveRender live(2);
        const LiveJob job = small_job();
        live.set_paused(true);
        const u64 number = live.show(job);
        while (live.status().state != LiveState::Paused) {
            tests::rest();
        }
        CHECK(live.status().samples_done == 0);
        live.set_paused(false);
        CHECK(wait_for_end(live, number).samples_done == 4);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("a change that is undone goes on where the refinement was") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = 1000000;
        live.show(job);
        while (live.status().samples_done < 2) {
            tests::rest();
        }
        LiveJob changed = job;
        changed.camera.yfov_rad = 0.3F;
        changed.effect = scene::kEffectCamera;
        const u64 other = live.show(changed);
        while (live.status().prepared_job != other) {
            tests::rest();
        }
        CHECK(live.status().counters.evictions >= 1);
        CHECK(live.status().counters.kept_trees == 1);
        const u64 again = live.show(job);
        while (live.status().prepared_job != again) {
            tests::rest();
        }
        CHECK(live.status().samples_done >= 2);
        live.set_paused(true);
        while (live.status().state != LiveState::Paused) {
            tests::rest();
        }
        const live::LiveCounters counters = live.status().counters;
        CHECK(counters.returns == 1);
        CHECK(counters.frames <= 2);
        // The film of n samples, some before the change and some after it.
        const std::string hash = live.film_hash().value();
        job.settings.samples_per_pixel = live.inspect(0, 0).samples;
        CHECK(hash == batch_hash(job));
    }

    TEST_CASE("a light that gets a radius or an angle is another picture") {
        LiveRender live(2);
        LiveJob job = small_job();
        scene::Scene lit = *job.scene;
        job.hidden = {std::as_const(lit).instances[0].node};  // the room, which keeps a sun out
        lit.lights = {tests::point_light({1, 3, 1}, {9, 9, 9}),
                      tests::directional_light({0.3F, -1, 0.2F}, {2, 2, 2})};
        std::vector<std::string> hashes;
        for (u32 step = 0; step < 3; ++step) {
            lit.lights[0].radius_m = step > 0 ? 0.5F : 0;
            lit.lights[1].angle_deg = step > 1 ? 10.0F : 0;
            job.scene = std::make_shared<const scene::Scene>(lit);
            job.effect = scene::kEffectShading;
            wait_for_end(live, live.show(job));
            hashes.push_back(live.film_hash().value());
            CHECK(hashes.back() == batch_hash(job));
        }
        CHECK(hashes[0] != hashes[1]);
        CHECK(hashes[1] != hashes[2]);
    }

    TEST_CASE("a question evicts the refinement and sees a whole film") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = 100000;
        const u64 number = live.show(job);
        while (live.status().samples_done == 0 || live.status().prepared_job != number) {
            tests::rest();
        }
        for (u32 k = 0; k < 4; ++k) {
            const std::string hash = live.film_hash().value();
            const live::PixelReport report = live.inspect(5, 5);
            CHECK(report.samples > 0);
            CHECK(hash.size() == 32);
        }
        // A whole film of n samples has the hash of a batch render with n samples.
        live.set_paused(true);
        while (live.status().state != LiveState::Paused) {
            tests::rest();
        }
        const std::string hash = live.film_hash().value();
        job.settings.samples_per_pixel = live.inspect(0, 0).samples;
        CHECK(hash == batch_hash(job));
    }

    TEST_CASE("the time of rendering goes on while a frame runs and rests while it is paused") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = 1U << 20;
        live.show(job);
        const auto wait_for_samples = [&live](u32 samples) {
            LiveStatus status = live.status();
            while (status.state != LiveState::Rendering || status.samples_done < samples) {
                tests::rest();
                status = live.status();
            }
            return status;
        };
        const LiveStatus early = wait_for_samples(2);
        const LiveStatus late = wait_for_samples(early.samples_done + 8);
        CHECK(early.elapsed_s > 0);
        CHECK(late.elapsed_s > early.elapsed_s);
        live.set_paused(true);
        while (live.status().state != LiveState::Paused) {
            tests::rest();
        }
        const double paused_s = live.status().elapsed_s;
        CHECK(paused_s >= late.elapsed_s);
        CHECK(live.status().elapsed_s == paused_s);
    }

    TEST_CASE("figures are there while a frame runs and never exceed those of its end") {
        constexpr u32 kSamples = 64;
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = kSamples;
        const u64 number = live.show(job);
        frame::FrameFigures figures;
        while (figures.integrator.camera_rays == 0) {
            figures = live.figures();
            tests::rest();
        }
        CHECK(figures.fibre.routine[1].lanes_active <= figures.fibre.routine[1].lanes_issued);
        CHECK(figures.run.units.size() == 2);
        CHECK(figures.devices.front().name == "cpu");
        wait_for_end(live, number);
        CHECK(figures.integrator.camera_rays <= 96 * 64 * kSamples);
        // One task for the frame, one for each wave of its two tiles, and those of pictures.
        const weft::task::TaskFigures tasks = live.figures().tasks;
        CHECK(tasks[weft::task::Figure::Completed] > 1 + 2 * kSamples / 4);
        CHECK(tasks[weft::task::Figure::Completed] == tasks[weft::task::Figure::Launched]);
    }

    TEST_CASE("R10 while the interface draws a live frame leaves its GPU and takes it back later") {
        LiveJob job = small_job();
        if (!tests::has_device()) {
            return;
        }
        job.settings.samples_per_pixel = 100000;
        job.settings.has_egpu = true;
        job.settings.egpu_units = 2;
        job.settings.share_samples = 600;
        LiveRender live(2);
        live.set_drawing(true);
        live.show(job);
        while (live.status().samples_done < 3) {
            tests::rest();
        }
        const auto of_gpu = [&live] {
            const frame::FrameFigures figures = live.figures();
            REQUIRE(figures.devices.size() == 2);
            return figures.devices[1].samples;
        };
        CHECK(of_gpu() == 0);
        live.set_drawing(false);
        while (of_gpu() == 0) {
            tests::rest();
        }
        CHECK(live.status().counters.stand_ins >= 1);
        live.set_paused(true);
        while (live.status().state != LiveState::Paused) {
            tests::rest();
        }
        const std::string hash = live.film_hash().value();
        job.settings.samples_per_pixel = live.inspect(0, 0).samples;
        job.settings.has_egpu = false;
        CHECK(hash == batch_hash(job));
    }

    TEST_CASE("a large picture has a coarse one first and then whole ones of its own") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.width = 400;
        job.settings.height = 300;
        job.settings.samples_per_pixel = 1;
        // Finer pictures wait until the first one is taken, so that none is complete in time.
        std::atomic<bool> is_taken = false;
        job.settings.integrator.fault = [&is_taken](const unit::PartTask& part) {
            while (trace::to_block(part.share).width > 50 && !is_taken.load()) {
                tests::rest();
            }
            return 0U;
        };
        const u64 number = live.show(job);
        LivePicture picture;
        while (!live.take_picture(picture)) {
            tests::rest();
        }
        is_taken.store(true);
        CHECK(picture.is_coarse);
        CHECK(picture.job == number);
        CHECK(picture.full_width == 400);
        CHECK(picture.width == 50);
        CHECK(picture.rgba.size() == std::size_t{picture.width} * picture.height * 4);
        const LiveStatus status = wait_for_end(live, number);
        CHECK(status.counters.fallbacks + status.counters.first_pictures >= 1);
        CHECK(status.counters.pictures >= 1);
        CHECK(status.counters.pictures <= 4);  // 1/8, 1/4 and 1/2 of the resolution, and all of it
        CHECK(status.first_picture.count == 1);
        REQUIRE(live.take_picture(picture));
        CHECK(!picture.is_coarse);
        CHECK(picture.width == 400);
        CHECK(picture.samples == 1);
        job.settings.integrator.fault = nullptr;
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("a shown picture is the display picture of the film to the byte") {
        LiveRender live(2);
        const LiveJob job = small_job();
        live::LiveView view;
        view.exposure_stops = 1;
        view.transform = film::ViewTransform::Filmic;
        wait_for_end(live, live.show(job));
        live.set_view(view);
        CHECK(!live.film_hash().value().empty());  // answered after the view has changed
        LivePicture picture;
        REQUIRE(live.take_picture(picture));
        auto renderer = Renderer::prepare(*job.scene, job.camera, job.settings, {});
        REQUIRE(renderer.is_ok());
        REQUIRE(renderer.value()->render({}).is_ok());
        const film::DisplayConfig display{view.transform, film::exposure_scale(1), true};
        u32 differing = 0;
        for (u32 y = 0; y < 64; ++y) {
            for (u32 x = 0; x < 96; ++x) {
                u8 bytes[4];
                film::display_pixel(renderer.value()->film().pixel(x, y), display, bytes);
                for (u32 c = 0; c < 4; ++c) {
                    differing += picture.rgba[(std::size_t{y} * 96 + x) * 4 + c] != bytes[c];
                }
            }
        }
        CHECK(differing == 0);
    }

    TEST_CASE("a layer that the film lacks gets a frame and the beauty keeps its hash") {
        LiveRender live(2);
        const LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        live::LiveView view;
        view.layer = film::Aov::Normal;
        live.set_view(view);
        while (live.inspect(1, 1).aovs.empty()) {
            tests::rest();
        }
        CHECK(wait_for_end(live, 1).state == LiveState::Done);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("each kind of edit keeps what it does not change") {
        struct Kept {
            u32 effect;
            u64 tables;
            u64 trees;
        };

        for (const Kept kept : {Kept{scene::kEffectCamera, 1, 1},
                                Kept{scene::kEffectShading, 0, 1},
                                Kept{scene::kEffectEnvironment, 0, 1},
                                Kept{scene::kEffectPlacement, 0, 0},
                                Kept{scene::kEffectAll, 0, 0}}) {
            CAPTURE(kept.effect);
            LiveRender live(2);
            LiveJob job = small_job();
            wait_for_end(live, live.show(job));
            auto edited = std::make_shared<scene::Scene>(*job.scene);
            if (kept.effect != scene::kEffectCamera) {
                edited->materials[1].record.base_color[0] = 0.25F;
                edited->environment.strength = 0.5F;
                edited->instances.back().object_to_world[3] += 0.5F;
            }
            // Undo the changes of other kinds, so that the effect is exact.
            if (kept.effect == scene::kEffectShading || kept.effect == scene::kEffectEnvironment) {
                edited->instances.back().object_to_world =
                    job.scene->instances.back().object_to_world;
            }
            if (kept.effect == scene::kEffectShading) {
                edited->environment = job.scene->environment;
            }
            job.scene = edited;
            job.camera.yfov_rad = 0.7F;
            job.effect = kept.effect | scene::kEffectCamera;
            const LiveStatus status = wait_for_end(live, live.show(job));
            CHECK(status.state == LiveState::Done);
            CHECK(status.counters.kept_tables == kept.tables);
            CHECK(status.counters.kept_trees == kept.trees);
            CHECK(live.film_hash().value() == batch_hash(job));
        }
    }

    TEST_CASE("two hundred quick jobs of every kind end in the hash of the last") {
        LiveRender live(2);
        LiveJob job = small_job();
        LivePicture picture;
        u64 number = 0;
        for (u32 k = 0; k < 200; ++k) {
            auto edited = std::make_shared<scene::Scene>(*job.scene);
            job.effect = scene::kEffectNone;
            if (k % 3 == 0) {
                job.camera.yfov_rad = 0.6F + 0.002F * static_cast<float>(k);
                job.effect |= scene::kEffectCamera;
            }
            if (k % 4 == 1) {
                edited->materials[1].record.base_color[1] = 0.004F * static_cast<float>(k);
                job.effect |= scene::kEffectShading;
            }
            if (k % 5 == 2) {
                edited->instances.back().object_to_world[7] += 0.01F;
                job.effect |= scene::kEffectPlacement;
            }
            if (k % 7 == 3) {
                job.hidden = k % 2 == 0 ? std::vector<std::string>{}
                                        : std::vector<std::string>{edited->instances.back().node};
                job.effect |= scene::kEffectLook;
            }
            job.scene = edited;
            number = live.show(job);
            for (u32 wait = 0; wait < k % 11; ++wait) {
                live.take_picture(picture);
                tests::rest();
            }
        }
        const LiveStatus status = wait_for_end(live, number);
        CHECK(status.error == "");
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("ending in any state neither hangs nor waits for samples") {
        for (u32 k = 0; k < 12; ++k) {
            LiveRender live(k % 3);
            LiveJob job = small_job();
            job.settings.samples_per_pixel = 1000000;
            if (k > 0) {
                const u64 number = live.show(job);
                while (k > 4 && live.status().prepared_job != number) {
                    tests::rest();
                }
                while (k > 8 && live.status().samples_done == 0) {
                    tests::rest();
                }
            }
            CHECK(live.status().job == (k > 0 ? 1 : 0));
        }
    }
}
