#include "engine/live/joint_upsampling.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/denoise/surface_light.h"

namespace weft::live {

namespace {

using math::Vec3;

// Nodes of a surface whose plane the pixel's leaves by more than this (a sine) count nothing.
constexpr float kMostOff = 0.35F;
// Half of the squared distance of normals that counts nothing.
constexpr float kTurned = 0.5F;
// Where the four nodes around a pixel have less weight, sixteen are asked.
constexpr float kLittle = 0.05F;
// What a node has at least, so that a pixel unlike all of them still has a colour.
constexpr float kLeast = 1e-4F;

const SurfacePixel& surface_of(const NodeLattice& nodes, const SurfacePixels& all, u32 i, u32 j) {
    const auto pixel = [&](u32 node, u32 size) {
        return std::min(static_cast<u32>(nodes.first + static_cast<float>(node) * nodes.step),
                        size - 1);
    };
    return all.at(pixel(i, all.width), pixel(j, all.height));
}

float likeness(const SurfacePixel& here, const SurfacePixel& there) {
    if (here.is_hit() != there.is_hit()) {
        return 0;
    }
    if (!here.is_hit()) {
        return 1;
    }
    const Vec3 way = there.position - here.position;
    const float off = math::dot(here.normal, way);
    const float most = kMostOff * kMostOff * math::dot(way, way);
    const Vec3 turn = here.normal - there.normal;
    const float flat = most > 0 ? std::max(0.0F, 1 - off * off / most) : 1;
    const float alike = std::max(0.0F, 1 - math::dot(turn, turn) * kTurned);
    return flat * flat * alike * alike * alike * alike;
}

Vec3 reflected(const Vec3& albedo) {
    return albedo + Vec3(denoise::kAlbedoFloor);
}

float closer(float sampled, float middle) {
    return sampled < 0.5F * middle || sampled > 2 * middle ? middle : sampled;
}

struct Sum {
    Vec3 light{};
    float weight = 0;
};

// The nodes from the first on, `count` × `count` of them, by a tent around (u, v).
Sum gathered(const NodeLattice& nodes,
             const SurfacePixels& surfaces,
             std::span<const float> light,
             const SurfacePixel& here,
             std::array<float, 2> at,
             i32 count) {
    const auto first = [count](float node) {
        return static_cast<i32>(std::floor(node)) - count / 2 + 1;
    };
    const float reach = static_cast<float>(count) / 2;
    Sum sum;
    for (i32 j = first(at[1]); j < first(at[1]) + count; ++j) {
        for (i32 i = first(at[0]); i < first(at[0]) + count; ++i) {
            const auto x = static_cast<u32>(std::clamp(i, 0, static_cast<i32>(nodes.width) - 1));
            const auto y = static_cast<u32>(std::clamp(j, 0, static_cast<i32>(nodes.height) - 1));
            const float near =
                std::max(0.0F, 1 - std::fabs(static_cast<float>(i) - at[0]) / reach) *
                std::max(0.0F, 1 - std::fabs(static_cast<float>(j) - at[1]) / reach);
            const float weight =
                near * (likeness(here, surface_of(nodes, surfaces, x, y)) + kLeast);
            const float* const rgb = light.data() + 3 * (std::size_t{y} * nodes.width + x);
            sum.light += math::vec3_at(rgb) * weight;
            sum.weight += weight;
        }
    }
    return sum;
}

}  // namespace

// A sample may show more of another surface than the middle of its pixel does, and the albedo of a
// lamp is black: where the two differ much, the pixel's counts.
void divide_by_albedo(const NodeLattice& nodes,
                      const SurfacePixels& surfaces,
                      std::span<const float> colours,
                      std::span<const float> albedo,
                      std::span<float> light) {
    for (u32 j = 0; j < nodes.height; ++j) {
        for (u32 i = 0; i < nodes.width; ++i) {
            const std::size_t k = 3 * (std::size_t{j} * nodes.width + i);
            const Vec3 middle = surface_of(nodes, surfaces, i, j).albedo;
            const Vec3 sampled = math::vec3_at(albedo.data() + k);
            const Vec3 paint = reflected({closer(sampled.x, middle.x),
                                          closer(sampled.y, middle.y),
                                          closer(sampled.z, middle.z)});
            const Vec3 colour = math::vec3_at(colours.data() + k);
            const Vec3 divided = colour / paint;
            light[k] = divided.x;
            light[k + 1] = divided.y;
            light[k + 2] = divided.z;
        }
    }
}

Vec3 upsampled_colour(const NodeLattice& nodes,
                      const SurfacePixels& surfaces,
                      std::span<const float> light,
                      u32 x,
                      u32 y) {
    const SurfacePixel& here = surfaces.at(x, y);
    const auto node = [&](u32 pixel) {
        return (static_cast<float>(pixel) + 0.5F - nodes.first) / nodes.step;
    };
    const std::array<float, 2> at = {node(x), node(y)};
    Sum sum = gathered(nodes, surfaces, light, here, at, 2);
    if (sum.weight < kLittle) {
        sum = gathered(nodes, surfaces, light, here, at, 4);
    }
    return sum.light / std::max(sum.weight, 1e-12F) * reflected(here.albedo);
}

}  // namespace weft::live
