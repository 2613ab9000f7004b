// integrator.h — the path tracer of one execution unit: receives shares of samples by doorbell, and
// traces them as paths whose rays and shading are fibres.
//
// Six routines (README.md, "The life of a path"). The parent `path` starts camera rays, adds light
// samples when a path's fibres are done, and stores finished paths in their result slots. `closest`
// and `shadow` traverse a batch of rays from the root; only the stream strategy re-keys rays by
// tree node (ray_fibre.h). `shade` is keyed by material; `miss` evaluates the environment. Where
// surfaces lie in pages, hits go through `gather`, keyed by page (surface_fibre.h), before they are
// shaded. The scheduler modes differ in how closest and shadow traverse, and in whether shade is
// keyed. Keyed and unkeyed render the same bits, and so does the emulated GPU, whose units run the
// same routines with kernels of 32 lanes on the device's own memory.
//
// One Integrator per unit, called on that unit's thread; everything it points to is shared and
// read-only. The worker that handed a share out calls results() once the share is done.
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
#include "engine/trace/start_media.h"
#include "engine/trace/surface_fibre.h"
#include "engine/trace/texel_cache.h"
#include "engine/trace/texel_order.h"
#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/data_manager.h"
#include "scheduler/fibre/shared_packet_unit.h"
#include "scheduler/unit/execution_unit.h"
#include "shaders/host/shade_kernels.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::trace {

// For each routine: the policy that chooses the packet that runs next.
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
    u32 path_count = 4096;    // paths in flight, elements of fibre storage: they fit one L2 cache
    u32 trace_batch = 4096;   // rays that start at the root together; of the order of path_count
    u32 group_limit = 128;    // a list up to this long finishes its subtree in one kernel call
    bool is_adaptive = true;  // tune the traversal strategy by measuring (ray_fibre.h)
    KeyedTraversal traversal = KeyedTraversal::Auto;
    u32 shade_batch = 256;          // most shading fibres of one packet
    u32 device_shade_batch = 8192;  // on a device: the more, the more hits share tiles of texels
    u64 cache_bytes = 64 << 10;     // initial cache part of local memory, for decoded nodes
    bool adapts_split = true;  // the cache part grows at the expense of paths where it misses often
    u32 treelet_bytes = 8 << 10;         // on a device: of a key's data, at most (treelets.h)
    u64 device_cache_bytes = 256 << 10;  // on a device: cache part of local memory, for treelets
    TexelCacheConfig texels;             // on a device: the part of local memory for texels
    // Pages that collections of one kind of ray wait for at once; with more pages the cluster
    // evicts collections (F10).
    u32 open_pages = 1U << 19;
    u32 reads_ahead = 16;       // unkeyed: pages of elements next in line (page_keys.h), 1 and more
    u32 portions = 2;           // shares in the unit at once
    u32 lane_groups = 4;        // parts of a share
    u32 share_samples = 16384;  // result slots of a portion: no share has more samples
    // For tests: called when a part begins; a code other than 0 fails the part at once.
    std::function<u32(const unit::PartTask&)> fault;
};

// True if an integrator made for `a` also serves `b`. Always false with a fault function.
bool is_made_alike(const IntegratorConfig& a, const IntegratorConfig& b);

// The scene and the kernels that all integrators of a device share. Pointers must outlive them.
struct FrameScene {
    shaders::SceneView view{};
    shaders::BvhView bvh{};
    const accel::EmbreeReference* embree = nullptr;  // Embree mode only
    const shaders::ShadeKernels* shade = nullptr;
    const shaders::TraceKernels* trace = nullptr;
    shaders::CameraRecord camera{};
    shaders::RenderParams params{};
    StartMedia media = kEmptySpace;
    PathLayers layers{};
    const HeatMap* heat = nullptr;      // count heat for these objects; null: do not count
    pages::PageStore* store = nullptr;  // the pages of the tree; null: it has none
    const HitTables* hits = nullptr;    // of surfaces in pages of `store`; null: all are in memory
    pages::RecordView records{};        // where shading reads these surfaces
    TreeletView treelets{};  // on a device: its tree, of which `bvh` has the root's reference alone
    u64 texel_words = 0;     // on a device: of the arena in its memory
    PageDesk* desk = nullptr;  // on a device, where there is a store
};

