// test_kernels.cpp — a slot's result depends on that slot alone: not on lanes, neighbours, order,
// or AVX2 versus AVX-512.
//
// Why this can silently go wrong: a neighbour's branch changes a lane, a spare lane is stored, the
// compiler fuses in one namespace only. Pictures would differ by machine and by packet policy.
#include <doctest/doctest.h>

#include "shaders/host/shade_kernels.h"
#include "tests/shaders/probe_materials.h"
#include "tests/shaders/run_kernels.h"
#include "tests/skipped.h"

namespace weft::tests {

TEST_SUITE("shaders/kernels") {
    TEST_CASE("AVX2 and AVX-512 give the same bits in every slot") {
        if (shade_kernels(Isa::Avx2) == nullptr || shade_kernels(Isa::Avx512) == nullptr) {
            skip_for_lack_of("processor with AVX-512", Source::Person);
            return;
        }
        const RandomScene scene(1);
        for (const Kernel kernel : kKernels) {
            CAPTURE(static_cast<int>(kernel));
            const PathArrays a =
                ran(*shade_kernels(Isa::Avx2), kernel, scene.view, slots_in_order(), kPaths);
            const PathArrays b =
                ran(*shade_kernels(Isa::Avx512), kernel, scene.view, slots_in_order(), kPaths);
            CHECK(differing_slots(a, b) == 0);
        }
    }

    TEST_CASE("a slot gets the same bits in groups of any size and order") {
        const RandomScene scene(2);
        for (const Isa isa : supported_isas()) {
            for (const Kernel kernel : kKernels) {
                CAPTURE(isa_label(isa));
                CAPTURE(static_cast<int>(kernel));
                const PathArrays whole =
                    ran(*shade_kernels(isa), kernel, scene.view, slots_in_order(), kPaths);
                for (const u32 step : {1u, 7u, 16u, 17u, 33u}) {
                    CHECK(
                        differing_slots(
                            whole,
                            ran(*shade_kernels(isa), kernel, scene.view, slots_in_order(), step)) ==
                        0);
                }
                std::vector<u32> ids = slots_in_order();
                Random random(9);
                for (u32 i = kPaths - 1; i > 0; --i) {
                    std::swap(ids[i], ids[random.below(i + 1)]);
                }
                CHECK(differing_slots(whole,
                                      ran(*shade_kernels(isa), kernel, scene.view, ids, 33)) == 0);
            }
        }
    }

    TEST_CASE("slots outside the list keep their bits") {
        const RandomScene scene(3);
        PathArrays before(kPaths);
        fill_paths(before, 5);
        for (const Isa isa : supported_isas()) {
            for (const Kernel kernel : kKernels) {
                CAPTURE(isa_label(isa));
                const PathArrays after =
                    ran(*shade_kernels(isa), kernel, scene.view, {3, 700, 11}, 3);
                CHECK(differing_slots(after, before) == 3);
            }
        }
    }

    TEST_CASE("counters count the lanes that ran and those with a path") {
        const RandomScene scene(4);
        for (const Isa isa : supported_isas()) {
            const ShadeCounters counters =
                counted(*shade_kernels(isa), Kernel::Shade, scene.view, kPaths, 5);
            CHECK(counters.lanes_active == kPaths);
            const u32 lanes = shade_kernels(isa)->lane_count;
            CHECK(counters.lanes_issued == kPaths / 5 * u64{(5 + lanes - 1) / lanes * lanes});
            CHECK(counters.medium_overflows > 0);
        }
    }

    TEST_CASE("rays to trace are complete and of unit length") {
        const RandomScene scene(4);
        for (const Isa isa : supported_isas()) {
            CAPTURE(isa_label(isa));
            PathArrays arrays =
                ran(*shade_kernels(isa), Kernel::Shade, scene.view, slots_in_order(), kPaths);
            const PathView v = arrays.view();
            u32 alive = 0;
            u32 shadows = 0;
            u32 unsound = 0;
            const auto is_unit = [](const TraceRay& ray) {
                float length2 = 0;
                for (u32 c = 0; c < 3; ++c) {
                    length2 += ray.direction[c] * ray.direction[c];
                    const float product = ray.direction[c] * ray.reciprocal[c];
                    const bool is_parallel = std::fabs(ray.reciprocal[c]) >= 1e18f;
                    if (!is_parallel && std::fabs(product - 1) > 1e-6f) {
                        return false;
                    }
                }
                return std::fabs(length2 - 1) < 1e-5f;
            };
            for (u32 i = 0; i < kPaths; ++i) {
                // Rays from a surface ignore it; those from within a medium ignore nothing.
                const bool is_in_medium = (v.gain[i].flags & kPathInMedium) != 0;
                const auto ignores = [&](const TraceRay& ray) {
                    return (ray.self_primitive == kNone) == is_in_medium;
                };
                if ((v.gain[i].flags & kPathAlive) != 0) {
                    const TraceRay& ray = v.ray[i];
                    const bool is_open = std::isinf(ray.t) && ray.primitive == kNone &&
                                         ray.instance == kNone && ignores(ray);
                    unsound += is_open && is_unit(ray) ? 0u : 1u;
                    ++alive;
                }
                if ((v.gain[i].flags & kPathShadow) != 0) {
                    const TraceRay& ray = v.shadow[i];
                    unsound += is_unit(ray) && ray.t > 0 && ignores(ray) ? 0u : 1u;
                    ++shadows;
                }
            }
            CHECK(unsound == 0);
            CHECK(alive > kPaths / 10);
            CHECK(shadows > kPaths / 16);
        }
    }
}

}  // namespace weft::tests
