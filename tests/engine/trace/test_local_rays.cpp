// test_local_rays.cpp — rays that traverse treelets in local memory hit what they hit in the whole
// tree, read copies alone, and copy less where keys gather them.
#include <algorithm>
#include <memory>

#include <doctest/doctest.h>

#include "engine/trace/ray_fibre.h"
#include "shaders/host/shade_kernels.h"
#include "tests/engine/trace/far_tree.h"
#include "tests/skipped.h"

namespace weft::trace::test {

namespace {

// The kernels of the emulated GPU, or null: the test is skipped.
const shaders::TraceKernels* device_row() {
    const shaders::TraceKernels* const row = shaders::device_trace_kernels(shaders::best_isa());
    static_cast<void>(tests::is_there_or_skipped(row != nullptr,
                                                 "processor that runs the kernels of the emulated "
                                                 "GPU",
                                                 tests::Source::DevTest));
    return row;
}

// What the rays hit in the whole tree.
accel::Rays reference_hits(const accel::Stage& stage,
                           const accel::Acceleration& tree,
                           const accel::Rays& rays,
                           bool is_any) {
    const shaders::TraceKernels* const row = shaders::trace_kernels(shaders::best_isa());
    return accel::trace_with(is_any ? row->any_group : row->closest_group, stage, tree, rays);
}

struct TracerConfig {
    SchedulerMode mode = SchedulerMode::Keyed;
    bool is_any = false;
    u64 cache_bytes = 64 << 10;
    u32 most_visits = 0;
    pages::PageStore* store = nullptr;
};

// More than any run here takes: some 30,000.
constexpr u64 kMostSteps = 1U << 22;

// One cluster, which traces all rays of a list at once: ray k is element k.
class Tracer {
public:
    Tracer(const TracerConfig& config,
           const shaders::TraceKernels& row,
           const accel::Stage& stage,
           const TreeletView& treelets,
           accel::Rays& rays)
        : rays_(&rays),
          fibre_(ray_config(config, rays), ray_stage(config, row, stage, treelets, rays)),
          cluster_(cluster_config(config, treelets, rays)) {
        cluster_.declare({.name = "parent", .run = run_parent, .context = this});
        routine_ = fibre_.declare(cluster_, fibre::Policy::DepthFirst);
    }

    // Traces these rays, as many as before.
    void run(const accel::Rays& rays) {
        *rays_ = rays;
        REQUIRE(cluster_.submit({.launch_count = rays.size(), .elements_at_once = rays.size()}) ==
                fibre::Admission::Taken);
        // Rays that wait for each other make steps for ever.
        u64 steps = 0;
        while (steps < kMostSteps && cluster_.step()) {
            ++steps;
        }
        REQUIRE(steps < kMostSteps);
        cluster_.run();
    }

    [[nodiscard]] LocalCounters counters() const { return fibre_.local_counters(); }

    [[nodiscard]] PagedCounters paged_counters() const { return fibre_.paged_counters(); }

    [[nodiscard]] const fibre::FibreCounters& fibre_counters() const { return cluster_.counters(); }

private:
    static RayConfig ray_config(const TracerConfig& config, const accel::Rays& rays) {
        RayConfig out;
        out.mode = config.mode;
        out.kind = config.is_any ? RayKind::Shadow : RayKind::Closest;
        out.slot_count = rays.size();
        out.batch = rays.size();
        out.most_visits = config.most_visits;
        return out;
    }

    static RayStage ray_stage(const TracerConfig& config,
                              const shaders::TraceKernels& row,
                              const accel::Stage& stage,
                              const TreeletView& treelets,
                              accel::Rays& rays) {
        RayStage out;
        out.scene.scene = &stage.view();
        out.scene.alpha_keys = rays.alpha_keys.data();
        out.scene.shadow_tints = rays.tints.data();
        out.kernels = &row;
        out.rays = rays.rays.data();
        out.treelets = treelets;
        out.store = config.store;
        return out;
    }

    static fibre::ClusterConfig cluster_config(const TracerConfig& config,
                                               const TreeletView& treelets,
                                               const accel::Rays& rays) {
        return {.element_count = rays.size(),
                .collection_count = 1U << 14,
                .admit_batch = rays.size(),
                .lane_count = 32,
                .cache_bytes = config.cache_bytes,
                .cache_entry_bytes = most_bytes(treelets)};
    }

