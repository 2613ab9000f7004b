// section_caps.h — closes the solids that clip planes cut: the cut faces as triangles of their own.
//
// A mesh's section by a plane is a set of contours; it is filled where the contours wind around
// once or more (front faces outwards; a room that faces inwards is no solid and stays open). Each
// cap is a mesh in the world and an instance of the same node and material, cut by all the other
// planes. Called by the program before a frame is prepared, on one thread. The filling is a plane
// sweep that cuts the polygon into trapezoids (Fournier and Montuno, "Triangulating Simple Polygons
// and Equivalent Problems", ACM TOG 1984).
#pragma once

#include <array>
#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::scene {

// A directed edge of a contour in the plane's own coordinates, what is solid on its left.
struct ContourEdge {
    std::array<double, 2> from;
    std::array<double, 2> to;
};

// Triangles (three points each, counter-clockwise) that cover what the contours wind around.
// Stretches in which the contours do not close are left out and set `is_open`.
std::vector<std::array<double, 2>> fill_contours(const std::vector<ContourEdge>& edges,
                                                 bool& is_open);

struct CapFigures {
    u32 caps = 0;
    u64 triangles = 0;
    u32 open = 0;  // sections that do not close; noted
};

// For each instance and each plane that cuts it; nothing for instances that the plane misses.
CapFigures append_caps(Scene& scene, const std::vector<shaders::ClipPlane>& planes);

}  // namespace weft::scene
