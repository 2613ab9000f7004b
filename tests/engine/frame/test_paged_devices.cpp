// test_paged_devices.cpp — pictures of the emulated GPU whose tree and surfaces lie in pages: the
// bits of everything in memory, for any budget, mode and number of units; what is read and copied;
// and what becomes of damaged pages and lost units.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "engine/scene/import.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/frame/whole_frame.h"
#include "tests/engine/frame/wide_scene.h"

namespace {

using weft::u32;
using weft::u64;
using weft::film::flip_byte;
using weft::film::TestFolder;
using weft::frame::DeviceFigures;
using weft::frame::FrameFigures;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::pages::PageFigures;
using weft::tests::film_hash_of;
using weft::tests::has_device;
using weft::tests::prepared;
using weft::tests::rendered_frame;
using weft::tests::RenderedFrame;
using weft::tests::wide_scene;
using weft::trace::SchedulerMode;

constexpr u64 kDevicePageBytes = 16 << 10;

RenderSettings plain_settings() {
    RenderSettings settings = weft::tests::small_frame(2, 1024);
    settings.width = 48;
    settings.height = 34;
    settings.page_bytes = kDevicePageBytes;
    return settings;
}

RenderSettings device_settings(const TestFolder& folder, u32 units) {
    RenderSettings settings = plain_settings();
    settings.has_cpu = false;
    settings.has_egpu = true;
    settings.egpu_units = units;
    settings.thread_count = std::min(units, 3U);  // a thread may have several units
    settings.page_folder = folder.file("pages");
    return settings;
}

std::string whole_hash(const weft::scene::Scene& scene) {
    return film_hash_of(scene, plain_settings());
}

weft::scene::Scene made(const std::string& name) {
    weft::scene::Scene scene;
    REQUIRE(weft::scene::make_procedural("procedural:" + name, {}, scene).is_ok());
    return scene;
}

// The pages of a scene as these settings cut them.
PageFigures pages_of(const weft::scene::Scene& scene, RenderSettings settings) {
    settings.geometry_memory_bytes = u64{1} << 30;
    return prepared(scene, settings)->page_figures().value();
}

u64 least_budget(const PageFigures& pages) {
    return pages.resident_bytes + pages.least_bytes;
}

// A budget of a part of the pages, which must be possible.
u64 budget_of(const PageFigures& pages, u64 divisor) {
    REQUIRE(pages.bytes / divisor >= pages.least_bytes);
    return pages.resident_bytes + pages.bytes / divisor;
}

// What any frame shows that waited for pages, within its budget.
void check_paged(const FrameFigures& figures) {
    const PageFigures& pages = figures.pages.value();
    CHECK(pages.reads > 0);
    CHECK(pages.record_reads > 0);
    CHECK(pages.evictions > 0);
    CHECK(pages.open_walks == 0);
    CHECK(pages.most_bytes <= pages.budget_bytes);
    const DeviceFigures& device = figures.devices.back();
    CHECK(device.name == "egpu");
    CHECK(device.integrator.paged.rays_waited > 0);
    CHECK(device.integrator.paged.page_visits > 0);
    CHECK(device.integrator.paged.hits_waited > 0);
    CHECK(device.integrator.local.bus.bytes > 0);
    CHECK(device.bus_ms > 0);
    CHECK(device.lost_units == 0);
}

// Holds one unit at its k-th step until it is let go.
class Gate {
public:
    explicit Gate(u32 step) : step_(step) {}

    ~Gate() { open(); }

    void operator()(u32 unit) {
        if (unit == 1 && step_count_.fetch_add(1) == step_) {
            is_open_.wait(false);
        }
    }

    void open() {
        is_open_.store(true);
        is_open_.notify_all();
    }

private:
    u32 step_;
    std::atomic<u32> step_count_{0};
    std::atomic<bool> is_open_{false};
};

}  // namespace

