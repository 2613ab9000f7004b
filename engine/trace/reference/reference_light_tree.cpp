// reference_light_tree.cpp — see reference_light_tree.h.
#include "engine/trace/reference/reference_light_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace weft::trace::reference {

namespace {

using shaders::LightBranch;
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

// Illuminance by the suns or the environment of a branch.
double importance_of_far(const SceneView& scene, const LightBranch& branch, const LitPoint& lit) {
    if (branch.radius == shaders::kSkyBranch) {
        return sky_illuminance(scene.sky, lit);
    }
    const double facing = -dot(lit.normal, vec_of(branch.axis));
    const double turned = angle_of(lit.is_lit_through ? std::fabs(facing) : facing);
    const double beside = std::max(0.0, turned - angle_of(static_cast<double>(branch.cos_spread)));
    const double cosine = lit.is_in_medium ? 1 : std::max(0.0, std::cos(beside));
    return static_cast<double>(branch.intensity) * cosine;
}

// Reflection of light from a ball, whose middle lies in `direction`, with the highlight: a lobe
// that the ball widens. `diffuse`: without a highlight; `sine`: of the ball's half angle.
double reception_of(const Highlight& highlight, double diffuse, Vec direction, double sine) {
    const double width = highlight.alpha2 + square(sine) / 4;
    const double cosine = dot(highlight.middle, direction);
    const double tangent2 = (1 - cosine) / std::max(1 + cosine, 1e-12);
    const double lobe = square(1 / (1 + tangent2 / width)) / (4 * width);
    return (1 - highlight.share) * diffuse + highlight.share * lobe;
}

// What the lights of a branch may contribute to a point: shaders/bsdf.md section 5.
double importance_of(const SceneView& scene, const LightBranch& branch, const LitPoint& lit) {
    if (branch.radius < 0) {
        return importance_of_far(scene, branch, lit);
    }
    const double radius = branch.radius;
    const double intensity = branch.intensity;
    const Vec away = lit.position - vec_of(branch.middle);
    const double distance = std::max(length(away), 1e-10);
    const Vec direction = away / distance;
    if (distance <= radius) {
        const double around = reception_of(lit.highlight, 1, -direction, 1);
        return intensity * around / std::max(square(radius), 1e-20);
    }
    const double ball = std::asin(radius / distance);
    // Emission: the least angle between the axes and the point.
    const double reach = branch.cos_reach;
    const double turn = dot(vec_of(branch.axis), direction);
    const double from_axis = angle_of(reach < 0 ? std::fabs(turn) : turn);
    const double leaves = std::max(
        0.0, std::max(0.0, from_axis - angle_of(static_cast<double>(branch.cos_spread))) - ball);
    if (std::cos(leaves) + 1.0 / 1024 < reach) {
        return 0;
    }
    // Reception: the least angle between the normal and the lights.
    const double facing = -dot(lit.normal, direction);
    const double turned = angle_of(lit.is_lit_through ? std::fabs(facing) : facing);
    const double arrives = lit.is_in_medium ? 0 : std::max(0.0, turned - ball);
    const double reception = reception_of(
        lit.highlight, std::max(std::cos(arrives), 1.0 / 32), -direction, radius / distance);
    return intensity * std::max(std::cos(leaves), 1.0 / 64) * reception / square(distance);
}

// Radius of a branch's ball over the distance of its middle: at least 1 in the ball.
double nearness(const LightBranch& branch, const LitPoint& lit) {
    const double distance = length(lit.position - vec_of(branch.middle));
    return static_cast<double>(branch.radius) / std::max(distance, 1e-10);
}

// What all lights of a branch with places may contribute: where the point lies in the branch's
// ball, the sum over the branches behind it, of which the nearest one is summed up in turn.
double sum_of_importance(const SceneView& scene, const LightBranch& branch, const LitPoint& lit) {
    if ((branch.child & shaders::kLightLeaf) != 0 || nearness(branch, lit) < 1) {
        return importance_of(scene, branch, lit);
    }
    const auto& branches = scene.light_nodes[branch.child].branches;
    const auto is_farther = [&](const LightBranch& a, const LightBranch& b) {
        return nearness(a, lit) < nearness(b, lit);
    };
    const LightBranch* nearest =
        std::max_element(std::begin(branches), std::end(branches), is_farther);
    double sum = 0;
    for (const LightBranch& next : branches) {
        sum += &next == nearest ? sum_of_importance(scene, next, lit)
                                : importance_of(scene, next, lit);
    }
    return sum;
}

using Shares = std::array<double, shaders::kLightBranches>;

// Divides by the sum, if there is one.
Shares normalized(Shares shares) {
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) {
        share /= sum > 0 ? sum : 1;
    }
    return shares;
}