    static void run_parent(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
        Tracer& self = *static_cast<Tracer*>(context);
        if (packet.is_initial_launch) {
            spawner.spawn(
                self.routine_, self.fibre_.root_key(RayClass::Scattered), packet.elements);
        } else {
            spawner.release(packet.elements);
        }
    }

    accel::Rays* rays_;
    RayFibre fibre_;
    fibre::Cluster cluster_;
    fibre::RoutineId routine_ = 0;
};

}  // namespace

TEST_SUITE("engine/trace/local_rays") {
    TEST_CASE("F8 F12 rays through treelets hit what rays through the whole tree hit") {
        const shaders::TraceKernels* const row = device_row();
        if (row == nullptr) {
            return;
        }
        const accel::Stage stage = wood(3000, 40);
        const accel::Acceleration tree = accel::must_build(stage);
        const accel::Rays start = shoot_into_wood(3000, 7);
        for (const bool is_any : {false, true}) {
            const accel::Rays expected = reference_hits(stage, tree, start, is_any);
            REQUIRE(accel::count_hits(expected) > 500);
            for (const u32 bytes : {1024U, 8192U}) {
                const FarTree far(tree, bytes);
                for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                    for (const u64 cache_bytes : {u64{0}, u64{64} << 10}) {
                        CAPTURE(is_any);
                        CAPTURE(bytes);
                        CAPTURE(static_cast<int>(mode));
                        accel::Rays rays = start;
                        Tracer tracer({mode, is_any, cache_bytes}, *row, stage, far.view(), rays);
                        tracer.run(start);
                        CHECK(accel::count_differences(rays, expected) == 0);
                        CHECK(tracer.counters().bus.transfers > 0);
                    }
                }
            }
        }
    }

