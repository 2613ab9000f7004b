// test_device_kernels.cpp — kernels of 32 lanes give every slot the bits of the CPU's kernels, and
// count their branches.
//
// Why this can silently go wrong: an operation omits one half of a wide number, a spare lane
// decides a branch, a count of an earlier kernel remains.
#include <set>

#include <doctest/doctest.h>

#include "tests/shaders/probe_materials.h"
#include "tests/shaders/recorded_words.h"
#include "tests/shaders/run_kernels.h"

namespace weft::tests {

namespace {

std::vector<Isa> device_isas() {
    std::vector<Isa> isas;
    for (const Isa isa : {Isa::Avx2, Isa::Avx512}) {
        if (device_shade_kernels(isa) != nullptr) {
            isas.push_back(isa);
        }
    }
    return isas;
}

// Branches of one kernel over the first `count` slots.
DivergenceCounters branches_of(Isa isa, Kernel kernel, const SceneView& scene, u32 count) {
    return counted(*device_shade_kernels(isa), kernel, scene, count, count).divergence;
}

}  // namespace

TEST_SUITE("shaders/device_kernels") {
    TEST_CASE("the device has rows for AVX2 and AVX-512 and none for SSE4") {
        CHECK(device_shade_kernels(Isa::Sse4) == nullptr);
        for (const Isa isa : {Isa::Avx2, Isa::Avx512}) {
            CHECK((device_shade_kernels(isa) != nullptr) == is_supported(isa));
        }
        for (const Isa isa : device_isas()) {
            CHECK(device_shade_kernels(isa)->lane_count == 32);
            CHECK(device_shade_kernels(isa)->isa == isa);
        }
    }

    TEST_CASE("32 lanes give every slot the bits of the CPU's kernels") {
        for (const u64 seed : {1u, 2u, 3u}) {
            const RandomScene scene(seed);
            for (const Isa isa : device_isas()) {
                for (const Kernel kernel : kKernels) {
                    CAPTURE(isa_label(isa));
                    CAPTURE(static_cast<int>(kernel));
                    const PathArrays narrow =
                        ran(*shade_kernels(isa), kernel, scene.view, slots_in_order(), kPaths);
                    for (const u32 step : {1u, 13u, 31u, 32u, 33u, kPaths}) {
                        CAPTURE(step);
                        const PathArrays wide = ran(
                            *device_shade_kernels(isa), kernel, scene.view, slots_in_order(), step);
                        CHECK(differing_slots(narrow, wide) == 0);
                    }
                }
            }
        }
    }

    TEST_CASE("F16 shading that reads texels through local memory alone gives the same bits") {
        // RandomScene has all formats, wrap modes and both filters.
        for (const u64 seed : {1u, 2u, 3u}) {
            const RandomScene scene(seed);
            for (const Isa isa : device_isas()) {
                CAPTURE(isa_label(isa));
                const ShadeKernels& row = *device_shade_kernels(isa);
                const PathArrays near =
                    ran(row, Kernel::Shade, scene.view, slots_in_order(), kPaths);
                RecordedWords words(scene.view.texels);
                const PathArrays local =
                    ran(row, Kernel::Shade, words.watched(scene.view), slots_in_order(), kPaths);
                CHECK(differing_slots(near, local) == 0);
                CHECK(words.reads() > 0);
            }
        }
    }

    TEST_CASE("F16 a slot reads the same texels whoever its neighbours are") {
        const RandomScene scene(8);
        for (const Isa isa : device_isas()) {
            CAPTURE(isa_label(isa));
            const ShadeKernels& row = *device_shade_kernels(isa);
            std::vector<u64> reads;
            std::vector<std::set<u32>> sets;
            for (const u32 step : {1u, 7u, 32u, kPaths}) {
                RecordedWords words(scene.view.texels);
                static_cast<void>(
                    ran(row, Kernel::Shade, words.watched(scene.view), slots_in_order(), step));
                reads.push_back(words.reads());
                sets.emplace_back(words.words().begin(), words.words().end());
            }
            CHECK(reads[0] > kPaths);
            for (std::size_t k = 1; k < reads.size(); ++k) {
                CHECK(reads[k] == reads[0]);
                CHECK(sets[k] == sets[0]);
            }
        }
    }

    TEST_CASE("a group of 32 lanes stores no slot outside its list") {
        const RandomScene scene(4);
        PathArrays before(kPaths);
        fill_paths(before, 5);
        for (const Isa isa : device_isas()) {
            for (const Kernel kernel : kKernels) {
                const PathArrays after =
                    ran(*device_shade_kernels(isa), kernel, scene.view, {3, 700, 11}, 3);
                CHECK(differing_slots(after, before) == 3);
            }
        }
    }

    TEST_CASE("lanes of different materials diverge and a single lane never does") {
        const RandomScene scene(5);
        for (const Isa isa : device_isas()) {
            CAPTURE(isa_label(isa));
            const DivergenceCounters alone = branches_of(isa, Kernel::Shade, scene.view, 1);
            CHECK(alone.branches > 10);
            CHECK(alone.divergent == 0);
            CHECK(alone.lanes_live == alone.branches);
            const DivergenceCounters many = branches_of(isa, Kernel::Shade, scene.view, 32);
            CHECK(many.divergent > 10);
            CHECK(many.divergent < many.branches);
            CHECK(many.lanes_live == 32 * many.branches);
        }
    }

    TEST_CASE("a kernel without branches counts none and CPU kernels count none at all") {
        const RandomScene scene(6);
        for (const Isa isa : device_isas()) {
            CHECK(branches_of(isa, Kernel::Camera, scene.view, 100).branches == 0);
            const ShadeCounters counters =
                counted(*shade_kernels(isa), Kernel::Shade, scene.view, kPaths, kPaths);
            CHECK(counters.divergence.branches == 0);
        }
    }

    TEST_CASE("branches of several calls add up and both instruction sets count the same") {
        const RandomScene scene(7);
        for (const Isa isa : device_isas()) {
            const ShadeCounters sum =
                counted(*device_shade_kernels(isa), Kernel::Shade, scene.view, kPaths, 64);
            const DivergenceCounters whole = branches_of(isa, Kernel::Shade, scene.view, kPaths);
            CHECK(sum.divergence.branches == whole.branches);
            CHECK(sum.divergence.divergent == whole.divergent);
            CHECK(sum.divergence.lanes_live == whole.lanes_live);
            const DivergenceCounters other =
                branches_of(device_isas().front(), Kernel::Shade, scene.view, kPaths);
            CHECK(whole.branches == other.branches);
            CHECK(whole.divergent == other.divergent);
        }
    }
}

}  // namespace weft::tests
