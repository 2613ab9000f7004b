// test_live_denoise.cpp — denoised pictures of live frames: less noise, the same film, and the same
// picture whenever denoising was switched on.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/denoise/denoise_layers.h"
#include "engine/live/live_filter.h"
#include "engine/live/live_render.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"

namespace {

using namespace weft;
using live::LiveJob;
using live::LivePicture;
using live::LiveRender;
using live::LiveView;
using tests::batch_hash;
using tests::small_job;
using tests::wait_for_end;

LiveJob noisy_job(u32 samples) {
    LiveJob job = small_job();
    job.settings.width = 320;
    job.settings.height = 256;
    job.settings.samples_per_pixel = samples;
    job.settings.integrator = {};  // batches for many pixels
    return job;
}

LiveView denoised() {
    LiveView view;
    view.denoise = live::LiveDenoise::Fast;
    return view;
}

// The picture after the view has been applied.
LivePicture taken(LiveRender& live, const LiveView& view) {
    live.set_view(view);
    CHECK(live.film_hash().is_ok());  // answered after it
    LivePicture picture;
    REQUIRE(live.take_picture(picture));
    return picture;
}

double distance(const LivePicture& a, const LivePicture& b) {
    REQUIRE(a.rgba.size() == b.rgba.size());
    double sum = 0;
    for (std::size_t k = 0; k < a.rgba.size(); ++k) {
        const double d = double{a.rgba[k] / 255.0} - b.rgba[k] / 255.0;
        sum += d * d;
    }
    return std::sqrt(sum / static_cast<double>(a.rgba.size()));
}

}  // namespace

TEST_SUITE("engine/live/live_denoise") {
    TEST_CASE("a denoised picture is nearer to the converged one and the film has its hash") {
        const LiveJob job = noisy_job(4);
        LiveRender live(2);
        live.set_view(denoised());
        wait_for_end(live, live.show(job));
        const LivePicture clean = taken(live, denoised());
        const live::FilterTimes times = live.status().filter;
        CHECK(times.wall.count >= 1);
        CHECK(times.wall.last_ms > 0);
        CHECK(times.processor.count == times.wall.count);
        CHECK(times.processor.last_ms > 0);
        const LivePicture noisy = taken(live, {});
        CHECK(live.status().filter.wall.count == times.wall.count);
        CHECK(live.film_hash().value() == batch_hash(job));
        LiveRender long_live(2);
        wait_for_end(long_live, long_live.show(noisy_job(32)));
        const LivePicture converged = taken(long_live, {});
        MESSAGE("noisy ", distance(noisy, converged), " denoised ", distance(clean, converged));
        CHECK(distance(clean, converged) < 0.8 * distance(noisy, converged));
    }

    TEST_CASE(
        "denoising gives the same picture whenever it is switched on and none when it is off") {
        for (const u32 samples : {1U, 5U}) {
            CAPTURE(samples);
            const LiveJob job = noisy_job(samples);
            LiveRender live(2);
            wait_for_end(live, live.show(job));
            const LivePicture noisy = taken(live, {});
            const LivePicture late = taken(live, denoised());
            LiveRender other(2);
            other.set_view(denoised());
            wait_for_end(other, other.show(job));
            LivePicture early;
            REQUIRE(other.take_picture(early));
            CHECK(early.rgba == late.rgba);
            CHECK(early.rgba != noisy.rgba);
            CHECK(taken(live, {}).rgba == noisy.rgba);
            // Layers and false colours show what the film holds.
            LiveView layer = denoised();
            layer.layer = film::Aov::Albedo;
            LiveView plain = layer;
            plain.denoise = live::LiveDenoise::Off;
            CHECK(taken(live, layer).rgba == taken(other, plain).rgba);
        }
    }

    TEST_CASE("the filter reads of a film what the layers of its file say") {
        LiveJob job = noisy_job(6);
        job.settings.aovs.assign(denoise::kNeededAovs.begin(), denoise::kNeededAovs.end());
        auto renderer = frame::Renderer::prepare(*job.scene, job.camera, job.settings, job.hidden);
        REQUIRE(renderer.is_ok());
        REQUIRE(renderer.value()->render({}).is_ok());
        const film::Film& film = renderer.value()->film();
        // The slow way: all layers of a resolved film.
        film::ResolvedFilm resolved(film, {});
        resolved.finish();
        const auto layers = denoise::layers_of(resolved, denoise::Method::Fast);
        REQUIRE(layers.is_ok());
        denoise::FastInput input;
        input.width = job.settings.width;
        input.height = job.settings.height;
        input.colour = layers.value().colour.pixels;
        input.first_half = layers.value().first_half.pixels;
        input.second_half = layers.value().second_half.pixels;
        input.albedo = layers.value().albedo.pixels;
        input.normal = layers.value().normal.pixels;
        input.depth = layers.value().depth.pixels;
        input.sample_count = 6;
        std::vector<float> expected(input.colour.size());
        denoise::FastFilter slow;
        REQUIRE(slow.filter(input, expected, denoise::run_on_tbb).is_ok());
        // The way of a live frame.
        live::LiveFilter filter;
        CHECK(live::LiveFilter::can_filter(film));
        filter.begin({&film, input.width, input.height, 6}, true);
        std::vector<float> rgba(std::size_t{4} * input.width * input.height);
        for (u32 y = 0; y < input.height; ++y) {
            for (u32 x = 0; x < input.width; ++x) {
                const std::size_t pixel = std::size_t{y} * input.width + x;
                filter.resolve(x, y, pixel);
                const std::array<float, 4> mean = film.pixel(x, y);
                std::copy(mean.begin(), mean.end(), rgba.data() + 4 * pixel);
            }
        }
        std::vector<float> rgb;
        REQUIRE(filter.run(rgba, rgb, [] { return false; }));
        REQUIRE(rgb.size() == expected.size());
        double most = 0;
        for (std::size_t k = 0; k < rgb.size(); ++k) {
            most = std::max(most,
                            std::abs(double{rgb[k]} - double{expected[k]}) /
                                (std::abs(double{expected[k]}) + 0.01));
        }
        CHECK(most < 1e-3);
        CHECK(!filter.run(rgba, rgb, [] { return true; }));
    }
}
