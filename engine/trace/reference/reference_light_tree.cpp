// reference_light_tree.cpp — see reference_light_tree.h.
#include "engine/trace/reference/reference_light_tree.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace weft::trace::reference {

namespace {

using shaders::SceneView;

// An angle of at most π, by its cosine.
double angle_of(double cosine) {
    return std::acos(std::clamp(cosine, -1.0, 1.0));
}

// Illuminance that the environment is expected to give at a normal.
double sky_illuminance(const shaders::SkyLight& sky, Vec n) {
    const Vec along = vec_of(sky.terms + 1);
    const double second_order[3] = {
        n.x * (static_cast<double>(sky.terms[4]) * n.x + static_cast<double>(sky.terms[6]) * n.y),
        n.y * (static_cast<double>(sky.terms[5]) * n.y + static_cast<double>(sky.terms[8]) * n.z),
        n.x * static_cast<double>(sky.terms[7]) * n.z};
    return static_cast<double>(sky.terms[0]) + dot(along, n) + second_order[0] + second_order[1] +
           second_order[2];
}

double sky_illuminance(const shaders::SkyLight& sky, const LitPoint& lit) {
    if (lit.is_in_medium) {
        return sky.around;
    }
    double sum = sky_illuminance(sky, lit.normal);
    if (lit.is_lit_through) {
        sum += sky_illuminance(sky, -lit.normal);
    }
    return std::max(sum, static_cast<double>(sky.least));
}

// Illuminance by the suns and the environment of a node.
double importance_of_far(const SceneView& scene,
                         const shaders::LightNode& node,
                         const LitPoint& lit) {
    const double facing = -dot(lit.normal, vec_of(node.axis));
    const double turned = angle_of(lit.is_lit_through ? std::fabs(facing) : facing);
    const double beside = std::max(0.0, turned - angle_of(static_cast<double>(node.cos_spread)));
    const double cosine = lit.is_in_medium ? 1 : std::max(0.0, std::cos(beside));
    const double from_sky = node.radius == shaders::kSkyNode ? sky_illuminance(scene.sky, lit) : 0;
    return static_cast<double>(node.intensity) * cosine + from_sky;
}

// What the lights of a node of the light tree may contribute to a point: shaders/bsdf.md section 5.
double importance_of(const SceneView& scene, const shaders::LightNode& node, const LitPoint& lit) {
    if (node.radius < 0) {
        return importance_of_far(scene, node, lit);
    }
    const double radius = node.radius;
    const double intensity = node.intensity;
    const Vec away = lit.position - vec_of(node.middle);
    const double distance = std::max(length(away), 1e-10);
    if (distance <= radius) {
        return intensity / std::max(square(radius), 1e-20);
    }
    const Vec direction = away / distance;
    const double ball = std::asin(radius / distance);
    // Emission: the least angle between the axes and the point.
    const double reach = node.cos_reach;
    const double turn = dot(vec_of(node.axis), direction);
    const double from_axis = angle_of(reach < 0 ? std::fabs(turn) : turn);
    const double leaves = std::max(
        0.0, std::max(0.0, from_axis - angle_of(static_cast<double>(node.cos_spread))) - ball);
    if (std::cos(leaves) + 1.0 / 1024 < reach) {
        return 0;
    }
    // Reception: the least angle between the normal and the lights.
    const double facing = -dot(lit.normal, direction);
    const double turned = angle_of(lit.is_lit_through ? std::fabs(facing) : facing);
    const double arrives = lit.is_in_medium ? 0 : std::max(0.0, turned - ball);
    return intensity * std::max(std::cos(leaves), 1.0 / 64) *
           std::max(std::cos(arrives), 1.0 / 32) / square(distance);
}

// Radius of a node's ball over the distance of its middle: at least 1 in the ball.
double nearness(const shaders::LightNode& node, const LitPoint& lit) {
    const double distance = length(lit.position - vec_of(node.middle));
    return static_cast<double>(node.radius) / std::max(distance, 1e-10);
}

// What all lights of a node with places may contribute: where the point lies in the node's ball,
// the sum over its children, of which the nearer one is summed up in turn.
double sum_of_importance(const SceneView& scene, u32 index, const LitPoint& lit) {
    const shaders::LightNode& node = scene.light_nodes[index];
    const u32 child = node.child;
    if ((child & shaders::kLightLeaf) != 0 || nearness(node, lit) < 1) {
        return importance_of(scene, node, lit);
    }
    const double first = nearness(scene.light_nodes[child], lit);
    const double second = nearness(scene.light_nodes[child + 1], lit);
    const u32 nearer = second > first ? child + 1 : child;
    const u32 other = second > first ? child : child + 1;
    return sum_of_importance(scene, nearer, lit) +
           importance_of(scene, scene.light_nodes[other], lit);
}

// Share of the first child of a node; none if neither can light the point.
std::optional<double> first_share(const SceneView& scene, u32 child, const LitPoint& lit) {
    constexpr double kLeast = 0x1p-16;
    const shaders::LightNode& sibling = scene.light_nodes[child + 1];
    const bool is_top = child == scene.light_nodes[0].child &&
                        scene.light_nodes[child].radius >= 0 && sibling.radius < 0;
    const double first = is_top ? sum_of_importance(scene, child, lit)
                                : importance_of(scene, scene.light_nodes[child], lit);
    const double second = importance_of(scene, sibling, lit);
    if (first <= 0 && second <= 0) {
        return std::nullopt;
    }
    if (first <= 0 || second <= 0) {
        return first <= 0 ? 0 : 1;
    }
    const double share = std::clamp(first / (first + second), kLeast, 1 - kLeast);
    if (sibling.radius >= 0) {
        return share;
    }
    return share * static_cast<double>(sibling.middle[1]) + static_cast<double>(sibling.middle[0]);
}

}  // namespace

TreeDraw draw_from_tree(const SceneView& scene, const LitPoint& lit, double u, double fine) {
    TreeDraw draw;
    u32 child = scene.light_nodes[0].child;
    bool is_refined = false;
    while ((child & shaders::kLightLeaf) == 0) {
        if (draw.pdf < 0x1p-10 && !is_refined) {
            u = std::min(u + fine * 0x1p-24 / draw.pdf, 0x1.fffffep-1);
            is_refined = true;
        }
        const std::optional<double> share = first_share(scene, child, lit);
        if (!share) {
            return {kNone, 0, u};
        }
        const bool is_first = u < *share;
        const double taken = is_first ? *share : 1 - *share;
        u = std::min((is_first ? u : u - *share) / taken, 0x1.fffffep-1);
        draw.pdf *= taken;
        child = scene.light_nodes[is_first ? child : child + 1].child;
    }
    draw.light = child & ~shaders::kLightLeaf;
    draw.rest = u;
    return draw;
}

double tree_pdf(const SceneView& scene, const LitPoint& lit, u32 path) {
    double pdf = 1;
    u32 child = scene.light_nodes[0].child;
    for (; (child & shaders::kLightLeaf) == 0; path >>= 1) {
        const std::optional<double> share = first_share(scene, child, lit);
        if (!share) {
            return 0;
        }
        const bool is_second = (path & 1) != 0;
        pdf *= is_second ? 1 - *share : *share;
        child = scene.light_nodes[is_second ? child + 1 : child].child;
    }
    return pdf;
}

}  // namespace weft::trace::reference
