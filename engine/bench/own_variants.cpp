// own_variants.cpp — U1, U2, K1, KS, KR and K2: our kernels, called one ray at a time or as fibres
// of a cluster.
//
// U2 and K2 trace as the product does: with the same routine (trace::RayFibre) and settings, on a
// cluster with as many elements as a unit has paths.
#include <algorithm>
#include <ctime>
#include <numeric>

#include "engine/bench/ray_variant.h"
#include "scheduler/base/ensure.h"

namespace weft::bench {

namespace {

using shaders::Isa;
using shaders::TraceCounters;
using shaders::TraceKernels;
using shaders::TraceRay;
using shaders::TraceScene;
using trace::RayKind;
using trace::TraversalStrategy;

std::string strategy_name(TraversalStrategy strategy) {
    switch (strategy) {
        case TraversalStrategy::Packets:
            return "packets";
        case TraversalStrategy::WidePackets:
            return "wide packets";
        case TraversalStrategy::Groups:
            return "groups";
        case TraversalStrategy::Sets:
            return "sets";
        case TraversalStrategy::Stream:
            return "keyed stream";
    }
    UNREACHABLE("a traversal strategy without a name");
}

// Rays of a walk that share a stack; a walk of one set interleaves nothing.
constexpr u32 kOneSet = 32;

// A group kernel of the row, run one ray at a time.
template <Isa kIsa, auto kKernel>
void singles(const TraceScene& scene,
             u32 ref,
             TraceRay* rays,
             const u32* ids,
             u32 count,
             TraceCounters& counters) {
    static const auto kernel = shaders::trace_kernels(kIsa)->*kKernel;
    for (u32 k = 0; k < count; ++k) {
        kernel(scene, ref, rays, ids + k, 1, counters);
    }
}

// A walk of the row, run one set at a time.
template <Isa kIsa, auto kKernel>
void single_sets(const TraceScene& scene,
                 u32 ref,
                 u32 octant,
                 TraceRay* rays,
                 const u32* ids,
                 u32 count,
                 TraceCounters& counters) {
    static const auto kernel = shaders::trace_kernels(kIsa)->*kKernel;
    for (u32 k = 0; k < count; k += kOneSet) {
        kernel(scene, ref, octant, rays, ids + k, std::min(kOneSet, count - k), counters);
    }
}

template <Isa kIsa>
void use_apart(TraceKernels& row) {
    row.closest_group = singles<kIsa, &TraceKernels::closest_group>;
    row.any_group = singles<kIsa, &TraceKernels::any_group>;
    row.closest_walk = single_sets<kIsa, &TraceKernels::closest_walk>;
    row.any_walk = single_sets<kIsa, &TraceKernels::any_walk>;
}

// The row without interleaving.
TraceKernels without_interleaving(const BenchScene& scene) {
    TraceKernels row = *scene.trace;
    switch (scene.shade->isa) {
        case Isa::Sse4:
            use_apart<Isa::Sse4>(row);
            break;
        case Isa::Avx2:
            use_apart<Isa::Avx2>(row);
            break;
        case Isa::Avx512:
            use_apart<Isa::Avx512>(row);
            break;
    }
    return row;
}

// Rays in slots, laid out as a unit's path slots.
struct Slots {
    base::PageArray<TraceRay> rays;
    std::vector<u32> alpha_keys;
    std::vector<u32> shadow_tints;

    explicit Slots(u32 chunk)
        : rays(chunk), alpha_keys(chunk), shadow_tints(std::size_t{chunk} * 3) {}

    [[nodiscard]] TraceScene view(const BenchScene& scene) {
        TraceScene view = scene.trace_scene();
        view.alpha_keys = alpha_keys.data();
        view.shadow_tints = shadow_tints.data();
        return view;
    }
};

class SingleVariant final : public RayVariant {
public:
    SingleVariant(const BenchScene& scene, bool is_any, u32 chunk)
        : RayVariant("U1", ""),
          slots_(chunk),
          scene_(slots_.view(scene)),
          kernel_(is_any ? scene.trace->any_group : scene.trace->closest_group),
          ids_(chunk) {
        std::iota(ids_.begin(), ids_.end(), 0U);
    }

