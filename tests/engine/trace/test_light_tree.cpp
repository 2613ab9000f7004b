// test_light_tree.cpp — the light tree draws every light with the probability that it states, and
// bounds its lights.
//
// The walk is that of the reference tracer; test_kernel_reference compares the kernels with it.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "tests/engine/trace/random_lights.h"

namespace weft::tests {

namespace {

using trace::LightBounds;
using trace::LightPlace;
using trace::LightTree;
using trace::reference::LitPoint;
using trace::reference::Vec;

bool holds(const shaders::LightBranch& branch, const math::Vec3& point) {
    const math::DVec3 middle(branch.middle[0], branch.middle[1], branch.middle[2]);
    return length(math::DVec3(point) - middle) <=
           static_cast<double>(branch.radius) * 1.0001 + 1e-6;
}

bool has_lights(const shaders::LightBranch& branch) {
    return branch.cos_reach != shaders::kNoReach;
}

// Whether a branch's cone holds all directions in which a light shines, as far as float axes tell.
bool holds_directions(const shaders::LightBranch& branch, const LightBounds& light) {
    if (branch.cos_spread <= -1) {
        return true;
    }
    if (light.cos_spread <= -1 || light.is_two_sided != (branch.cos_reach < 0)) {
        return false;
    }
    const double cosine =
        dot(math::DVec3(branch.axis[0], branch.axis[1], branch.axis[2]), math::DVec3(light.axis));
    const double turned = std::acos(std::min(light.is_two_sided ? std::fabs(cosine) : cosine, 1.0));
    const double spread = std::acos(static_cast<double>(light.cos_spread));
    return turned + spread <= std::acos(static_cast<double>(branch.cos_spread)) + 1e-3 &&
           branch.cos_reach <= light.cos_reach;
}

// Checks that the bounds of a node's branches, and of those `above` it, hold their lights; returns
// how many there are.
u32 check_bounds(const LightTree& tree,
                 u32 node,
                 std::span<const LightBounds> lights,
                 const std::vector<shaders::LightBranch>& above = {}) {
    u32 count = 0;
    double intensity = 0;
    for (const shaders::LightBranch& branch : tree.nodes[node].branches) {
        if (!has_lights(branch)) {
            CHECK(branch.intensity == 0);
            continue;
        }
        intensity += static_cast<double>(branch.intensity);
        CHECK(branch.intensity > 0);
        if (!above.empty()) {
            CHECK(branch.radius <= above.back().radius);
            CHECK(holds(above.back(), {branch.middle[0], branch.middle[1], branch.middle[2]}));
        }
        std::vector<shaders::LightBranch> way = above;
        way.push_back(branch);
        if ((branch.child & shaders::kLightLeaf) == 0) {
            count += check_bounds(tree, branch.child, lights, way);
            continue;
        }
        ++count;
        const LightBounds& light = lights[branch.child & ~shaders::kLightLeaf];
        CHECK(holds(branch, light.low));
        CHECK(holds(branch, light.high));
        for (const shaders::LightBranch& bounds : way) {
            CHECK(holds_directions(bounds, light));
        }
    }
    const double sum = above.empty() ? 1 : static_cast<double>(above.back().intensity);
    CHECK(intensity == doctest::Approx(sum).epsilon(1e-5));
    return count;
}

// Upper bound of what a light sends to a point: whether it may light it at all.
bool can_light(const LightBounds& light, const LitPoint& lit) {
    if (light.place == LightPlace::Sun) {
        const double facing = -(lit.normal.x * static_cast<double>(light.axis.x) +
                                lit.normal.y * static_cast<double>(light.axis.y) +
                                lit.normal.z * static_cast<double>(light.axis.z));
        return lit.is_in_medium || lit.is_lit_through || facing > 0;
    }
    if (light.cos_spread <= -1) {
        return true;
    }
    // All points of the box, at its corners and middle.
    for (u32 corner = 0; corner < 9; ++corner) {
        const auto axis = [&](u32 k) {
            const float x = corner == 8 ? 0.5f * (light.low[k] + light.high[k])
                                        : ((corner >> k & 1) != 0 ? light.high[k] : light.low[k]);
            return static_cast<double>(x);
        };
        const Vec away = normalize(lit.position - Vec{axis(0), axis(1), axis(2)});
        double cosine = away.x * static_cast<double>(light.axis.x) +
                        away.y * static_cast<double>(light.axis.y) +
                        away.z * static_cast<double>(light.axis.z);
        cosine = light.is_two_sided ? std::fabs(cosine) : cosine;
        const double most = std::acos(static_cast<double>(light.cos_spread)) +
                            std::acos(static_cast<double>(light.cos_reach));
        if (std::acos(std::clamp(cosine, -1.0, 1.0)) < most) {
            return true;
        }
    }
    return false;
}

}  // namespace

TEST_SUITE("engine/trace/light_tree") {
    TEST_CASE("every light is at the end of its path, and bounds hold what is below") {
        for (const u32 count : {1U, 2U, 3U, 17U, 1000U}) {
            CAPTURE(count);
            const std::vector<LightBounds> lights = random_lights(count, count);
            const LightTree tree = trace::make_light_tree(lights);
            CHECK(check_bounds(tree, 0, lights) == count);
            for (u32 k = 0; k < count; ++k) {
                u32 child = 0;
                for (u32 path = tree.path[k]; (child & shaders::kLightLeaf) == 0; path >>= 2) {
                    child = tree.nodes[child].branches[path & 3].child;
                }
                CHECK(child == (shaders::kLightLeaf | k));
            }
        }
    }

    TEST_CASE("nodes have four branches wherever there are lights enough") {
        for (const u32 count : {4U, 7U, 64U, 1000U}) {
            CAPTURE(count);
            const LightTree tree = trace::make_light_tree(random_lights(count, count));
            for (const shaders::LightNode& node : tree.nodes) {
                const auto& branches = node.branches;
                const auto leaves =
                    std::count_if(std::begin(branches), std::end(branches), [](const auto& branch) {
                        return (branch.child & shaders::kLightLeaf) != 0;
                    });
                const auto empty =
                    std::count_if(std::begin(branches), std::end(branches), [](const auto& branch) {
                        return !has_lights(branch);
                    });
                CHECK((empty == 0 || leaves + empty == shaders::kLightBranches));
            }
        }
    }

    TEST_CASE("a chain of lights that halve in distance stays below the depth limit") {
        std::vector<LightBounds> lights(200);
        double x = 1e30;
        for (u32 k = 0; k < 200; ++k, x /= 2) {
            lights[k].light = k;
            lights[k].low = lights[k].high = {static_cast<float>(x), 0, 0};
            lights[k].intensity = x;
        }
        const LightTree tree = trace::make_light_tree(lights);
        std::vector<u32> depth(tree.nodes.size(), 1);
        for (u32 at = 0; at < tree.nodes.size(); ++at) {
            CHECK(depth[at] <= shaders::kMaxLightDepth);
            for (const shaders::LightBranch& branch : tree.nodes[at].branches) {
                if (has_lights(branch) && (branch.child & shaders::kLightLeaf) == 0) {
                    depth[branch.child] = depth[at] + 1;
                }
            }
        }
        CHECK(check_bounds(tree, 0, lights) == 200);
    }

    TEST_CASE("probabilities add up to one, match draws, and leave out no light that shines") {
        struct Lights {
            u32 placed;
            u32 suns;
            bool has_sky;
        };

        for (const Lights& kinds : {Lights{2, 0, false},
                                    Lights{5, 0, false},
                                    Lights{40, 0, false},
                                    Lights{0, 2, false},
                                    Lights{0, 1, true},
                                    Lights{1, 0, true},
                                    Lights{1, 1, false},
                                    Lights{3, 9, true},
                                    Lights{30, 1, true}}) {
            const std::vector<LightBounds> lights = random_lights_outdoors(
                kinds.placed, kinds.suns, kinds.has_sky, 31 * kinds.placed + kinds.suns);
            const auto count = static_cast<u32>(lights.size());
            CAPTURE(kinds.placed);
            CAPTURE(kinds.suns);
            CAPTURE(kinds.has_sky);
            const LightTree tree = trace::make_light_tree(lights);
            const shaders::SceneView view = view_of(tree);
            Random numbers(count);
            for (u32 trial = 0; trial < 20; ++trial) {
                const LitPoint lit = random_point(numbers);
                std::vector<double> shares(count);
                for (u32 k = 0; k < count; ++k) {
                    shares[k] = trace::reference::tree_pdf(view, lit, tree.path[k]);
                    CHECK((shares[k] > 0 || !can_light(lights[k], lit)));
                }
                // A walk into a dead end draws nothing.
                const u32 draws = 4096;
                std::vector<double> observed(count, 0.0);
                double found = 0;
                for (u32 k = 0; k < draws; ++k) {
                    const double u = (k + static_cast<double>(numbers.unit())) / draws;
                    const auto draw = trace::reference::draw_from_tree(view, lit, u, 0.5);
                    if (draw.light != kNone) {
                        REQUIRE(draw.pdf == doctest::Approx(shares[draw.light]));
                        observed[draw.light] += 1;
                        found += 1;
                    }
                }
                const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
                CHECK(total <= 1 + 1e-9);
                CHECK(total == doctest::Approx(found / draws).epsilon(0.01));
                for (u32 k = 0; k < count; ++k) {
                    // Stratified numbers: each end of an interval is off by one draw at most.
                    CHECK(std::fabs(observed[k] - shares[k] * draws) <= 2.5);
                }
            }
        }
    }

    TEST_CASE("a surface that turns away from the sun draws lamps and sky alone") {
        const std::vector<LightBounds> lights = random_lights_outdoors(4, 1, true, 3);
        const LightTree tree = trace::make_light_tree(lights);
        const shaders::SceneView view = view_of(tree);
        u32 sun = 0;
        u32 sky = 0;
        for (u32 k = 0; k < lights.size(); ++k) {
            sun = lights[k].place == LightPlace::Sun ? k : sun;
            sky = lights[k].place == LightPlace::Sky ? k : sky;
        }
        const math::Vec3& axis = lights[sun].axis;
        const Vec away = {
            static_cast<double>(axis.x), static_cast<double>(axis.y), static_cast<double>(axis.z)};
        const auto share_of = [&](u32 light, const LitPoint& lit) {
            return trace::reference::tree_pdf(view, lit, tree.path[light]);
        };
        CHECK(share_of(sun, {{}, away}) == 0);
        CHECK(share_of(sky, {{}, away}) > 0.25 / 4);
        // Each family of lights keeps its half of an even share: points and spots, triangles, sun
        // and environment.
        const LitPoint facing = {{}, -away};
        CHECK(share_of(sun, facing) > 0.25 * 0.25);
        CHECK(share_of(sky, facing) > 0.25 * 0.25);
        // In a medium, and on a surface that is lit through, it shines.
        CHECK(share_of(sun, {{}, {}, false, true}) > 0);
        CHECK(share_of(sun, {{}, away, true}) > 0);
        // What is near a lamp draws it more often than what is far from all.
        double near = 0;
        double far = 0;
        for (u32 k = 0; k < lights.size(); ++k) {
            if (lights[k].place == LightPlace::Bounded) {
                near += share_of(k, {{0, 0, 0}, -away});
                far += share_of(k, {{500, 0, 0}, -away});
            }
        }
        CHECK(near > far);
    }

    TEST_CASE("a smooth surface draws the lamps that it mirrors") {
        // 4096 lamps below a ceiling, and a floor of metal that mirrors one of them.
        std::vector<LightBounds> lights(4096);
        for (u32 k = 0; k < lights.size(); ++k) {
            lights[k].light = k;
            lights[k].low = {
                static_cast<float>(k % 64) - 32, 5, static_cast<float>(k / 64) - 32};  // metres
            lights[k].high = lights[k].low;
            lights[k].intensity = 1;
        }
        constexpr u32 kMirrored = 64 * 32 + 44;  // 12 m aside
        const LightTree tree = trace::make_light_tree(lights);
        const shaders::SceneView view = view_of(tree);
        const auto share_of = [&](u32 light, double alpha, double share) {
            const Vec way = trace::reference::normalize({12, 5, 0});
            const LitPoint lit = {
                {}, {0, 1, 0}, false, false, {way, trace::reference::square(alpha), share}};
            return trace::reference::tree_pdf(view, lit, tree.path[light]);
        };
        const double without = share_of(kMirrored, 0.06, 0);
        CHECK(share_of(kMirrored, 0.06, 1) > 20 * without);
        // A share of the light that is mirrored leaves the rest to the lamps near by.
        CHECK(share_of(kMirrored, 0.06, 0.05) > 3 * without);
        CHECK(share_of(64 * 32 + 32, 0.06, 0.05) > 0.2 * share_of(64 * 32 + 32, 0.06, 0));
        // No lamp is lost that the tail of the lobe reaches.
        for (u32 light = 0; light < lights.size(); light += 97) {
            CHECK(share_of(light, 0.06, 1) > 0);
        }
    }

    TEST_CASE("close to one of many lamps the lamps have more of the choice than the sky") {
        // A lamp every 30 m, and a sky that is as bright as 1024 lamps at 0.8 m.
        std::vector<LightBounds> lights(1025);
        for (u32 k = 0; k < 1024; ++k) {
            lights[k].light = k;
            lights[k].low = {
                30.0F * static_cast<float>(k % 32), 5, 30.0F * static_cast<float>(k / 32)};
            lights[k].high = lights[k].low;
            lights[k].intensity = 1;
        }
        lights[1024].light = 1024;
        lights[1024].place = LightPlace::Sky;
        lights[1024].intensity = 1;
        const LightTree tree = trace::make_light_tree(lights);
        const shaders::SceneView view = view_of(tree);
        const auto sky_share = [&](double below) {
            const LitPoint lit = {{480, 5 - below, 480}, {0, 1, 0}};
            return trace::reference::tree_pdf(view, lit, tree.path[1024]);
        };
        // Half of the choice is even between the two families.
        CHECK(sky_share(0.005) < 0.3);
        CHECK(sky_share(3) > 0.7);
    }
}

}  // namespace weft::tests
