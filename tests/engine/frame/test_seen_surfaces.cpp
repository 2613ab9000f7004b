// test_seen_surfaces.cpp — the layers for denoising: what mirrors and clear glass show, and light
// that is direct (shaders/bsdf.md section 7).
#include <array>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "tests/engine/frame/whole_frame.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using weft::u32;
using weft::film::Aov;
using weft::film::Film;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::scene::Scene;
using weft::shaders::MaterialRecord;
using Colour = std::array<float, 3>;

constexpr u32 kAlbedo = 0;
constexpr u32 kNormal = 1;
constexpr u32 kSeenAlbedo = 2;
constexpr u32 kSeenNormal = 3;
constexpr u32 kDirect = 4;
constexpr u32 kSide = 12;

std::unique_ptr<Renderer> rendered(const Scene& scene, u32 max_bounces) {
    RenderSettings settings;
    settings.width = kSide;
    settings.height = kSide;
    settings.samples_per_pixel = 8;
    settings.max_bounces = max_bounces;
    settings.thread_count = 1;
    settings.aovs = {Aov::Albedo, Aov::Normal, Aov::SeenAlbedo, Aov::SeenNormal, Aov::Direct};
    return weft::tests::rendered(scene, settings);
}

Colour mean_of(const Film& film, u32 layer, u32 x = kSide / 2, u32 y = kSide / 2) {
    Colour mean{};
    film.aov_pixel(layer, x, y, mean.data());
    return mean;
}

void check_close(const Colour& found, const Colour& wanted) {
    for (u32 c = 0; c < 3; ++c) {
        CAPTURE(c);
        CHECK(found[c] == doctest::Approx(wanted[c]).epsilon(0.01).scale(1));
    }
}

// A red wall behind the camera and a green one before it, both seen from between; what stands
// before the green wall fills the picture.
Scene between_walls(const MaterialRecord& pane) {
    using namespace weft::tests;
    Scene scene;
    add_object(scene, quad({-9, -9, 4}, {0, 18, 0}, {18, 0, 0}), lambert({0.8F, 0.1F, 0.1F}));
    add_object(scene, quad({-9, -9, -4}, {18, 0, 0}, {0, 18, 0}), lambert({0.1F, 0.8F, 0.1F}));
    add_object(scene, quad({-3, -3, 0}, {6, 0, 0}, {0, 6, 0}), pane);
    set_constant_environment(scene, {1, 1, 1});
    set_camera(scene, {0, 0, 2}, {0, 0, 0}, 0.6F);
    return scene;
}

// A white room with a lamp, without mirrors.
Scene lamp_room() {
    using namespace weft::tests;
    Scene scene;
    add_object(scene, box({-3, 0, -3}, {3, 4, 3}, Facing::In), lambert({0.7F, 0.6F, 0.5F}));
    add_object(scene, quad({-0.8F, 3.9F, 0.8F}, {1.6F, 0, 0}, {0, 0, -1.6F}), emitter({9, 8, 7}));
    set_camera(scene, {0, 1.8F, 2.9F}, {0, 1.2F, 0}, 1.1F);
    return scene;
}

}  // namespace

TEST_SUITE("engine/frame/seen_surfaces") {
    TEST_CASE("a smooth metal shows the albedo of what it mirrors in its colour") {
        const auto frame = rendered(between_walls(weft::tests::metal({0.9F, 0.6F, 0.3F}, 0)), 6);
        const Film& film = frame->film();
        check_close(mean_of(film, kAlbedo), {0.9F, 0.6F, 0.3F});
        check_close(mean_of(film, kNormal), {0, 0, 1});
        check_close(mean_of(film, kSeenAlbedo), {0.9F * 0.8F, 0.6F * 0.1F, 0.3F * 0.1F});
        check_close(mean_of(film, kSeenNormal), {0, 0, -1});
    }

    TEST_CASE("a smooth window shows the wall behind it") {
        const auto frame = rendered(between_walls(weft::tests::window({1, 1, 1}, 0)), 6);
        const Film& film = frame->film();
        const Colour seen = mean_of(film, kSeenAlbedo);
        check_close(mean_of(film, kAlbedo), {1, 1, 1});
        CHECK(seen[1] > 0.6F);
        CHECK(seen[0] < 0.3F);
    }

    TEST_CASE("a rough metal and a plastic show themselves") {
        for (const MaterialRecord& pane : {weft::tests::metal({0.9F, 0.6F, 0.3F}, 0.5F),
                                           weft::tests::plastic({0.9F, 0.6F, 0.3F}, 0.1F)}) {
            const auto frame = rendered(between_walls(pane), 6);
            for (u32 x = 0; x < kSide; ++x) {
                const Film& film = frame->film();
                CHECK(mean_of(film, kAlbedo, x) == mean_of(film, kSeenAlbedo, x));
                CHECK(mean_of(film, kNormal, x) == mean_of(film, kSeenNormal, x));
            }
        }
    }

    TEST_CASE("light that a surface emits counts as its albedo") {
        const auto frame = rendered(between_walls(weft::tests::emitter({0.3F, 2, 0})), 6);
        check_close(mean_of(frame->film(), kAlbedo), {0, 0, 0});
        check_close(mean_of(frame->film(), kSeenAlbedo), {0.3F, 1, 0});
    }

    TEST_CASE("the weight of a mirror falls with its roughness") {
        float last = 1;
        for (const float roughness : {0.0F, 0.19F, 0.3F}) {
            const auto frame =
                rendered(between_walls(weft::tests::metal({0.9F, 0.9F, 0.9F}, roughness)), 6);
            // The wall behind the camera has no green.
            const float own = mean_of(frame->film(), kSeenAlbedo)[1];
            CAPTURE(roughness);
            CHECK((roughness == 0 || own > last + 0.1F));
            last = own;
        }
        CHECK(last == doctest::Approx(0.9));
    }

    TEST_CASE("direct light of many bounces is the picture of one bounce") {
        const Scene scene = lamp_room();
        const auto one = rendered(scene, 1);
        const auto many = rendered(scene, 6);
        bool has_indirect = false;
        for (u32 y = 0; y < kSide; ++y) {
            for (u32 x = 0; x < kSide; ++x) {
                const std::array<float, 4> whole = one->film().pixel(x, y);
                const Colour direct = mean_of(many->film(), kDirect, x, y);
                CHECK(direct == Colour{whole[0], whole[1], whole[2]});
                CHECK(mean_of(one->film(), kDirect, x, y) == direct);
                has_indirect |= many->film().pixel(x, y)[0] > 1.1F * direct[0];
            }
        }
        CHECK(has_indirect);
    }

    TEST_CASE("light on what a mirror shows is direct") {
        const auto mirrored = rendered(between_walls(weft::tests::metal({1, 1, 1}, 0)), 6);
        const auto ended = rendered(between_walls(weft::tests::metal({1, 1, 1}, 0)), 2);
        for (u32 x = 0; x < kSide; ++x) {
            const std::array<float, 4> whole = ended->film().pixel(x, kSide / 2);
            CHECK(mean_of(mirrored->film(), kDirect, x) == Colour{whole[0], whole[1], whole[2]});
        }
    }
}
