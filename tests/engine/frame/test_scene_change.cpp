// test_scene_change.cpp — a frame that shows another scene between its runs.
#include <memory>
#include <utility>

#include <doctest/doctest.h>

#include "engine/frame/prepared_scene.h"
#include "engine/frame/renderer.h"
#include "tests/engine/frame/media_frames.h"

namespace {

using namespace weft::tests;
using weft::frame::PreparedScene;
using weft::frame::Renderer;
using weft::frame::RenderSettings;

// A floor below a pane, which hides it from a sun above.
std::shared_ptr<const weft::scene::Scene> floor_below(const weft::shaders::MaterialRecord& pane) {
    auto scene = std::make_shared<weft::scene::Scene>();
    add_object(*scene, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), lambert({0.5F, 0.5F, 0.5F}));
    add_object(*scene, quad({-40, 3, 40}, {80, 0, 0}, {0, 0, -80}), pane);
    scene->lights = {directional_light({0, -1, 0}, {3, 3, 3})};
    set_camera(*scene, {0, 2, 0.5F}, {0, 0, 0}, 0.3F);
    return scene;
}

// A smooth floor and `count` lamps at a height, which may be below it.
std::shared_ptr<const weft::scene::Scene> lamps_at(float height_m, weft::u32 count) {
    auto scene = std::make_shared<weft::scene::Scene>();
    add_object(*scene, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), metal({0.9F, 0.7F, 0.3F}, 0.3F));
    for (weft::u32 k = 0; k < count; ++k) {
        scene->lights.push_back(
            point_light({static_cast<float>(k) - 1, height_m, -0.5F}, {3, 3, 3}));
    }
    set_camera(*scene, {0, 2, 0.5F}, {0, 0, 0}, 0.3F);
    return scene;
}

PreparedScene prepared(const std::shared_ptr<const weft::scene::Scene>& scene,
                       const RenderSettings& settings) {
    auto made = weft::frame::prepare_scene({.scene = scene, .settings = &settings, .hidden = {}});
    REQUIRE(made.is_ok());
    return std::move(made.value());
}

}  // namespace

TEST_SUITE("engine/frame/scene_change") {
    TEST_CASE("a pane that begins to tint shadow rays lets their light through") {
        const auto opaque = floor_below(lambert({0, 1, 0}));
        const auto green = floor_below(window({0, 1, 0}, 0));
        RenderSettings settings = settings_of(weft::trace::SchedulerMode::Keyed, 4, 1);
        const Estimate lit = estimate(*green, settings);
        REQUIRE(lit.mean[1] > 0.3);
        REQUIRE(lit.mean[0] < 1e-6);
        // Units made for the opaque pane have no place for tints.
        auto frame =
            Renderer::prepare(prepared(opaque, settings), opaque->cameras.front(), settings);
        REQUIRE(frame.is_ok());
        REQUIRE(frame.value()->run({}).is_ok());
        CHECK(frame.value()->film().pixel(8, 8)[1] == 0);
        frame.value()->change_samples(8);
        REQUIRE(
            frame.value()->change_scene(prepared(green, settings), green->cameras.front()).is_ok());
        REQUIRE(frame.value()->run({}).is_ok());
        // Half of the samples are dark.
        const double mean = lit.mean[1] / 2;
        CHECK(static_cast<double>(frame.value()->film().pixel(8, 8)[1]) ==
              doctest::Approx(mean).epsilon(1e-3));
        CHECK(frame.value()->film().pixel(8, 8)[0] < 1e-6F);
    }

    TEST_CASE("lamps that become enough for a light tree give the same film, whatever was before") {
        const RenderSettings settings = settings_of(weft::trace::SchedulerMode::Keyed, 4, 1);
        const auto lit = lamps_at(1, 3);
        // Units made for one lamp keep no highlights; those made for three do. Both are dark.
        const auto film_after = [&](weft::u32 lamps_before) {
            const auto dark = lamps_at(-1, lamps_before);
            auto frame =
                Renderer::prepare(prepared(dark, settings), dark->cameras.front(), settings);
            REQUIRE(frame.is_ok());
            REQUIRE(frame.value()->run({}).is_ok());
            REQUIRE(frame.value()->film().pixel(8, 8)[0] == 0);
            frame.value()->change_samples(8);
            REQUIRE(
                frame.value()->change_scene(prepared(lit, settings), lit->cameras.front()).is_ok());
            REQUIRE(frame.value()->run({}).is_ok());
            CHECK(frame.value()->film().pixel(8, 8)[0] > 0);
            return frame.value()->film().film_hash();
        };
        CHECK(film_after(1) == film_after(3));
    }
}
