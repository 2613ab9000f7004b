// test_texel_order.cpp — hits come in the order of their texels' places, each once.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/texel_order.h"
#include "shaders/surface/texel_lookup.h"
#include "tests/shaders/run_kernels.h"

namespace {

using weft::kNone;
using weft::u32;
using weft::u64;
using weft::trace::texel_place;
using weft::trace::TexelOrder;
using namespace weft::tests;

// The place by its definition: the bits of both fractions in turn.
u64 slow_place(const SceneView& scene, const TraceRay& ray) {
    const InstanceRecord& placed = scene.instances[ray.instance];
    const MaterialRecord& material = scene.materials[placed.material];
    u32 slot_index = kNone;
    for (const u32 slot : {material.transmission_slot,
                           material.emissive_slot,
                           material.specular_color_slot,
                           material.metallic_roughness_slot,
                           material.normal_slot,
                           material.base_color_slot}) {
        slot_index = slot == kNone ? slot_index : slot;
    }
    u64 place = u64{placed.material} << 32;
    if (slot_index == kNone) {
        return place;
    }
    const TextureSlot& slot = scene.slots[slot_index];
    const auto uv =
        interpolate_uv(scene, scene.meshes[placed.mesh], ray.primitive, slot.uv_set, ray.u, ray.v);
    for (u32 axis = 0; axis < 2; ++axis) {
        const float* m = slot.uv_transform + 3 * axis;
        const float x = m[0] * uv[0] + m[1] * uv[1] + m[2];
        const auto fraction = static_cast<u32>((x - std::floor(x)) * 65536.0f);
        for (u32 bit = 0; bit < 16; ++bit) {
            place |= u64{fraction >> bit & 1} << (2 * bit + axis);
        }
    }
    return place;
}

}  // namespace

TEST_SUITE("engine/trace/texel_order") {
    TEST_CASE("a packet is sorted by the places of its hits and each hit is there once") {
        const RandomScene scene(13);
        PathArrays arrays(kPaths);
        fill_paths(arrays, 5);
        const TraceRay* const rays = arrays.view().ray;
        TexelOrder order(kPaths);
        for (const u32 count : {0u, 1u, 2u, 100u, kPaths}) {
            std::vector<u32> ids = slots_in_order();
            ids.resize(count);
            std::reverse(ids.begin(), ids.end());
            const auto sorted = order.sorted(scene.view, rays, ids);
            REQUIRE(sorted.size() == count);
            u32 misplaced = 0;
            for (std::size_t k = 1; k < count; ++k) {
                const u64 before = slow_place(scene.view, rays[sorted[k - 1]]);
                misplaced += before > slow_place(scene.view, rays[sorted[k]]) ? 1u : 0u;
            }
            CHECK(misplaced == 0);
            std::vector<u32> seen(sorted.begin(), sorted.end());
            std::sort(seen.begin(), seen.end());
            std::reverse(ids.begin(), ids.end());
            CHECK(seen == ids);
        }
    }

    TEST_CASE("the place of a hit is its material and the point of the Morton curve") {
        const RandomScene scene(14);
        PathArrays arrays(kPaths);
        fill_paths(arrays, 6);
        const TraceRay* const rays = arrays.view().ray;
        u32 differing = 0;
        u32 with_place = 0;
        for (u32 k = 0; k < kPaths; ++k) {
            const u64 place = texel_place(scene.view, rays[k], rays[k].primitive);
            differing += place != slow_place(scene.view, rays[k]) ? 1u : 0u;
            with_place += (place & 0xffffffffu) != 0 ? 1u : 0u;
        }
        CHECK(differing == 0);
        CHECK(with_place > kPaths / 2);
    }

    TEST_CASE("coordinates that are not finite have the place 0 of their material") {
        const RandomScene scene(15);
        PathArrays arrays(kPaths);
        fill_paths(arrays, 6);
        u32 zeros = 0;
        u32 wrong = 0;
        for (u32 k = 0; k < kPaths; ++k) {
            TraceRay ray = arrays.view().ray[k];
            const u64 usual = texel_place(scene.view, ray, ray.primitive);
            for (const float u : {std::nanf(""), 3e38f}) {
                ray.u = ray.v = u;
                const u64 place = texel_place(scene.view, ray, ray.primitive);
                const bool is_zero = (place & 0xffffffffu) == 0;
                // Meshes without coordinates have a place that does not depend on them.
                wrong += (place >> 32) == (usual >> 32) && (is_zero || place == usual) ? 0u : 1u;
                zeros += is_zero ? 1u : 0u;
            }
        }
        CHECK(wrong == 0);
        CHECK(zeros > kPaths);
    }
}
