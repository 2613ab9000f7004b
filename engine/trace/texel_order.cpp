#include "engine/trace/texel_order.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "scheduler/base/ensure.h"
#include "shaders/surface/texel_lookup.h"

namespace weft::trace {

namespace {

// Puts the 16 bits of a number at the even places of 32.
u32 spread_bits(u32 x) {
    x = (x | x << 8) & 0x00ff00ffU;
    x = (x | x << 4) & 0x0f0f0f0fU;
    x = (x | x << 2) & 0x33333333U;
    return (x | x << 1) & 0x55555555U;
}

// The fraction of a coordinate in 16 bits; 0 where it is not finite.
u32 fraction_bits(float x) {
    const float fraction = x - std::floor(x);
    return fraction >= 0 && fraction < 1 ? static_cast<u32>(fraction * 0x1p16F) : 0;
}

// The slot of a material that says where its hits lie; kNone: it has no texture.
u32 first_slot(const shaders::MaterialRecord& m) {
    const std::array<u32, 6> slots = {m.base_color_slot,
                                      m.normal_slot,
                                      m.metallic_roughness_slot,
                                      m.specular_color_slot,
                                      m.emissive_slot,
                                      m.transmission_slot};
    for (const u32 slot : slots) {
        if (slot != kNone) {
            return slot;
        }
    }
    return kNone;
}

}  // namespace

u64 texel_place(const shaders::SceneView& scene, const shaders::TraceRay& ray, u32 primitive) {
    const shaders::InstanceRecord& placed = scene.instances[ray.instance];
    const u64 material = u64{placed.material} << 32;
    const u32 slot_index = first_slot(scene.materials[placed.material]);
    if (slot_index == kNone) {
        return material;
    }
    const shaders::TextureSlot& slot = scene.slots[slot_index];
    const auto [u, v] = shaders::interpolate_uv(
        scene, scene.meshes[placed.mesh], primitive, slot.uv_set, ray.u, ray.v);
    const float* const m = slot.uv_transform;
    const u32 x = fraction_bits(m[0] * u + m[1] * v + m[2]);
    const u32 y = fraction_bits(m[3] * u + m[4] * v + m[5]);
    return material | spread_bits(x) | spread_bits(y) << 1;
}

TexelOrder::TexelOrder(u32 most_hits) : sorted_(most_hits) {
    places_.reserve(most_hits);
}

std::span<const u32> TexelOrder::sorted(const shaders::SceneView& scene,
                                        const shaders::TraceRay* rays,
                                        std::span<const u32> hits,
                                        bool is_by_slot) {
    ENSURE(hits.size(), <=, sorted_.size());
    places_.clear();
    for (const u32 slot : hits) {
        const u32 primitive = is_by_slot ? slot : rays[slot].primitive;
        places_.emplace_back(texel_place(scene, rays[slot], primitive), slot);
    }
    std::sort(places_.begin(), places_.end());
    std::transform(places_.begin(), places_.end(), sorted_.begin(), [](const auto& place) {
        return place.second;
    });
    return {sorted_.data(), hits.size()};
}

}  // namespace weft::trace
