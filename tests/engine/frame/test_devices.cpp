// test_devices.cpp — the CPU, the emulated GPU and both together render the same bits, and the
// device reads nothing but its own memory.
#include <atomic>
#include <limits>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/frame/textured_scene.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using weft::u32;
using weft::u64;
using weft::base::ErrorKind;
using weft::frame::DeviceFigures;
using weft::frame::FrameFigures;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::shaders::Isa;
using weft::tests::all_hashes;
using weft::tests::has_device;
using weft::tests::prepared;
using weft::tests::rich_scene;
using weft::tests::textured_scene;
using weft::trace::SchedulerMode;

// With the layers that paths fill in beyond their first surface.
RenderSettings many_settings() {
    RenderSettings settings = weft::tests::small_frame(3, 512);
    settings.aovs = {
        weft::film::Aov::SeenAlbedo, weft::film::Aov::SeenNormal, weft::film::Aov::Direct};
    return settings;
}

RenderSettings device_settings(u32 units) {
    RenderSettings settings = many_settings();
    settings.has_cpu = false;
    settings.has_egpu = true;
    settings.egpu_units = units;
    return settings;
}

struct Picture {
    std::string hash;
    FrameFigures figures;
};

Picture render(const weft::scene::Scene& scene, const RenderSettings& settings) {
    const auto renderer = prepared(scene, settings);
    const weft::base::Status status = renderer->render({});
    REQUIRE_MESSAGE(status.is_ok(), status.error().sentence);
    CHECK(renderer->figures().samples ==
          u64{settings.width} * settings.height * settings.samples_per_pixel);
    return {all_hashes(renderer->film()), renderer->figures()};
}

}  // namespace