    double trace(std::span<const TraceRay> rays, std::span<TraceRay> hits) override {
        std::copy(rays.begin(), rays.end(), slots_.rays.data());
        const double begin = thread_seconds();
        for (std::size_t k = 0; k < rays.size(); ++k) {
            kernel_(scene_, scene_.bvh.root, slots_.rays.data(), &ids_[k], 1, counters_);
        }
        const double spent = thread_seconds() - begin;
        std::copy_n(slots_.rays.data(), hits.size(), hits.begin());
        return spent;
    }

    [[nodiscard]] VariantCounts counts() const override { return {counters_, 0}; }

private:
    Slots slots_;
    TraceScene scene_;
    decltype(TraceKernels::closest_group) kernel_;
    std::vector<u32> ids_;
    TraceCounters counters_;
};

// What two readings of the clock measure between them, at least. A reading costs as much as 30
// camera rays.
double clock_seconds() {
    double least = 1;
    for (u32 k = 0; k < 64; ++k) {
        const double begin = thread_seconds();
        least = std::min(least, thread_seconds() - begin);
    }
    return least;
}

// Rays as fibres: the parent copies each ray into its element (while the clock is stopped) and
// releases it when its hit is known.
class FibreVariant final : public RayVariant {
public:
    FibreVariant(std::string name,
                 const BenchScene& scene,
                 const TraceKernels& row,
                 const trace::RayConfig& config,
                 RayClass ray_class,
                 u32 chunk)
        : RayVariant(std::move(name), ""),
          row_(row),
          slots_(chunk),
          launch_(chunk),
          ray_class_(ray_class == RayClass::Primary ? trace::RayClass::Coherent
                                                    : trace::RayClass::Scattered),
          is_adaptive_(config.is_adaptive),
          cluster_(cluster_config(scene, config, chunk)),
          fibre_(config, stage(scene)) {
        if (!cluster_.is_allocated()) {
            return;
        }
        fibre::RoutineDesc desc;
        desc.name = "bench parent";
        desc.run = [](void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
            static_cast<FibreVariant*>(context)->run_parent(packet, spawner);
        };
        desc.context = this;
        desc.packet_fill = 256;
        desc.packet_max = chunk;
        cluster_.declare(desc);
        routine_ = fibre_.declare(cluster_, fibre::Policy::DepthFirst);
    }

    [[nodiscard]] bool is_allocated() const { return cluster_.is_allocated(); }

    double trace(std::span<const TraceRay> rays, std::span<TraceRay> hits) override {
        rays_ = rays;
        hits_ = hits;
        untimed_ = 0;
        const double begin = thread_seconds();
        const fibre::Admission taken =
            cluster_.submit({.launch_count = rays.size(), .elements_at_once = 1});
        ENSURE(taken == fibre::Admission::Taken, ==, true);
        cluster_.run();
        return thread_seconds() - begin - untimed_;
    }

    [[nodiscard]] VariantCounts counts() const override {
        // A list's entry is an id and a distance; a spawned fibre is an id.
        const fibre::RoutineCounters& counted = cluster_.counters().routine[routine_];
        const u64 entries = 8 * counted.rekeyed_fibres;
        const u64 spawned = 4 * (cluster_.counters().fibres_spawned);
        return {fibre_.counters(), entries + spawned};
    }

    [[nodiscard]] std::string way() const override {
        return is_adaptive_ ? strategy_name(fibre_.strategy_of(ray_class_)) : std::string();
    }

private:
    static fibre::ClusterConfig cluster_config(const BenchScene& scene,
                                               const trace::RayConfig& config,
                                               u32 chunk) {
        fibre::ClusterConfig cluster;
        cluster.element_count = chunk;
        cluster.collection_count = 4096;
        cluster.list_capacity = config.batch * 48;
        cluster.element_bytes = sizeof(TraceRay);
        cluster.cache_bytes = scene.settings.integrator.cache_bytes;
        cluster.cache_entry_bytes = sizeof(shaders::DecodedNode);
        return cluster;
    }

