// test_live_quality.cpp — pictures that rest: what weft denoise makes of the same film, kept while
// samples come, and given up at once for anything else.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/denoise/denoiser.h"
#include "engine/live/live_render.h"
#include "engine/live/quality_pace.h"
#include "engine/live/shown_frame.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"
#include "tests/rest.h"

namespace {

using namespace weft;
using live::LiveDenoise;
using live::LiveJob;
using live::LivePicture;
using live::LiveRender;
using live::LiveView;
using tests::small_job;
using tests::wait_for_end;

LiveJob job_of(u32 width, u32 height, u32 samples) {
    LiveJob job = small_job();
    job.settings.width = width;
    job.settings.height = height;
    job.settings.samples_per_pixel = samples;
    return job;
}

LiveView view_of(LiveDenoise denoise) {
    LiveView view;
    view.denoise = denoise;
    view.has_linear = true;
    return view;
}

std::unique_ptr<frame::Renderer> rendered(const LiveJob& job) {
    auto renderer = frame::Renderer::prepare(*job.scene, job.camera, job.settings, job.hidden);
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    return std::move(renderer.value());
}

// As weft denoise: RGB of the film that weft render keeps.
std::vector<float> denoised_alone(LiveJob job) {
    job.settings.aovs.assign(denoise::kQualityAovs.begin(), denoise::kQualityAovs.end());
    const auto renderer = rendered(job);
    film::ResolvedFilm picture(renderer->film(), {});
    picture.finish();
    const auto layers = denoise::layers_of(picture, denoise::Method::Quality);
    REQUIRE(layers.is_ok());
    const auto clean = denoise::denoise(layers.value(), {});
    REQUIRE(clean.is_ok());
    return clean.value().pixels;
}

std::vector<float> rgb_of(const LivePicture& picture) {
    std::vector<float> rgb;
    for (std::size_t k = 0; k < picture.linear.size(); ++k) {
        if (k % 4 != 3) {
            rgb.push_back(picture.linear[k]);
        }
    }
    return rgb;
}

LivePicture taken(LiveRender& live) {
    LivePicture picture;
    REQUIRE(live.take_picture(picture));
    return picture;
}

// Until the quality filter has begun so many times, or everything is done before anybody looks.
void wait_until_begun(const LiveRender& live, u64 count) {
    for (live::LiveStatus status = live.status();
         status.quality.begun < count && status.state != live::LiveState::Done &&
         status.error.empty();
         status = live.status()) {
        tests::rest();
    }
}

// Until a picture of this job is shown.
LivePicture first_of(LiveRender& live, u64 job) {
    LivePicture picture;
    while (picture.job != job) {
        live.take_picture(picture);
        tests::rest();
    }
    return picture;
}

// So many pixels that the quality filter takes a while.
LiveJob slow_job() {
    return job_of(320, 200, 2);
}

}  // namespace

