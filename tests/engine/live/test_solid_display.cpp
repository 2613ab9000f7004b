// test_solid_display.cpp — the displays without light: whole pictures of what the camera hits,
// while the rendered frame keeps its samples and its film.
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "engine/live/live_render.h"
#include "engine/live/solid_colours.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"
#include "tests/rest.h"

namespace {

using namespace weft;
using live::LiveDisplay;
using live::LiveJob;
using live::LivePicture;
using live::LiveRender;
using live::LiveState;
using live::LiveView;
using tests::batch_hash;
using tests::small_job;
using tests::wait_for_end;

LiveView view_of(LiveDisplay display) {
    LiveView view;
    view.display = display;
    return view;
}

// The last picture of a display, once all of its passes are drawn.
LivePicture shown(LiveRender& live, u64 job, LiveDisplay display) {
    LivePicture picture;
    while (live.status().state != LiveState::Failed) {
        live.take_picture(picture);
        const bool is_there = picture.display == display && picture.job == job;
        if (is_there && live.status().state == LiveState::Done) {
            live.take_picture(picture);
            return picture;
        }
        tests::rest();
    }
    FAIL(live.status().error);
    return picture;
}

std::array<int, 3> pixel(const LivePicture& picture, u32 x, u32 y) {
    const u8* const rgba = picture.rgba.data() + 4 * (std::size_t{y} * picture.width + x);
    return {rgba[0], rgba[1], rgba[2]};
}

// A wall of `side` × `side` squares of two triangles each, that fills the picture.
LiveJob wall_job(u32 side) {
    scene::Scene scene;
    tests::Shape wall;
    for (u32 k = 0; k < (side + 1) * (side + 1); ++k) {
        const auto at = [side](u32 step) {
            return 12 * (static_cast<float>(step) / static_cast<float>(side)) - 6;
        };
        wall.positions.insert(wall.positions.end(), {at(k % (side + 1)), at(k / (side + 1)), -4});
    }
    for (u32 k = 0; k < side * side; ++k) {
        const u32 corner = k / side * (side + 1) + k % side;
        const u32 above = corner + side + 1;
        wall.indices.insert(wall.indices.end(),
                            {corner, corner + 1, above, corner + 1, above + 1, above});
    }
    tests::add_object(scene, wall, tests::lambert({0.8F, 0.4F, 0.1F}));
    tests::set_camera(scene, {0.1F, 0.2F, 0}, {0.1F, 0.2F, -1}, 0.9F);
    LiveJob job = small_job();
    job.scene = std::make_shared<const scene::Scene>(std::move(scene));
    job.camera = job.scene->cameras.front();
    return job;
}

}  // namespace

