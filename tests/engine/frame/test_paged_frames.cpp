// test_paged_frames.cpp — pictures of trees whose pages do not all fit into memory: the bits of the
// tree in memory, for any budget, mode, number of threads and of paths; and what becomes of damaged
// files.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "engine/accel/paged_tree.h"
#include "engine/frame/renderer.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/engine/frame/whole_frame.h"
#include "tests/engine/frame/wide_scene.h"

namespace {

using weft::u32;
using weft::u64;
using weft::film::flip_byte;
using weft::film::TestFolder;
using weft::frame::FrameFigures;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::tests::film_hash_of;
using weft::tests::prepared;
using weft::tests::rendered;
using weft::tests::rendered_frame;
using weft::tests::RenderedFrame;
using weft::tests::wide_scene;
using weft::trace::SchedulerMode;

constexpr u64 kPageBytes = 16 << 10;

RenderSettings paged_settings() {
    RenderSettings settings;
    settings.width = 48;
    settings.height = 34;
    settings.samples_per_pixel = 3;
    settings.thread_count = 1;
    settings.integrator.path_count = 2048;
    settings.integrator.trace_batch = 1024;
    settings.page_bytes = kPageBytes;
    return settings;
}

// The least budget for so many threads, and the bytes of everything.
struct Sizes {
    u64 least = 0;
    u64 whole = 0;
};

Sizes sizes_of(const weft::scene::Scene& scene, const RenderSettings& settings) {
    RenderSettings all = settings;
    all.geometry_memory_bytes = u64{1} << 30;
    const auto renderer = rendered(scene, all);
    const weft::pages::PageFigures pages = renderer->figures().pages.value();
    const u64 readers = 2 * u64{settings.thread_count} + 2;
    return {pages.resident_bytes + 3 * readers * kPageBytes, pages.resident_bytes + pages.bytes};
}

// Renders until some more samples are in the film.
void run_a_little(Renderer& renderer) {
    const double before = renderer.mean_samples();
    weft::frame::RunHooks hooks;
    hooks.should_hold = [&] { return renderer.mean_samples() > before; };
    REQUIRE(renderer.run(hooks).is_ok());
}

std::filesystem::path page_file(const std::string& folder) {
    std::filesystem::path found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        found = entry.path();
    }
    return found;
}

}  // namespace

