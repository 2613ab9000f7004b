// test_live_samples.cpp — another number of samples, or another layer: the samples that are
// rendered stay.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/film/display.h"
#include "engine/live/layer_colours.h"
#include "engine/live/live_job.h"
#include "engine/live/live_render.h"
#include "scheduler/base/memory_limit.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"
#include "tests/rest.h"

namespace {

using namespace weft;
using live::LiveJob;
using live::LiveRender;
using live::LiveState;
using live::LiveStatus;
using tests::batch_hash;
using tests::small_job;
using tests::wait_for_end;

}  // namespace

TEST_SUITE("engine/live/live_samples") {
    TEST_CASE("more samples of the same picture continue the frame") {
        LiveRender live(2);
        LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        job.settings.samples_per_pixel = 11;
        const u64 number = live.show(job);
        const LiveStatus status = wait_for_end(live, number);
        CHECK(status.counters.frames == 1);
        CHECK(status.counters.returns == 1);
        CHECK(status.samples_done == 11);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE(
        "another number of samples keeps the rendered ones and reports how many the film ends "
        "with") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = 1U << 20;
        live.show(job);
        while (live.status().samples_done < 20) {
            tests::rest();
        }
        for (const u32 wanted : {3U, 1U}) {
            job.settings.samples_per_pixel = wanted;
            const LiveStatus status = wait_for_end(live, live.show(job));
            CHECK(status.state == LiveState::Done);
            CHECK(status.samples_done >= 20);
            CHECK(status.samples_wanted == status.samples_done);
            CHECK(status.counters.frames == 1);
            job.settings.samples_per_pixel = status.samples_done;
            CHECK(live.film_hash().value() == batch_hash(job));
        }
        // The second number replaces the first before either is done.
        const u32 done = job.settings.samples_per_pixel;
        live.set_paused(true);
        for (const u32 more : {1U << 20, 24U}) {
            job.settings.samples_per_pixel = done + more;
            const u64 number = live.show(job);
            while (live.status().prepared_job != number) {
                tests::rest();
            }
        }
        live.set_paused(false);
        const LiveStatus status = wait_for_end(live, live.status().job);
        CHECK(status.samples_done == done + 24);
        CHECK(status.counters.frames == 1);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("a finished picture that is shown again while paused is done and not preparing") {
        LiveRender live(2);
        const LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        live.set_paused(true);
        CHECK(wait_for_end(live, live.show(job)).state == LiveState::Done);
    }

    TEST_CASE("another policy of rays or number of units renders another frame of the same bits") {
        LiveRender live(2);
        LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        const std::string hash = live.film_hash().value();
        job.settings.integrator.policies.closest = fibre::Policy::Oldest;
        const LiveStatus other = wait_for_end(live, live.show(job));
        CHECK(other.counters.frames == 2);
        job.settings.egpu_units = 7;
        CHECK(wait_for_end(live, live.show(job)).counters.frames == 3);
        CHECK(live.film_hash().value() == hash);
    }

    TEST_CASE("layers are there from the start and showing one renders nothing anew") {
        LiveRender live(2);
        const LiveJob job = small_job();
        const u64 number = live.show(job);
        wait_for_end(live, number);
        live::LivePicture picture;
        REQUIRE(live.take_picture(picture));
        std::vector<std::vector<u8>> seen = {picture.rgba};
        live::LiveView view;
        for (const film::Aov layer : film::kSurfaceAovs) {
            CAPTURE(std::string(film::aov_name(layer)));
            view.layer = layer;
            live.set_view(view);
            CHECK(live.inspect(1, 1).samples == 4);  // answered after the view has changed
            REQUIRE(live.take_picture(picture));
            CHECK(std::find(seen.begin(), seen.end(), picture.rgba) == seen.end());
            CHECK(picture.samples == 4);
            seen.push_back(picture.rgba);
        }
        view.layer.reset();
        live.set_view(view);
        CHECK(live.film_hash().value() == batch_hash(job));
        REQUIRE(live.take_picture(picture));
        CHECK(picture.rgba == seen.front());
        const LiveStatus status = live.status();
        CHECK(status.counters.frames == 1);
        CHECK(status.state == LiveState::Done);
        CHECK(status.picture_samples == 4);
        // The values are those of a render with these AOVs.
        LiveJob with_aovs = job;
        with_aovs.settings.aovs.assign(film::kSurfaceAovs.begin(), film::kSurfaceAovs.end());
        auto renderer = frame::Renderer::prepare(
            *job.scene, job.camera, with_aovs.settings, std::vector<std::string>{});
        REQUIRE(renderer.is_ok());
        REQUIRE(renderer.value()->render({}).is_ok());
        const live::PixelReport report = live.inspect(40, 30);
        REQUIRE(report.aovs.size() == film::kSurfaceAovs.size());
        for (u32 layer = 0; layer < 4; ++layer) {
            CHECK(report.aovs[layer].aov == film::kSurfaceAovs[layer]);
            std::vector<float> values(report.aovs[layer].values.size());
            renderer.value()->film().aov_pixel(layer, 40, 30, values.data());
            CHECK(report.aovs[layer].values == values);
        }
    }

    TEST_CASE("a part of the light is shown as a render with its layer has it") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.light_groups = {{"all", {"*"}}};
        live.show(job);
        for (const film::Aov part : {film::Aov::Direct, film::Aov::Diffuse, film::light_group(0)}) {
            CAPTURE(std::string(film::aov_name(part)));
            live::LiveView view;
            view.layer = part;
            live.set_view(view);
            const u64 number = live.show(job);
            wait_for_end(live, number);
            live::LivePicture picture;
            REQUIRE(live.take_picture(picture));
            // The slow way: the film of a render with this layer alone.
            LiveJob with_part = job;
            with_part.settings.aovs = {part};
            auto renderer = frame::Renderer::prepare(
                *job.scene, job.camera, with_part.settings, std::vector<std::string>{});
            REQUIRE(renderer.is_ok());
            REQUIRE(renderer.value()->render({}).is_ok());
            u32 differing = 0;
            for (u32 y = 0; y < picture.height; ++y) {
                for (u32 x = 0; x < picture.width; ++x) {
                    std::array<float, 4> mean = {0, 0, 0, 1};
                    renderer.value()->film().aov_pixel(0, x, y, mean.data());
                    std::array<u8, 4> bytes{};
                    film::display_pixel(mean, live::display_of(view), bytes.data());
                    const auto at = (std::size_t{y} * picture.width + x) * 4;
                    differing +=
                        std::equal(bytes.begin(), bytes.end(), &picture.rgba[at]) ? 0U : 1U;
                }
            }
            CHECK(differing == 0);
            CHECK(live.film_hash().value() == batch_hash(job));
        }
    }

    TEST_CASE("where memory is short a layer is a frame of its own and the picture waits for it") {
        // Sanitizers hold much of what earlier cases freed, so the limit and the picture grow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        constexpr u64 kLimitMib = 900;
#else
        constexpr u64 kLimitMib = 300;
#endif
        base::set_memory_limit(base::resident_bytes() + (kLimitMib << 20));
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.width = 640;
        job.settings.height = 60;
        job.settings.max_bounces = 1;
        job.settings.integrator = {};  // batches for many pixels
        while (live::layers_fit(job.settings)) {
            job.settings.height *= 2;
        }
        job.settings.samples_per_pixel = 18;
        // The layers' frame has no noise to decide by.
        job.settings.aovs = {film::Aov::Noise};
        job.settings.noise_threshold = 0.5F;
        CHECK(live::layers_fit(small_job().settings));
        live::LiveView view;
        view.layer = film::Aov::Albedo;
        live.set_view(view);
        wait_for_end(live, live.show(job));
        CHECK(!live.film_hash().is_ok());
        CHECK(!live.inspect(40, 30).has_light);
        CHECK(live.inspect(40, 30).aovs.size() == film::kSurfaceAovs.size());
        // Showing the beauty renders the picture.
        view.layer.reset();
        live.set_view(view);
        while (!live.inspect(40, 30).has_light) {
            tests::rest();
        }
        wait_for_end(live, 1);
        CHECK(live.inspect(40, 30).aovs.empty());
        CHECK(live.status().counters.frames == 2);
        // The batch frame needs memory of its own beside the live frame's.
        base::set_memory_limit(0);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("a noise threshold is part of the picture and a layer has none") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.aovs = {film::Aov::Noise};
        job.settings.samples_per_pixel = 48;
        job.settings.noise_threshold = 0.2F;
        wait_for_end(live, live.show(job));
        live::LiveView view;
        view.layer = film::Aov::Albedo;
        live.set_view(view);
        while (live.inspect(40, 30).aovs.size() < 2) {  // until the layers are there
            tests::rest();
        }
        CHECK(live.film_hash().value() == batch_hash(job));
        job.settings.noise_threshold = 0;
        CHECK(wait_for_end(live, live.show(job)).state == LiveState::Done);
        view.layer.reset();
        live.set_view(view);
        CHECK(wait_for_end(live, live.status().job).state == LiveState::Done);
        CHECK(live.film_hash().value() == batch_hash(job));
    }
}
