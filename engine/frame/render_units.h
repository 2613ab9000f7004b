// render_units.h — the execution units that a frame runs on: the CPU's, the emulated GPU's, or
// both.
//
// Each unit has an integrator. CPU units have a packet unit each and read the scene where it lies;
// the units of the emulated GPU share one packet unit, read copies of the scene in the device's
// memory, and run kernels of 32 lanes. All of them are made before the frame. Workers: one per CPU
// unit; without CPU units one, which hands shares to all units of the device and sleeps meanwhile.
// Threads of the device's units are shared out among them, so that workers that compute and these
// threads are no more than asked for (one of each at least).
//
// Made, read and destroyed by one thread; detach and attach by any while work runs.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/frame/frame_runtime.h"
#include "engine/frame/render_settings.h"
#include "engine/trace/device_scene.h"
#include "engine/trace/integrator.h"
#include "scheduler/base/result.h"
#include "scheduler/unit/emulated_gpu.h"
#include "scheduler/unit/work_runner.h"

namespace weft::frame {

// What one device did for a frame.
struct DeviceFigures {
    std::string name;  // "cpu", "egpu"
    shaders::Isa isa = shaders::Isa::Sse4;
    u32 units = 0;
    u32 lane_count = 0;
    u32 lost_units = 0;
    u64 samples = 0;
    double share = 0;            // of all samples
    u64 memory_limit_bytes = 0;  // of a device with memory of its own, as what follows
    u64 memory_used_bytes = 0;
    u64 copied_in_bytes = 0;
    u64 copied_out_bytes = 0;
    u64 storage_bytes = 0;  // fibre storage and scheduler of all clusters
    trace::IntegratorCounters integrator;
    fibre::FibreCounters fibre;
    fibre::DataCounters
        camera;  // threads that shares were cut into; known when the frame has ended
};

// What units and workers did, one entry each; CPU units first.
struct RunFigures {
    std::vector<unit::UnitFigures> units;
    std::vector<unit::WorkerFigures> workers;
};

// What all units of a frame read.
struct UnitScene {
    const scene::Scene* scene = nullptr;
    const trace::SceneTables* tables = nullptr;
    const accel::Acceleration* acceleration = nullptr;
    const accel::EmbreeReference* embree = nullptr;
    const std::vector<float>* filter_table = nullptr;
    const trace::HeatMap* heat = nullptr;  // where heat is counted
    shaders::RenderParams params{};
};

class RenderUnits {
public:
    // Units on the devices that the runtime chose, with the kernels that it loaded; it outlives
    // them. Errors: memory of the host or of the device too small.
    static base::Result<std::unique_ptr<RenderUnits>> make(const UnitScene& scene,
                                                           const RenderSettings& settings,
                                                           const FrameRuntime& runtime);
    // Memory of the host that they will take, that of an emulated device without its scene.
    static u64 needed_bytes(const RenderSettings& settings);
    // Units of the host only, whose work is done, go on with another scene: the settings differ in
    // the picture's size and in how large shares are (`can_serve`).
    void aim(const UnitScene& scene, const RenderSettings& settings, const FrameRuntime& runtime);
    // Whether units that were made for some settings can be aimed at what others ask for.
    static bool can_serve(const RenderSettings& made, const RenderSettings& wanted);
    ~RenderUnits();
    RenderUnits(const RenderUnits&) = delete;
    RenderUnits& operator=(const RenderUnits&) = delete;

    [[nodiscard]] u32 unit_count() const { return static_cast<u32>(integrators_.size()); }

    [[nodiscard]] shaders::Isa isa() const { return isa_; }

    // The results of the share in a portion of a unit, fetched from its device.
    const trace::ResultView& results(u32 unit, u32 portion, u32 sample_count);

    // Before run(): as Integrator::set_view, for all units.
    void set_view(const shaders::CameraRecord& camera, bool has_aovs);

    // Runs the work to its end on all units of the kinds of device that are free for it; where none
    // of them has units, on those that there are.
    base::Status run(unit::Work& work, bool has_cpu, bool has_gpu);

    // The CPU's units shade with this row from their next share on. Any thread.
    void change_cpu_shade(const shaders::ShadeKernels* row);

    bool detach(u32 unit) { return runner_->detach(unit); }

    void attach(u32 unit) { runner_->attach(unit); }

    // There is more for workers that sleep. Any thread, while a frame runs.
    void wake_workers() { runner_->wake(); }

    [[nodiscard]] RunFigures run_figures() const;

    [[nodiscard]] std::vector<DeviceFigures> device_figures() const;

    // The same while work runs, as each unit's worker noted it last. Units of the emulated GPU
    // count on threads of their own: of them only what their worker knows. When
    // no work runs: all of it. Any thread.
    [[nodiscard]] RunFigures late_run_figures() const;
    [[nodiscard]] std::vector<DeviceFigures> late_device_figures() const;

    // Heat of all units; empty where it is not counted. While work runs, of the CPU's units as of
    // the call before: asking makes each of them note it anew. Any thread.
    [[nodiscard]] trace::HeatFigures late_heat() const;

private:
    // Of one unit, at a moment between two of its steps.
    struct UnitNote {
        std::chrono::steady_clock::time_point noted_at;
        trace::IntegratorCounters integrator;
        fibre::FibreCounters fibre;
        unit::UnitFigures unit;
        unit::WorkerFigures worker;  // of its worker
        u32 worker_index = 0;
        trace::HeatFigures heat;
        u32 heat_asked = 0;
    };

    void note(u32 unit);
    void note_all();
    RenderUnits() = default;
    base::Status add_cpu(const UnitScene& scene,
                         const RenderSettings& settings,
                         const DeviceKernels& kernels);
    base::Status add_device(const UnitScene& scene,
                            const RenderSettings& settings,
                            const DeviceKernels& kernels);
    base::Status add_integrator(const RenderSettings& settings,
                                const trace::FrameScene& frame,
                                const trace::IntegratorPlace& place);
    void map_workers(const RenderSettings& settings);
    [[nodiscard]] DeviceFigures sum_units(u32 begin, u32 end) const;
    [[nodiscard]] DeviceFigures sum_notes(u32 begin, u32 end) const;

    shaders::Isa isa_ = shaders::Isa::Sse4;
    u32 cpu_lanes_ = 0;
    u32 device_lanes_ = 0;
    u32 worker_count_ = 0;
    u32 cpu_unit_count_ = 0;
    std::unique_ptr<unit::DeviceMemory> memory_;
    std::unique_ptr<fibre::SharedPacketUnit> packet_unit_;
    std::vector<trace::FrameScene> frames_;
    std::vector<std::unique_ptr<trace::Integrator>> integrators_;  // CPU units first
    std::vector<std::unique_ptr<unit::ExecutionUnit>> cpu_units_;
    std::unique_ptr<unit::EmulatedGpu> device_;
    std::unique_ptr<unit::WorkRunner> runner_;
    mutable std::mutex notes_mutex_;
    std::vector<UnitNote> notes_;
    // Heat is noted by those whose `heat_asked` is older. Relaxed: a note comes sooner or later.
    mutable std::atomic<u32> heat_asked_{0};
};

}  // namespace weft::frame
