// frame_runtime.h — a renderer's part of the process's runtime (shared_runtime.h): devices that
// meet its requirements, a context on them, and programs that follow each other's events.
//
//     "units" (copies to devices, memory) ──> "frame" ──> "frame" … each run follows the one before
//                                                └──> "checkpoint": less urgent, on no device
//
// One per renderer. The thread that drives the renderer makes and calls it; programs run on threads
// of the runtime.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/frame/frame_kernels.h"
#include "engine/frame/render_settings.h"
#include "engine/frame/shared_runtime.h"
#include "engine/trace/scene_tables.h"
#include "scheduler/compute/runtime.h"

namespace weft::frame {

// What every device of a frame must have.
compute::Requirements frame_requirements(const RenderSettings& settings);

// The executables that a frame wants of an arithmetic class.
compute::Wish frame_wish(const RenderSettings& settings, const std::string& arithmetic_class);

// A program that runs beside frames, such as the writing of a file. The last holder waits for its
// end. It may outlive its renderer.
class BesideProgram {
public:
    BesideProgram(std::shared_ptr<SharedRuntime> shared, compute::EventHandle event)
        : shared_(std::move(shared)), event_(event) {}

    ~BesideProgram();
    BesideProgram(const BesideProgram&) = delete;
    BesideProgram& operator=(const BesideProgram&) = delete;

private:
    std::shared_ptr<SharedRuntime> shared_;
    compute::EventHandle event_;
};

class FrameRuntime {
public:
    // Takes part in the process's runtime, with the emulated GPU of the settings.
    explicit FrameRuntime(const RenderSettings& settings);
    ~FrameRuntime();
    FrameRuntime(const FrameRuntime&) = delete;
    FrameRuntime& operator=(const FrameRuntime&) = delete;

    // Picks the best group of devices for the settings and loads its kernels. Error: a sentence
    // about the options that nothing here meets.
    base::Status choose(const RenderSettings& settings);

    // The kernels of a kind of device, after choose(); nullptr: it takes no part.
    [[nodiscard]] const DeviceKernels* kernels(compute::DeviceType type) const;
    // The device of a kind, which takes part.
    [[nodiscard]] const compute::DevicePointer& device(compute::DeviceType type) const;

    [[nodiscard]] compute::ContextHandle context() const { return context_; }

    // What executables the context's kernel objects are made of.
    [[nodiscard]] const compute::Wish& wish() const { return wish_; }

    // Of the programs that start from now on (RenderSettings::urgency).
    void set_urgency(i32 urgency) { urgency_ = urgency; }

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

    // Runs the program that makes units and copies the scene to devices; frames follow its event.
    base::Status make_ready(const std::function<base::Status()>& make);
    // Enqueues the frame as one instance of the queue, after the program before it, and returns;
    // wait() waits for its event. `work` gets the kinds of device that it may use: those that have
    // room now. The frame holds the kernel objects that it calls.
    base::Status start(std::function<base::Status(bool has_cpu, bool has_gpu)> work,
                       const std::vector<compute::KernelHandle>& calls = {});
    // The frame ended, or could not begin.
    [[nodiscard]] bool has_ended() const;
    // The frame's error, where it had one.
    base::Status wait();

    // Runs work that needs no device, such as writing what the last run rendered: after that run,
    // beside the next ones, and less urgent. Where the queue is full, at once on this thread; the
    // result is then null.
    std::shared_ptr<const BesideProgram> run_beside(const std::string& name,
                                                    const std::function<void()>& work) const;

    // A text that lists each device with its record and its score for these settings, and for each
    // kernel the executable that the device would use, and why.
    [[nodiscard]] std::string report(const RenderSettings& settings);

    [[nodiscard]] compute::Runtime& runtime() const { return shared_->runtime(); }

private:
    // Where lines of builds go that this renderer asked for. The library may outlive it.
    struct Notes {
        std::mutex mutex;
        std::function<void(const std::string& line)> tell;  // empty: the renderer has gone
    };

    struct Chosen {
        compute::DevicePointer device;
        DeviceKernels kernels;
    };

    [[nodiscard]] base::Error refusal(const RenderSettings& settings, const base::Error& why) const;
    base::Result<compute::MatchedDevice> match(const RenderSettings& settings);
    [[nodiscard]] compute::LaunchConfig launch() const;
    void end_with(const base::Status& status);

    std::shared_ptr<SharedRuntime> shared_;
    std::shared_ptr<const SharedRuntime::EmulatedGpu> gpu_;  // null: the processor has none
    i32 urgency_;
    std::shared_ptr<Notes> notes_;
    compute::ContextHandle context_;
    compute::Wish wish_;
    compute::EventHandle frame_;   // the program that runs now
    compute::EventHandle former_;  // the one before, where it succeeded
    std::vector<Chosen> chosen_;
    std::shared_ptr<const compute::LaterLoad> later_;
    std::atomic<bool> is_taken_{false};        // one caller of take_specialised() sets it
    shaders::ShadeKernels specialised_{};      // written by that caller
    std::atomic<bool> is_specialised_{false};  // release after specialised_; shade_story() acquires
};

}  // namespace weft::frame
