// integrator.h — the path tracer of one cluster: paths are elements of fibre storage, their rays
// and shading are fibres.
//
// Five routines (see README.md, "The life of a path"): the parent `path` starts camera rays, adds a
// bounce up when its fibres are done and puts finished paths into the film; `closest` and `shadow`
// traverse, keyed by tree node; `shade` is keyed by material; `miss` looks the environment up. The
// three scheduler modes differ in the bodies of closest and shadow and in what gathers shade;
// pictures of keyed and unkeyed are the same bits.
//
// One Integrator per worker; everything it points to is shared and read-only, but the film, of
// which the samples source must give each pixel to one integrator at a time.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/embree_reference.h"
#include "engine/film/film.h"
#include "engine/trace/path_slots.h"
#include "engine/trace/scene_tables.h"
#include "scheduler/fibre/cluster.h"
#include "shaders/shade_kernels.h"
#include "shaders/trace_kernels.h"

namespace weft::trace {

enum class SchedulerMode {
    Keyed,    // keyed depth-first streams, shading gathered by material
    Unkeyed,  // fibre groups over batches in order of arrival, shading likewise: the control
    Embree,   // the bodies of closest and shadow are Embree's; shading as keyed
};

struct IntegratorConfig {
    SchedulerMode mode = SchedulerMode::Keyed;
    fibre::Policy policy = fibre::Policy::DepthFirst;
    u32 path_count = 4096;   // paths in flight, elements of fibre storage: what one L2 cache holds
    u32 trace_batch = 4096;  // rays that start at the root together; of the order of path_count
    u32 group_limit = 128;   // lists up to this long run their subtree as one fibre group
    u32 shade_batch = 256;   // shading fibres of one material that leave as a packet
};

// What all integrators of a frame share. Pointers must outlive them.
struct FrameScene {
    const SceneTables* tables = nullptr;
    shaders::BvhView bvh{};
    const accel::EmbreeReference* embree = nullptr;  // Embree mode only
    const shaders::ShadeKernels* shade = nullptr;
    const shaders::TraceKernels* trace = nullptr;
    shaders::CameraRecord camera{};
    shaders::RenderParams params{};
    film::Film* film = nullptr;
    bool has_aovs = false;
};

// A sample that was dropped because it was not finite or out of range (to be replayed with
// --debug-pixel).
struct DroppedSample {
    u32 x = 0;
    u32 y = 0;
    u32 sample = 0;
};

struct IntegratorCounters {
    u64 samples = 0;
    u64 camera_rays = 0;
    u64 bounce_rays = 0;
    u64 shadow_rays = 0;
    u64 dropped_samples = 0;
    shaders::ShadeCounters shade;
    shaders::TraceCounters closest;
    shaders::TraceCounters shadow;
    void add(const IntegratorCounters& other);
};

// One camera sample to be started.
struct SampleRequest {
    u32 x = 0;
    u32 y = 0;
    u32 sample = 0;
};

// Gives up to `wanted` camera samples; fewer or none where there are none now. Told of each
// finished one.
class SampleSource {
public:
    virtual ~SampleSource() = default;
    virtual u32 next(SampleRequest* requests, u32 wanted) = 0;
    virtual void finished(const SampleRequest& request) = 0;
};

class Integrator {
public:
    Integrator(const IntegratorConfig& config, const FrameScene& frame);
    ~Integrator();
    Integrator(const Integrator&) = delete;
    Integrator& operator=(const Integrator&) = delete;

    // False where memory could not be had: run() may not be called then.
    [[nodiscard]] bool is_allocated() const;

    // Renders samples until the source gives no more and all of them are in the film.
    void run(SampleSource& source);

    [[nodiscard]] const IntegratorCounters& counters() const;
    [[nodiscard]] const fibre::FibreCounters& fibre_counters() const;
    [[nodiscard]] const std::vector<DroppedSample>& dropped() const;  // the first few
    [[nodiscard]] u64 storage_bytes() const;

    struct State;  // integrator_state.h; named here because the routines are free functions

private:
    std::unique_ptr<State> state_;
};

}  // namespace weft::trace
