// test_faults.cpp — whatever fails under a render, the picture is right or there is one sentence,
// and nothing hangs.
#include <atomic>
#include <set>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "scheduler/base/memory_limit.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using weft::u32;
using weft::u64;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::tests::film_hash_of;
using weft::tests::has_device;
using weft::tests::prepared;
using weft::tests::rich_scene;
using weft::trace::SchedulerMode;
using weft::unit::PartTask;

RenderSettings frame_to_break() {
    return weft::tests::small_frame(4, 256);
}

// Holds one unit of the emulated GPU at its k-th step until it is let go.
class Gate {
public:
    Gate(u32 unit, u32 step) : unit_(unit), step_(step) {}

    ~Gate() { open(); }

    void operator()(u32 unit) {
        if (unit != unit_ || step_count_.fetch_add(1) != step_) {
            return;
        }
        is_open_.wait(false);
    }

    void open() {
        is_open_.store(true);
        is_open_.notify_all();
    }

private:
    u32 unit_;
    u32 step_;
    std::atomic<u32> step_count_{0};
    std::atomic<bool> is_open_{false};
};

}  // namespace

TEST_SUITE("engine/frame/faults") {
    TEST_CASE("memory that runs out while rendering ends the frame with what there is") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = frame_to_break();
        settings.samples_per_pixel = 1U << 20;
        const auto renderer = prepared(scene, settings);
        const auto status = renderer->render([](const weft::frame::FrameProgress& progress) {
            // As if somebody else had taken all of it, once there is something to save.
            if (progress.samples_done > 0) {
                weft::base::set_memory_limit(1);
            }
        });
        weft::base::set_memory_limit(0);
        REQUIRE(!status.is_ok());
        CHECK(status.error().kind == weft::base::ErrorKind::Memory);
        CHECK(status.error().sentence.find("MiB were in use") != std::string::npos);
        CHECK(renderer->figures().samples > 0);
        CHECK(renderer->figures().samples < weft::u64{72} * 50 << 20);
    }

    TEST_CASE("a film beyond the memory that is left is refused before it is made") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = frame_to_break();
        settings.width = settings.height = 16384;
        weft::base::set_memory_limit(weft::base::resident_bytes() + (u64{1} << 30));
        const auto renderer = Renderer::prepare(scene, scene.cameras.front(), settings, {});
        weft::base::set_memory_limit(0);
        REQUIRE(!renderer.is_ok());
        CHECK(renderer.error().kind == weft::base::ErrorKind::TooLarge);
        CHECK(renderer.error().sentence.find("16384x16384") != std::string::npos);
    }

    TEST_CASE("W7 a part that fails once is run again and the picture is right") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = frame_to_break();
        std::atomic<u32> failures{0};
        settings.integrator.fault = [&](const PartTask& task) {
            const bool fails = task.attempt == 0 && (task.part + task.share.word[2]) % 3 == 0;
            failures += fails ? 1 : 0;
            return fails ? 7U : 0U;
        };
        const auto renderer = prepared(scene, settings);
        REQUIRE(renderer->render({}).is_ok());
        CHECK(failures > 0);
        CHECK(renderer->film().film_hash() == film_hash_of(scene, frame_to_break()));
    }

    TEST_CASE("W7 a part that fails twice ends the render with one sentence") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = frame_to_break();
        std::atomic<u32> begun{0};
        settings.integrator.fault = [&](const PartTask& task) {
            return ++begun > 20 && task.part == 1 ? 42U : 0U;
        };
        for (const bool has_egpu : {false, true}) {
            if (has_egpu && !has_device()) {
                continue;
            }
            begun = 0;
            settings.has_egpu = has_egpu;
            const auto renderer = prepared(scene, settings);
            const weft::base::Status status = renderer->render({});
            REQUIRE(!status.is_ok());
            CHECK(status.error().kind == weft::base::ErrorKind::Render);
            CHECK(status.error().sentence.find("42") != std::string::npos);
        }
    }

    TEST_CASE("W9 units detached and attached in the middle of a frame change no bit") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = frame_to_break();
        settings.has_egpu = true;
        settings.egpu_units = 3;
        settings.thread_count = 3;
        const auto renderer = prepared(scene, settings);
        std::atomic<bool> is_done{false};
        std::thread meddler([&] {
            for (u32 round = 0; !is_done.load(); ++round) {
                renderer->detach_unit(round % renderer->unit_count());
                std::this_thread::yield();
                renderer->attach_unit(round % renderer->unit_count());
            }
        });
        const weft::base::Status status = renderer->render({});
        is_done = true;
        meddler.join();
        REQUIRE(status.is_ok());
        CHECK(renderer->film().film_hash() == film_hash_of(scene, frame_to_break()));
    }

    TEST_CASE("W7 a unit that stops answering is given up and its late writes reach nothing") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = rich_scene();
        u32 lost_units = 0;
        for (const bool has_cpu : {true, false}) {
            for (const u32 step : {0U, 5U, 40U}) {
                Gate gate(1, step);
                RenderSettings settings = frame_to_break();
                settings.has_cpu = has_cpu;
                settings.has_egpu = true;
                settings.egpu_units = 3;
                settings.thread_count = 4;
                settings.patience_s = 0.1;
                settings.egpu_hook = [&](u32 unit) { gate(unit); };
                // The unit goes on once it is given up, so that it writes late.
                settings.lost_hook = [&] { gate.open(); };
                const auto renderer = prepared(scene, settings);
                const weft::base::Status status = renderer->render({});
                gate.open();  // a unit that was held without work is never given up
                REQUIRE_MESSAGE(status.is_ok(), status.error().sentence);
                CHECK(renderer->film().film_hash() == film_hash_of(scene, frame_to_break()));
                lost_units += renderer->figures().devices.back().lost_units;
            }
        }
        // Without the CPU every unit has work at once. On a busy machine another unit may look lost
        // as well, which costs time only.
        CHECK(lost_units >= 1);
    }

    TEST_CASE("W7 a false alarm costs time only") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = frame_to_break();
        settings.has_egpu = true;
        settings.egpu_units = 2;
        settings.thread_count = 4;
        settings.patience_s = 0.0005;  // every hesitation looks like a loss
        const auto renderer = prepared(scene, settings);
        REQUIRE(renderer->render({}).is_ok());
        CHECK(renderer->film().film_hash() == film_hash_of(scene, frame_to_break()));
    }

    TEST_CASE("W7 a render whose every unit is lost ends with one sentence") {
        if (!has_device()) {
            return;
        }
        const weft::scene::Scene scene = rich_scene();
        Gate gate(0, 3);
        RenderSettings settings = frame_to_break();
        settings.has_cpu = false;
        settings.has_egpu = true;
        settings.egpu_units = 1;
        settings.patience_s = 0.1;
        settings.egpu_hook = [&](u32 unit) { gate(unit); };
        const auto renderer = prepared(scene, settings);
        const weft::base::Status status = renderer->render({});
        gate.open();
        REQUIRE(!status.is_ok());
        CHECK(status.error().kind == weft::base::ErrorKind::Render);
    }

    TEST_CASE("F8 F10 one shading key and more keys than paths in flight give one film hash") {
        std::set<std::string> hashes;
        for (const bool has_one_key : {true, false}) {
            weft::scene::Scene scene = rich_scene();
            const u32 shared = scene.instances.back().material;
            for (weft::scene::Instance& instance : scene.instances) {
                const auto& record = scene.materials[instance.material].record;
                if (record.emissive[0] > 0) {
                    continue;  // the light
                }
                instance.material = shared;
                if (!has_one_key) {
                    instance.material = static_cast<u32>(scene.materials.size());
                    scene.materials.push_back(scene.materials[shared]);
                }
            }
            for (const auto mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                RenderSettings settings = frame_to_break();
                settings.integrator.mode = mode;
                settings.integrator.path_count = 24;
                settings.integrator.trace_batch = 24;
                CHECK((has_one_key || scene.instances.size() > 24));
                const auto renderer = prepared(scene, settings);
                REQUIRE(renderer->render({}).is_ok());
                hashes.insert(renderer->film().film_hash());
            }
        }
        CHECK(hashes.size() == 1);
    }

    TEST_CASE("F16 a handful of paths per unit renders the same picture") {
        const weft::scene::Scene scene = rich_scene();
        const std::string expected = film_hash_of(scene, frame_to_break());
        for (const u32 paths : {16U, 33U, 64U}) {
            RenderSettings settings = frame_to_break();
            settings.integrator.path_count = paths;
            settings.integrator.trace_batch = paths;
            const auto renderer = prepared(scene, settings);
            REQUIRE(renderer->render({}).is_ok());
            CHECK(renderer->film().film_hash() == expected);
        }
    }
}
