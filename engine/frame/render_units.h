// render_units.h — the execution units that a frame runs on: the CPU's, the emulated GPU's, or
// both.
//
// Each unit has an integrator. A CPU unit has a packet unit of its own and reads the scene in
// place; the units of the emulated GPU share one packet unit, read copies of the scene in the
// device's memory, the tree through their local memories, and run kernels of 32 lanes. All units
// are made before the frame. There is one worker per CPU unit; without CPU units there is one
// worker, which hands shares to all units of the device and sleeps meanwhile. The device's units
// run on threads of their own. Computing workers and these threads together are no more than
// RenderSettings::thread_count (but at least one of each).
//
// One thread makes, reads and destroys it; any thread may detach and attach while work runs.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/frame/frame_objects.h"
#include "engine/frame/frame_runtime.h"
#include "engine/frame/render_settings.h"
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
    double share = 0;  // of all samples
    // Of a device with memory of its own; 0 otherwise.
    u64 memory_limit_bytes = 0;
    u64 memory_used_bytes = 0;
    u64 copied_in_bytes = 0;
    u64 copied_out_bytes = 0;
    double bus_ms = 0;      // modelled time of its copies into local memory (unit/bus_model.h)
    u64 storage_bytes = 0;  // fibre storage and scheduler of all clusters
    trace::IntegratorCounters integrator;
    fibre::FibreCounters fibre;
    fibre::DataCounters camera;  // pixel threads of all shares; known when the frame has ended
};

// Sets the share of each device from its samples.
void set_shares(std::vector<DeviceFigures>& devices);

// One entry per unit and per worker; CPU units first.
struct RunFigures {
    std::vector<unit::UnitFigures> units;
    std::vector<unit::WorkerFigures> workers;
};

class RenderUnits {
public:
    // Makes units on the devices that the runtime chose, with kernel objects and buffers of its
    // context. The runtime must outlive them. Errors: memory of the host or of the device too
    // small.
    static base::Result<std::unique_ptr<RenderUnits>> make(const UnitScene& scene,
                                                           const RenderSettings& settings,
                                                           const FrameRuntime& runtime);
    // Host memory that these units will take; of an emulated device without its scene.
    static u64 needed_bytes(const trace::SceneTables& tables, const RenderSettings& settings);
    // Reuses CPU units whose work is done for another scene, camera or picture size. The settings
    // must pass can_serve(), and the scene fits().
    base::Status aim(const UnitScene& scene, const RenderSettings& settings);
    // Whether units made for some settings can be reused for others.
    static bool can_serve(const RenderSettings& made, const RenderSettings& wanted);
    // Whether paths of these units keep what those of a scene need.
    [[nodiscard]] bool fits(const trace::SceneTables& tables) const;
    ~RenderUnits();
    RenderUnits(const RenderUnits&) = delete;
    RenderUnits& operator=(const RenderUnits&) = delete;

    [[nodiscard]] u32 unit_count() const { return static_cast<u32>(integrators_.size()); }

    // Paths in flight of all units.
    [[nodiscard]] u64 path_count() const { return path_count_; }

    [[nodiscard]] shaders::Isa isa() const { return isa_; }

    // The kernel objects that the units call.
    [[nodiscard]] std::vector<compute::KernelHandle> kernel_objects() const;

    // The results of the share in a portion of a unit, fetched from its device.
    const trace::ResultView& results(u32 unit, u32 portion, u32 sample_count);

    // Integrator::set_view for all units; before run().
    void set_view(const shaders::CameraRecord& camera, bool has_aovs);

    // Runs the work to its end on the units of the given kinds of device; on all units where
    // neither kind has one.
    base::Status run(unit::Work& work, bool has_cpu, bool has_gpu);

    // The CPU's units shade with this row from their next share on. Any thread.
    void change_cpu_shade(const shaders::ShadeKernels* row);

    bool detach(u32 unit) { return runner_->detach(unit); }

    void attach(u32 unit) { runner_->attach(unit); }

    // Has sleeping workers look for work. Any thread, while a frame runs.
    void wake_workers() { runner_->wake(); }

    [[nodiscard]] RunFigures run_figures() const;

    [[nodiscard]] std::vector<DeviceFigures> device_figures() const;

    // The same while work runs, as each unit's worker noted it last; without the counters of
    // emulated GPU units, which their own threads write. Complete when no work runs. Any thread.
    [[nodiscard]] RunFigures late_run_figures() const;
    [[nodiscard]] std::vector<DeviceFigures> late_device_figures() const;

    // Heat of all units; empty where it is not counted. While work runs, the CPU units' heat is
    // that of the previous call: each call has them note it again. Any thread.
    [[nodiscard]] trace::HeatFigures late_heat() const;

private:
    // The counters of one unit, copied between two of its steps.
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
                         const FrameRuntime& runtime);
    base::Status add_device(const UnitScene& scene,
                            const RenderSettings& settings,
                            const FrameRuntime& runtime);
    base::Status add_device_units(const RenderSettings& settings, const trace::FrameScene& frame);
    void tell_device_of_pages(const UnitScene& scene);
    base::Status add_integrator(const trace::IntegratorConfig& config,
                                const trace::FrameScene& frame,
                                const trace::IntegratorPlace& place);
    void map_workers(const RenderSettings& settings);
    [[nodiscard]] DeviceFigures sum_units(u32 begin, u32 end) const;
    [[nodiscard]] DeviceFigures sum_notes(u32 begin, u32 end) const;

    bool has_boundaries_ = false;  // of media, in the scene that they were made for
    bool has_tints_ = false;       // of shadow rays, in that scene
    bool has_light_tree_ = false;  // in that scene
    shaders::Isa isa_ = shaders::Isa::Sse4;
    u32 cpu_lanes_ = 0;
    u32 device_lanes_ = 0;
    u64 path_count_ = 0;
    u32 worker_count_ = 0;
    u32 cpu_unit_count_ = 0;
    // Buffers and kernel objects: released after all that uses them.
    std::unique_ptr<FrameObjects> cpu_objects_;
    std::unique_ptr<FrameObjects> device_objects_;
    u64 copied_in_before_ = 0;  // by other frames on the device
    u64 copied_out_before_ = 0;
    std::unique_ptr<fibre::SharedPacketUnit> packet_unit_;
    // Where the tree has pages; else null.
    std::shared_ptr<pages::PageStore> told_store_;  // which tells the device of its pages
    u32 listener_ = 0;                              // there
    std::unique_ptr<trace::PageDesk> desk_;         // of the device
    std::unique_ptr<trace::HitTables> hit_tables_;
    std::unique_ptr<trace::HitTables> device_hit_tables_;
    std::vector<trace::FrameScene> frames_;
    std::vector<std::unique_ptr<trace::Integrator>> integrators_;  // CPU units first
    std::vector<std::unique_ptr<unit::ExecutionUnit>> cpu_units_;
    std::unique_ptr<unit::EmulatedGpu> device_;
    std::unique_ptr<unit::WorkRunner> runner_;
    mutable std::mutex notes_mutex_;
    std::vector<UnitNote> notes_;
    // Units whose note has a smaller `heat_asked` note their heat. Relaxed: it may come later.
    mutable std::atomic<u32> heat_asked_{0};
};

}  // namespace weft::frame
