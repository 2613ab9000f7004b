// test_stalled_host.cpp — renders whose host thread stands still from before the first wave until
// the last sample is in the film: tasks launch tasks, and pages come and go, without it.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/frame/whole_frame.h"
#include "tests/engine/frame/wide_scene.h"
#include "tests/rest.h"

namespace {

using weft::u32;
using weft::u64;
using weft::film::TestFolder;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::pages::PageFigures;
using weft::task::Figure;
using weft::tests::film_hash_of;
using weft::tests::prepared;
using weft::tests::wide_scene;

RenderSettings stalled_settings() {
    RenderSettings settings;
    settings.width = 72;
    settings.height = 50;
    settings.samples_per_pixel = 3;
    settings.thread_count = 2;
    settings.integrator.path_count = 1024;
    settings.integrator.trace_batch = 1024;
    settings.page_bytes = 16 << 10;
    return settings;
}

// What happened while the host stood still.
struct Stalled {
    u32 samples_before = 0;
    u32 samples_after = 0;
    u64 tasks_launched = 0;
    PageFigures pages_before;
    PageFigures pages_after;
};

// Workers begin when the host stands still, and it stands still until they have all samples.
Stalled render_without_host(Renderer& renderer, u32 samples) {
    Stalled seen;
    std::atomic<bool> is_stalled = false;
    weft::frame::RunHooks hooks;
    hooks.should_hold = [&] {
        while (!is_stalled) {
            weft::tests::rest();
        }
        return false;
    };
    hooks.on_progress = [&](const weft::frame::FrameProgress&) {
        if (is_stalled) {
            return;
        }
        seen.samples_before = renderer.samples_done();
        seen.pages_before = renderer.page_figures().value_or(PageFigures{});
        is_stalled = true;
        while (renderer.samples_done() < samples) {
            weft::tests::rest();
        }
        seen.samples_after = renderer.samples_done();
        seen.pages_after = renderer.page_figures().value_or(PageFigures{});
    };
    REQUIRE(renderer.run(hooks).is_ok());
    CHECK(renderer.is_done());
    seen.tasks_launched = renderer.figures().tasks[Figure::Launched];
    return seen;
}

}  // namespace

TEST_SUITE("engine/frame/stalled_host") {
    TEST_CASE("N4 N13 a render on the CPU and on the emulated GPU goes on without the host") {
        const weft::scene::Scene scene = wide_scene();
        for (const bool has_egpu : {false, true}) {
            CAPTURE(has_egpu);
            RenderSettings settings = stalled_settings();
            settings.has_cpu = !has_egpu;
            settings.has_egpu = has_egpu;
            settings.egpu_units = 2;
            const std::string whole = film_hash_of(scene, settings);
            const auto renderer = prepared(scene, settings);
            const Stalled seen = render_without_host(*renderer, settings.samples_per_pixel);
            CHECK(seen.samples_before == 0);
            CHECK(seen.samples_after == settings.samples_per_pixel);
            CHECK(seen.tasks_launched > 1);
            CHECK(renderer->film().film_hash() == whole);
        }
    }

    TEST_CASE("N4 N5 N8 N13 pages are loaded walked and evicted without the host") {
        const weft::scene::Scene scene = wide_scene();
        for (const bool has_egpu : {false, true}) {
            if (has_egpu && !weft::tests::has_device()) {
                return;
            }
            CAPTURE(has_egpu);
            const TestFolder folder;
            RenderSettings settings = stalled_settings();
            const std::string whole = film_hash_of(scene, settings);
            settings.has_cpu = !has_egpu;
            settings.has_egpu = has_egpu;
            settings.egpu_units = 2;
            settings.page_folder = folder.file("pages");
            settings.geometry_memory_bytes = u64{1} << 30;
            const PageFigures all = prepared(scene, settings)->page_figures().value();
            settings.geometry_memory_bytes = all.resident_bytes + all.least_bytes;
            REQUIRE(all.least_bytes < all.bytes);
            const auto renderer = prepared(scene, settings);
            const Stalled seen = render_without_host(*renderer, settings.samples_per_pixel);
            CHECK(renderer->film().film_hash() == whole);
            CHECK(seen.samples_before == 0);
            CHECK(seen.samples_after == settings.samples_per_pixel);
            const PageFigures& before = seen.pages_before;
            const PageFigures& after = seen.pages_after;
            CHECK(after.reads > before.reads + all.count / 2);
            CHECK(after.evictions > before.evictions);
            CHECK(after.walks > before.walks);
            // Loads and evictions are tasks; so are walks, but a task may serve for several. Loads
            // that are under way are not read yet.
            const u64 launched = after.tasks[Figure::Launched] - before.tasks[Figure::Launched];
            const u64 moves = after.reads - before.reads + after.evictions - before.evictions;
            CHECK(launched > moves);
            CHECK(launched <= moves + after.walks - before.walks + 16);
            // None waited for a later one in its queue.
            CHECK(after.tasks[Figure::RefusedWaits] == 0);
            CHECK(after.tasks[Figure::StartedInTurn] > before.tasks[Figure::StartedInTurn]);
        }
    }
}
