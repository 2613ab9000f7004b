// frame_runtime.h — what a frame asks of the runtime (scheduler/compute): devices that meet its
// requirements, the best executable of each kernel on each of them, and an event for the frame.
//
// One per renderer; made and asked on the thread that drives the renderer. The frame itself runs on
// a thread of the runtime.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/frame/frame_kernels.h"
#include "engine/frame/render_settings.h"
#include "engine/trace/scene_tables.h"
#include "scheduler/compute/runtime.h"

namespace weft::frame {

// What a frame needs of its devices.
compute::Requirements frame_requirements(const RenderSettings& settings);

class FrameRuntime {
public:
    // Devices as this machine has them: its processor, and the emulated GPU of the settings.
    explicit FrameRuntime(const RenderSettings& settings);

    // Picks the best group of devices for the settings and loads its kernels. Error: a sentence for
    // whoever gave the options.
    base::Status choose(const RenderSettings& settings);

    // After choose(): what a kind of device runs; nullptr: it takes no part.
    [[nodiscard]] const DeviceKernels* kernels(compute::DeviceType type) const;

    // Whether the GPU draws for somebody else; frames that start meanwhile run on the processor,
    // where the group has one (R10).
    void set_drawing(bool is_drawing);

    // Begins to build the CPU's shading kernel for what the scene uses, while others go on. Nothing
    // is built where the CPU takes no part.
    void specialise(const trace::SceneTables& tables);
    // The CPU's row with that kernel, once: the first call after it was built. nullptr: not yet,
    // not any more, or it could not be. Any thread, while a frame runs.
    const shaders::ShadeKernels* take_specialised();
    // Which shading kernel the CPU runs now, and why.
    [[nodiscard]] std::string shade_story() const;

    // Runs the frame as one instance of the queue, and waits for its event only in wait(). `work`
    // is told which kinds of device are free for it.
    base::Status start(std::function<base::Status(bool has_cpu, bool has_gpu)> work);
    // The frame ended, or could not begin.
    [[nodiscard]] bool has_ended() const;
    // The frame's error, where it had one.
    base::Status wait();

    // Each device with its record and its score for these settings, and for each kernel which
    // executable it would use and why.
    [[nodiscard]] std::string report(const RenderSettings& settings);

    [[nodiscard]] compute::Runtime& runtime() { return runtime_; }

private:
    struct Chosen {
        compute::DevicePointer device;
        DeviceKernels kernels;
    };

    [[nodiscard]] base::Error refusal(const RenderSettings& settings, const base::Error& why) const;

    compute::Runtime runtime_;
    compute::ContextHandle context_;
    compute::EventHandle frame_;
    std::vector<Chosen> chosen_;
    std::shared_ptr<const compute::LaterLoad> later_;
    std::atomic<bool> is_taken_{false};        // by whoever exchanges it
    shaders::ShadeKernels specialised_{};      // written by whoever takes it
    std::atomic<bool> is_specialised_{false};  // release after specialised_, acquire by the story
};

}  // namespace weft::frame