TEST_SUITE("engine/frame/devices") {
    TEST_CASE("W10 the emulated GPU renders the bits of the CPU whatever its units and policy") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = rich_scene();
        std::set<std::string> hashes = {render(scene, many_settings()).hash};
        for (const Isa isa : {Isa::Avx2, Isa::Avx512}) {
            if (!weft::shaders::is_supported(isa)) {
                continue;
            }
            for (const u32 units : {1U, 2U, 3U, 8U}) {
                RenderSettings settings = device_settings(units);
                settings.isa = isa;
                settings.thread_count = units;
                hashes.insert(render(scene, settings).hash);
                settings.integrator.mode = SchedulerMode::Unkeyed;
                hashes.insert(render(scene, settings).hash);
            }
        }
        for (const auto policy : {weft::fibre::Policy::Fullest,
                                  weft::fibre::Policy::Oldest,
                                  weft::fibre::Policy::Priority,
                                  weft::fibre::Policy::Balanced}) {
            RenderSettings settings = device_settings(3);
            settings.integrator.policies.closest = policy;
            settings.integrator.policies.shadow = policy;
            settings.integrator.policies.shade = policy;
            hashes.insert(render(scene, settings).hash);
        }
        CHECK(hashes.size() == 1);
    }

    TEST_CASE("W10 a frame split over the CPU and the emulated GPU has the same bits") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = many_settings();
        settings.samples_per_pixel = 12;
        const std::string expected = render(scene, settings).hash;
        settings.has_egpu = true;
        for (const u32 threads : {1U, 2U, 5U}) {
            for (const u32 units : {1U, 4U}) {
                settings.thread_count = threads;
                settings.egpu_units = units;
                const Picture picture = render(scene, settings);
                CHECK(picture.hash == expected);
                REQUIRE(picture.figures.devices.size() == 2);
                double share = 0;
                for (const DeviceFigures& device : picture.figures.devices) {
                    CHECK(device.samples > 0);
                    share += device.share;
                }
                CHECK(share == doctest::Approx(1));
            }
        }
    }

    TEST_CASE(
        "W8 W10 a device that takes longer for its shares gets fewer of them and no other bits") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = many_settings();
        settings.samples_per_pixel = 16;
        settings.has_egpu = true;
        settings.egpu_units = 1;
        const Picture usual = render(scene, settings);
        std::atomic<u64> turns{0};
        settings.egpu_hook = [&](u32) {
            for (u32 turn = 0; turn < 100'000; ++turn) {
                turns.fetch_add(1, std::memory_order_relaxed);
            }
        };
        const Picture slowed = render(scene, settings);
        CHECK(turns > 0);
        CHECK(slowed.hash == usual.hash);
        CHECK(slowed.figures.devices.back().name == "egpu");
        CHECK(slowed.figures.devices.back().share < usual.figures.devices.back().share);
        // By measured throughput: the slower the unit, the smaller the number.
        const auto& units = slowed.figures.run.units;
        CHECK(units.back().work_per_s < units.front().work_per_s);
    }

    TEST_CASE("W10 the emulated GPU reads its own copies and none of the scene's arenas") {
        if (!has_device()) {
            return;
        }
        weft::scene::Scene scene = rich_scene();
        const RenderSettings settings = device_settings(2);
        const std::string expected = render(scene, settings).hash;
        const auto renderer = prepared(scene, settings);
        // Overwrite the scene on the host before the first ray.
        std::fill(scene.positions.begin(),
                  scene.positions.end(),
                  std::numeric_limits<float>::quiet_NaN());
        std::fill(scene.normals.begin(), scene.normals.end(), 0.0F);
        std::fill(scene.indices.begin(), scene.indices.end(), 0U);
        scene.texels = std::vector<u32>(scene.texels.size(), 0x12345678U);
        REQUIRE(renderer->render({}).is_ok());
        CHECK(all_hashes(renderer->film()) == expected);
    }

    TEST_CASE(
        "W10 kernels of the emulated GPU issue 32 lanes and count how their branches diverge") {
        if (!has_device()) {
            return;
        }
        const Picture picture = render(rich_scene(), device_settings(2));
        REQUIRE(picture.figures.devices.size() == 1);
        const DeviceFigures& device = picture.figures.devices.front();
        CHECK(device.name == "egpu");
        CHECK(device.lane_count == 32);
        CHECK(device.copied_in_bytes > 0);
        CHECK(device.copied_out_bytes > 0);
        CHECK(device.memory_used_bytes <= device.memory_limit_bytes);
        const auto& kernels = device.integrator;
        for (const auto* counted : {&kernels.camera, &kernels.shade, &kernels.miss}) {
            CHECK(counted->lanes_issued % 32 == 0);
            CHECK(counted->lanes_active <= counted->lanes_issued);
        }
        CHECK(kernels.shade.divergence.branches > 0);
        CHECK(kernels.shade.divergence.divergent > 0);
        CHECK(kernels.closest.divergence.branches > 0);
    }

    TEST_CASE("F12 F13 F16 units copy what their packets need and keyed ones copy fewer bytes") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = device_settings(2);
        settings.egpu_path_count = 2048;
        settings.integrator.treelet_bytes = 1024;
        settings.integrator.device_cache_bytes = 8 << 10;
        const Picture keyed = render(scene, settings);
        settings.integrator.mode = SchedulerMode::Unkeyed;
        const Picture unkeyed = render(scene, settings);
        CHECK(keyed.hash == unkeyed.hash);
        CHECK(keyed.hash == render(scene, many_settings()).hash);
        const DeviceFigures& device = keyed.figures.devices.front();
        const DeviceFigures& control = unkeyed.figures.devices.front();
        CHECK(device.integrator.local.bus.transfers > 0);
        CHECK(device.integrator.local.bus.bytes < control.integrator.local.bus.bytes);
        CHECK(device.bus_ms > 0);
        CHECK(device.bus_ms < control.bus_ms);
        // Packets of treelets were cut into slices for both units.
        CHECK(device.fibre.scattered_slices > device.fibre.scattered_packets);
        CHECK(device.fibre.cache.hits > 0);
    }

    TEST_CASE(
        "F16 the emulated GPU reads texels of all formats in local memory with the same bits") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = textured_scene();
        const std::string expected = render(scene, many_settings()).hash;
        RenderSettings settings = device_settings(2);
        for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
            settings.integrator.mode = mode;
            u64 bytes_before = ~u64{0};
            // No room at all, a single tile, few sets, all.
            for (const u64 cache_bytes : {0U, 80U, 4096U, 64U << 10, 4U << 20}) {
                CAPTURE(cache_bytes);
                settings.integrator.texels.cache_bytes = cache_bytes;
                const Picture picture = render(scene, settings);
                CHECK(picture.hash == expected);
                const auto& counted = picture.figures.devices.front().integrator;
                CHECK(counted.texels.reads > 10'000);
                CHECK(counted.texels.copied.bytes == 64 * counted.texels.copied.transfers);
                CHECK(counted.texels.copied.bytes < counted.local.bus.bytes);
                CHECK((cache_bytes == 80 || counted.texels.copied.bytes < bytes_before));
                bytes_before = counted.texels.copied.bytes;
            }
            // Where all fit each unit copies a tile once.
            CHECK(bytes_before <= 2 * scene.texels.size() * sizeof(u32));
        }
    }

    TEST_CASE("F13 F16 keyed hits are shaded by the place of their texels and copy fewer tiles") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = textured_scene();
        RenderSettings settings = device_settings(1);
        settings.egpu_path_count = 8192;
        settings.integrator.texels.cache_bytes = 8 << 10;
        const Picture keyed = render(scene, settings);
        settings.integrator.mode = SchedulerMode::Unkeyed;
        const Picture unkeyed = render(scene, settings);
        CHECK(keyed.hash == unkeyed.hash);
        CHECK(keyed.figures.devices.front().integrator.texels.copied.bytes <
              unkeyed.figures.devices.front().integrator.texels.copied.bytes);
    }

    TEST_CASE("a scene without textures copies no texel") {
        if (!has_device()) {
            return;
        }
        const Picture picture = render(rich_scene(), device_settings(2));
        const auto& counted = picture.figures.devices.front().integrator;
        CHECK(counted.texels.reads == 0);
        CHECK(counted.texels.copied.transfers == 0);
        CHECK(counted.local.bus.transfers > 0);
    }

    TEST_CASE("W10 a device too small for the scene or its paths is one sentence") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = rich_scene();
        for (const u64 bytes : {u64{1} << 10, u64{900} << 10}) {
            RenderSettings settings = device_settings(2);
            settings.egpu_memory_bytes = bytes;
            auto renderer = Renderer::prepare(scene, scene.cameras.front(), settings, {});
            REQUIRE(!renderer.is_ok());
            CHECK(renderer.error().kind == ErrorKind::TooLarge);
            CHECK(renderer.error().sentence.find("--egpu-memory") != std::string::npos);
        }
    }

    TEST_CASE("W10 the emulated GPU refuses sse4 and the embree mode") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = device_settings(1);
        settings.isa = Isa::Sse4;
        auto renderer = Renderer::prepare(scene, scene.cameras.front(), settings, {});
        REQUIRE(!renderer.is_ok());
        CHECK(renderer.error().kind == ErrorKind::Usage);
        settings = device_settings(1);
        settings.integrator.mode = SchedulerMode::Embree;
        CHECK(!Renderer::prepare(scene, scene.cameras.front(), settings, {}).is_ok());
    }
}
