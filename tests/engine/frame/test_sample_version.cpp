// test_sample_version.cpp — whoever changes which samples a seed gives raises the number by which
// films tell it (engine/trace/sample_version.h).
//
// The scene is made without libm, whose bits differ between systems.
#include <string>

#include <doctest/doctest.h>

#include "engine/trace/sample_version.h"
#include "tests/engine/frame/media_frames.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using namespace weft::tests;
using weft::u32;
using weft::shaders::Isa;

// The film hashes of everything_scene() with samples of a version, by arithmetic class. Replace all
// three where the samples change.
struct KnownFilms {
    u32 version;
    const char* sse4;
    const char* fma;
};

constexpr KnownFilms kKnown = {
    11, "e3e42fd9bf9b4148d06f799d74701360", "785e99b967c795b41a33dd72062250ef"};

// A sky with a sun, lamps of each kind, with and without a size, and materials of each lobe. One
// lamp is in a medium that scatters forwards.
weft::scene::Scene everything_scene() {
    weft::scene::Scene scene;
    add_object(scene, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), plastic({0.6F, 0.5F, 0.4F}, 0.6F));
    add_object(scene, box({-2, 0, -1}, {-1, 1.5F, 0}, Facing::Out), glass(1.5F, 0.1F));
    add_object(
        scene, box({0.2F, 0, -2}, {1.6F, 1, -1}, Facing::Out), metal({0.9F, 0.7F, 0.3F}, 0.2F));
    add_object(scene, quad({-1, 0.2F, 1.4F}, {1.4F, 0, 0}, {0, 1, 0}), window({0.6F, 0.8F, 1}, 0));
    weft::shaders::MaterialRecord cloth = lambert({0.4F, 0.3F, 0.6F});
    cloth.sheen_color[0] = 0.8F;
    cloth.sheen_roughness = 0.5F;
    cloth.coat = 0.7F;
    cloth.coat_roughness = 0.2F;
    cloth.flags |= weft::shaders::kMaterialSheen | weft::shaders::kMaterialCoat;
    add_object(scene, box({1, 0, 0}, {1.8F, 0.8F, 0.7F}, Facing::Out), cloth);
    add_object(scene,
               box({-3, 0.1F, -3}, {-2.2F, 2, 2}, Facing::Out),
               boundary({0, 0, 0.1F}, {0.4F, 0.4F, 0.4F}, 0.8F));
    for (const float x : {-1.5F, 0.5F, 2.5F}) {
        add_object(scene, quad({x, 3, 0}, {0.4F, 0, 0}, {0, 0, 0.4F}), emitter({20, 18, 15}));
    }
    scene.lights.push_back(point_light({2, 2, 1}, {6, 5, 4}));
    scene.lights.push_back(spot_light({-2, 3, 2}, {0.4F, -1, -0.5F}, {20, 20, 25}, 0.9F, 0.8F));
    scene.lights.push_back(directional_light({0.3F, -1, -0.2F}, {2, 2, 1.5F}));
    scene.lights.push_back(point_light({-2.6F, 1.2F, 1}, {3, 4, 5}));
    scene.lights[2].angle_deg = 5;
    scene.lights[3].radius_m = 0.5F;
    set_sky(scene, 32, 16);
    set_camera(scene, {0.3F, 1.8F, 4.5F}, {0, 0.7F, 0}, 0.8F);
    return scene;
}

std::string film_hash(Isa isa) {
    const weft::scene::Scene scene = everything_scene();
    weft::frame::RenderSettings settings;
    settings.width = 64;
    settings.height = 40;
    settings.samples_per_pixel = 5;
    settings.thread_count = 1;
    settings.isa = isa;
    const auto renderer = rendered(scene, settings);
    return renderer->film().film_hash();
}

}  // namespace

TEST_SUITE("engine/frame/sample_version") {
    TEST_CASE("a change of the samples raises their version") {
        INFO(
            "If the samples were meant to change, raise kSampleVersion, and put the new version "
            "and hashes into kKnown.");
        CHECK(weft::trace::kSampleVersion == kKnown.version);
        CHECK(film_hash(Isa::Sse4) == kKnown.sse4);
        if (is_there_or_skipped(weft::shaders::is_supported(Isa::Avx2), "AVX2", Source::DevTest)) {
            CHECK(film_hash(Isa::Avx2) == kKnown.fma);
        }
    }
}
