// test_whole_pictures.cpp — what the interface takes of a frame while it is rendered: whole
// pictures, never tiles of two moments.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include <doctest/doctest.h>

#include "engine/film/display.h"
#include "engine/live/live_render.h"
#include "engine/live/shown_frame.h"
#include "engine/trace/sample_block.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"
#include "tests/rest.h"

namespace {

using namespace weft;
using frame::Renderer;
using live::LiveJob;
using live::LivePicture;
using live::LiveRender;
using tests::batch_hash;
using tests::small_job;
using tests::wait_for_end;

// A picture that is rendered in lattices first.
LiveJob large_job(u32 samples) {
    LiveJob job = small_job();
    job.settings.width = 320;
    job.settings.height = 256;
    job.settings.samples_per_pixel = samples;
    return job;
}

// Pixels whose bytes are not those of a batch render of the job.
u32 differing_pixels(LiveJob job, const LivePicture& picture) {
    job.settings.integrator.fault = nullptr;
    auto renderer = Renderer::prepare(*job.scene, job.camera, job.settings, job.hidden);
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    REQUIRE(picture.width == job.settings.width);
    const film::DisplayConfig display{film::ViewTransform::Standard, 1, true};
    u32 differing = 0;
    for (u32 y = 0; y < picture.height; ++y) {
        for (u32 x = 0; x < picture.width; ++x) {
            u8 bytes[4];
            film::display_pixel(renderer.value()->film().pixel(x, y), display, bytes);
            const u8* const shown =
                picture.rgba.data() + std::size_t{4} * (std::size_t{y} * picture.width + x);
            differing += std::equal(bytes, bytes + 4, shown) ? 0U : 1U;
        }
    }
    return differing;
}

}  // namespace

TEST_SUITE("engine/live/whole_pictures") {
    TEST_CASE("no picture changes before every tile has its samples") {
        LiveJob job = large_job(2);
        // A share of the first tile's second sample is held back.
        std::atomic<bool> is_released = false;
        job.settings.integrator.fault = [&is_released](const unit::PartTask& part) {
            const trace::SampleBlock block = trace::to_block(part.share);
            const bool is_held = block.tile == 0 && block.pixel_begin == 0;
            while (is_held && block.sample_begin == 1 && !is_released.load()) {
                tests::rest();
            }
            return 0U;
        };
        LiveRender live(2);
        const u64 number = live.show(job);
        while (live.status().samples_mean < 1.2) {
            tests::rest();
        }
        LivePicture picture;
        REQUIRE(live.take_picture(picture));
        CHECK(picture.samples == 1);
        LiveJob once = job;
        once.settings.samples_per_pixel = 1;
        CHECK(differing_pixels(once, picture) == 0);
        CHECK(!live.take_picture(picture));
        is_released.store(true);
        wait_for_end(live, number);
        REQUIRE(live.take_picture(picture));
        CHECK(picture.samples == 2);
        CHECK(differing_pixels(job, picture) == 0);
    }

    TEST_CASE(
        "another exposure or layer while pictures are made loses none and ends in the film's") {
        LiveRender live(2);
        const LiveJob job = large_job(4);
        const u64 number = live.show(job);
        live::LiveView view;
        for (u32 k = 0; k < 60; ++k) {
            view.exposure_stops = 0.01F * static_cast<float>(k);
            view.layer = k % 3 == 0 ? std::optional(film::Aov::Normal) : std::nullopt;
            live.set_view(view);
            std::this_thread::sleep_for(std::chrono::milliseconds(k % 4));
        }
        live.set_view({});
        wait_for_end(live, number);
        CHECK(live.film_hash().value() == batch_hash(job));
        LivePicture picture;
        REQUIRE(live.take_picture(picture));
        CHECK(picture.samples == 4);
        CHECK(differing_pixels(job, picture) == 0);
    }

    TEST_CASE("a picture that its frame was put aside before is completed from the film once") {
        film::Film film(40, 30, {0, 0, 40, 30}, {});
        const auto add = [&film](float light) {
            for (u32 y = 0; y < 30; ++y) {
                for (u32 x = 0; x < 40; ++x) {
                    film.add_sample(x, y, {light, 0.01F * static_cast<float>(x), 0.2F, 1});
                }
            }
        };
        add(0.25F);
        add(0.75F);
        live::LiveFilter filter;
        live::ShownFrame shown(film, {}, {}, filter);
        u32 told = 0;
        shown.on_shown([&told] { ++told; });
        CHECK(!shown.is_complete());
        shown.complete(2, [] { return false; });
        REQUIRE(shown.is_complete());
        CHECK(shown.image()->samples == 2);
        CHECK(!shown.image()->is_coarse);
        const film::DisplayConfig display{film::ViewTransform::Standard, 1, true};
        u8 bytes[4];
        film::display_pixel(film.pixel(7, 9), display, bytes);
        CHECK(std::equal(bytes, bytes + 4, shown.image()->rgba.data() + 4 * (9 * 40 + 7)));
        // It is there; then the frame goes on with more samples.
        shown.complete(2, [] { return false; });
        CHECK(told == 1);
        add(0.5F);
        shown.complete(3, [] { return false; });
        CHECK(shown.image()->samples == 3);
        CHECK(told == 2);
    }
    TEST_CASE("a linear picture has the means of the film and a coarse one mixes them") {
        film::Film film(41, 33, {0, 0, 41, 33}, {});
        for (u32 y = 0; y < 33; ++y) {
            for (u32 x = 0; x < 41; ++x) {
                const auto ramp = [](u32 at) { return static_cast<float>(at) / 64; };
                film.add_sample(x, y, {ramp(x), ramp(y), 8 * ramp(x + y), 1});
            }
        }
        const film::Region whole{0, 0, 41, 33};
        live::LiveView view;
        view.has_linear = true;
        view.exposure_stops = 2;
        live::LiveFilter filter;
        for (const u32 step_log2 : {3U, 1U, 0U}) {
            CAPTURE(step_log2);
            live::ShownFrame shown(film, view, {}, filter);
            shown.begin({.step_log2 = step_log2, .samples = 1});
            shown.resolve(whole);
            CHECK(shown.filter([] { return false; }));
            shown.tone(whole);
            shown.show();
            const auto image = shown.image();
            REQUIRE(image->linear.size() == image->rgba.size());
            u32 differing = 0;
            for (u32 pixel = 0; pixel < 41 * 33; ++pixel) {
                const auto mean = film.pixel(pixel % 41, pixel / 41);
                differing +=
                    std::equal(mean.begin(), mean.end(), &image->linear[4 * pixel]) ? 0U : 1U;
            }
            CHECK(differing == 0);  // a ramp: what lies between two nodes is their mixture
        }
    }

    TEST_CASE("a picture has no linear values where the view asks for none") {
        film::Film film(4, 4, {0, 0, 4, 4}, {});
        live::LiveFilter filter;
        live::ShownFrame shown(film, {}, {}, filter);
        shown.complete(0, [] { return false; });
        CHECK(shown.image()->linear.empty());
        live::LiveView view;
        view.has_linear = true;
        shown.change_view(view);
        CHECK(shown.image()->linear.size() == 64);
    }
}