TEST_SUITE("engine/live/solid_display") {
    TEST_CASE("the frame keeps its samples and its film while another display is shown") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = 1000000;
        const u64 number = live.show(job);
        while (live.status().samples_done < 2) {
            tests::rest();
        }
        live.set_view(view_of(LiveDisplay::Solid));
        const LivePicture solid = shown(live, number, LiveDisplay::Solid);
        CHECK(solid.width == job.settings.width);
        CHECK(solid.height == job.settings.height);
        CHECK(!solid.is_coarse);
        // Nothing renders meanwhile.
        const double before = live.status().samples_mean;
        live.set_view(view_of(LiveDisplay::Wireframe));
        CHECK(shown(live, number, LiveDisplay::Wireframe).rgba != solid.rgba);
        CHECK(live.status().samples_mean == before);

        live.set_view({});
        while (live.status().samples_mean <= before) {
            tests::rest();
        }
        LivePicture picture;
        live.take_picture(picture);
        CHECK(picture.display == LiveDisplay::Rendered);
        CHECK(live.status().counters.frames == 1);
        // A film may also be asked for while the display has no light.
        live.set_view(view_of(LiveDisplay::Solid));
        const std::string hash = live.film_hash().value();
        job.settings.samples_per_pixel = live.inspect(0, 0).samples;
        CHECK(hash == batch_hash(job));
        live.take_picture(picture);
        CHECK(picture.display == LiveDisplay::Solid);
    }

    TEST_CASE("edits in a display without light begin no frame before light is wanted") {
        LiveRender live(2);
        live.set_view(view_of(LiveDisplay::Solid));
        LiveJob job = small_job();
        u64 number = live.show(job);
        const LivePicture first = shown(live, number, LiveDisplay::Solid);
        job.camera.yfov_rad *= 0.8F;
        job.effect = scene::kEffectCamera;
        number = live.show(job);
        CHECK(shown(live, number, LiveDisplay::Solid).rgba != first.rgba);
        CHECK(live.status().counters.frames == 0);
        CHECK(!live.film_hash().is_ok());
        CHECK(live.inspect(3, 3).job == 0);
        REQUIRE(live.pick(48, 32).has_value());
        live.set_view({});
        LivePicture picture = shown(live, number, LiveDisplay::Rendered);
        CHECK(picture.samples == job.settings.samples_per_pixel);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("a job whose frame is there is shown with its samples after edits elsewhere") {
        LiveRender live(2);
        const LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        live.set_view(view_of(LiveDisplay::Solid));
        LiveJob turned = job;
        turned.camera.yfov_rad *= 0.9F;
        turned.effect = scene::kEffectCamera;
        shown(live, live.show(turned), LiveDisplay::Solid);
        const u64 again = live.show(job);
        shown(live, again, LiveDisplay::Solid);
        live.set_view({});
        shown(live, again, LiveDisplay::Rendered);
        CHECK(live.status().counters.frames == 1);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("a job that cannot be prepared fails in a display without light as well") {
        LiveRender live(2);
        live.set_view(view_of(LiveDisplay::Wireframe));
        LiveJob job = small_job();
        job.hidden = {"no such node"};
        live.show(job);
        while (live.status().state != LiveState::Failed) {
            tests::rest();
        }
        CHECK(live.status().error == "--hide no such node: no node of the scene has this name");
        live.set_view(view_of(LiveDisplay::Solid));
        job.hidden.clear();
        shown(live, live.show(job), LiveDisplay::Solid);
    }

    TEST_CASE("a surface has the colour of its material without any light and whatever the view") {
        const LiveJob job = wall_job(2);
        LiveRender live(2);
        LiveView view = view_of(LiveDisplay::Solid);
        live.set_view(view);
        const u64 number = live.show(job);
        const LivePicture picture = shown(live, number, LiveDisplay::Solid);
        frame::CameraHit hit;
        hit.instance = 0;
        hit.normal = {0, 0, 1};
        hit.albedo = {0.8F, 0.4F, 0.1F};
        const live::DisplayRgb expected = live::solid_colour(hit, {0, 0, -1});
        const std::array<int, 3> middle = pixel(picture, 48, 32);
        for (std::size_t c = 0; c < 3; ++c) {
            CHECK(std::abs(middle[c] - expected[c]) <= 1);
        }
        // Brighter than from the side.
        CHECK(pixel(picture, 1, 1)[0] < middle[0]);
        view.exposure_stops = 3;
        live.set_view(view);
        CHECK(shown(live, number, LiveDisplay::Solid).rgba == picture.rgba);
    }

    TEST_CASE("edges are lines of about a pixel and dense meshes stay readable") {
        LiveRender live(2);
        live.set_view(view_of(LiveDisplay::Solid));
        const LivePicture solid = shown(live, live.show(wall_job(2)), LiveDisplay::Solid);
        live.set_view(view_of(LiveDisplay::Wireframe));
        const auto darkened = [&](u32 side) {
            const LivePicture wired =
                shown(live, live.show(wall_job(side)), LiveDisplay::Wireframe);
            u32 count = 0;
            for (u32 y = 0; y < 64; ++y) {
                for (u32 x = 0; x < 96; ++x) {
                    count += pixel(wired, x, y)[0] + 25 < pixel(solid, x, y)[0] ? 1U : 0U;
                }
            }
            return count;
        };
        // Two lines through the picture, and two diagonals.
        const u32 coarse = darkened(2);
        CHECK(coarse > 100);
        CHECK(coarse < 700);
        CHECK(darkened(24) > 1000);
        CHECK(darkened(600) == 0);
    }
}
