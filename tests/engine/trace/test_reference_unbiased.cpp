// Sampling lights changes the noise and not the mean: each scene is traced with and without it.
#include <doctest/doctest.h>

#include "tests/engine/trace/reference_stage.h"

namespace weft::tests {

namespace {

constexpr u32 kMeanSamples = 2048;

// Means with light samples and without differ less than `tolerance` of the larger.
void check_equal_means(const scene::Scene& scene, double tolerance, u32 samples = kMeanSamples) {
    const Rgb sampled = mean_of(scene, samples, {2, 6, true, true});
    const Rgb found = mean_of(scene, samples, {2, 6, false, true});
    CHECK(trace::reference::largest(found) > 0.01);
    CHECK(relative_difference(sampled, found) < tolerance);
}

scene::Scene floor_of(const shaders::MaterialRecord& record) {
    scene::Scene scene;
    add_object(scene, quad({-5, 0, 5}, {10, 0, 0}, {0, 0, -10}), record);
    set_camera(scene, {0, 1.5f, 3}, {0, 0, 0}, 0.2f);
    return scene;
}

// A light large enough for scattered rays to find.
void add_ceiling(scene::Scene& scene, const shaders::MaterialRecord& record) {
    add_object(scene, quad({-3, 2, -3}, {6, 0, 0}, {0, 0, 6}), record);
}

shaders::MaterialRecord checkered(scene::Scene& scene, shaders::MaterialRecord record) {
    record.base_color_slot = add_slot(scene, 8, Meaning::Linear, [](u32 x, u32 y) {
        return Byte4{255, 255, 255, static_cast<u8>((x + y) % 2 == 0 ? 255 : 60)};
    });
    return record;
}

}  // namespace

TEST_SUITE("engine/trace/reference_unbiased") {
    TEST_CASE("an environment gives the same mean sampled and found") {
        scene::Scene scene = floor_of(plastic({0.6f, 0.5f, 0.4f}, 0.4f));
        set_sky(scene, 8, 4);
        check_equal_means(scene, 0.02);
    }

    TEST_CASE("an environment beside a light gives the same mean sampled and found") {
        scene::Scene scene = floor_of(plastic({0.6f, 0.5f, 0.4f}, 0.4f));
        set_constant_environment(scene, {1, 0.8f, 0.5f});
        add_object(scene, quad({-3, 0, -2}, {6, 0, 0}, {0, 2, 0}), emitter({1, 2, 3}));
        check_equal_means(scene, 0.02);
    }

    TEST_CASE("a sky beside many lights gives the same mean sampled and found") {
        scene::Scene scene = floor_of(plastic({0.6f, 0.5f, 0.4f}, 0.4f));
        set_sky(scene, 8, 4);
        add_object(scene, box({-3, 1, -2}, {2, 1.5f, -1}, Facing::Out), emitter({1, 2, 3}));
        check_equal_means(scene, 0.02, 16384);
        // Choosing by power has the same mean as well, with a sun beside them.
        scene.lights.push_back(directional_light({1, -1, -1}, {2, 2, 2}));
        const Rgb by_tree = mean_of(scene, kMeanSamples, {2, 6, true, true});
        const Rgb by_power =
            mean_of(scene, kMeanSamples, {2, 6, true, true, 0.0f, trace::LightChoice::Power});
        CHECK(relative_difference(by_tree, by_power) < 0.02);
        CHECK(relative_difference(by_tree, by_power) > 0);
    }

    TEST_CASE("a straight window tints sampled and found light equally") {
        scene::Scene scene = floor_of(lambert({0.7f, 0.7f, 0.7f}));
        add_ceiling(scene, emitter({2, 2, 2}));
        add_object(
            scene, quad({-3, 1, -3}, {6, 0, 0}, {0, 0, 6}), window({0.8f, 0.5f, 0.2f}, 0.0f));
        check_equal_means(scene, 0.02);
    }

    TEST_CASE("a rough window scatters sampled and found light equally") {
        scene::Scene scene = floor_of(lambert({0.7f, 0.7f, 0.7f}));
        set_constant_environment(scene, {1, 1, 1});
        add_object(scene, quad({-2, 0, 1}, {4, 0, 0}, {0, 3, 0}), window({0.8f, 0.5f, 0.2f}, 0.5f));
        check_equal_means(scene, 0.02);
    }

    TEST_CASE("a light with a translucent texture gives the same mean sampled and found") {
        scene::Scene scene = floor_of(lambert({0.7f, 0.7f, 0.7f}));
        shaders::MaterialRecord translucent = checkered(scene, emitter({2, 2, 2}));
        translucent.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
        add_ceiling(scene, translucent);
        check_equal_means(scene, 0.02);
    }

    TEST_CASE("light in an absorbing solid gives the same mean sampled and found") {
        scene::Scene scene = floor_of(lambert({0.7f, 0.7f, 0.7f}));
        add_ceiling(scene, emitter({2, 2, 2}));
        shaders::MaterialRecord block = glass(1.4f, 0.3f);
        block.sigma_a[0] = 0.7f;
        block.sigma_a[2] = 0.1f;
        add_object(scene, box({-6, -1, -6}, {6, 3, 6}, Facing::Out), block);
        set_camera(scene, {0, 5, 4}, {0, 2.5f, 0}, 0.5f);
        check_equal_means(scene, 0.02, 4096);
    }

    TEST_CASE("light in fog with smoke in it gives the same mean sampled and found") {
        scene::Scene scene = floor_of(lambert({0.7f, 0.7f, 0.7f}));
        add_ceiling(scene, emitter({2, 2, 2}));
        shaders::MaterialRecord fog = lambert({1, 1, 1});
        fog.flags |= shaders::kMaterialSolid | shaders::kMaterialBoundary;
        std::fill_n(fog.sigma_s, 3, 0.5f);
        fog.sigma_a[2] = 0.2f;
        fog.phase_g = 0.5f;
        add_object(scene, box({-2, 0.1f, -2}, {2, 1.5f, 2}, Facing::Out), fog);
        fog.sigma_s[0] = 4;
        fog.phase_g = -0.3f;
        add_object(scene, uv_sphere({0.3f, 0.7f, 0}, 0.5f, 16, 8, Shading::Flat), fog);
        check_equal_means(scene, 0.02, 4096);
    }

    TEST_CASE("rough glass gives the same mean sampled and found") {
        scene::Scene scene = floor_of(lambert({0.7f, 0.7f, 0.7f}));
        set_constant_environment(scene, {1, 1, 1});
        add_object(
            scene, uv_sphere({0, 0.6f, 0.5f}, 0.5f, 16, 8, Shading::Smooth), glass(1.5f, 0.6f));
        check_equal_means(scene, 0.02);
    }

    TEST_CASE("a floor under a dome of matched index is lit as without the dome") {
        scene::Scene scene = floor_of(lambert({0.5f, 0.5f, 0.5f}));
        set_constant_environment(scene, {1, 1, 1});
        add_object(scene, uv_sphere({0, 0, 0}, 2, 16, 8, Shading::Smooth), glass(1.0f, 0.0f));
        CHECK(relative_difference(mean_of(scene, 512), trace::reference::gray(0.5)) < 5e-3);
    }

    TEST_CASE("roulette does not change the mean") {
        // Walls of albedo 0.9: little throughput is left by the thirtieth bounce.
        shaders::MaterialRecord wall = lambert({0.9f, 0.1f, 0.1f});
        std::fill_n(wall.emissive, 3, 1.0f);
        scene::Scene scene;
        add_object(scene, box({-1, -1, -1}, {1, 1, 1}, Facing::In), wall);
        set_camera(scene, {0.2f, 0.1f, 0.5f}, {0, 0, -1}, 1.0f);
        const Rgb mean = mean_of(scene, 512, {4, 200, true, true});
        CHECK(std::fabs(mean.x - 10) < 0.2);
        CHECK(std::fabs(mean.y - 1 / 0.9) < 0.01);
    }
}

}  // namespace weft::tests
