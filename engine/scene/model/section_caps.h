// section_caps.h — closes the solids that clip planes cut: the cut faces as triangles of their own.
//
// A mesh's section by a plane is a set of contours; it is filled where the contours wind around
// once or more (front faces outwards; a room that faces inwards is no solid and stays open). Each
// cap is a mesh in the world and an instance of the same node and material, cut by all the other
// planes. The program calls it before it prepares a frame, on one thread. The filling is a plane
// sweep that cuts the polygon into trapezoids (Fournier and Montuno, "Triangulating Simple Polygons
// and Equivalent Problems", ACM TOG 1984).
#pragma once

#include <array>
#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::scene {

// A directed edge of a contour in the plane's own coordinates, with the solid on its left.
struct ContourEdge {
    std::array<double, 2> from;
    std::array<double, 2> to;
};

// Triangles (three points each, counter-clockwise) that cover the area that the contours wind
// around. Leaves out stretches in which the contours do not close, and sets `is_open` there.
std::vector<std::array<double, 2>> fill_contours(const std::vector<ContourEdge>& edges,
                                                 bool& is_open);

struct CapFigures {
    u32 caps = 0;
    u64 triangles = 0;
    u32 open = 0;  // sections that do not close; noted
};

// Appends a cap for each instance and each plane that cuts it.
CapFigures append_caps(Scene& scene, const std::vector<shaders::ClipPlane>& planes);

}  // namespace weft::scene