    trace::RayStage stage(const BenchScene& scene) {
        trace::RayStage stage;
        stage.scene = slots_.view(scene);
        stage.kernels = &row_;
        stage.rays = slots_.rays.data();
        return stage;
    }

    void run_parent(const fibre::Packet& packet, fibre::Spawner& spawner) {
        // Copy rays in, or hits out, outside the clock.
        const double begin = thread_seconds();
        if (packet.is_initial_launch) {
            for (std::size_t k = 0; k < packet.elements.size(); ++k) {
                const u32 slot = packet.elements[k];
                launch_[slot] = static_cast<u32>(packet.first_launch + k);
                slots_.rays[slot] = rays_[launch_[slot]];
            }
        } else if (!hits_.empty()) {
            for (const u32 slot : packet.elements) {
                hits_[launch_[slot]] = slots_.rays[slot];
            }
        }
        // Of two readings one is between them, and one around them.
        untimed_ += thread_seconds() - begin + clock_seconds_;
        if (packet.is_initial_launch) {
            spawner.spawn(routine_, fibre_.root_key(ray_class_), packet.elements);
        } else {
            spawner.release(packet.elements);
        }
    }

    TraceKernels row_;
    Slots slots_;
    std::vector<u32> launch_;  // by element: which ray of the chunk
    trace::RayClass ray_class_;
    bool is_adaptive_;
    fibre::Cluster cluster_;
    trace::RayFibre fibre_;
    fibre::RoutineId routine_ = 0;
    std::span<const TraceRay> rays_;
    std::span<TraceRay> hits_;
    double untimed_ = 0;
    const double clock_seconds_ = clock_seconds();
};

}  // namespace

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::vector<std::unique_ptr<RayVariant>> make_own_variants(const BenchScene& scene,
                                                           RayClass ray_class,
                                                           u32 chunk) {
    const trace::IntegratorConfig& integrator = scene.settings.integrator;
    trace::RayConfig config;
    config.kind = is_any_hit(ray_class) ? RayKind::Shadow : RayKind::Closest;
    config.batch = std::min(integrator.trace_batch, chunk);
    config.group_limit = integrator.group_limit;
    std::vector<std::unique_ptr<RayVariant>> variants;
    variants.push_back(std::make_unique<SingleVariant>(scene, is_any_hit(ray_class), chunk));
    bool is_allocated = true;
    const auto add = [&](const char* name,
                         trace::SchedulerMode mode,
                         bool is_adaptive,
                         trace::KeyedTraversal traversal,
                         const TraceKernels& row) {
        config.mode = mode;
        config.traversal = traversal;
        config.is_adaptive = is_adaptive;
        auto variant = std::make_unique<FibreVariant>(name, scene, row, config, ray_class, chunk);
        is_allocated = is_allocated && variant->is_allocated();
        variants.push_back(std::move(variant));
    };
    using trace::KeyedTraversal;
    using trace::SchedulerMode;
    const bool is_adaptive = integrator.is_adaptive;
    add("U2", SchedulerMode::Unkeyed, is_adaptive, KeyedTraversal::Auto, *scene.trace);
    add("K1", SchedulerMode::Keyed, false, KeyedTraversal::Nodes, without_interleaving(scene));
    add("KS", SchedulerMode::Keyed, false, KeyedTraversal::Nodes, *scene.trace);
    add("KR", SchedulerMode::Keyed, false, KeyedTraversal::Sets, *scene.trace);
    add("K2", SchedulerMode::Keyed, is_adaptive, integrator.traversal, *scene.trace);
    if (!is_allocated) {
        variants.clear();
    }
    return variants;
}

}  // namespace weft::bench