    TEST_CASE("F16 kernels read treelets in local memory and nothing of the device's copy") {
        const shaders::TraceKernels* const row = device_row();
        if (row == nullptr) {
            return;
        }
        const accel::Stage stage = wood(3000, 8);
        const accel::Acceleration tree = accel::must_build(stage);
        const accel::Rays start = shoot_into_wood(3000, 8);
        const accel::Rays expected = reference_hits(stage, tree, start, false);
        for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
            CAPTURE(static_cast<int>(mode));
            FarTree far(tree, 4096);
            accel::Rays rays = start;
            Tracer tracer({mode, false, u64{16} << 20}, *row, stage, far.view(), rays);
            // The first time copies what these rays need; afterwards all of it is near.
            tracer.run(start);
            REQUIRE(tracer.fibre_counters().cache.evictions == 0);
            const unit::BusCounters copied = tracer.counters().bus;
            far.poison();
            tracer.run(start);
            CHECK(accel::count_differences(rays, expected) == 0);
            CHECK(tracer.counters().bus.transfers == copied.transfers);
            CHECK(tracer.counters().bus.bytes == copied.bytes);
        }
    }

    TEST_CASE("F12 F16 choosing a packet copies its treelet once for all of its rays") {
        const shaders::TraceKernels* const row = device_row();
        if (row == nullptr) {
            return;
        }
        const accel::Stage stage = wood(6000, 8);
        const accel::Acceleration tree = accel::must_build(stage);
        const FarTree far(tree, 4096);
        const accel::Rays start = shoot_into_wood(4096, 9);
        accel::Rays rays = start;
        Tracer keyed({SchedulerMode::Keyed, false, 64 << 10}, *row, stage, far.view(), rays);
        keyed.run(start);
        accel::Rays others = start;
        Tracer unkeyed({SchedulerMode::Unkeyed, false, 64 << 10}, *row, stage, far.view(), others);
        unkeyed.run(start);
        CHECK(accel::count_differences(rays, others) == 0);
        CHECK(4 * keyed.counters().bus.bytes < unkeyed.counters().bus.bytes);
        // One lookup for each packet of a key, and a copy where it missed.
        const fibre::CacheCounters& cache = keyed.fibre_counters().cache;
        const fibre::RoutineCounters& routine = keyed.fibre_counters().routine[1];
        CHECK(cache.lookups() <= 2 * routine.packets);
        CHECK(cache.misses <= keyed.counters().bus.transfers);
        CHECK(keyed.counters().kernel_calls < unkeyed.counters().kernel_calls);
    }

    TEST_CASE("F8 F9 F12 rays through pages hit the same whatever room their chains have") {
        const shaders::TraceKernels* const row = device_row();
        if (row == nullptr) {
            return;
        }
        const accel::Stage stage = wood(3000, 40);
        const accel::Acceleration tree = accel::must_build(stage);
        const pages::testing::TestFolder folder;
        const accel::Acceleration paged = in_pages(stage, folder, 2048, 1);
        const FarTree far(paged, 2048);
        const accel::Rays start = shoot_into_wood(1500, 12);
        for (const bool is_any : {false, true}) {
            const accel::Rays expected = reference_hits(stage, tree, start, is_any);
            for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                for (const u32 most_visits : {0U, 150U}) {
                    CAPTURE(is_any);
                    CAPTURE(static_cast<int>(mode));
                    CAPTURE(most_visits);
                    accel::Rays rays = start;
                    Tracer tracer({mode, is_any, 16 << 10, most_visits, paged.store.get()},
                                  *row,
                                  stage,
                                  far.view(),
                                  rays);
                    const u64 reads_before = paged.store->figures().reads;
                    tracer.run(start);
                    CHECK_FALSE(paged.store->has_failed());
                    CHECK(accel::count_differences(rays, expected) == 0);
                    const PagedCounters counted = tracer.paged_counters();
                    CHECK((counted.restarts > 0) == (most_visits > 0));
                    CHECK(counted.rays_waited > 0);
                    CHECK(counted.page_visits > 0);
                    CHECK(counted.kernel_calls > 0);
                    CHECK(counted.kernel_calls < tracer.counters().kernel_calls);
                    CHECK(paged.store->figures().reads > reads_before);
                    CHECK(paged.store->figures().open_walks == 0);
                }
            }
        }
    }

    TEST_CASE("F9 F12 rays that start again keep no room from each other") {
        const shaders::TraceKernels* const row = device_row();
        if (row == nullptr) {
            return;
        }
        // Rays cross many placements of one page: a ray that lost its visits at the first gets
        // others at the next ones.
        const accel::Stage stage = wood(3000, 200);
        const accel::Acceleration tree = accel::must_build(stage);
        const pages::testing::TestFolder folder;
        const accel::Acceleration paged = in_pages(stage, folder, 2048, 1);
        const FarTree far(paged, 2048);
        for (u64 seed = 1; seed <= 3; ++seed) {
            CAPTURE(seed);
            const accel::Rays start = shoot_into_wood(1500, seed);
            accel::Rays rays = start;
            Tracer tracer({SchedulerMode::Keyed, false, 16 << 10, 240, paged.store.get()},
                          *row,
                          stage,
                          far.view(),
                          rays);
            tracer.run(start);
            CHECK_FALSE(paged.store->has_failed());
            CHECK(tracer.paged_counters().restarts > 10000);
            CHECK(accel::count_differences(rays, reference_hits(stage, tree, start, false)) == 0);
        }
    }

    TEST_CASE("F9 rays go on alone where chains have no room and hit the same") {
        const shaders::TraceKernels* const row = device_row();
        if (row == nullptr) {
            return;
        }
        const accel::Stage stage = wood(2000, 20);
        const accel::Acceleration tree = accel::must_build(stage);
        const FarTree far(tree, 2048);
        const accel::Rays start = shoot_into_wood(500, 10);
        for (const bool is_any : {false, true}) {
            const accel::Rays expected = reference_hits(stage, tree, start, is_any);
            // None, some and enough room for the rays of a kernel call.
            u64 last = start.size();
            for (const u32 most_visits : {1U, 600U, 1U << 16}) {
                CAPTURE(most_visits);
                accel::Rays rays = start;
                LocalStage local;
                local.scene.scene = &stage.view();
                local.scene.alpha_keys = rays.alpha_keys.data();
                local.scene.shadow_tints = rays.tints.data();
                local.kernels = row;
                local.rays = rays.rays.data();
                local.treelets = far.view();
                shaders::TraceCounters counted;
                fibre::Cluster cluster({.element_count = 64});
                fibre::Spawner spawner(cluster);
                LocalRays traced({.is_any = is_any,
                                  .is_keyed = false,
                                  .slot_count = rays.size(),
                                  .batch = rays.size(),
                                  .most_visits = most_visits},
                                 local,
                                 counted);
                REQUIRE(traced.is_allocated());
                traced.join(cluster.cache());
                traced.start(rays.all_ids(), spawner);
                CHECK(accel::count_differences(rays, expected) == 0);
                CHECK(traced.counters().singly <= last);
                last = traced.counters().singly;
                CHECK((most_visits > 1 || last == start.size()));
            }
            CHECK(last == 0);
        }
    }
}

}  // namespace weft::trace::test
