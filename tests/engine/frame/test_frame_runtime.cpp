// test_frame_runtime.cpp — clauses R6, R7, R10 and R11 where a frame uses them: the runtime chooses
// devices and kernels, a kernel built for the scene has the same bits, errors arrive on the event.
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

#include "engine/frame/frame_runtime.h"
#include "engine/frame/renderer.h"
#include "engine/frame/scene_shade.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/whole_frame.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using weft::u32;
using weft::compute::DeviceType;
using weft::frame::FrameRuntime;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::scene::Scene;
using weft::tests::rendered;

// A kernel cache for this test alone.
class PrivateCache {
public:
    PrivateCache() {
        std::string name = (std::filesystem::temp_directory_path() / "weft-frame-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
        setenv("XDG_CACHE_HOME", name.c_str(), 1);
    }

    ~PrivateCache() {
        unsetenv("XDG_CACHE_HOME");
        std::filesystem::remove_all(path_);
    }

    PrivateCache(const PrivateCache&) = delete;
    PrivateCache& operator=(const PrivateCache&) = delete;
    PrivateCache(PrivateCache&&) = delete;
    PrivateCache& operator=(PrivateCache&&) = delete;

private:
    std::filesystem::path path_;
};

RenderSettings runtime_settings(u32 samples) {
    RenderSettings settings;
    settings.width = 48;
    settings.height = 32;
    settings.samples_per_pixel = samples;
    settings.thread_count = 1;
    settings.integrator.path_count = 512;
    settings.integrator.trace_batch = 512;
    return settings;
}

struct Picture {
    std::string hash;
    std::string shade_kernel;
};

Picture render(const Scene& scene, const RenderSettings& settings) {
    const auto renderer = rendered(scene, settings);
    return {renderer->film().film_hash(), renderer->figures().shade_kernel};
}

// A diffuse floor under a point light: a kernel can leave all optional code out.
Scene plain_scene() {
    using namespace weft::tests;
    Scene scene;
    add_object(scene, quad({-2, 0, -2}, {0, 0, 4}, {4, 0, 0}), lambert({0.5f, 0.6f, 0.7f}));
    scene.lights.push_back(point_light({0, 2, 0}, {10, 10, 10}));
    set_camera(scene, {0, 2, 4}, {0, 0, 0}, 0.8f);
    return scene;
}

}  // namespace

