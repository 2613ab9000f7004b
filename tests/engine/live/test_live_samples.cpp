// test_live_samples.cpp — another number of samples, or another layer: the samples that are
// rendered stay.
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "engine/live/live_render.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"

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
            std::this_thread::yield();
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
        for (const u32 more : {1U << 20, 100U}) {
            job.settings.samples_per_pixel = done + more;
            const u64 number = live.show(job);
            while (live.status().prepared_job != number) {
                std::this_thread::yield();
            }
        }
        live.set_paused(false);
        const LiveStatus status = wait_for_end(live, live.status().job);
        CHECK(status.samples_done == done + 100);
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

    TEST_CASE("showing a layer leaves the picture with all of its samples") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = 1U << 20;
        const u64 number = live.show(job);
        while (live.inspect(1, 1).samples < 20) {  // tiles may have fewer than the mean
            std::this_thread::yield();
        }
        live::LiveView view;
        using Layer = std::optional<film::Aov>;
        for (const Layer layer :
             {Layer(film::Aov::Normal), Layer(), Layer(film::Aov::Depth), Layer()}) {
            CAPTURE(std::string(layer ? film::aov_name(*layer) : "beauty"));
            view.layer = layer;
            live.set_view(view);
            live::PixelReport report = live.inspect(1, 1);
            while (report.aovs.empty() == view.layer.has_value()) {  // until the view is applied
                report = live.inspect(1, 1);
            }
            CHECK(report.samples >= 20);
            CHECK(report.has_light);
        }
        live.set_paused(true);
        while (live.status().state != LiveState::Paused) {
            std::this_thread::yield();
        }
        const std::string hash = live.film_hash().value();
        const LiveStatus status = live.status();
        CHECK(status.counters.frames == 2);
        CHECK(status.prepared_job == number);
        CHECK(status.picture_samples == 1U << 20);
        job.settings.samples_per_pixel = live.inspect(0, 0).samples;
        CHECK(hash == batch_hash(job));
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
            std::this_thread::yield();
        }
        CHECK(live.film_hash().value() == batch_hash(job));
        job.settings.noise_threshold = 0;
        CHECK(wait_for_end(live, live.show(job)).state == LiveState::Done);
        view.layer.reset();
        live.set_view(view);
        CHECK(wait_for_end(live, live.status().job).state == LiveState::Done);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("a layer has the values of a render with that AOV and counts as no picture") {
        LiveRender live(2);
        LiveJob job = small_job();
        live::LiveView view;
        view.layer = film::Aov::Albedo;
        live.set_view(view);
        wait_for_end(live, live.show(job));
        CHECK(!live.film_hash().is_ok());
        const live::PixelReport report = live.inspect(40, 30);
        CHECK(!report.has_light);
        job.settings.aovs = {
            film::Aov::Albedo, film::Aov::Normal, film::Aov::Position, film::Aov::Depth};
        auto renderer = frame::Renderer::prepare(*job.scene, job.camera, job.settings, {});
        REQUIRE(renderer.is_ok());
        REQUIRE(renderer.value()->render({}).is_ok());
        for (u32 layer = 0; layer < job.settings.aovs.size(); ++layer) {
            REQUIRE(report.aovs.at(layer).aov == job.settings.aovs[layer]);
            std::vector<float> values(report.aovs[layer].values.size());
            renderer.value()->film().aov_pixel(layer, 40, 30, values.data());
            CHECK(report.aovs[layer].values == values);
        }
        // Showing the beauty renders the picture.
        view.layer.reset();
        live.set_view(view);
        while (!live.inspect(40, 30).has_light) {
            std::this_thread::yield();
        }
        wait_for_end(live, 1);
        CHECK(live.film_hash().value() == batch_hash(job));
    }
}