TEST_SUITE("engine/frame/paged_devices") {
    TEST_CASE("F8 F12 F16 the emulated GPU renders pages with the bits of the tree in memory") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        std::set<std::string> hashes = {whole_hash(scene)};
        for (const u32 units : {1U, 4U}) {
            RenderSettings settings = device_settings(folder, units);
            hashes.insert(film_hash_of(scene, settings));
            const PageFigures pages = pages_of(scene, settings);
            REQUIRE(pages.least_bytes < pages.bytes);
            for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                for (const u32 paths : {256U, 4096U}) {
                    CAPTURE(units);
                    CAPTURE(static_cast<int>(mode));
                    CAPTURE(paths);
                    settings.integrator.mode = mode;
                    settings.egpu_path_count = paths;
                    settings.geometry_memory_bytes = least_budget(pages);
                    const RenderedFrame paged = rendered_frame(scene, settings);
                    hashes.insert(paged.film_hash);
                    check_paged(paged.figures);
                }
            }
        }
        CHECK(hashes.size() == 1);
    }

    TEST_CASE("F13 W10 the CPU and the emulated GPU share the pages of one file and one budget") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        const std::string whole = whole_hash(scene);
        RenderSettings settings = device_settings(folder, 2);
        settings.has_cpu = true;
        settings.thread_count = 2;
        settings.samples_per_pixel = 6;
        RenderSettings plain = plain_settings();
        plain.samples_per_pixel = 6;
        const std::string expected = film_hash_of(scene, plain);
        CHECK(expected != whole);
        for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
            settings.integrator.mode = mode;
            settings.geometry_memory_bytes = least_budget(pages_of(scene, settings));
            const RenderedFrame both = rendered_frame(scene, settings);
            CHECK(both.film_hash == expected);
            REQUIRE(both.figures.devices.size() == 2);
            CHECK(both.figures.devices.front().integrator.paged.rays_waited > 0);
            CHECK(both.figures.devices.front().samples > 0);
            CHECK(both.figures.devices.back().samples > 0);
            check_paged(both.figures);
        }
    }

    TEST_CASE("F8 F13 a quarter and a sixteenth of the pages render the same and keys copy less") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = made("rubble:120K");
        const TestFolder folder;
        const std::string whole = whole_hash(scene);
        RenderSettings settings = device_settings(folder, 2);
        settings.egpu_path_count = 8192;
        const PageFigures pages = pages_of(scene, settings);
        for (const u64 divisor : {u64{4}, u64{16}}) {
            CAPTURE(divisor);
            settings.geometry_memory_bytes = budget_of(pages, divisor);
            settings.integrator.mode = SchedulerMode::Keyed;
            const RenderedFrame keyed = rendered_frame(scene, settings);
            settings.integrator.mode = SchedulerMode::Unkeyed;
            const RenderedFrame unkeyed = rendered_frame(scene, settings);
            for (const RenderedFrame* const one : {&keyed, &unkeyed}) {
                CHECK(one->film_hash == whole);
                check_paged(one->figures);
            }
            CHECK(2 * keyed.figures.pages->bytes_read < unkeyed.figures.pages->bytes_read);
            const DeviceFigures& device = keyed.figures.devices.front();
            const DeviceFigures& control = unkeyed.figures.devices.front();
            CHECK(device.integrator.local.bus.bytes < control.integrator.local.bus.bytes);
            // Packets of pages were cut into slices for both units, and none was dropped.
            CHECK(device.fibre.scattered_slices > device.fibre.scattered_packets);
            CHECK(device.fibre.dropped_fibres == 0);
            CHECK(device.fibre.fibres_spawned == device.fibre.fibres_completed);
        }
    }

    TEST_CASE("F8 F12 placements of meshes in pages are visited in local memory") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = made("forest:400");
        const TestFolder folder;
        RenderSettings settings = device_settings(folder, 2);
        settings.geometry_memory_bytes = least_budget(pages_of(scene, settings));
        const std::string whole = whole_hash(scene);
        for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
            settings.integrator.mode = mode;
            const RenderedFrame paged = rendered_frame(scene, settings);
            CHECK(paged.film_hash == whole);
            check_paged(paged.figures);
        }
    }

    TEST_CASE(
        "F10 a device with more pages than definitions evicts collections and drops nothing") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = device_settings(folder, 2);
        settings.egpu_path_count = 4096;
        settings.geometry_memory_bytes = least_budget(pages_of(scene, settings));
        settings.integrator.open_pages = 2;
        const RenderedFrame evicting = rendered_frame(scene, settings);
        const weft::fibre::FibreCounters& fibres = evicting.figures.devices.at(0).fibre;
        CHECK(fibres.evicted_collections > 0);
        CHECK(fibres.fibres_spawned == fibres.fibres_completed);
        CHECK(evicting.film_hash == whole_hash(scene));
    }

    TEST_CASE("W10 the device reads no vertex of the host but records of pages") {
        if (!has_device()) {
            return;
        }
        weft::scene::Scene scene = wide_scene();
        const std::string whole = whole_hash(scene);
        const TestFolder folder;
        RenderSettings settings = device_settings(folder, 2);
        const u64 copied_whole =
            rendered_frame(scene, settings).figures.devices.at(0).copied_in_bytes;
        settings.geometry_memory_bytes = least_budget(pages_of(scene, settings));
        const auto renderer = prepared(scene, settings);
        // Overwrite the scene on the host before the first ray.
        std::fill(scene.positions.begin(),
                  scene.positions.end(),
                  std::numeric_limits<float>::quiet_NaN());
        std::fill(scene.normals.begin(), scene.normals.end(), 0.0F);
        std::fill(scene.indices.begin(), scene.indices.end(), 0U);
        REQUIRE(renderer->render({}).is_ok());
        CHECK(renderer->film().film_hash() == whole);
        // Neither vertices nor the tree were copied as a whole.
        CHECK(2 * renderer->figures().devices.at(0).copied_in_bytes < copied_whole);
    }

    TEST_CASE("a budget below the least one counts the units of the device") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = made("rubble:120K");
        const TestFolder folder;
        u64 former_least = 0;
        for (const u32 units : {1U, 4U}) {
            RenderSettings settings = device_settings(folder, units);
            settings.geometry_memory_bytes = 4096;
            const auto refused = Renderer::prepare(scene, scene.cameras.front(), settings, {});
            REQUIRE(!refused.is_ok());
            CHECK(refused.error().kind == weft::base::ErrorKind::Usage);
            const std::string& sentence = refused.error().sentence;
            const std::size_t at = sentence.find("at least ");
            REQUIRE(at != std::string::npos);
            settings.geometry_memory_bytes = std::stoull(sentence.substr(at + 9)) << 20;
            CHECK(film_hash_of(scene, settings) == whole_hash(scene));
            const u64 least = pages_of(scene, settings).least_bytes;
            CHECK(least > former_least);
            former_least = least;
        }
    }

    TEST_CASE("a damaged page ends a frame of the device with a sentence") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        for (const bool has_cpu : {false, true}) {
            for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                RenderSettings settings = device_settings(folder, 2);
                settings.has_cpu = has_cpu;
                settings.integrator.mode = mode;
                settings.geometry_memory_bytes = least_budget(pages_of(scene, settings));
                const std::filesystem::path path =
                    *std::filesystem::directory_iterator(settings.page_folder);
                flip_byte(path, 3 * 4096 + 100);
                const auto renderer = prepared(scene, settings);
                const weft::base::Status status = renderer->render({});
                REQUIRE(!status.is_ok());
                CHECK(status.error().kind == weft::base::ErrorKind::Scene);
                CHECK(status.error().sentence.find(path.filename().string()) != std::string::npos);
                CHECK(!std::filesystem::exists(path));
            }
        }
    }

    TEST_CASE("a held frame of the device keeps no page and goes on with and without its units") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        const std::string whole = whole_hash(scene);
        for (const bool lets_go : {false, true}) {
            CAPTURE(lets_go);
            RenderSettings settings = device_settings(folder, 2);
            settings.geometry_memory_bytes = least_budget(pages_of(scene, settings));
            const auto renderer = prepared(scene, settings);
            u32 holds = 0;
            std::atomic<double> hold_after = 0;  // the hooks of the first run stay
            weft::frame::RunHooks hooks;
            hooks.should_hold = [&] { return renderer->mean_samples() > hold_after; };
            while (!renderer->is_done()) {
                hold_after = renderer->mean_samples();
                REQUIRE(renderer->run(hooks).is_ok());
                if (!renderer->is_whole()) {
                    ++holds;
                    CHECK(renderer->first_surface(20, 40, 0).has_value());
                }
                if (lets_go) {
                    renderer->let_go_of_units();
                    CHECK(renderer->page_figures().value().open_walks == 0);
                }
            }
            CHECK(holds > 0);
            CHECK(renderer->film().film_hash() == whole);
        }
    }

    TEST_CASE("a held frame does not wait for the paths of the device and loses none of them") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        const std::string whole = whole_hash(scene);
        for (const auto& [has_cpu, mode] : {std::pair(false, SchedulerMode::Keyed),
                                            std::pair(true, SchedulerMode::Keyed),
                                            std::pair(false, SchedulerMode::Unkeyed)}) {
            CAPTURE(has_cpu);
            RenderSettings settings = device_settings(folder, 2);
            settings.has_cpu = has_cpu;
            settings.integrator.mode = mode;
            settings.geometry_memory_bytes = least_budget(pages_of(scene, settings));
            const u64 all_reads = rendered_frame(scene, settings).figures.pages->reads;
            // Hold after each fifth of the pages that such a frame reads.
            const auto renderer = prepared(scene, settings);
            const auto reads = [&] { return renderer->page_figures()->reads; };
            std::atomic<u64> wanted = 0;
            weft::frame::RunHooks hooks;
            hooks.should_hold = [&] { return reads() >= wanted; };
            u32 holds = 0;
            while (!renderer->is_done()) {
                wanted = reads() + all_reads / 5;
                REQUIRE(renderer->run(hooks).is_ok());
                if (!renderer->is_whole()) {
                    ++holds;
                    CHECK(renderer->page_figures()->open_walks == 0);
                }
            }
            CHECK(holds >= 2);
            CHECK(renderer->film().film_hash() == whole);
        }
    }

    TEST_CASE("W7 a unit that is lost keeps no page from the others") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        const std::string whole = whole_hash(scene);
        u32 lost_units = 0;
        for (const u32 step : {0U, 20U, 100U}) {
            Gate gate(step);
            RenderSettings settings = device_settings(folder, 3);
            settings.geometry_memory_bytes = least_budget(pages_of(scene, settings));
            settings.patience_s = 0.2;
            settings.egpu_hook = [&](u32 unit) { gate(unit); };
            settings.lost_hook = [&] { gate.open(); };
            const auto renderer = prepared(scene, settings);
            const weft::base::Status status = renderer->render({});
            gate.open();
            REQUIRE_MESSAGE(status.is_ok(), status.error().sentence);
            CHECK(renderer->film().film_hash() == whole);
            lost_units += renderer->figures().devices.back().lost_units;
        }
        CHECK(lost_units >= 1);
    }
}
