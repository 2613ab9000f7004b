// light_tree.h — a binary tree over lights with a place: points, spots and triangles
// (shaders/lights/light_tree-inl.h walks it, shaders/bsdf.md section 5 defines it).
//
// Each node bounds the places and directions of its lights. Splits are those of least cost among
// bins of each axis: intensity · squared size · spread of the axes, summed over both sides. It is
// the surface area orientation heuristic of Conty Estevez and Kulla, HPG 2018, with the mean
// resultant length of the axes in place of cone angles: no libm. One thread; the tree depends on
// the lights and their order alone.
#pragma once

#include <span>
#include <vector>

#include "engine/math/vector.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

// The bounds of a light.
struct LightBounds {
    math::Vec3 low{};  // box of the points that it shines from, metres
    math::Vec3 high{};
    math::Vec3 axis{};          // unit length; of a light that shines anywhere: any
    float cos_spread = -1;      // it shines within this angle about the axis
    float cos_reach = 0;        // and, weaker, up to this angle beyond; both as cosines
    bool is_two_sided = false;  // and as much to the other side; cos_reach is 0 then
    double intensity = 0;       // largest over directions, candela of luminance, positive
    u32 light = 0;              // index of its record
};

struct LightTree {
    std::vector<shaders::LightNode> nodes;  // the root first; empty without lights
    std::vector<u32> path;                  // LightRecord::tree_path, in the order of the bounds
};

// At most 2³¹ lights.
LightTree make_light_tree(std::span<const LightBounds> lights);

}  // namespace weft::trace
