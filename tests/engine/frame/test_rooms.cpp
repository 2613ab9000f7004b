// test_rooms.cpp — the renderer's own rays and shading go through each mechanism: what every room
// counts during a render shows that no room could be left out.
#include <string>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "engine/frame/renderer.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using weft::u32;
using weft::u64;
using weft::fibre::RoutineCounters;
using weft::frame::FrameFigures;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::tests::rendered_frame;
using weft::tests::RenderedFrame;
using weft::tests::rich_scene;
using weft::trace::SchedulerMode;

enum Routine { kPath, kClosest, kShadow, kShade, kMiss };

RenderSettings room_settings() {
    RenderSettings settings;
    settings.width = 96;
    settings.height = 64;
    settings.samples_per_pixel = 4;
    settings.thread_count = 2;
    settings.integrator.path_count = 1024;
    settings.integrator.trace_batch = 1024;
    settings.share_samples = 700;
    settings.integrator.is_adaptive = false;  // rays use their mode's own traversal
    return settings;
}

FrameFigures figures_of(const RenderSettings& settings,
                        const weft::scene::Scene& scene = rich_scene()) {
    return rendered_frame(scene, settings).figures;
}

}  // namespace

TEST_SUITE("engine/frame/rooms") {
    TEST_CASE(
        "F2 F5 every ray and every shading of a render is a fibre that was spawned and ended") {
        const FrameFigures figures = figures_of(room_settings());
        const auto& counted = figures.integrator;
        const auto& routines = figures.fibre.routine;
        CHECK(figures.fibre.fibres_spawned == figures.fibre.fibres_completed);
        CHECK(figures.fibre.elements_admitted == counted.samples);
        CHECK(figures.fibre.elements_released == counted.samples);
        // Counts rays that started, without their continuations.
        CHECK(routines[kClosest].fibres - routines[kClosest].rekeyed_fibres ==
              counted.camera_rays + counted.bounce_rays);
        CHECK(routines[kShadow].fibres - routines[kShadow].rekeyed_fibres == counted.shadow_rays);
        CHECK(routines[kShade].fibres + routines[kMiss].fibres ==
              counted.camera_rays + counted.bounce_rays);
    }

    TEST_CASE(
        "F1 the lanes that kernels issue are those of the packets that the scheduler counted") {
        for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
            RenderSettings settings = room_settings();
            settings.integrator.mode = mode;
            const FrameFigures figures = figures_of(settings);
            const auto& routines = figures.fibre.routine;
            CHECK(figures.integrator.shade.lanes_issued == routines[kShade].lanes_issued);
            CHECK(figures.integrator.shade.lanes_active == routines[kShade].lanes_active);
            CHECK(figures.integrator.miss.lanes_issued == routines[kMiss].lanes_issued);
            CHECK(figures.integrator.camera.lanes_active == figures.integrator.camera_rays);
        }
    }

    TEST_CASE("F6 F8 keyed packets hold fewer keys than unkeyed ones") {
        RenderSettings settings = room_settings();
        const FrameFigures keyed = figures_of(settings);
        settings.integrator.mode = SchedulerMode::Unkeyed;
        const FrameFigures unkeyed = figures_of(settings);
        CHECK(keyed.fibre.routine[kClosest].rekeyed_lists > 0);
        CHECK(unkeyed.fibre.routine[kClosest].rekeyed_lists == 0);
        CHECK(keyed.fibre.routine[kShade].distinct_keys >
              unkeyed.fibre.routine[kShade].distinct_keys);
    }

    TEST_CASE("F16 decoded nodes come from the cache part of local memory") {
        RenderSettings settings = room_settings();
        settings.integrator.group_limit = 8;
        const FrameFigures figures = figures_of(settings);
        CHECK(figures.fibre.cache.hits > figures.fibre.cache.misses);
        settings.integrator.cache_bytes = 0;
        settings.integrator.adapts_split = false;  // no path gives way to it
        CHECK(figures_of(settings).fibre.cache.hits == 0);
    }

    TEST_CASE("F16 paths give way to a cache that misses and no bit changes") {
        RenderSettings settings = room_settings();
        settings.thread_count = 1;
        settings.samples_per_pixel = 32;
        settings.integrator.group_limit = 2;  // nearly every node is visited by lists
        settings.integrator.cache_bytes = 2048;
        const RenderedFrame adapted = rendered_frame(rich_scene(), settings);
        CHECK(adapted.figures.fibre.split_moves > 0);
        settings.integrator.adapts_split = false;
        const RenderedFrame fixed = rendered_frame(rich_scene(), settings);
        CHECK(fixed.figures.fibre.split_moves == 0);
        CHECK(fixed.figures.fibre.managed_elements == settings.integrator.path_count);
        CHECK(fixed.figures.fibre.cache_bytes == 2048);
        CHECK(adapted.film_hash == fixed.film_hash);
    }

    TEST_CASE("F7 the threads of a render's first picture are more urgent than later ones") {
        const FrameFigures figures = figures_of(room_settings());
        const auto& camera = figures.devices.front().camera;
        CHECK(camera.ranges_urgent > 0);
        CHECK(camera.ranges_urgent < camera.ranges_given);
    }

    TEST_CASE("F17 the threads of a render are the parts of its shares") {
        const FrameFigures figures = figures_of(room_settings());
        u64 leaves = 0;
        for (const auto& unit : figures.run.units) {
            leaves += unit.shares;
        }
        CHECK(leaves >= u64{96} * 64 * 4 / 1400);
        CHECK(figures.fibre.threads.threads_finished == 4 * leaves);
        REQUIRE(figures.devices.size() == 1);
        CHECK(figures.devices.front().camera.threads_finished == 4 * leaves);
        CHECK(figures.devices.front().camera.numbers_taken == figures.integrator.samples);
    }

    TEST_CASE("F18 a render's packets and the ranges of its threads meet no conflict") {
        const FrameFigures figures = figures_of(room_settings());
        const auto& threads = figures.fibre.threads;
        CHECK(threads.threads_finished > 0);
        CHECK(threads.threads_with_range == threads.threads_finished);
        CHECK(threads.threads_kept_apart == 0);
        // Shading goes to no list, so each of its fibres leaves a collection.
        const u64 shaded = figures.fibre.routine[kShade].fibres;
        CHECK(shaded > 0);
        CHECK(figures.fibre.claims.granted >= shaded + figures.fibre.routine[kMiss].fibres);
        CHECK(figures.fibre.claims.refused == 0);
    }

    TEST_CASE(
        "F17 instances and lights are placed and the sky computed in threads before a render") {
        weft::scene::Scene scene = rich_scene();
        scene.environment.width = 64;
        scene.environment.height = 40;
        scene.environment.pixels.assign(std::size_t{3} * 64 * 40, 0.5F);
        const FrameFigures figures = figures_of(room_settings(), scene);
        CHECK(figures.placed.threads_finished == figures.placed.threads_made);
        CHECK(figures.placed.numbers_taken > scene.instances.size());
        CHECK(figures.computed.threads_finished == figures.computed.threads_made);
        // Rows are summed, weighed twice since the map has one colour, and given probabilities.
        CHECK(figures.computed.numbers_taken == scene.materials.size() + 4 * 40);
    }

    TEST_CASE(
        "F8 F15 a packet unit that lets fibres through one by one is counted and no bit changes") {
        const RenderedFrame gathered = rendered_frame(rich_scene(), room_settings());
        RenderSettings settings = room_settings();
        settings.integrator.trace_batch = 1;
        settings.integrator.shade_batch = 1;
        const RenderedFrame passed = rendered_frame(rich_scene(), settings);
        CHECK(passed.film_hash == gathered.film_hash);
        const auto& one_by_one = passed.figures.fibre.routine;
        const auto& routines = gathered.figures.fibre.routine;
        for (const Routine ray : {kClosest, kShadow}) {
            CHECK(one_by_one[ray].packets == one_by_one[ray].fibres);
            CHECK(routines[ray].packets * 4 < routines[ray].fibres);
        }
        // Clusters still fill their lanes with single fibres, but of any key: they come by key, so
        // that a row has several where one key ends and the next begins.
        CHECK(one_by_one[kShade].lanes_active * 10 > one_by_one[kShade].lanes_issued * 9);
        CHECK(one_by_one[kShade].mixed_packets * 10 > one_by_one[kShade].packets);
        CHECK(one_by_one[kShade].mixed_packets > routines[kShade].mixed_packets);
        CHECK(routines[kShade].mixed_packets * 2 < routines[kShade].packets);
    }

    TEST_CASE("W2 W3 units that are handed whole waves are counted and no bit changes") {
        const RenderedFrame divided = rendered_frame(rich_scene(), room_settings());
        RenderSettings settings = room_settings();
        settings.thread_count = 1;
        settings.share_samples = 1U << 20;
        const RenderedFrame passed = rendered_frame(rich_scene(), settings);
        CHECK(passed.film_hash == divided.film_hash);
        const auto& worker = passed.figures.run.workers.front();
        CHECK(worker.divisions == 0);
        CHECK(worker.shares == worker.roots);
        u64 roots = 0;
        u64 leaves = 0;
        for (const auto& one : divided.figures.run.workers) {
            roots += one.roots;
            leaves += one.shares;
        }
        CHECK(leaves > 3 * roots);
    }

    TEST_CASE("W2 W3 W5 waves are divided and every share goes by a doorbell") {
        const FrameFigures figures = figures_of(room_settings());
        u64 divisions = 0;
        u64 leaves = 0;
        u64 doorbells = 0;
        u64 samples = 0;
        for (const auto& worker : figures.run.workers) {
            divisions += worker.divisions;
            leaves += worker.shares;
        }
        for (const auto& unit : figures.run.units) {
            doorbells += unit.doorbells;
            samples += unit.work;
        }
        CHECK(divisions > 0);
        CHECK(doorbells >= leaves);
        CHECK(samples == figures.samples);
    }

    // Without the room of tasks: no means and no bytes, and nothing counted.
    TEST_CASE(
        "N4 N5 waves and resolving and toning of a render are tasks and files get their pixels") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = room_settings();
        settings.aovs = {weft::film::Aov::Albedo, weft::film::Aov::Depth};
        settings.picture = weft::film::resolve_config("picture.png", {});
        auto made = Renderer::prepare(scene, scene.cameras.front(), settings, {});
        REQUIRE(made.is_ok());
        const Renderer& renderer = *made.value();
        REQUIRE(made.value()->render({}).is_ok());
        weft::film::ResolvedFilm wanted(renderer.film(), *settings.picture);
        wanted.finish();
        for (u32 row = 0; row < settings.height; ++row) {
            const auto same = [row, &settings](const auto* a, const auto* b, u32 channels) {
                CAPTURE(row);
                CHECK(std::equal(a, a + std::size_t{settings.width} * channels, b));
            };
            same(renderer.picture().beauty_row(row), wanted.beauty_row(row), 4);
            same(renderer.picture().shown_row(row), wanted.shown_row(row), 3);
            same(renderer.picture().aov_row(0, row), wanted.aov_row(0, row), 3);
            same(renderer.picture().aov_row(1, row), wanted.aov_row(1, row), 1);
        }
        // The frame; two tiles, each with its waves, its means and its bytes.
        const FrameFigures& figures = renderer.figures();
        const u64 completed = figures.tasks[weft::task::Figure::Completed];
        const u64 waves = completed - 1 - 2 * 2;
        CHECK(waves % 2 == 0);
        CHECK(waves >= 2);
        CHECK(figures.tasks[weft::task::Figure::Launched] == completed);
        CHECK(figures.tasks[weft::task::Figure::Joins] == 1);
    }

    // Without the room of devices: everything on the processor, by its best instruction set.
    TEST_CASE("R2 R7 R9 R10 a render runs on devices and kernels that its requirements ask for") {
        RenderSettings settings = room_settings();
        settings.isa = weft::shaders::Isa::Sse4;
        const FrameFigures narrow = figures_of(settings);
        CHECK(narrow.isa == weft::shaders::Isa::Sse4);
        REQUIRE(narrow.devices.size() == 1);
        CHECK(narrow.devices[0].lane_count ==
              weft::shaders::shade_kernels(*settings.isa)->lane_count);
        if (!weft::tests::has_device()) {
            return;
        }
        settings.isa.reset();
        settings.has_egpu = true;
        settings.egpu_units = 2;
        settings.has_cpu = false;
        const FrameFigures device = figures_of(settings);
        REQUIRE(device.devices.size() == 1);
        CHECK(device.devices[0].name == "egpu");
        CHECK(device.devices[0].lane_count == 32);
        CHECK(device.devices[0].samples == device.samples);
        settings.has_cpu = true;
        settings.is_display_drawn = true;
        const FrameFigures drawn = figures_of(settings);
        REQUIRE(drawn.devices.size() == 2);
        CHECK(drawn.devices[0].samples == drawn.samples);
        CHECK(drawn.devices[1].samples == 0);
        CHECK(drawn.stand_ins == 1);
        // Alone, the device that draws goes on with all of its units.
        settings.has_cpu = false;
        settings.share_samples = 256;
        const FrameFigures alone = figures_of(settings);
        CHECK(alone.stand_ins == 0);
        REQUIRE(alone.run.units.size() == 2);
        for (const weft::unit::UnitFigures& unit : alone.run.units) {
            CHECK(unit.work > 0);
        }
    }

    // Without the room of lists: no instances, no view.
    TEST_CASE("C3 C5 C8 every instance and the frame itself are drawn by lists") {
        const weft::scene::Scene scene = rich_scene();
        const FrameFigures figures = figures_of(room_settings());
        // Instances, surroundings, the frame.
        CHECK(figures.commands.submitted.draws == scene.instances.size() + 2);
        CHECK(figures.commands.submitted.draws_skipped == 0);
        CHECK(figures.commands.submitted.patches >= 1);
        CHECK(figures.commands.submitted.lists >= 2);
    }
}
