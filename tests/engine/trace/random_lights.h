// random_lights.h — lights of all kinds in random places, and points that they light, for tests of
// the light tree.
#pragma once

#include <cmath>
#include <vector>

#include "engine/trace/light_tree.h"
#include "engine/trace/reference/reference_light_tree.h"
#include "tests/shaders/statistics.h"

namespace weft::tests {

inline math::Vec3 random_axis(Random& numbers) {
    const math::Vec3 v{numbers.between(-1, 1), numbers.between(-1, 1), numbers.between(-1, 1)};
    return math::Vec3(math::normalize(math::DVec3(v), {0, 0, 1}));
}

// Points, spots and triangles in a box; some share a place.
inline std::vector<trace::LightBounds> random_lights(u32 count, u64 seed) {
    Random numbers(seed);
    std::vector<trace::LightBounds> lights(count);
    for (u32 k = 0; k < count; ++k) {
        trace::LightBounds& light = lights[k];
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
inline std::vector<trace::LightBounds> random_lights_outdoors(u32 placed,
                                                              u32 suns,
                                                              bool has_sky,
                                                              u64 seed) {
    std::vector<trace::LightBounds> lights = random_lights(placed, seed);
    Random numbers(seed + 1);
    for (u32 k = 0; k < suns + (has_sky ? 1 : 0); ++k) {
        trace::LightBounds light;
        light.place = k < suns ? trace::LightPlace::Sun : trace::LightPlace::Sky;
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
inline shaders::SceneView view_of(const trace::LightTree& tree) {
    shaders::SceneView view{};
    view.light_nodes = tree.nodes.data();
    view.sky = {{1, 0, 0.5F, 0, 0.1F, 0, -0.2F, 0, 0.1F}, 0.01F, 3};
    return view;
}

// Half of the points have a highlight.
inline trace::reference::LitPoint random_point(Random& numbers) {
    const auto direction = [&]() -> trace::reference::Vec {
        const math::Vec3 n = random_axis(numbers);
        return {static_cast<double>(n.x), static_cast<double>(n.y), static_cast<double>(n.z)};
    };
    trace::reference::Highlight highlight;
    if (numbers.unit() < 0.5F) {
        const auto root = static_cast<double>(numbers.between(0.1F, 0.7F));
        highlight = {direction(), std::pow(root, 4), static_cast<double>(numbers.unit())};
    }
    return {{static_cast<double>(numbers.between(-6, 6)),
             static_cast<double>(numbers.between(-6, 6)),
             static_cast<double>(numbers.between(-6, 6))},
            direction(),
            numbers.unit() < 0.3F,
            numbers.unit() < 0.1F,
            highlight};
}

}  // namespace weft::tests