TEST_SUITE("engine/frame/paged_frames") {
    TEST_CASE("F8 F12 a film hash does not depend on the budget or on who traces it") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        settings.page_folder = folder.file("pages");
        std::set<std::string> hashes = {film_hash_of(scene, settings)};
        for (const u32 threads : {1U, 3U}) {
            settings.thread_count = threads;
            const Sizes sizes = sizes_of(scene, settings);
            REQUIRE(sizes.least < sizes.whole);
            for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                for (const u64 budget :
                     {sizes.least, (sizes.least + sizes.whole) / 2, sizes.whole}) {
                    for (const u32 paths : {512U, 8192U}) {
                        CAPTURE(threads);
                        CAPTURE(paths);
                        CAPTURE(budget);
                        settings.integrator.mode = mode;
                        settings.integrator.path_count = paths;
                        settings.integrator.trace_batch = std::min(paths, 1024U);
                        settings.geometry_memory_bytes = budget;
                        const RenderedFrame paged = rendered_frame(scene, settings);
                        hashes.insert(paged.film_hash);
                        const weft::pages::PageFigures& pages = paged.figures.pages.value();
                        CHECK(pages.reads > 0);
                        CHECK(pages.most_bytes <= pages.budget_bytes);
                        CHECK(paged.figures.integrator.paged.rays_waited > 0);
                        CHECK(paged.figures.integrator.paged.hits_waited > 0);
                        CHECK(pages.record_reads > 0);
                        if (budget == sizes.least) {
                            CHECK(pages.evictions > 0);
                        }
                    }
                }
            }
            settings.geometry_memory_bytes = 0;
        }
        CHECK(hashes.size() == 1);
    }

    TEST_CASE(
        "F10 a render with more pages than definitions evicts collections and drops nothing") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        settings.page_folder = folder.file("pages");
        settings.integrator.path_count = 8192;
        settings.geometry_memory_bytes = sizes_of(scene, settings).least;
        const RenderedFrame roomy = rendered_frame(scene, settings);
        CHECK(roomy.figures.devices.at(0).fibre.evicted_collections == 0);
        for (const u32 open : {2U, 5U}) {
            CAPTURE(open);
            REQUIRE(roomy.figures.pages.value().count > 2 * open);
            settings.integrator.open_pages = open;
            const RenderedFrame evicting = rendered_frame(scene, settings);
            const weft::fibre::FibreCounters& fibres = evicting.figures.devices.at(0).fibre;
            CHECK(fibres.evicted_collections > 0);
            CHECK(fibres.fibres_spawned == fibres.fibres_completed);
            CHECK(evicting.film_hash == roomy.film_hash);
        }
    }

    TEST_CASE("F6 F8 F11 keyed rays read far fewer bytes than the same rays in order of arrival") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        settings.page_folder = folder.file("pages");
        settings.integrator.path_count = 8192;
        settings.geometry_memory_bytes = sizes_of(scene, settings).least;
        settings.integrator.mode = SchedulerMode::Keyed;
        const RenderedFrame keyed = rendered_frame(scene, settings);
        settings.integrator.mode = SchedulerMode::Unkeyed;
        const RenderedFrame unkeyed = rendered_frame(scene, settings);
        CHECK(keyed.film_hash == unkeyed.film_hash);
        CHECK(4 * keyed.figures.pages.value().bytes_read <
              unkeyed.figures.pages.value().bytes_read);
    }

    TEST_CASE("a second frame opens the file of the first and a damaged one is built again") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        settings.page_folder = folder.file("pages");
        settings.geometry_memory_bytes = u64{1} << 30;
        const RenderedFrame first = rendered_frame(scene, settings);
        CHECK(first.figures.trees.triangles.built_triangles > 0);
        const std::filesystem::path path = page_file(settings.page_folder);
        const auto size = std::filesystem::file_size(path);
        const RenderedFrame second = rendered_frame(scene, settings);
        CHECK(second.figures.trees.triangles.built_triangles == 0);
        CHECK(second.film_hash == first.film_hash);
        // Behind the pages, in the header, and cut off.
        for (const u64 at : {u64{size} - 64, u64{9}}) {
            flip_byte(path, at);
            const RenderedFrame again = rendered_frame(scene, settings);
            CHECK(again.figures.trees.triangles.built_triangles > 0);
            CHECK(again.film_hash == first.film_hash);
        }
        std::filesystem::resize_file(path, size / 2);
        const RenderedFrame again = rendered_frame(scene, settings);
        CHECK(again.figures.trees.triangles.built_triangles > 0);
        CHECK(again.film_hash == first.film_hash);
    }

    TEST_CASE("a damaged page ends the frame with a sentence and the next frame builds again") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        settings.page_folder = folder.file("pages");
        settings.geometry_memory_bytes = u64{1} << 30;
        for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
            settings.integrator.mode = mode;
            const RenderedFrame whole = rendered_frame(scene, settings);
            CHECK(whole.figures.trees.triangles.built_triangles > 0);
            const std::filesystem::path path = page_file(settings.page_folder);
            flip_byte(path, 3 * 4096 + 100);
            const auto renderer = prepared(scene, settings);
            const weft::base::Status status = renderer->render({});
            REQUIRE(!status.is_ok());
            CHECK(status.error().kind == weft::base::ErrorKind::Scene);
            CHECK(status.error().sentence.find(path.filename().string()) != std::string::npos);
            CHECK(!std::filesystem::exists(path));
        }
    }

    TEST_CASE("a budget below the least one is refused with the least one") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        settings.page_folder = folder.file("pages");
        settings.geometry_memory_bytes = 4096;
        const auto refused = Renderer::prepare(scene, scene.cameras.front(), settings, {});
        REQUIRE(!refused.is_ok());
        CHECK(refused.error().kind == weft::base::ErrorKind::Usage);
        CHECK(refused.error().sentence.find("at least") != std::string::npos);
    }

    TEST_CASE("a frame that lets go of its units while it is held goes on from its film") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        const std::string whole = film_hash_of(scene, settings);
        settings.page_folder = folder.file("pages");
        settings.thread_count = 2;
        settings.geometry_memory_bytes = sizes_of(scene, settings).least;
        const auto renderer = prepared(scene, settings);
        u32 holds = 0;
        while (!renderer->is_done()) {
            run_a_little(*renderer);
            holds += renderer->is_whole() ? 0U : 1U;
            renderer->let_go_of_units();
        }
        CHECK(holds > 3);
        CHECK(renderer->film().film_hash() == whole);
        const FrameFigures& figures = renderer->figures();
        const u64 samples = u64{settings.width} * settings.height * settings.samples_per_pixel;
        CHECK(figures.samples == samples);
        CHECK(figures.samples_found == 0);
        // Samples in flight were lost, and are counted where they were traced.
        CHECK(figures.integrator.camera_rays >= samples);
    }

    TEST_CASE("a held frame keeps no page from others and goes on with its shares in flight") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        const std::string whole = film_hash_of(scene, settings);
        settings.page_folder = folder.file("pages");
        settings.geometry_memory_bytes = sizes_of(scene, settings).least;
        const auto renderer = prepared(scene, settings);
        // Hold while a page is kept for rays that wait for it. The first run's hooks stay.
        u32 holds = 0;
        std::atomic<u64> hold_after = 20;
        weft::frame::RunHooks hooks;
        hooks.should_hold = [&] {
            const weft::pages::PageFigures pages = renderer->page_figures().value();
            return pages.walks > hold_after && pages.open_walks > 0;
        };
        while (!renderer->is_done()) {
            REQUIRE(renderer->run(hooks).is_ok());
            CHECK(renderer->page_figures().value().open_walks == 0);
            if (!renderer->is_whole()) {
                ++holds;
                CHECK(renderer->first_surface(20, 40, 0).has_value());
                hold_after = renderer->page_figures().value().walks + 200;
            }
        }
        CHECK(holds > 3);
        CHECK(renderer->film().film_hash() == whole);
    }

    TEST_CASE("a frame that let go of its units becomes whole on request and goes on") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        settings.samples_per_pixel = 16;
        settings.page_folder = folder.file("pages");
        settings.geometry_memory_bytes = u64{1} << 30;
        const std::string whole = film_hash_of(scene, settings);
        const auto renderer = prepared(scene, settings);
        run_a_little(*renderer);
        REQUIRE(!renderer->is_whole());
        renderer->let_go_of_units();
        CHECK(!renderer->is_whole());
        renderer->request_whole();
        REQUIRE(renderer->run({}).is_ok());
        REQUIRE(renderer->is_whole());
        CHECK(!renderer->is_done());
        RenderSettings fewer = settings;
        fewer.samples_per_pixel = renderer->samples_done();
        CHECK(renderer->film().film_hash() == film_hash_of(scene, fewer));
        renderer->let_go_of_units();
        CHECK(renderer->is_whole());
        REQUIRE(renderer->run({}).is_ok());
        CHECK(renderer->film().film_hash() == whole);
    }

    TEST_CASE("what needs the whole tree is refused with a budget in a sentence") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        settings.page_folder = folder.file("pages");
        settings.geometry_memory_bytes = u64{1} << 30;
        RenderSettings embree = settings;
        embree.integrator.mode = SchedulerMode::Embree;
        RenderSettings heat = settings;
        heat.has_heat = true;
        for (const RenderSettings& wanted : {embree, heat}) {
            const auto refused = Renderer::prepare(scene, scene.cameras.front(), wanted, {});
            REQUIRE(!refused.is_ok());
            CHECK(refused.error().kind == weft::base::ErrorKind::Usage);
            CHECK(refused.error().sentence.find("needs the whole tree in memory") !=
                  std::string::npos);
        }
    }

    TEST_CASE("the reference traces a sample through pages as through the tree in memory") {
        const weft::scene::Scene scene = wide_scene();
        const TestFolder folder;
        RenderSettings settings = paged_settings();
        const auto plain = prepared(scene, settings);
        settings.page_folder = folder.file("pages");
        settings.geometry_memory_bytes = sizes_of(scene, settings).least;
        const auto paged = prepared(scene, settings);
        u32 hits = 0;
        for (u32 y = 5; y < settings.height; y += 10) {
            for (u32 x = 4; x < settings.width; x += 12) {
                CAPTURE(x);
                CAPTURE(y);
                CHECK(paged->explain_sample(x, y, 1) == plain->explain_sample(x, y, 1));
                hits += paged->first_surface(x, y, 1).has_value() ? 1U : 0U;
            }
        }
        CHECK(hits > 10);
        CHECK(paged->page_figures().value().reads > 0);
    }
}
