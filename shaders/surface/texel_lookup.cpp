#include "shaders/surface/texel_lookup.h"

#include <bit>
#include <cmath>

#include "shaders/host/local_texels.h"
#include "shaders/surface/texel_layout.h"

namespace weft::shaders {

namespace {

using Texel = std::array<float, 4>;

constexpr TexelPlace kArena = TexelPlace::Arena;
constexpr TexelPlace kLocal = TexelPlace::Local;

// hash and combine of bsdf.md section 1, modulo 2³².
u32 hash(u32 x) {
    x ^= x >> 16;
    x *= 0x21f0aaadu;
    x ^= x >> 15;
    x *= 0x735a2d97u;
    x ^= x >> 15;
    return x;
}

u32 combine(u32 a, u32 b) {
    return hash(a ^ (hash(b) + 0x9e3779b9u + (a << 6) + (a >> 2)));
}

// Texel index of coordinate i on an axis of `size` texels. Any i within ±2^40.
u32 wrapped(i64 i, u32 size, u32 wrap) {
    const i64 n = size;
    if (wrap == static_cast<u32>(Wrap::Clamp)) {
        return static_cast<u32>(i < 0 ? 0 : (i >= n ? n - 1 : i));
    }
    const bool is_mirrored = wrap == static_cast<u32>(Wrap::Mirror);
    const i64 period = is_mirrored ? 2 * n : n;
    i64 k = i % period;
    k = k < 0 ? k + period : k;
    return static_cast<u32>(k < n ? k : period - 1 - k);
}

// floor(x) as an integer; 0 where |x| is not below 1e12.
i64 floor_index(float x) {
    return std::fabs(x) < 1e12f ? static_cast<i64>(std::floor(x)) : 0;
}

template <TexelPlace kPlace>
std::array<float, 4> fetch(const SceneView& scene, const TextureRecord& texture, u32 x, u32 y) {
    const auto format = static_cast<TexelFormat>(texture.format);
    const u64 index = texel_index(x, y, texture.width);
    if constexpr (kPlace == TexelPlace::Local) {
        if (scene.local_texels != nullptr) {
            u32 words[4] = {};
            const u64 first = texture.mip_offset[0] + word_of_texel(index, format);
            for (u32 k = 0; k < words_of_texel(format); ++k) {
                words[k] = scene.local_texels->word(static_cast<u32>(first) + k);
            }
            return texel_in(words, index, format, scene.srgb_to_linear);
        }
    }
    return texel_of(scene.texels + texture.mip_offset[0], index, format, scene.srgb_to_linear);
}

// Bilinear value at (x, y), in texels from the corner of the image.
template <TexelPlace kPlace>
std::array<float, 4> bilinear(const SceneView& scene, const TextureSlot& slot, float x, float y) {
    const TextureRecord& texture = scene.textures[slot.texture];
    const i64 i = floor_index(x - 0.5f);
    const i64 j = floor_index(y - 0.5f);
    const float fx = (x - 0.5f) - static_cast<float>(i);
    const float fy = (y - 0.5f) - static_cast<float>(j);
    const u32 x0 = wrapped(i, texture.width, slot.wrap_u);
    const u32 x1 = wrapped(i + 1, texture.width, slot.wrap_u);
    const u32 y0 = wrapped(j, texture.height, slot.wrap_v);
    const u32 y1 = wrapped(j + 1, texture.height, slot.wrap_v);
    const auto a = fetch<kPlace>(scene, texture, x0, y0);
    const auto b = fetch<kPlace>(scene, texture, x1, y0);
    const auto c = fetch<kPlace>(scene, texture, x0, y1);
    const auto d = fetch<kPlace>(scene, texture, x1, y1);
    std::array<float, 4> result{};
    for (u32 k = 0; k < 4; ++k) {
        const float top = a[k] + fx * (b[k] - a[k]);
        const float bottom = c[k] + fx * (d[k] - c[k]);
        result[k] = top + fy * (bottom - top);
    }
    return result;
}

}  // namespace

template <TexelPlace kPlace>
std::array<float, 4> lookup_level0(const SceneView& scene, u32 slot_index, float u, float v) {
    if (slot_index == kNone) {
        return {1, 1, 1, 1};
    }
    const TextureSlot& slot = scene.slots[slot_index];
    const TextureRecord& texture = scene.textures[slot.texture];
    const float* m = slot.uv_transform;
    float x = (m[0] * u + m[1] * v + m[2]) * static_cast<float>(texture.width);
    float y = (m[3] * u + m[4] * v + m[5]) * static_cast<float>(texture.height);
    x = std::fabs(x) < 1e12f ? x : 0;
    y = std::fabs(y) < 1e12f ? y : 0;
    if (slot.is_nearest != 0) {
        return fetch<kPlace>(scene,
                             texture,
                             wrapped(floor_index(x), texture.width, slot.wrap_u),
                             wrapped(floor_index(y), texture.height, slot.wrap_v));
    }
    return bilinear<kPlace>(scene, slot, x, y);
}

std::array<float, 2> interpolate_uv(
    const SceneView& scene, const MeshRecord& mesh, u32 primitive, u32 set, float u, float v) {
    const u32 first = set == 0 ? mesh.first_uv0 : mesh.first_uv1;
    if (first == kNone) {
        return {0, 0};
    }
    const u32* corner = scene.indices + 3 * (u64{mesh.first_triangle} + primitive);
    const float* a = scene.uvs + 2 * (u64{first} + corner[0]);
    const float* b = scene.uvs + 2 * (u64{first} + corner[1]);
    const float* c = scene.uvs + 2 * (u64{first} + corner[2]);
    const float w = 1 - u - v;
    return {w * a[0] + u * b[0] + v * c[0], w * a[1] + u * b[1] + v * c[1]};
}

std::array<float, 4> interpolate_color(
    const SceneView& scene, const MeshRecord& mesh, u32 primitive, float u, float v) {
    if (mesh.first_color == kNone) {
        return {1, 1, 1, 1};
    }
    const u32* corner = scene.indices + 3 * (u64{mesh.first_triangle} + primitive);
    const float* a = scene.colors + 4 * (u64{mesh.first_color} + corner[0]);
    const float* b = scene.colors + 4 * (u64{mesh.first_color} + corner[1]);
    const float* c = scene.colors + 4 * (u64{mesh.first_color} + corner[2]);
    const float w = 1 - u - v;
    std::array<float, 4> color{};
    for (u32 k = 0; k < 4; ++k) {
        color[k] = w * a[k] + u * b[k] + v * c[k];
    }
    return color;
}

template <TexelPlace kPlace>
std::array<float, 4> lookup_hit(
    const SceneView& scene, u32 slot, const MeshRecord& mesh, u32 primitive, float u, float v) {
    if (slot == kNone) {
        return {1, 1, 1, 1};
    }
    const auto uv = interpolate_uv(scene, mesh, primitive, scene.slots[slot].uv_set, u, v);
    return lookup_level0<kPlace>(scene, slot, uv[0], uv[1]);
}

template <TexelPlace kPlace>
float hit_alpha(const SceneView& scene, u32 instance, u32 primitive, float u, float v) {
    const InstanceRecord& placed = scene.instances[instance];
    const MaterialRecord& material = scene.materials[placed.material];
    if (material.alpha_mode == static_cast<u32>(AlphaMode::Opaque)) {
        return 1;
    }
    const MeshRecord& mesh = scene.meshes[placed.mesh];
    const float alpha =
        material.base_color[3] * interpolate_color(scene, mesh, primitive, u, v)[3] *
        lookup_hit<kPlace>(scene, material.base_color_slot, mesh, primitive, u, v)[3];
    if (material.alpha_mode == static_cast<u32>(AlphaMode::Mask)) {
        return alpha >= material.alpha_cutoff ? 1.0f : 0.0f;
    }
    return alpha;
}

template <TexelPlace kPlace>
bool is_present(const SceneView& scene,
                u32 alpha_key,
                bool is_shadow,
                u32 instance,
                u32 primitive,
                float u,
                float v) {
    const float alpha = hit_alpha<kPlace>(scene, instance, primitive, u, v);
    const u32 key = alpha_key ^ (is_shadow ? 0x5bd1e995u : 0u);
    const u32 h = combine(combine(key, instance), primitive);
    return static_cast<float>(h >> 8) * 0x1p-24f < alpha;
}

// Lookups at both places.
template Texel lookup_level0<kArena>(const SceneView&, u32, float, float);
template Texel lookup_level0<kLocal>(const SceneView&, u32, float, float);
template Texel lookup_hit<kArena>(const SceneView&, u32, const MeshRecord&, u32, float, float);
template Texel lookup_hit<kLocal>(const SceneView&, u32, const MeshRecord&, u32, float, float);
template float hit_alpha<kArena>(const SceneView&, u32, u32, float, float);
template float hit_alpha<kLocal>(const SceneView&, u32, u32, float, float);
template bool is_present<kArena>(const SceneView&, u32, bool, u32, u32, float, float);
template bool is_present<kLocal>(const SceneView&, u32, bool, u32, u32, float, float);

}  // namespace weft::shaders
