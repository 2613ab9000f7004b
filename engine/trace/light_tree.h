// light_tree.h — a tree over lights: points, spots, triangles, suns and the environment
// (shaders/lights/light_tree-inl.h walks it, shaders/bsdf.md section 5 defines it).
//
//                    root
//              ↙       ↓       ↘
//         bounded     suns     environment
//       ↙   ↙ ↘  ↘     …
//
// A branch of the root that would have no lights is left out; where only lights with a place or
// only suns are there, the root is over them itself.
//
// A node has up to four branches, each with the bounds of the places and directions of its lights:
// it cuts its lights in two, and again the part of most lights, until there are four parts. Cuts
// are those of least cost among bins of each axis: intensity · squared size · spread of the axes,
// summed over both sides. It is the surface area orientation heuristic of Conty Estevez and Kulla,
// HPG 2018, with the mean resultant length of the axes in place of cone angles: no libm. Suns lie
// where they are seen, on a sphere of radius 1. One thread; the tree depends on the lights and
// their order alone.
#pragma once

#include <span>
#include <vector>

#include "engine/math/vector.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

enum class LightPlace {
    Bounded,  // in the scene
    Sun,      // so far away that its light has the same directions everywhere
    Sky,      // in all directions; at most one light
};

// The bounds of a light.
struct LightBounds {
    LightPlace place = LightPlace::Bounded;
    math::Vec3 low{};  // box of the points that it shines from, metres; Bounded alone
    math::Vec3 high{};
    math::Vec3 axis{};          // unit length; of a light that shines anywhere: any
    float cos_spread = -1;      // it shines within this angle about the axis
    float cos_reach = 0;        // and, weaker, up to this angle beyond; both as cosines
    bool is_two_sided = false;  // and as much to the other side; cos_reach is 0 then
    // Positive. Bounded: largest over directions, candela of luminance. Sun: lux. Sky: lux at a
    // mean normal; what it is at others the kernels know (SkyLight).
    double intensity = 0;
    u32 light = 0;  // index of its record
};

struct LightTree {
    std::vector<shaders::LightNode> nodes;  // the root first; empty without lights
    std::vector<u32> path;                  // LightRecord::tree_path, in the order of the bounds
    double unit = 1;  // what LightBranch::intensity is relative to, candela or lux
};

// At most 2³⁰ lights.
LightTree make_light_tree(std::span<const LightBounds> lights);

}  // namespace weft::trace