// The root of lights of several families: half of the choice is by importance, half even.
bool is_root_of_families(const SceneView& scene, u32 node) {
    const LightBranch& second = scene.light_nodes[0].branches[1];
    return node == 0 && second.radius < 0 && second.middle[0] > 0;
}

// The probability of each branch of a node; all 0 if none can light the point.
Shares shares_of(const SceneView& scene, u32 node, const LitPoint& lit) {
    constexpr double kLeast = 0x1p-16;
    const auto& branches = scene.light_nodes[node].branches;
    const bool has_families = is_root_of_families(scene, node);
    Shares by_importance{};
    Shares by_family{};
    for (u32 k = 0; k < shaders::kLightBranches; ++k) {
        const LightBranch& branch = branches[k];
        by_importance[k] = has_families && k == 0 && branch.radius >= 0
                               ? sum_of_importance(scene, branch, lit)
                               : importance_of(scene, branch, lit);
        if (by_importance[k] > 0 && has_families) {
            by_family[k] = branch.radius < 0 ? static_cast<double>(branch.middle[0]) : 1;
        }
    }
    Shares shares = normalized(by_importance);
    if (has_families) {
        by_family = normalized(by_family);
        for (u32 k = 0; k < shaders::kLightBranches; ++k) {
            shares[k] = (shares[k] + by_family[k]) / 2;
        }
    }
    for (double& share : shares) {
        share = share > 0 ? std::max(share, kLeast) : 0;
    }
    return normalized(shares);
}

}  // namespace

TreeDraw draw_from_tree(const SceneView& scene, const LitPoint& lit, double u, double fine) {
    TreeDraw draw;
    u32 child = 0;
    bool is_refined = false;
    while ((child & shaders::kLightLeaf) == 0) {
        if (draw.pdf < 0x1p-10 && !is_refined) {
            u = std::min(u + fine * 0x1p-24 / draw.pdf, 0x1.fffffep-1);
            is_refined = true;
        }
        // Subtract the shares of the branches before the number; stop at the last that has one.
        const Shares shares = shares_of(scene, child, lit);
        u32 taken = kNone;
        for (u32 k = 0; k < shaders::kLightBranches; ++k) {
            if (shares[k] > 0) {
                const double passed = taken == kNone ? 0 : shares[taken];
                if (u < passed) {
                    break;
                }
                u -= passed;
                taken = k;
            }
        }
        if (taken == kNone) {
            return {kNone, 0, u};
        }
        u = std::min(u / shares[taken], 0x1.fffffep-1);
        draw.pdf *= shares[taken];
        child = scene.light_nodes[child].branches[taken].child;
    }
    draw.light = child & ~shaders::kLightLeaf;
    draw.rest = u;
    return draw;
}

double tree_pdf(const SceneView& scene, const LitPoint& lit, u32 path) {
    double pdf = 1;
    for (u32 child = 0; (child & shaders::kLightLeaf) == 0 && pdf > 0; path >>= 2) {
        pdf *= shares_of(scene, child, lit)[path & 3];
        child = scene.light_nodes[child].branches[path & 3].child;
    }
    return pdf;
}

}  // namespace weft::trace::reference
