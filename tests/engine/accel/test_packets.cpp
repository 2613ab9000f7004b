// test_packets.cpp — one ray per lane: lists of any length, counters, and divergence on the
// emulated device. test_hits.cpp checks that hits equal those of groups.
#include <cmath>

#include <doctest/doctest.h>

#include "tests/engine/accel/test_stage.h"

namespace weft::accel {

namespace {

using shaders::Isa;
using shaders::TraceCounters;
using shaders::TraceKernels;

Stage soup_stage() {
    Stage stage;
    stage.add(triangle_soup(2000, 0.15f, 1));
    stage.finish();
    return stage;
}

// A bundle from one point through a small window, like the camera rays of a tile.
Rays bundle(u32 count) {
    Dice dice(2);
    Rays rays;
    for (u32 k = 0; k < count; ++k) {
        rays.add({0.1f, 0.2f, 4}, {dice.between(-0.1f, 0.1f), dice.between(-0.1f, 0.1f), -2});
    }
    return rays;
}

// The rows with packets: of the CPU and of the device.
std::vector<const TraceKernels*> packet_rows() {
    std::vector<const TraceKernels*> rows;
    for (const Isa isa : runnable_isas()) {
        rows.push_back(shaders::trace_kernels(isa));
        if (const TraceKernels* device = shaders::device_trace_kernels(isa)) {
            rows.push_back(device);
        }
    }
    return rows;
}

TraceCounters counters_of(const TraceKernels& row, const Stage& stage, Rays rays) {
    const Acceleration tree = must_build(stage);
    const std::vector<u32> ids = rays.all_ids();
    TraceCounters counters;
    row.closest_packet(
        rays.scene(stage, tree), tree.root, rays.rays.data(), ids.data(), rays.size(), counters);
    return counters;
}

}  // namespace

TEST_SUITE("engine/accel/packets") {
    TEST_CASE("lists of any length and mix of directions are traced to the last ray") {
        const Stage stage = soup_stage();
        const Acceleration tree = must_build(stage);
        for (const u32 count : {1u, 3u, 15u, 16u, 17u, 31u, 32u, 33u, 100u, 777u}) {
            CAPTURE(count);
            for (const Rays& rays : {bundle(count), random_rays(count, 1.5f, count)}) {
                const Rays truth = trace_group(stage, tree, rays, Isa::Sse4, false);
                const Rays shadow_truth = trace_group(stage, tree, rays, Isa::Sse4, true);
                for (const TraceKernels* row : packet_rows()) {
                    CHECK(count_differences(
                              truth, trace_with(row->closest_packet, stage, tree, rays)) == 0);
                    CHECK(count_differences(shadow_truth,
                                            trace_with(row->any_packet, stage, tree, rays)) == 0);
                }
            }
        }
    }

    TEST_CASE("a walk traces lists of one octant of any length with some rays blocked") {
        const Stage stage = soup_stage();
        const Acceleration tree = must_build(stage);
        for (const u32 count : {1u, 4u, 31u, 32u, 33u, 64u, 500u, 1100u}) {
            CAPTURE(count);
            Rays rays = random_rays(count, 1.5f, count);
            for (u32 k = 0; k < count; ++k) {
                shaders::TraceRay& ray = rays.rays[k];
                for (u32 axis = 0; axis < 3; ++axis) {
                    ray.direction[axis] = -std::fabs(ray.direction[axis]);
                    ray.reciprocal[axis] = -std::fabs(ray.reciprocal[axis]);
                }
            }
            const std::vector<u32> ids = rays.all_ids();
            const Rays truth = trace_group(stage, tree, rays, Isa::Sse4, false);
            Rays shadows = rays;
            for (u32 k = 0; k < count; k += 3) {
                shadows.rays[k].t = -1;
            }
            const Rays shadow_truth = trace_group(stage, tree, shadows, Isa::Sse4, true);
            for (const TraceKernels* row : packet_rows()) {
                Rays closest = rays;
                Rays any = shadows;
                TraceCounters counters;
                row->closest_walk(closest.scene(stage, tree),
                                  tree.root,
                                  7,
                                  closest.rays.data(),
                                  ids.data(),
                                  count,
                                  counters);
                row->any_walk(any.scene(stage, tree),
                              tree.root,
                              7,
                              any.rays.data(),
                              ids.data(),
                              count,
                              counters);
                CHECK(count_differences(truth, closest) == 0);
                CHECK(count_differences(shadow_truth, any) == 0);
            }
        }
    }

    TEST_CASE("a set of rays shares the nodes of a mesh that is placed twice") {
        Stage stage;
        const u32 mesh = stage.add_mesh(triangle_soup(2000, 0.15f, 1));
        stage.add_instance(mesh);
        stage.add_instance(mesh, 0, {1, 0, 0, 9, 0, 1, 0, 0, 0, 0, 1, 0});
        stage.finish();
        const Acceleration tree = must_build(stage);
        Dice dice(5);
        Rays rays;
        for (u32 k = 0; k < 512; ++k) {
            rays.add({0, 0, 4}, {dice.between(0.01f, 0.1f), dice.between(0.01f, 0.1f), -2});
        }
        const std::vector<u32> ids = rays.all_ids();
        for (const bool is_any : {false, true}) {
            const Rays truth = trace_group(stage, tree, rays, Isa::Sse4, is_any);
            for (const Isa isa : runnable_isas()) {
                const TraceKernels& row = *shaders::trace_kernels(isa);
                Rays traced = rays;
                TraceCounters counters;
                (is_any ? row.any_walk : row.closest_walk)(traced.scene(stage, tree),
                                                           tree.root,
                                                           4,
                                                           traced.rays.data(),
                                                           ids.data(),
                                                           traced.size(),
                                                           counters);
                CHECK(count_differences(truth, traced) == 0);
                // Above the placements there are one or two nodes.
                CHECK(counters.node_tests > 6 * 512);
                CHECK(counters.node_visits * 3 < counters.node_tests);
            }
        }
    }

    TEST_CASE("rays that are not in the list keep their bits") {
        const Stage stage = soup_stage();
        const Acceleration tree = must_build(stage);
        const Rays before = bundle(64);
        const Rays traced = trace_group(stage, tree, before, Isa::Sse4, false);
        for (const TraceKernels* row : packet_rows()) {
            Rays rays = before;
            const std::vector<u32> ids = {5, 40, 7};
            TraceCounters counters;
            row->closest_packet(
                rays.scene(stage, tree), tree.root, rays.rays.data(), ids.data(), 3, counters);
            for (u32 k = 0; k < rays.size(); ++k) {
                const bool is_named = k == 5 || k == 40 || k == 7;
                CHECK(is_same_hit(rays.rays[k], is_named ? traced.rays[k] : before.rays[k]));
            }
        }
    }

    TEST_CASE("a blocked shadow ray costs nothing and stays blocked") {
        const Stage stage = soup_stage();
        const Acceleration tree = must_build(stage);
        for (const TraceKernels* row : packet_rows()) {
            Rays rays = bundle(32);
            for (shaders::TraceRay& ray : rays.rays) {
                ray.t = -1;
            }
            const std::vector<u32> ids = rays.all_ids();
            TraceCounters counters;
            row->any_packet(
                rays.scene(stage, tree), tree.root, rays.rays.data(), ids.data(), 32, counters);
            CHECK(counters.node_visits == 0);
            CHECK(rays.rays[9].t == -1);
        }
    }

    TEST_CASE("a bundle shares its nodes and fills more lanes than scattered rays") {
        const Stage stage = soup_stage();
        for (const TraceKernels* row : packet_rows()) {
            const TraceCounters together = counters_of(*row, stage, bundle(4096));
            CHECK(together.node_visits * 2 < together.node_tests);
            CHECK(together.rays_in_lists <= together.node_tests);
            CHECK(together.leaf_tests > 0);
            CHECK(together.lanes_active < together.lanes_issued);
            const TraceCounters apart = counters_of(*row, stage, random_rays(4096, 1.5f, 3));
            CHECK(together.lanes_active * apart.lanes_issued >
                  apart.lanes_active * together.lanes_issued);
        }
    }

    TEST_CASE("the device counts the same branches on every instruction set and the CPU none") {
        const Stage stage = soup_stage();
        const Rays rays = random_rays(500, 1.5f, 4);
        u64 branches = 0;
        u64 divergent = 0;
        for (const Isa isa : runnable_isas()) {
            const TraceCounters cpu = counters_of(*shaders::trace_kernels(isa), stage, rays);
            CHECK(cpu.divergence.branches == 0);
            const TraceKernels* device = shaders::device_trace_kernels(isa);
            if (device == nullptr) {
                continue;
            }
            const shaders::DivergenceCounters d = counters_of(*device, stage, rays).divergence;
            CHECK(d.branches > 1000);
            CHECK(d.divergent > 100);
            CHECK(d.divergent < d.branches);
            CHECK(d.lanes_live > d.branches);
            CHECK(d.lanes_live <= 32 * d.branches);
            CHECK((branches == 0 || branches == d.branches));
            CHECK((divergent == 0 || divergent == d.divergent));
            branches = d.branches;
            divergent = d.divergent;
        }
        CHECK(shaders::device_trace_kernels(Isa::Sse4) == nullptr);
    }

    TEST_CASE("a single lane never diverges") {
        const Stage stage = soup_stage();
        for (const Isa isa : runnable_isas()) {
            if (const TraceKernels* device = shaders::device_trace_kernels(isa)) {
                const TraceCounters counters = counters_of(*device, stage, bundle(1));
                CHECK(counters.divergence.branches > 0);
                CHECK(counters.divergence.divergent == 0);
                CHECK(counters.divergence.lanes_live == counters.divergence.branches);
            }
        }
    }
}

}  // namespace weft::accel
