// test_frame_objects.cpp — clauses R2 to R6, R8, R9 and R12 where frames use them: one runtime for
// all renderers, its buffers and kernel objects, and programs that follow each other's events.
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "engine/frame/frame_objects.h"
#include "engine/frame/renderer.h"
#include "engine/trace/device_scene.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using namespace weft;
using compute::DeviceType;
using frame::FrameObjects;
using frame::FrameRuntime;
using frame::Renderer;
using frame::RenderSettings;
using frame::SharedRuntime;
using tests::prepared;
using tests::rendered;

RenderSettings object_settings() {
    return tests::small_frame(2, 512);
}

RenderSettings gpu_settings(bool has_cpu) {
    RenderSettings settings = object_settings();
    settings.has_cpu = has_cpu;
    settings.has_egpu = true;
    settings.egpu_units = 2;
    return settings;
}

// A program that holds its devices until it is let go.
class Hold {
public:
    base::Status operator()() {
        std::unique_lock lock(mutex_);
        is_begun_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return is_let_go_; });
        return base::Done{};
    }

    void wait_until_begun() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_begun_; });
    }

    void let_go() {
        const std::lock_guard lock(mutex_);
        is_let_go_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_begun_ = false;
    bool is_let_go_ = false;
};

// A scene in host memory with what units read of it.
struct Stage {
    scene::Scene scene = tests::rich_scene();
    RenderSettings settings;
    frame::SceneRequest request;
    frame::PreparedScene prepared;
    std::vector<float> filter = trace::make_filter_table(settings.filter);
    frame::UnitScene view;

    explicit Stage(const RenderSettings& how = object_settings()) : settings(how) {
        request.scene = std::shared_ptr<const scene::Scene>(std::shared_ptr<void>(), &scene);
        request.settings = &settings;
        auto made = frame::prepare_scene(request);
        REQUIRE(made.is_ok());
        prepared = std::move(made.value());
        view = frame::unit_scene(prepared);
        view.filter_table = &filter;
    }
};

}  // namespace