TEST_SUITE("engine/frame/frame_runtime") {
    TEST_CASE("R7 the kernel that is built for a scene takes over and gives the same bits") {
        const PrivateCache cache;
        for (const Scene& scene : {plain_scene(), weft::tests::rich_scene()}) {
            // Build into the cache beforehand, since a frame does not wait for its kernel.
            FrameRuntime runtime(runtime_settings(1));
            const weft::compute::Wish wish{
                "",
                weft::shaders::isa_name(weft::shaders::best_isa()),
                weft::frame::scene_shade_options(weft::trace::make_scene_tables(scene, {}))};
            const auto built =
                runtime.runtime().library().load("shade", weft::compute::cpu_capability(), wish);
            REQUIRE(built.is_ok());
            REQUIRE_MESSAGE(built.value().is_optimal, built.value().reason);
            Picture own;
            u32 samples = 8;
            for (; samples <= 8192; samples *= 2) {
                RenderSettings settings = runtime_settings(samples);
                settings.has_scene_kernels = true;
                settings.on_note = [](const std::string& line) { FAIL(line); };
                own = render(scene, settings);
                if (own.shade_kernel != "generic") {
                    break;
                }
            }
            CAPTURE(samples);
            CHECK(own.shade_kernel.find("WEFT_SCENE_FLAGS=") != std::string::npos);
            const Picture generic = render(scene, runtime_settings(samples));
            CHECK(generic.shade_kernel == "generic");
            CHECK(generic.hash == own.hash);
        }
    }

    TEST_CASE("R7 without a compiler a frame notes it once and keeps the generic kernel") {
        const PrivateCache cache;
        const std::string path = std::getenv("PATH");
        setenv("PATH", "/nowhere", 1);
        std::mutex mutex;
        std::vector<std::string> notes;
        const auto note = [&](const std::string& line) {
            const std::lock_guard lock(mutex);
            notes.push_back(line);
        };
        // A short frame may end before the search for a compiler does.
        Picture picture;
        u32 samples = 64;
        for (; samples <= 16384; samples *= 2) {
            RenderSettings settings = runtime_settings(samples);
            settings.has_scene_kernels = true;
            settings.on_note = note;
            picture = render(plain_scene(), settings);
            const std::lock_guard lock(mutex);
            if (!notes.empty()) {
                break;
            }
        }
        setenv("PATH", path.c_str(), 1);
        CHECK(picture.shade_kernel == "generic");
        REQUIRE(notes.size() == 1);
        CHECK(notes[0].starts_with("PATH has no C++ compiler"));
        CHECK(picture.hash == render(plain_scene(), runtime_settings(samples)).hash);
    }

    TEST_CASE("R7 options of a scene's kernel name what its materials use and nothing else") {
        Scene scene = plain_scene();
        CHECK(weft::frame::scene_shade_options(weft::trace::make_scene_tables(scene, {})) ==
              "WEFT_SCENE_FLAGS=0x0 WEFT_SCENE_SLOTS=0x0");
        weft::tests::add_object(scene,
                                weft::tests::quad({-1, 1, -1}, {2, 0, 0}, {0, 0, 2}),
                                weft::tests::emitter({1, 1, 1}));
        CHECK(weft::frame::scene_shade_options(weft::trace::make_scene_tables(scene, {})) ==
              "WEFT_SCENE_FLAGS=0x200 WEFT_SCENE_SLOTS=0x0");
    }

    TEST_CASE("R6 R7 the report names every device and why each kernel would be used") {
        FrameRuntime runtime(runtime_settings(1));
        const std::string report = runtime.report(runtime_settings(1));
        for (const char* word : {"device cpu",
                                 "device egpu",
                                 "frame             score",
                                 "kernel shade",
                                 "kernel closest_visit",
                                 "(linked): ",
                                 "built             14 kernels 20",
                                 "-ffp-contract=off",
                                 "frames run on, best first"}) {
            CAPTURE(word);
            CHECK(report.find(word) != std::string::npos);
        }
    }

    TEST_CASE("R11 the error of a frame arrives at the thread that waits for it") {
        FrameRuntime runtime(runtime_settings(1));
        REQUIRE(runtime.choose(runtime_settings(1)).is_ok());
        REQUIRE(runtime
                    .start([](bool, bool) -> weft::base::Status {
                        return weft::base::Error{weft::base::ErrorKind::Render, "a unit burnt"};
                    })
                    .is_ok());
        const weft::base::Status status = runtime.wait();
        REQUIRE_FALSE(status.is_ok());
        CHECK(status.error().sentence == "a unit burnt");
        REQUIRE(runtime
                    .start([](bool, bool) -> weft::base::Status {
                        throw std::runtime_error("all of them burnt");
                    })
                    .is_ok());
        CHECK(runtime.wait().error().sentence == "kernel frame: it threw: all of them burnt");
    }

    TEST_CASE("R10 a frame on both devices gets the processor alone while the GPU draws") {
        RenderSettings settings = runtime_settings(1);
        settings.has_egpu = true;
        FrameRuntime runtime(settings);
        if (!runtime.choose(settings).is_ok()) {
            return;  // this processor has nothing of class fma, so there is no emulated GPU
        }
        CHECK(runtime.kernels(DeviceType::Gpu)->shade.lane_count == 32);
        for (const bool is_drawing : {false, true}) {
            for (const auto& device : runtime.runtime().devices()) {
                if (device.capability.type == DeviceType::Gpu) {
                    REQUIRE(runtime.runtime().set_drawing(device.handle, is_drawing).is_ok());
                }
            }
            bool had_cpu = false;
            bool had_gpu = false;
            REQUIRE(runtime
                        .start([&](bool has_cpu, bool has_gpu) -> weft::base::Status {
                            had_cpu = has_cpu;
                            had_gpu = has_gpu;
                            return weft::base::Done{};
                        })
                        .is_ok());
            REQUIRE(runtime.wait().is_ok());
            CHECK(had_cpu);
            CHECK(had_gpu == !is_drawing);
        }
    }
}
