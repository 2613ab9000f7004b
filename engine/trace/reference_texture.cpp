// reference_texture.cpp — see reference_texture.h.
#include "engine/trace/reference_texture.h"

#include <bit>

#include "shaders/texel_layout.h"

namespace weft::trace::reference {

namespace {

using shaders::SceneView;
using shaders::TextureRecord;
using shaders::TextureSlot;

Rgba blend(const Rgba& a, const Rgba& b, double weight) {
    Rgba result{};
    for (std::size_t c = 0; c < 4; ++c) {
        result[c] = mix(a[c], b[c], weight);
    }
    return result;
}

// Index of a texel outside [0, size) brought inside.
u32 wrap(i64 index, u32 size, u32 mode) {
    const i64 n = size;
    const auto wrapped = [](i64 i, i64 period) { return ((i % period) + period) % period; };
    switch (static_cast<shaders::Wrap>(mode)) {
        case shaders::Wrap::Repeat:
            return static_cast<u32>(wrapped(index, n));
        case shaders::Wrap::Clamp:
            return static_cast<u32>(std::clamp<i64>(index, 0, n - 1));
        case shaders::Wrap::Mirror:
            break;
    }
    const i64 in_two = wrapped(index, 2 * n);
    return static_cast<u32>(in_two < n ? in_two : 2 * n - 1 - in_two);
}

Rgba read_texel(const SceneView& scene, const TextureRecord& texture, u32 level, u32 x, u32 y) {
    const u32 width = std::max(1u, texture.width >> level);
    const u64 texel = shaders::texel_index(x, y, width);
    const u32* words = scene.texels + texture.mip_offset[level];
    Rgba result{};
    if (texture.format == static_cast<u32>(shaders::TexelFormat::Half)) {
        for (u32 c = 0; c < 4; ++c) {
            result[c] = shaders::half_to_float(words[2 * texel + c / 2] >> (16 * (c % 2)));
        }
        return result;
    }
    if (texture.format == static_cast<u32>(shaders::TexelFormat::Float)) {
        for (u32 c = 0; c < 4; ++c) {
            result[c] = std::bit_cast<float>(words[4 * texel + c]);
        }
        return result;
    }
    const bool is_srgb = texture.format == static_cast<u32>(shaders::TexelFormat::Srgb8);
    for (u32 c = 0; c < 4; ++c) {
        const u32 byte = (words[texel] >> (8 * c)) & 255u;
        result[c] =
            is_srgb && c < 3 ? static_cast<double>(scene.srgb_to_linear[byte]) : byte / 255.0;
    }
    return result;
}

Rgba read_nearest(const SceneView& scene, const TextureSlot& slot, u32 level, Vec uv) {
    const TextureRecord& texture = scene.textures[slot.texture];
    const u32 width = std::max(1u, texture.width >> level);
    const u32 height = std::max(1u, texture.height >> level);
    const auto x = static_cast<i64>(std::floor(uv.x * width));
    const auto y = static_cast<i64>(std::floor(uv.y * height));
    return read_texel(
        scene, texture, level, wrap(x, width, slot.wrap_u), wrap(y, height, slot.wrap_v));
}

Rgba read_bilinear(const SceneView& scene, const TextureSlot& slot, u32 level, Vec uv) {
    const TextureRecord& texture = scene.textures[slot.texture];
    const u32 width = std::max(1u, texture.width >> level);
    const u32 height = std::max(1u, texture.height >> level);
    const double x = uv.x * width - 0.5;
    const double y = uv.y * height - 0.5;
    const auto left = static_cast<i64>(std::floor(x));
    const auto top = static_cast<i64>(std::floor(y));
    const auto texel = [&](i64 column, i64 row) {
        return read_texel(scene,
                          texture,
                          level,
                          wrap(column, width, slot.wrap_u),
                          wrap(row, height, slot.wrap_v));
    };
    const double across = x - std::floor(x);
    const double down = y - std::floor(y);
    return blend(blend(texel(left, top), texel(left + 1, top), across),
                 blend(texel(left, top + 1), texel(left + 1, top + 1), across),
                 down);
}

Vec transform_uv(const TextureSlot& slot, Vec uv) {
    const Vec point = {uv.x, uv.y, 1};
    return {dot(vec_of(slot.uv_transform), point), dot(vec_of(slot.uv_transform + 3), point), 0};
}

// Mip level of the ray cone, clamped to the levels there are.
double cone_level(const TextureRecord& texture,
                  const std::array<Vec, 3>& uv,
                  const TexturePoint& point) {
    const double uv_area = length(cross(uv[1] - uv[0], uv[2] - uv[0]));
    if (point.footprint_m <= 0 || uv_area <= 0 || point.world_area_cross <= 0) {
        return 0;
    }
    const double texels = uv_area * texture.width * texture.height;
    const double level =
        std::log2(point.footprint_m) + 0.5 * std::log2(texels / point.world_area_cross);
    return std::clamp(level, 0.0, static_cast<double>(texture.mip_count) - 1);
}

}  // namespace

TexturePoint texture_point(
    const SceneView& scene, u32 instance, u32 primitive, double b1, double b2) {
    const shaders::MeshRecord& mesh = scene.meshes[scene.instances[instance].mesh];
    TexturePoint point;
    point.b1 = b1;
    point.b2 = b2;
    const std::array<u32, 2> first = {mesh.first_uv0, mesh.first_uv1};
    for (std::size_t set = 0; set < 2; ++set) {
        for (std::size_t corner = 0; corner < 3 && first[set] != kNone; ++corner) {
            const std::size_t vertex =
                scene.indices[std::size_t{3} * (mesh.first_triangle + primitive) + corner];
            const float* uv = scene.uvs + 2 * (first[set] + vertex);
            point.uv[set][corner] = {uv[0], uv[1], 0};
        }
    }
    return point;
}

Rgba read_slot(const SceneView& scene, u32 slot_index, const TexturePoint& point) {
    if (slot_index == kNone) {
        return {1, 1, 1, 1};
    }
    const TextureSlot& slot = scene.slots[slot_index];
    const TextureRecord& texture = scene.textures[slot.texture];
    std::array<Vec, 3> corners{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
        corners[corner] = transform_uv(slot, point.uv[slot.uv_set][corner]);
    }
    const Vec uv =
        corners[0] * (1 - point.b1 - point.b2) + corners[1] * point.b1 + corners[2] * point.b2;
    const double level = cone_level(texture, corners, point);
    if (slot.is_nearest != 0) {
        return read_nearest(scene, slot, static_cast<u32>(std::floor(level + 0.5)), uv);
    }
    const auto fine = static_cast<u32>(std::floor(level));
    const u32 coarse = std::min(fine + 1, texture.mip_count - 1);
    return blend(
        read_bilinear(scene, slot, fine, uv), read_bilinear(scene, slot, coarse, uv), level - fine);
}

Rgba read_vertex_color(const SceneView& scene, u32 instance, u32 primitive, double b1, double b2) {
    const shaders::MeshRecord& mesh = scene.meshes[scene.instances[instance].mesh];
    if (mesh.first_color == kNone) {
        return {1, 1, 1, 1};
    }
    const std::array<double, 3> weights = {1 - b1 - b2, b1, b2};
    Rgba color{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
        const std::size_t vertex =
            scene.indices[std::size_t{3} * (mesh.first_triangle + primitive) + corner];
        for (std::size_t c = 0; c < 4; ++c) {
            color[c] += weights[corner] *
                        static_cast<double>(scene.colors[4 * (mesh.first_color + vertex) + c]);
        }
    }
    return color;
}

double read_alpha(const SceneView& scene, u32 instance, u32 primitive, double b1, double b2) {
    const shaders::MaterialRecord& material = scene.materials[scene.instances[instance].material];
    const auto mode = static_cast<shaders::AlphaMode>(material.alpha_mode);
    if (mode == shaders::AlphaMode::Opaque) {
        return 1;
    }
    const TexturePoint point = texture_point(scene, instance, primitive, b1, b2);
    const double alpha = static_cast<double>(material.base_color[3]) *
                         read_slot(scene, material.base_color_slot, point)[3] *
                         read_vertex_color(scene, instance, primitive, b1, b2)[3];
    if (mode == shaders::AlphaMode::Mask) {
        return alpha >= static_cast<double>(material.alpha_cutoff) ? 1 : 0;
    }
    return alpha;
}

}  // namespace weft::trace::reference