TEST_SUITE("engine/frame/frame_objects") {
    TEST_CASE("R3 renderers share one runtime and give back all that they make in it") {
        const scene::Scene scene = tests::rich_scene();
        const auto shared = SharedRuntime::take();
        CHECK(shared == SharedRuntime::take());
        const std::size_t devices = shared->runtime().devices().size();
        {
            const auto one = rendered(scene, object_settings());
            const auto two = rendered(scene, object_settings());
            CHECK(one->film().film_hash() == two->film().film_hash());
            const compute::ObjectFigures figures = shared->runtime().object_figures();
            CHECK(figures.contexts.created == 2);
            CHECK(figures.contexts.released == 0);
            // Both use the same processor and the same emulated GPU.
            CHECK(shared->runtime().devices().size() <= devices + 1);
        }
        const compute::ObjectFigures figures = shared->runtime().object_figures();
        CHECK(figures.contexts.released == figures.contexts.created);
        CHECK(figures.buffers.released == figures.buffers.created);
        CHECK(figures.kernels.released == figures.kernels.created);
        CHECK(shared->runtime().devices().size() == devices);
        for (const compute::ListedDevice& device : shared->runtime().devices()) {
            CHECK(device.state.memory_used_bytes == 0);
        }
    }

    TEST_CASE("R4 R5 R8 a plain render goes through buffers and kernel objects and programs") {
        const scene::Scene scene = tests::rich_scene();
        const auto renderer = rendered(scene, object_settings());
        const compute::ObjectFigures& objects = renderer->figures().runtime.objects;
        const u64 arrays = trace::scene_arrays().size();
        const u64 kernels = frame::frame_kernel_names().size();
        CHECK(kernels == 14);
        CHECK(objects.kernels.created == kernels);
        // The arrays of the scene, the filter, three of the tree and two of a guide are lent; paths
        // and results are not.
        CHECK(objects.lent == arrays + 6);
        CHECK(objects.mapped == 3);  // of pages, empty here
        CHECK(objects.buffers.created == objects.lent + objects.mapped + 2);
        CHECK(objects.images == 1);  // the environment
        // Each kernel has its paths, and the eleven of traversal the tree.
        CHECK(objects.bound > kernels + 5 * 11 + arrays);
        const compute::QueueFigures& queue = renderer->figures().runtime.queue;
        CHECK(queue.enqueued == 2);   // its units were made, and the frame ran
        CHECK(queue.followers == 1);  // the frame after the units
        CHECK(queue.failed == 0);
    }

    TEST_CASE("R4 an emulated GPU has its paths and its results and its copies in buffers") {
        if (!tests::has_device()) {
            return;
        }
        const scene::Scene scene = tests::rich_scene();
        const auto renderer = rendered(scene, gpu_settings(false));
        const frame::DeviceFigures& device = renderer->figures().devices.at(0);
        u64 scene_bytes = 0;
        for (const trace::SceneArray& array : trace::scene_arrays()) {
            scene_bytes += trace::bytes_of(array, scene, *renderer->scene().tables).size();
        }
        CHECK(device.copied_in_bytes > scene_bytes);
        CHECK(device.memory_used_bytes > device.copied_in_bytes);  // and paths and results
        CHECK(device.copied_out_bytes >= device.samples * 4 * sizeof(float));
        const compute::ObjectFigures& objects = renderer->figures().runtime.objects;
        CHECK(objects.buffers.created ==
              objects.lent + objects.mapped + 4);  // also treelets and their places
    }

    TEST_CASE("R4 R5 pages are read where buffers of the runtime say") {
        const weft::film::TestFolder folder;
        RenderSettings settings = object_settings();
        settings.page_folder = folder.file("pages");
        settings.geometry_memory_bytes = u64{1} << 30;
        Stage stage(settings);
        const weft::pages::PageStore& store = *stage.prepared.acceleration->store;
        FrameRuntime runtime(stage.settings);
        REQUIRE(runtime.choose(stage.settings).is_ok());
        auto made = FrameObjects::make(
            runtime.runtime(), runtime.context(), runtime.device(DeviceType::Cpu), runtime.wish());
        REQUIRE(made.is_ok());
        FrameObjects& objects = *made.value();
        REQUIRE(objects.lend_scene(stage.view, 8192).is_ok());
        REQUIRE(objects.take_units(1, 1000, 1000).is_ok());
        REQUIRE(objects.bring(stage.view).is_ok());
        const weft::pages::PageRows rows = store.rows();
        CHECK(rows.nodes.size() > stage.prepared.acceleration->nodes.size());
        CHECK(objects.frame().bvh.nodes == rows.nodes.data());
        CHECK(objects.frame().bvh.blocks == rows.blocks.data());
        CHECK(objects.frame().records.sheets == rows.sheets.data());
        CHECK(objects.frame().records.tables.size() == stage.scene.meshes.size());
    }

    TEST_CASE("R5 kernels get the addresses that are bound to them and nothing else") {
        Stage stage;
        FrameRuntime runtime(stage.settings);
        REQUIRE(runtime.choose(stage.settings).is_ok());
        auto made = FrameObjects::make(
            runtime.runtime(), runtime.context(), runtime.device(DeviceType::Cpu), runtime.wish());
        REQUIRE(made.is_ok());
        FrameObjects& objects = *made.value();
        // Without memory for paths nothing can be brought.
        REQUIRE(objects.lend_scene(stage.view, 8192).is_ok());
        const base::Status missing = objects.bring(stage.view);
        REQUIRE_FALSE(missing.is_ok());
        CHECK(missing.error().sentence == "kernel camera: nothing is bound to the parameter paths");
        REQUIRE(objects.take_units(2, 1000, 1000).is_ok());
        REQUIRE(objects.bring(stage.view).is_ok());
        const shaders::SceneView& view = objects.frame().view;
        CHECK(view.materials == stage.prepared.tables->materials.data());
        CHECK(view.positions == stage.prepared.tables->view.positions);
        CHECK(objects.frame().bvh.nodes == stage.prepared.acceleration->nodes.data());
        CHECK(objects.frame().filter_table == stage.filter.data());
        CHECK(objects.paths(1).data() >= objects.paths(0).data() + 1000);
        // Another array in the place of the materials reaches the kernels.
        std::vector<shaders::MaterialRecord> others(3);
        const auto buffer =
            runtime.runtime().lend_buffer(runtime.context(), std::as_bytes(std::span(others)));
        REQUIRE(buffer.is_ok());
        const auto names = frame::frame_kernel_names();
        const auto shade = std::find(names.begin(), names.end(), "shade") - names.begin();
        const compute::KernelHandle kernel = objects.kernels()[static_cast<std::size_t>(shade)];
        REQUIRE(runtime.runtime().bind(kernel, "materials", buffer.value()).is_ok());
        const auto brought = runtime.runtime().bring(kernel, runtime.device(DeviceType::Cpu));
        REQUIRE(brought.is_ok());
        CHECK(brought.value().at("materials") == static_cast<const void*>(others.data()));
        // Another size of elements, another type and a name that the kernel lacks are refused.
        const auto cut = runtime.runtime().lend_buffer(runtime.context(),
                                                       std::as_bytes(std::span(others)).first(7));
        REQUIRE(cut.is_ok());
        CHECK_FALSE(runtime.runtime().bind(kernel, "meshes", cut.value()).is_ok());
        CHECK_FALSE(runtime.runtime().bind(kernel, "environment", buffer.value()).is_ok());
        CHECK_FALSE(runtime.runtime().bind(kernel, "tree", buffer.value()).is_ok());
        CHECK(runtime.runtime().release(cut.value()).is_ok());
        CHECK(runtime.runtime().release(buffer.value()).is_ok());
    }

    TEST_CASE("R12 a frame keeps its kernel objects and its paths until it ends") {
        Stage stage;
        FrameRuntime runtime(stage.settings);
        REQUIRE(runtime.choose(stage.settings).is_ok());
        const compute::DevicePointer& device = runtime.device(DeviceType::Cpu);
        auto made =
            FrameObjects::make(runtime.runtime(), runtime.context(), device, runtime.wish());
        REQUIRE(made.is_ok());
        REQUIRE(made.value()->lend_scene(stage.view, 8192).is_ok());
        REQUIRE(made.value()->take_units(1, 1 << 16, 1 << 16).is_ok());
        REQUIRE(made.value()->bring(stage.view).is_ok());
        const u64 both = device->memory().used_bytes();
        Hold hold;
        REQUIRE(runtime.start([&](bool, bool) { return hold(); }, made.value()->kernels()).is_ok());
        hold.wait_until_begun();
        made.value() = nullptr;
        CHECK(device->memory().used_bytes() == both / 2);  // the paths; no kernel has results
        hold.let_go();
        CHECK(runtime.wait().is_ok());
        const auto last = runtime.run_beside("after", [] {});
        CHECK(last != nullptr);
    }

    TEST_CASE("R8 runs of a frame follow each other and so does what is written of it") {
        const scene::Scene scene = tests::rich_scene();
        const auto shared = SharedRuntime::take();
        const auto renderer = prepared(scene, object_settings());
        u32 written = 0;
        {
            REQUIRE(renderer
                        ->run({.on_progress = {},
                               .should_hold = [] { return true; },
                               .detached = {},
                               .maybe_watcher = nullptr})
                        .is_ok());
            const auto program = renderer->run_beside("file", [&] { ++written; });
            REQUIRE(renderer->render({}).is_ok());
        }
        CHECK(written == 1);
        const compute::QueueFigures queue = shared->runtime().queue_figures();
        CHECK(queue.enqueued == 4);
        CHECK(queue.followers == 3);
    }

    TEST_CASE("R8 of frames that wait for a device the most urgent goes first") {
        if (!tests::has_device()) {
            return;
        }
        RenderSettings settings = gpu_settings(false);
        std::vector<std::unique_ptr<FrameRuntime>> runtimes;
        for (const i32 urgency : {0, 0, 1}) {
            settings.urgency = urgency;
            runtimes.push_back(std::make_unique<FrameRuntime>(settings));
            REQUIRE(runtimes.back()->choose(settings).is_ok());
        }
        Hold hold;
        std::mutex mutex;
        std::vector<u32> order;
        REQUIRE(runtimes[0]->start([&](bool, bool) { return hold(); }).is_ok());
        hold.wait_until_begun();
        for (const u32 k : {1U, 2U}) {
            REQUIRE(runtimes[k]
                        ->start([&, k](bool, bool) -> base::Status {
                            const std::lock_guard lock(mutex);
                            order.push_back(k);
                            return base::Done{};
                        })
                        .is_ok());
        }
        hold.let_go();
        for (const auto& runtime : runtimes) {
            CHECK(runtime->wait().is_ok());
        }
        CHECK(order == std::vector<u32>{2, 1});
    }

    TEST_CASE("R9 a frame leaves a GPU that another renderer uses and keeps its bits") {
        if (!tests::has_device()) {
            return;
        }
        const scene::Scene scene = tests::rich_scene();
        const RenderSettings settings = gpu_settings(true);
        FrameRuntime other(settings);
        REQUIRE(other.choose(gpu_settings(false)).is_ok());
        Hold hold;
        REQUIRE(other.start([&](bool, bool) { return hold(); }).is_ok());
        hold.wait_until_begun();
        const auto beside = rendered(scene, settings);
        hold.let_go();
        CHECK(other.wait().is_ok());
        CHECK(beside->figures().devices.at(0).samples == beside->figures().samples);
        CHECK(beside->figures().devices.at(1).samples == 0);
        CHECK(beside->figures().stand_ins == 1);
        const auto alone = rendered(scene, settings);
        CHECK(alone->figures().stand_ins == 0);
        CHECK(alone->film().film_hash() == beside->film().film_hash());
    }

    TEST_CASE("R2 where no device is named the best score decides") {
        if (!tests::has_device()) {
            return;
        }
        const scene::Scene scene = tests::rich_scene();
        RenderSettings settings = object_settings();
        settings.chooses_device = true;
        const auto usual = rendered(scene, settings);
        REQUIRE(usual->figures().devices.size() == 1);
        CHECK(usual->figures().devices[0].name == "cpu");
        // A GPU that is not emulated, and has more lanes than any processor.
        const auto shared = SharedRuntime::take();
        compute::Capability record = compute::emulated_gpu_capability({});
        record.name = "large";
        record.is_emulated = false;
        record.draws_display = false;
        record.units = 4096;
        record.lane_speed = 1;
        const auto device = std::make_shared<compute::Device>(
            record, compute::make_emulated_memory(settings.egpu_memory_bytes));
        const auto handle = shared->runtime().attach(device);
        REQUIRE(handle.is_ok());
        const auto chosen = rendered(scene, settings);
        REQUIRE(chosen->figures().devices.size() == 1);
        CHECK(chosen->figures().devices[0].lane_count == 32);
        CHECK(chosen->figures().devices[0].samples == chosen->figures().samples);
        CHECK(device->memory().copied_in_bytes() > 0);
        CHECK(chosen->film().film_hash() == usual->film().film_hash());
        // Embree traces on the processor alone.
        settings.integrator.mode = trace::SchedulerMode::Embree;
        CHECK(rendered(scene, settings)->figures().devices.at(0).name == "cpu");
        CHECK(shared->runtime().detach(handle.value()).is_ok());
    }

    TEST_CASE("R6 linked kernels know their compiler and its flags and when they were built") {
        const auto shared = SharedRuntime::take();
        const compute::Capability cpu = compute::cpu_capability();
        for (const std::string& kernel : frame::frame_kernel_names()) {
            for (const compute::Listed& listed :
                 shared->runtime().library().list(kernel, cpu, {})) {
                CAPTURE(kernel);
                CHECK(listed.record.flags.find("-ffp-contract=off") != std::string::npos);
                CHECK(listed.record.flags.find("compiler ") == 0);
                CHECK(listed.record.build_time.size() == std::string("2026-01-31 12:00:00").size());
            }
        }
    }
}
