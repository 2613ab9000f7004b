// frame_runtime.h — a frame's use of scheduler/compute: devices that meet its requirements, the
// best executable of each kernel on each of them, and an event for the frame.
//
// One per renderer. The thread that drives the renderer makes and calls it; the frame itself runs
// on a thread of the runtime.
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

// What every device of a frame must have.
compute::Requirements frame_requirements(const RenderSettings& settings);

class FrameRuntime {
public:
    // Lists the devices: the processor of this machine, and the emulated GPU of the settings.
    explicit FrameRuntime(const RenderSettings& settings);

    // Picks the best group of devices for the settings and loads its kernels. Error: a sentence
    // about the options that nothing here meets.
    base::Status choose(const RenderSettings& settings);

    // The kernels of a kind of device, after choose(); nullptr: it takes no part.
    [[nodiscard]] const DeviceKernels* kernels(compute::DeviceType type) const;

    // While the GPU draws the interface, frames that start run on the processor alone, where the
    // group has one (R10).
    void set_drawing(bool is_drawing);

    // Starts to compile, in the background, a CPU shading kernel with the features that the scene's
    // materials use. Does nothing where the CPU takes no part.
    void specialise(const trace::SceneTables& tables);
    // The CPU's shading kernels with the compiled one, for the first call after it was compiled;
    // nullptr before that, afterwards, and where it failed. Any thread, while a frame runs.
    const shaders::ShadeKernels* take_specialised();
    // Which shading kernel the CPU runs now: "generic", or the origin and options of the compiled
    // one.
    [[nodiscard]] std::string shade_story() const;

    // Enqueues the frame as one instance of the queue and returns; wait() waits for its event.
    // `work` gets the kinds of device that it may use.
    base::Status start(std::function<base::Status(bool has_cpu, bool has_gpu)> work);
    // The frame ended, or could not begin.
    [[nodiscard]] bool has_ended() const;
    // The frame's error, where it had one.
    base::Status wait();

    // A text that lists each device with its record and its score for these settings, and for each
    // kernel the executable that the device would use, and why.
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
    std::atomic<bool> is_taken_{false};        // one caller of take_specialised() sets it
    shaders::ShadeKernels specialised_{};      // written by that caller
    std::atomic<bool> is_specialised_{false};  // release after specialised_; shade_story() acquires
};

}  // namespace weft::frame
