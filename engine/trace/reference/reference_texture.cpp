// reference_texture.cpp — see reference_texture.h.
#include "engine/trace/reference/reference_texture.h"

#include <bit>

#include "shaders/surface/texel_layout.h"

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

// Wraps a texel index to [0, size).
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
    const auto format = static_cast<shaders::TexelFormat>(texture.format);
    if (format == shaders::kGreyFloat) {
        const double value = std::bit_cast<float>(words[texel]);
        return {value, value, value, 1};
    }
    if (shaders::is_grey_byte(format)) {
        const u32 byte = (words[texel / 4] >> (8 * (texel % 4))) & 255u;
        const double value = format == shaders::kGreySrgb8
                                 ? static_cast<double>(scene.srgb_to_linear[byte])
                                 : byte / 255.0;
        return {value, value, value, 1};
    }
    if (format == shaders::TexelFormat::Half) {
        for (u32 c = 0; c < 4; ++c) {
            result[c] = shaders::half_to_float(words[2 * texel + c / 2] >> (16 * (c % 2)));
        }
        return result;
    }
    if (format == shaders::TexelFormat::Float) {
        for (u32 c = 0; c < 4; ++c) {
            result[c] = std::bit_cast<float>(words[4 * texel + c]);
        }
        return result;
    }
    const bool is_srgb = format == shaders::TexelFormat::Srgb8;
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

// Texels per metre of a slot's texture on the triangle.
double texel_density(const TextureRecord& texture,
                     const std::array<Vec, 3>& uv,
                     const TexturePoint& point) {
    const double uv_area = length(cross(uv[1] - uv[0], uv[2] - uv[0]));
    return point.world_area_cross > 0
               ? std::sqrt(uv_area * texture.width * texture.height / point.world_area_cross)
               : 0;
}

// The filter of one footprint on one texture: number of reads along the long axis, and their level.
struct Filter {
    u32 reads = 1;
    double level = 0;
};

Filter filter_of(const SceneView& scene,
                 const TextureSlot& slot,
                 const std::array<Vec, 3>& uv,
                 const TexturePoint& point) {
    constexpr double kTwoReads = 1.5;
    constexpr double kFourReads = 3;
    const TextureRecord& texture = scene.textures[slot.texture];
    const double across = point.width_m * texel_density(texture, uv, point);
    const double along = across * point.stretch;
    Filter filter;
    if (slot.is_nearest == 0 && !point.is_wide && along > 1 && point.stretch >= kTwoReads) {
        filter.reads = point.stretch >= kFourReads ? 4 : 2;
    }
    const bool is_sharp = slot.is_nearest != 0 && !point.is_wide;
    const double read = is_sharp ? across : std::max(across, along / filter.reads);
    if (read > 0) {
        filter.level = std::clamp(std::log2(read), 0.0, static_cast<double>(texture.mip_count) - 1);
    }
    return filter;
}

// The mean of reads along the long axis, whose levels average to `filter.level`.
Rgba read_along(
    const SceneView& scene, const TextureSlot& slot, const Filter& filter, Vec uv, Vec long_axis) {
    constexpr std::array<std::array<double, 4>, 2> kBias = {
        {{0.25, 0.75, 0, 0}, {0.125, 0.625, 0.375, 0.875}}};
    const u32 last = scene.textures[slot.texture].mip_count - 1;
    Rgba sum{};
    for (u32 k = 0; k < filter.reads; ++k) {
        const auto level =
            static_cast<u32>(std::floor(filter.level + kBias[filter.reads == 4 ? 1 : 0][k]));
        const Vec at = uv + long_axis * ((k + 0.5) / filter.reads - 0.5);
        const Rgba texel = read_bilinear(scene, slot, std::min(level, last), at);
        for (std::size_t c = 0; c < 4; ++c) {
            sum[c] += texel[c] / filter.reads;
        }
    }
    return sum;
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

TexturePoint normal_point(const TexturePoint& point) {
    TexturePoint narrow = point;
    narrow.stretch = point.is_wide ? point.stretch : 1;
    return narrow;
}

Rgba read_slot(const SceneView& scene, u32 slot_index, const TexturePoint& point) {
    if (slot_index == kNone) {
        return {1, 1, 1, 1};
    }
    const TextureSlot& slot = scene.slots[slot_index];
    std::array<Vec, 3> corners{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
        corners[corner] = transform_uv(slot, point.uv[slot.uv_set][corner]);
    }
    const Vec uv =
        corners[0] * (1 - point.b1 - point.b2) + corners[1] * point.b1 + corners[2] * point.b2;
    const Filter filter = filter_of(scene, slot, corners, point);
    const auto nearest = static_cast<u32>(std::floor(filter.level + 0.5));
    if (slot.is_nearest != 0) {
        return read_nearest(scene, slot, nearest, uv);
    }
    if (point.is_wide) {
        return read_bilinear(scene, slot, nearest, uv);
    }
    if (filter.reads > 1) {
        const Vec long_axis =
            (corners[1] - corners[0]) * point.long_b1 + (corners[2] - corners[0]) * point.long_b2;
        return read_along(scene, slot, filter, uv, long_axis);
    }
    const auto fine = static_cast<u32>(std::floor(filter.level));
    const u32 coarse = std::min(fine + 1, scene.textures[slot.texture].mip_count - 1);
    return blend(read_bilinear(scene, slot, fine, uv),
                 read_bilinear(scene, slot, coarse, uv),
                 filter.level - fine);
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