TEST_SUITE("engine/live/live_quality") {
    TEST_CASE("the last picture is what weft denoise makes of the film with every bit") {
        const LiveJob job = job_of(150, 90, 6);
        LiveRender live(2);
        live.set_view(view_of(LiveDenoise::Quality));
        wait_for_end(live, live.show(job));
        const LivePicture shown = taken(live);
        CHECK(shown.samples == 6);
        CHECK(shown.denoised == LiveDenoise::Quality);
        CHECK(live.status().denoised == LiveDenoise::Quality);
        CHECK(live.status().quality.wall.count >= 1);
        CHECK(live.status().quality.wall.last_ms > 0);
        CHECK(rgb_of(shown) == denoised_alone(job));
        CHECK(live.film_hash().value() == tests::batch_hash(job));
        // Also after edits, whatever their pictures showed at first.
        LiveJob turned = job;
        turned.camera.to_world[3] += 0.02F;
        turned.effect = scene::kEffectCamera;
        wait_for_end(live, live.show(turned));
        CHECK(rgb_of(taken(live)) == denoised_alone(turned));
        // A film with one sample has no second half, so the fast filter makes its pictures.
        wait_for_end(live, live.show(job_of(96, 64, 1)));
        CHECK(taken(live).denoised == LiveDenoise::Fast);
    }

    TEST_CASE("an edit ends the quality filter and its first picture comes before") {
        LiveJob job = slow_job();
        LiveRender live(2);
        live.set_view(view_of(LiveDenoise::Quality));
        u64 number = live.show(job);
        u32 overtaken = 0;
        for (u64 edit = 1; edit <= 4; ++edit) {
            wait_until_begun(live, edit);
            const u64 whole = live.status().quality.wall.count;
            job.camera.to_world[3] += 0.02F;
            job.effect = scene::kEffectCamera;
            number = live.show(job);
            first_of(live, number);
            // Had the picture waited for the filter, that would be done.
            const live::QualityFigures after = live.status().quality;
            overtaken += after.wall.count == whole && after.begun == edit ? 1U : 0U;
        }
        CHECK(overtaken >= 1);
        wait_for_end(live, number);
        CHECK(live.status().quality.stopped >= 1);
        CHECK(taken(live).denoised == LiveDenoise::Quality);
    }

    TEST_CASE("whatever comes while the quality filter runs leaves the same last picture") {
        const LiveJob job = slow_job();
        const std::vector<float> expected = denoised_alone(job);
        const LiveView quality = view_of(LiveDenoise::Quality);
        LiveRender live(2);
        live.set_view(quality);
        const u64 number = live.show(job);
        wait_until_begun(live, 1);
        // The view: brighter, plain, and back.
        LiveView brighter = quality;
        brighter.exposure_stops = 1;
        live.set_view(brighter);
        wait_until_begun(live, 2);
        live.set_view(view_of(LiveDenoise::Off));
        CHECK(live.film_hash().is_ok());  // answered after it
        CHECK(taken(live).denoised == LiveDenoise::Off);
        live.set_view(quality);
        CHECK(live.film_hash().is_ok());
        // Pauses and questions.
        wait_until_begun(live, 3);
        live.set_paused(true);
        CHECK(live.inspect(3, 4).samples == 2);
        live.set_paused(false);
        wait_until_begun(live, 4);
        CHECK(live.film_hash().value() == tests::batch_hash(job));
        wait_for_end(live, number);
        CHECK(rgb_of(taken(live)) == expected);
        // Another size, and back to the frame that was put aside.
        LiveJob smaller = job_of(96, 64, 2);
        smaller.effect = scene::kEffectNone;
        wait_for_end(live, live.show(smaller));
        CHECK(rgb_of(taken(live)) == denoised_alone(smaller));
        wait_for_end(live, live.show(job));
        CHECK(rgb_of(taken(live)) == expected);
    }

    TEST_CASE("a render may be closed at any moment of the quality filter") {
        for (const u32 turns : {0U, 16U, 256U}) {
            LiveRender live(2);
            live.set_view(view_of(LiveDenoise::Quality));
            live.show(slow_job());
            wait_until_begun(live, 1);
            for (u32 k = 0; k < turns; ++k) {
                tests::rest();
            }
        }
        CHECK(true);  // it was closed
    }

    TEST_CASE("what the quality filter made stays while the view wants it") {
        LiveJob job = job_of(96, 64, 4);
        job.settings.aovs.assign(denoise::kQualityAovs.begin(), denoise::kQualityAovs.end());
        job.settings.aovs.insert(job.settings.aovs.end(), {film::Aov::Albedo, film::Aov::Normal});
        const auto renderer = rendered(job);
        const auto never = [] { return false; };
        live::LiveFilter fast;
        live::QualityFilter quality;
        LiveView view = view_of(LiveDenoise::Fast);
        live::ShownFrame shown(renderer->film(), view, {.full_width = 96, .full_height = 64}, fast);
        shown.shown_filter().use_quality(quality, shaders::best_isa());
        REQUIRE(shown.complete(4, never));
        CHECK(shown.image()->denoised == LiveDenoise::Fast);
        const std::vector<u8> first = shown.image()->rgba;
        // The view alone does not wait for it.
        view.denoise = LiveDenoise::Quality;
        shown.change_view(view);
        CHECK(shown.image()->denoised == LiveDenoise::Fast);
        CHECK(!shown.complete(4, [] { return true; }));
        CHECK(shown.image()->rgba == first);
        CHECK(quality.figures().stopped == 1);
        REQUIRE(shown.complete(4, never));
        CHECK(shown.image()->denoised == LiveDenoise::Quality);
        const std::vector<u8> slow = shown.image()->rgba;
        CHECK(slow != first);
        // A picture that follows keeps it, and so does a view that goes and comes back.
        const frame::Generation next{.samples = 4};
        CHECK(!shown.wants(next, u64{1} << 40));
        shown.shown_filter().allow_quality(false);
        shown.begin(next);
        shown.resolve({0, 0, 96, 64});
        REQUIRE(shown.filter(never));
        shown.tone({0, 0, 96, 64});
        shown.show();
        CHECK(shown.image()->rgba == slow);
        view.denoise = LiveDenoise::Off;
        shown.change_view(view);
        CHECK(shown.image()->denoised == LiveDenoise::Off);
        CHECK(shown.image()->rgba != slow);
        view.denoise = LiveDenoise::Quality;
        shown.change_view(view);
        CHECK(shown.image()->rgba == slow);
        CHECK(shown.image()->denoised == LiveDenoise::Quality);
        CHECK(quality.figures().begun == 2);
        view.denoise = LiveDenoise::Fast;
        shown.change_view(view);
        CHECK(shown.image()->rgba == first);
        CHECK(shown.wants(next, u64{1} << 60));
    }

    TEST_CASE("quality pictures take a bounded share of the time and have more samples each") {
        live::QualityPace pace;
        CHECK(!pace.is_due(15, false, 0.001, 1000));  // too few
        CHECK(!pace.is_due(16, false, 3, 19));
        CHECK(pace.is_due(16, false, 3, 21));
        pace.spend(3);
        pace.show(16);
        CHECK(!pace.is_due(23, false, 3, 1000));
        CHECK(pace.is_due(23, true, 3, 1000));
        CHECK(!pace.is_due(24, false, 3, 39));
        CHECK(pace.is_due(24, false, 3, 41));
        CHECK(pace.samples() == 16);
        // A frame of a second a sample that rests for an hour.
        double spent_s = 3;
        u32 pictures = 1;
        for (u32 second = 25; second < 3600; ++second) {
            if (pace.is_due(second, false, 3, second)) {
                pace.spend(3);
                pace.show(second);
                spent_s += 3;
                ++pictures;
            }
            CHECK(spent_s <= 0.15 * second + 1e-9);
        }
        CHECK(pictures > 8);
        CHECK(pictures < 15);
        pace.lose();
        CHECK(pace.is_due(16, false, 3, 3600));
    }
}
