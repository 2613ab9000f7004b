// test_single_kernels.cpp — the kernels of one lane, plain numbers, give every slot the bits of the
// kernels that run in vectors.
//
// Why this can silently go wrong: a vector operation and the plain one differ for zeros of unequal
// sign, or for what is not a number; a group reads its neighbour's lane.
#include <doctest/doctest.h>

#include "tests/shaders/probe_materials.h"
#include "tests/shaders/run_kernels.h"

namespace weft::tests {

namespace {

constexpr Isa kIsas[] = {Isa::Sse4, Isa::Avx2, Isa::Avx512};

}  // namespace

TEST_SUITE("shaders/single_kernels") {
    TEST_CASE("F1 kernels of one lane exist wherever those of a register do") {
        for (const Isa isa : kIsas) {
            const ShadeKernels* const single = single_shade_kernels(isa);
            REQUIRE((single != nullptr) == (shade_kernels(isa) != nullptr));
            if (single != nullptr) {
                CHECK(single->lane_count == 1);
                CHECK(single->isa == isa);
                CHECK((single->shade != shade_kernels(isa)->shade));
            }
        }
    }

    TEST_CASE("F1 one lane gives every slot the bits of a register of lanes") {
        for (const u64 seed : {1u, 2u, 3u, 4u, 5u}) {
            const RandomScene scene(seed);
            for (const Isa isa : kIsas) {
                if (single_shade_kernels(isa) == nullptr) {
                    continue;
                }
                for (const Kernel kernel : kKernels) {
                    CAPTURE(isa_label(isa));
                    CAPTURE(static_cast<int>(kernel));
                    const PathArrays lanes =
                        ran(*shade_kernels(isa), kernel, scene.view, slots_in_order(), kPaths);
                    const PathArrays single = ran(
                        *single_shade_kernels(isa), kernel, scene.view, slots_in_order(), kPaths);
                    CHECK(differing_slots(lanes, single) == 0);
                }
            }
        }
    }

    TEST_CASE("F1 one lane is issued for each slot and no lane is idle") {
        const RandomScene scene(6);
        for (const Isa isa : kIsas) {
            if (single_shade_kernels(isa) == nullptr) {
                continue;
            }
            const ShadeCounters single =
                counted(*single_shade_kernels(isa), Kernel::Shade, scene.view, 77, 10);
            const ShadeCounters lanes =
                counted(*shade_kernels(isa), Kernel::Shade, scene.view, 77, 10);
            CHECK(single.lanes_issued == 77);
            CHECK(single.lanes_active == 77);
            CHECK(lanes.lanes_active == 77);
            CHECK(single.medium_overflows == lanes.medium_overflows);
        }
    }
}

}  // namespace weft::tests
