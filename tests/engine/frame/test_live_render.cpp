// test_live_render.cpp — jobs in, pictures out: the live picture is the one that `weft render`
// gives, whatever was shown before, and nothing hangs.
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "engine/frame/live_render.h"
#include "engine/frame/renderer.h"
#include "tests/engine/frame/rich_scene.h"

namespace {

using namespace weft;
using frame::LiveJob;
using frame::LivePicture;
using frame::LiveRender;
using frame::LiveState;
using frame::LiveStatus;
using frame::Renderer;
using frame::RenderSettings;

RenderSettings small_settings() {
    RenderSettings settings;
    settings.width = 96;
    settings.height = 64;
    settings.samples_per_pixel = 4;
    settings.thread_count = 2;
    settings.integrator.path_count = 512;
    settings.integrator.trace_batch = 512;
    return settings;
}

std::shared_ptr<const scene::Scene> shared_scene() {
    static const auto kScene = std::make_shared<const scene::Scene>(tests::rich_scene());
    return kScene;
}

LiveJob small_job() {
    LiveJob job;
    job.scene = shared_scene();
    job.camera = job.scene->cameras.front();
    job.settings = small_settings();
    return job;
}

std::string batch_hash(const LiveJob& job) {
    auto renderer = Renderer::prepare(*job.scene, job.camera, job.settings, job.hidden);
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    return renderer.value()->film().film_hash();
}

// Until the newest job has ended, well or not.
LiveStatus wait_for_end(const LiveRender& live, u64 job) {
    for (;;) {
        LiveStatus status = live.status();
        const bool is_ended = status.state == LiveState::Done || status.state == LiveState::Failed;
        if (is_ended && (status.prepared_job == job || status.state == LiveState::Failed)) {
            return status;
        }
        std::this_thread::yield();
    }
}

}  // namespace

TEST_SUITE("engine/frame/live_render") {
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
            std::this_thread::yield();
        }
        CHECK(live.status().samples_done == 0);
        live.set_paused(false);
        CHECK(wait_for_end(live, number).samples_done == 4);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("a pick finds what the middle of the picture shows") {
        LiveRender live(1);
        CHECK(!live.pick(48, 32));
        wait_for_end(live, live.show(small_job()));
        const auto picked = live.pick(48, 32);
        REQUIRE(picked);
        CHECK(picked->instance < shared_scene()->instances.size());
        CHECK(picked->distance_m > 0);
        CHECK(picked->position[2] < 2.9F);
    }

    TEST_CASE("a pixel's report has its mean its auxiliary values and its path") {
        LiveRender live(1);
        LiveJob job = small_job();
        job.settings.aovs = {"albedo", "depth", "instance"};
        wait_for_end(live, live.show(job));
        const frame::PixelReport report = live.inspect(48, 32);
        CHECK(report.samples == 4);
        REQUIRE(report.aovs.size() == 3);
        CHECK(report.aovs[1].first == "depth");
        CHECK(report.aovs[1].second.at(0) > 0);
        CHECK(report.path.size() > 1);
        CHECK(live.inspect(1000, 1000).samples == 0);
    }

    TEST_CASE("a saved film is that of the samples that are done") {
        const std::filesystem::path file =
            std::filesystem::temp_directory_path() /
            ("weft-live-" +
             std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + ".exr");
        LiveRender live(2);
        CHECK(!live.save(file.string(), {}).is_ok());
        const LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        film::ImageConfig config;
        config.keep_film = true;
        REQUIRE(live.save(file.string(), config).is_ok());
        const auto read = film::read_film(file.string());
        REQUIRE(read.is_ok());
        CHECK(read.value().film_hash() == batch_hash(job));
        std::filesystem::remove(file);
    }

    TEST_CASE("ending in any state neither hangs nor waits for samples") {
        for (u32 k = 0; k < 12; ++k) {
            LiveRender live(k % 3);
            LiveJob job = small_job();
            job.settings.samples_per_pixel = 1000000;
            if (k > 0) {
                const u64 number = live.show(job);
                while (k > 4 && live.status().prepared_job != number) {
                    std::this_thread::yield();
                }
                while (k > 8 && live.status().samples_done == 0) {
                    std::this_thread::yield();
                }
            }
            CHECK(live.status().job == (k > 0 ? 1 : 0));
        }
    }
}