// Bytes of its device's memory that an integrator takes.
struct UnitBytes {
    u64 paths = 0;
    u64 results = 0;
};

// The place of an integrator: a CPU unit, or one of several units of a device.
struct IntegratorPlace {
    // Zeroed memory of unit_bytes() that outlives it; empty: pages of the host.
    std::span<std::byte> paths;
    std::span<std::byte> results;
    CopyOut copy_out;                                // empty: the host reads results in place
    fibre::SharedPacketUnit* packet_unit = nullptr;  // null: a packet unit of its own
    u32 cluster = 0;                                 // index among the packet unit's clusters
};

// Texels in local memory. `local.bus` of the integrator counts their copies too.
struct TexelCounters {
    u64 reads = 0;  // words, by lane
    unit::BusCounters copied;
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
    PagedCounters paged;
    LocalCounters local;
    TexelCounters texels;
    void add(const IntegratorCounters& other);
};

// The cluster configuration of an integrator. A shared packet unit is made for it.
fibre::ClusterConfig cluster_config(const IntegratorConfig& config, const FrameScene& frame);

// What an integrator takes of its place.
UnitBytes unit_bytes(const IntegratorConfig& config, const FrameScene& frame);

class Integrator final : public unit::UnitProgram {
public:
    Integrator(const IntegratorConfig& config,
               const FrameScene& frame,
               const IntegratorPlace& place);
    ~Integrator() override;
    Integrator(const Integrator&) = delete;
    Integrator& operator=(const Integrator&) = delete;

    // False if memory ran out: call nothing else then.
    [[nodiscard]] bool is_allocated() const;

    // Abandons the cluster of a lost unit, so that clusters of the same packet unit go on without
    // it, or of one that holds paths which nobody goes on with. It takes no part in later runs.
    void abandon();

    // Parts that begin from now on, and paths in flight with them, use this row of shading kernels.
    // It must have the same lanes, give the same bits, and outlive the integrator. Any thread.
    void change_shade(const shaders::ShadeKernels* row);

    // Ends the walks of its pages (engine/pages/page_tasks.h), so that they hinder no other reader.
    // While no unit works; rays in flight fetch their pages again. Those of a device are its
    // desk's.
    void rest();

    // Replaces the scene between frames, while the integrator holds no share. AOVs must be as at
    // construction; heat and surfaces in pages are not possible. On the host only.
    void aim(const FrameScene& frame);

    // Before a frame: sets the camera, and whether AOVs are written (only if constructed with
    // them).
    void set_view(const shaders::CameraRecord& camera, bool has_aovs);

    void begin_part(const unit::PartTask& task, unit::ExecutionUnit& unit) override;
    bool step(unit::ExecutionUnit& unit) override;
    [[nodiscard]] bool can_return() const override;

    // The result slots of a portion's share. The slot of (pixel p, sample s) is
    // (p − pixel_begin) · sample_count + s − sample_begin.
    const ResultView& results(u32 portion, u32 count);

    [[nodiscard]] IntegratorCounters counters() const;
    [[nodiscard]] const fibre::FibreCounters& fibre_counters() const;
    // Threads that the camera's data manager cut out of shares. Any thread.
    [[nodiscard]] fibre::DataCounters camera_threads() const;
    [[nodiscard]] u64 storage_bytes() const;
    // Null unless the frame counts heat.
    [[nodiscard]] const HeatTable* heat() const;

    struct State;  // integrator_state.h; named here because the routines are free functions

private:
    std::unique_ptr<State> state_;
};

}  // namespace weft::trace
