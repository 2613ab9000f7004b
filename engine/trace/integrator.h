// integrator.h — the path tracer of one execution unit: shares come in at its doorbell, paths are
// elements of its cluster's storage, their rays and shading are fibres.
//
// Five routines (see README.md, "The life of a path"): the parent `path` starts camera rays, adds a
// bounce up when its fibres are done and puts finished paths into their result slots; `closest` and
// `shadow` traverse, keyed by tree node; `shade` is keyed by material; `miss` looks the environment
// up. The three scheduler modes differ in the bodies of closest and shadow and in what gathers
// shade; pictures of keyed and unkeyed are the same bits, and so are those of the emulated GPU,
// whose units run the same routines with kernels of 32 lanes over the device's own memory.
//
// One Integrator per unit, called on that unit's thread; everything it points to is shared and
// read-only. results() is for the worker that handed the share out, once the share is done.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/trace/path_slots.h"
#include "engine/trace/ray_fibre.h"
#include "engine/trace/result_slots.h"
#include "engine/trace/sample_block.h"
#include "engine/trace/scene_tables.h"
#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/data_manager.h"
#include "scheduler/fibre/shared_packet_unit.h"
#include "scheduler/unit/execution_unit.h"
#include "shaders/host/shade_kernels.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::trace {

// Which packet of a routine leaves next.
struct RoutinePolicies {
    fibre::Policy path = fibre::Policy::Fullest;
    fibre::Policy closest = fibre::Policy::DepthFirst;
    fibre::Policy shadow = fibre::Policy::DepthFirst;
    fibre::Policy shade = fibre::Policy::Fullest;
    fibre::Policy miss = fibre::Policy::Fullest;

    bool operator==(const RoutinePolicies&) const = default;
};

struct IntegratorConfig {
    SchedulerMode mode = SchedulerMode::Keyed;
    RoutinePolicies policies;
    u32 path_count = 4096;    // paths in flight, elements of fibre storage: what one L2 cache holds
    u32 trace_batch = 4096;   // rays that start at the root together; of the order of path_count
    u32 group_limit = 128;    // lists up to this long run their subtree to its end
    bool is_adaptive = true;  // the fastest way to traverse is found by measuring (ray_fibre.h)
    u32 shade_batch = 256;    // shading fibres of one material that leave as a packet
    u64 cache_bytes = 64 << 10;  // cache part of local memory at first: decoded nodes
    bool adapts_split = true;    // paths give way to it where it misses often
    u32 portions = 2;            // shares that can be in the unit at once
    u32 lane_groups = 4;         // parts of a share
    u32 share_samples = 16384;   // result slots of a portion: no share has more samples
    // Tests make parts fail here: called as a part begins, the error code ends it at once (0:
    // none).
    std::function<u32(const unit::PartTask&)> fault;
};

// Whether what is made for one does for the other. Of faults nothing is known.
bool is_made_alike(const IntegratorConfig& a, const IntegratorConfig& b);

// What all integrators of a device share. Pointers must outlive them.
struct FrameScene {
    shaders::SceneView view{};
    shaders::BvhView bvh{};
    const accel::EmbreeReference* embree = nullptr;  // Embree mode only
    const shaders::ShadeKernels* shade = nullptr;
    const shaders::TraceKernels* trace = nullptr;
    shaders::CameraRecord camera{};
    shaders::RenderParams params{};
    bool has_aovs = false;
    const HeatMap* heat = nullptr;  // heat is counted, for these objects; null: it is not
};

// Where an integrator stands: on a CPU unit of its own, or as one of several units of a device.
struct IntegratorPlace {
    unit::DeviceMemory* memory = nullptr;            // null: the host's
    fibre::SharedPacketUnit* packet_unit = nullptr;  // null: one of its own
    u32 cluster = 0;                                 // number among those behind the packet unit
};

struct IntegratorCounters {
    u64 samples = 0;
    u64 camera_rays = 0;
    u64 bounce_rays = 0;
    u64 shadow_rays = 0;
    shaders::ShadeCounters camera;
    shaders::ShadeCounters shade;
    shaders::ShadeCounters miss;
    shaders::TraceCounters closest;
    shaders::TraceCounters shadow;
    void add(const IntegratorCounters& other);
};

// The cluster of an integrator: what the packet unit that several of them share is made for.
fibre::ClusterConfig cluster_config(const IntegratorConfig& config, const FrameScene& frame);

class Integrator final : public unit::UnitProgram {
public:
    Integrator(const IntegratorConfig& config,
               const FrameScene& frame,
               const IntegratorPlace& place);
    ~Integrator() override;
    Integrator(const Integrator&) = delete;
    Integrator& operator=(const Integrator&) = delete;

    // False where memory could not be had: nothing else may be called then.
    [[nodiscard]] bool is_allocated() const;

    // The cluster as others of its device see it: a lost unit's is abandoned.
    void abandon();

    // Parts that begin from now on, and paths in flight with them, are shaded by this row, which
    // has the lanes and the bits of the first one and outlives this. Any thread.
    void change_shade(const shaders::ShadeKernels* row);

    // Between frames, when it holds no share: what it traces from now on. The frame's AOVs are as
    // at construction, and it counts no heat. On the host only.
    void aim(const FrameScene& frame);

    // Before the frame: the camera, and whether AOVs (for which there is room since construction)
    // are written.
    void set_view(const shaders::CameraRecord& camera, bool has_aovs);

    void begin_part(const unit::PartTask& task, unit::ExecutionUnit& unit) override;
    bool step(unit::ExecutionUnit& unit) override;

    // The result slots of the share in a portion; slot of (pixel p, sample s) is
    // (p − pixel_begin) · sample_count + s − sample_begin.
    const ResultView& results(u32 portion, u32 count);

    [[nodiscard]] IntegratorCounters counters() const;
    [[nodiscard]] const fibre::FibreCounters& fibre_counters() const;
    // Threads that the camera's data manager cut out of shares. Any thread.
    [[nodiscard]] fibre::DataCounters camera_threads() const;
    [[nodiscard]] u64 storage_bytes() const;
    // What was counted of it; null where the frame does not ask for it.
    [[nodiscard]] const HeatTable* heat() const;

    struct State;  // integrator_state.h; named here because the routines are free functions

private:
    std::unique_ptr<State> state_;
};

}  // namespace weft::trace
