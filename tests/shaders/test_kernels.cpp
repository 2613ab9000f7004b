// test_kernels.cpp — a slot's result depends on that slot alone: not on lanes, neighbours, order,
// or AVX2 against AVX-512.
//
// Why this can silently go wrong: a code path taken because a neighbour needed it, a spare lane
// that is stored, a compiler that fuses in one namespace and not in the other. Pictures would
// differ by machine and by packet policy.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "shaders/shade_kernels.h"
#include "tests/shaders/probe_materials.h"
#include "tests/shaders/random_paths.h"

namespace weft::tests {

namespace {

constexpr u32 kPaths = 1500;

std::vector<float> filter_table() {
    std::vector<float> table(kFilterTableSize + 1);
    for (u32 i = 0; i <= kFilterTableSize; ++i) {
        table[i] = static_cast<float>(i) / kFilterTableSize - 0.5f;
    }
    return table;
}

RenderParams render_params(const std::vector<float>& table) {
    return {640, 360, 42, 5, 20.0f, 5.0f, 1, table.data()};
}

CameraRecord lens_camera() {
    return {{1, 2, 3}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, 0.8f, 0.45f, 0, 0.1f, 4.0f, 0.002f, 0};
}

std::vector<u32> slots_in_order() {
    std::vector<u32> ids(kPaths);
    std::iota(ids.begin(), ids.end(), 0u);
    return ids;
}

enum class Kernel { Camera, Shade, Miss };

constexpr Kernel kKernels[] = {Kernel::Camera, Kernel::Shade, Kernel::Miss};

// One kernel over `ids` in calls of `step` slots.
void run_kernel(Isa isa,
                Kernel kernel,
                const SceneView& scene,
                PathArrays& arrays,
                const std::vector<u32>& ids,
                u32 step,
                ShadeCounters& counters) {
    static const std::vector<float> kTable = filter_table();
    const RenderParams params = render_params(kTable);
    const ShadeKernels& row = *shade_kernels(isa);
    const PathView view = arrays.view();
    for (u32 first = 0; first < ids.size(); first += step) {
        const u32 count = std::min(step, static_cast<u32>(ids.size()) - first);
        switch (kernel) {
            case Kernel::Camera:
                row.camera(lens_camera(), params, view, ids.data() + first, count, counters);
                break;
            case Kernel::Shade:
                row.shade(scene, params, view, ids.data() + first, count, counters);
                break;
            case Kernel::Miss:
                row.miss(scene, params, view, ids.data() + first, count, counters);
                break;
        }
    }
}

PathArrays ran(
    Isa isa, Kernel kernel, const SceneView& scene, const std::vector<u32>& ids, u32 step) {
    PathArrays arrays(kPaths);
    fill_paths(arrays, 5);
    ShadeCounters counters;
    run_kernel(isa, kernel, scene, arrays, ids, step, counters);
    return arrays;
}

u32 differing_slots(const PathArrays& a, const PathArrays& b) {
    u32 count = 0;
    for (u32 i = 0; i < kPaths; ++i) {
        count += a.same_slot(b, i) ? 0u : 1u;
    }
    return count;
}

}  // namespace

TEST_SUITE("shaders/kernels") {
    TEST_CASE("AVX2 and AVX-512 give the same bits in every slot") {
        if (shade_kernels(Isa::Avx2) == nullptr || shade_kernels(Isa::Avx512) == nullptr) {
            MESSAGE("skipped: this machine lacks one of them");
            return;
        }
        const RandomScene scene(1);
        for (const Kernel kernel : kKernels) {
            CAPTURE(static_cast<int>(kernel));
            const PathArrays a = ran(Isa::Avx2, kernel, scene.view, slots_in_order(), kPaths);
            const PathArrays b = ran(Isa::Avx512, kernel, scene.view, slots_in_order(), kPaths);
            CHECK(differing_slots(a, b) == 0);
        }
    }

    TEST_CASE("a slot gets the same bits in groups of any size and order") {
        const RandomScene scene(2);
        for (const Isa isa : supported_isas()) {
            for (const Kernel kernel : kKernels) {
                CAPTURE(isa_label(isa));
                CAPTURE(static_cast<int>(kernel));
                const PathArrays whole = ran(isa, kernel, scene.view, slots_in_order(), kPaths);
                for (const u32 step : {1u, 7u, 16u, 17u, 33u}) {
                    CHECK(differing_slots(
                              whole, ran(isa, kernel, scene.view, slots_in_order(), step)) == 0);
                }
                std::vector<u32> ids = slots_in_order();
                Random random(9);
                for (u32 i = kPaths - 1; i > 0; --i) {
                    std::swap(ids[i], ids[random.below(i + 1)]);
                }
                CHECK(differing_slots(whole, ran(isa, kernel, scene.view, ids, 33)) == 0);
            }
        }
    }

    TEST_CASE("slots that are not named keep their bits") {
        const RandomScene scene(3);
        PathArrays before(kPaths);
        fill_paths(before, 5);
        for (const Isa isa : supported_isas()) {
            for (const Kernel kernel : kKernels) {
                CAPTURE(isa_label(isa));
                const PathArrays after = ran(isa, kernel, scene.view, {3, 700, 11}, 3);
                u32 changed = 0;
                for (u32 i = 0; i < kPaths; ++i) {
                    changed += after.same_slot(before, i) ? 0u : 1u;
                }
                CHECK(changed == 3);
            }
        }
    }

    TEST_CASE("counters tell how many lanes ran and how many had a path") {
        const RandomScene scene(4);
        for (const Isa isa : supported_isas()) {
            PathArrays arrays(kPaths);
            fill_paths(arrays, 5);
            ShadeCounters counters;
            run_kernel(isa, Kernel::Shade, scene.view, arrays, slots_in_order(), 5, counters);
            CHECK(counters.lanes_active == kPaths);
            const u32 lanes = shade_kernels(isa)->lane_count;
            CHECK(counters.lanes_issued == kPaths / 5 * u64{(5 + lanes - 1) / lanes * lanes});
            CHECK(counters.medium_overflows > 0);
        }
    }

    TEST_CASE("rays to trace are complete and of unit length") {
        const RandomScene scene(6);
        for (const Isa isa : supported_isas()) {
            CAPTURE(isa_label(isa));
            PathArrays arrays = ran(isa, Kernel::Shade, scene.view, slots_in_order(), kPaths);
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
                if ((v.flags[i] & kPathAlive) != 0) {
                    const TraceRay& ray = v.ray[i];
                    const bool is_open = std::isinf(ray.t) && ray.primitive == kNone &&
                                         ray.instance == kNone && ray.self_primitive != kNone;
                    unsound += is_open && is_unit(ray) ? 0u : 1u;
                    ++alive;
                }
                if ((v.flags[i] & kPathShadow) != 0) {
                    const TraceRay& ray = v.shadow[i];
                    unsound += is_unit(ray) && ray.t > 0 && ray.self_primitive != kNone ? 0u : 1u;
                    ++shadows;
                }
            }
            CHECK(unsound == 0);
            CHECK(alive > kPaths / 10);
            CHECK(shadows > kPaths / 10);
        }
    }
}

}  // namespace weft::tests
