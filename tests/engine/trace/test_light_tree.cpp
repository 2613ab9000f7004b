// test_light_tree.cpp — the light tree draws every light with the probability that it states, and
// bounds its lights.
//
// The walk is that of the reference tracer; test_kernel_reference compares the kernels with it.
#include <cmath>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/light_tree.h"
#include "engine/trace/reference/reference_lights.h"
#include "tests/engine/trace/floor_draws.h"

namespace weft::tests {

namespace {

using trace::LightBounds;
using trace::LightPlace;
using trace::LightTree;
using trace::reference::LitPoint;
using trace::reference::Vec;

// A generator of its own: tests repeat bit by bit.
class Numbers {
public:
    explicit Numbers(u64 seed) : state_(seed) {}

    double unit() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(state_ >> 40) * 0x1p-24;
    }

    float between(double low, double high) {
        return static_cast<float>(low + (high - low) * unit());
    }

private:
    u64 state_;
};

math::Vec3 random_axis(Numbers& numbers) {
    const math::DVec3 v(numbers.between(-1, 1), numbers.between(-1, 1), numbers.between(-1, 1));
    return math::Vec3(math::normalize(v, {0, 0, 1}));
}

// Points, spots and triangles in a box; some share a place.
std::vector<LightBounds> random_lights(u32 count, u64 seed) {
    Numbers numbers(seed);
    std::vector<LightBounds> lights(count);
    for (u32 k = 0; k < count; ++k) {
        LightBounds& light = lights[k];
        light.light = k;
        light.low = {numbers.between(-5, 5), numbers.between(-5, 5), numbers.between(-5, 5)};
        light.low = k % 7 == 6 ? lights[k - 1].low : light.low;
        light.high = light.low;
        light.intensity = std::exp(static_cast<double>(numbers.between(-5, 5)));
        if (k % 3 == 1) {
            light.axis = random_axis(numbers);
            light.cos_spread = numbers.between(0, 1);
            light.cos_reach = numbers.between(0, 1);
        }
        if (k % 3 == 2) {
            light.axis = random_axis(numbers);
            light.cos_spread = 1;
            light.is_two_sided = true;
            light.high += math::Vec3(numbers.between(0, 1), 0, numbers.between(0, 1));
        }
    }
    return lights;
}

// The same with some suns, the first of which is wide, and with a sky if asked.
std::vector<LightBounds> random_lights_outdoors(u32 placed, u32 suns, bool has_sky, u64 seed) {
    std::vector<LightBounds> lights = random_lights(placed, seed);
    Numbers numbers(seed + 1);
    for (u32 k = 0; k < suns + (has_sky ? 1 : 0); ++k) {
        LightBounds light;
        light.place = k < suns ? LightPlace::Sun : LightPlace::Sky;
        light.axis = random_axis(numbers);
        light.cos_spread = k == 0 ? 0.9F : 1;
        light.intensity = std::exp(static_cast<double>(numbers.between(-3, 3)));
        // Their places in the list do not matter.
        lights.insert(lights.begin() + (k * 7919 % (placed + 1)), light);
    }
    for (u32 k = 0; k < lights.size(); ++k) {
        lights[k].light = k;
    }
    return lights;
}

// What kernels and reference read of a tree; the sky is brighter from above.
shaders::SceneView view_of(const LightTree& tree) {
    shaders::SceneView view{};
    view.light_nodes = tree.nodes.data();
    view.sky = {{1, 0, 0.5F, 0, 0.1F, 0, -0.2F, 0, 0.1F}, 0.01F, 3};
    return view;
}

LitPoint random_point(Numbers& numbers) {
    const math::Vec3 n = random_axis(numbers);
    return {{static_cast<double>(numbers.between(-6, 6)),
             static_cast<double>(numbers.between(-6, 6)),
             static_cast<double>(numbers.between(-6, 6))},
            {static_cast<double>(n.x), static_cast<double>(n.y), static_cast<double>(n.z)},
            numbers.unit() < 0.3,
            numbers.unit() < 0.1};
}

bool holds(const shaders::LightNode& node, const math::Vec3& point) {
    const math::DVec3 middle(node.middle[0], node.middle[1], node.middle[2]);
    return length(math::DVec3(point) - middle) <= static_cast<double>(node.radius) * 1.0001 + 1e-6;
}

// Checks that a node's bounds hold those of the lights below it; returns how many there are.
u32 check_bounds(const LightTree& tree, u32 at, std::span<const LightBounds> lights) {
    const shaders::LightNode& node = tree.nodes[at];
    if ((node.child & shaders::kLightLeaf) != 0) {
        const LightBounds& light = lights[node.child & ~shaders::kLightLeaf];
        CHECK(holds(node, light.low));
        CHECK(holds(node, light.high));
        CHECK(node.intensity > 0);
        return 1;
    }
    double intensity = 0;
    for (u32 c = 0; c < 2; ++c) {
        const shaders::LightNode& child = tree.nodes[node.child + c];
        intensity += static_cast<double>(child.intensity);
        CHECK(child.radius <= node.radius);
        CHECK(holds(node, {child.middle[0], child.middle[1], child.middle[2]}));
        CHECK(node.cos_spread <= std::max(child.cos_spread, 0.0F) + 1e-4F);
        CHECK(node.cos_reach <= std::max(child.cos_reach, 0.0F));
    }
    CHECK(intensity == doctest::Approx(static_cast<double>(node.intensity)).epsilon(1e-5));
    return check_bounds(tree, node.child, lights) + check_bounds(tree, node.child + 1, lights);
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
            REQUIRE(tree.nodes.size() == 2 * count - 1);
            CHECK(check_bounds(tree, 0, lights) == count);
            for (u32 k = 0; k < count; ++k) {
                u32 at = 0;
                for (u32 path = tree.path[k]; (tree.nodes[at].child & shaders::kLightLeaf) == 0;
                     path >>= 1) {
                    at = tree.nodes[at].child + (path & 1);
                }
                CHECK(tree.nodes[at].child == (shaders::kLightLeaf | k));
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
        std::vector<u32> depth(tree.nodes.size());
        for (u32 at = 0; at < tree.nodes.size(); ++at) {
            const u32 child = tree.nodes[at].child;
            if ((child & shaders::kLightLeaf) == 0) {
                depth[child] = depth[child + 1] = depth[at] + 1;
            }
            CHECK(depth[at] <= shaders::kMaxLightDepth);
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
            REQUIRE(tree.nodes.size() == 2 * count - 1);
            Numbers numbers(count);
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
                    const double u = (k + numbers.unit()) / draws;
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

    TEST_CASE("of a million lights each of many chosen ones is drawn with its probability") {
        const u32 count = 1U << 20;
        std::vector<LightBounds> lights(count);
        Numbers numbers(5);
        for (u32 k = 0; k < count; ++k) {
            lights[k].light = k;
            lights[k].low = {
                numbers.between(-50, 50), numbers.between(0, 9), numbers.between(-50, 50)};
            lights[k].high = lights[k].low;
            lights[k].intensity = 1;
        }
        const LightTree tree = trace::make_light_tree(lights);
        const shaders::SceneView view = view_of(tree);
        const LitPoint lit = {{0, 0, 0}, {0, 1, 0}, false};
        // The mean of 1/P over draws is the number of lights that can be drawn.
        double sum = 0;
        double most = 0;
        const u32 draws = 1U << 20;
        for (u32 k = 0; k < draws; ++k) {
            const double u = static_cast<double>(k) * 0x1p-20 + 0x1p-24 * (k % 16);
            const auto draw = trace::reference::draw_from_tree(view, lit, u, numbers.unit());
            REQUIRE(draw.light != kNone);
            REQUIRE(draw.pdf ==
                    doctest::Approx(trace::reference::tree_pdf(view, lit, tree.path[draw.light])));
            sum += 1 / draw.pdf;
            most = std::max(most, 1 / draw.pdf);
        }
        CHECK(sum / draws == doctest::Approx(count).epsilon(0.02));
        // Importance reaches far lights as well.
        CHECK(most > count);
    }
}

}  // namespace weft::tests
