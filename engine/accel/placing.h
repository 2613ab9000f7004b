// placing.h — decides for each instance whether traversal sees its triangles in world space or in
// object space, and computes their corners and boxes.
//
// An instance that is the only visible user of its mesh (or whose matrix has no inverse) is
// *baked*: the build transforms its vertices to the world. Other instances are *placed*: their mesh
// has a BLAS, and traversal transforms the ray. The decision and all numbers depend on the scene
// and on visibility alone, because hits depend on them. Used by the builder, by the brute force and
// by the Embree reference. Pure; any thread.
#pragma once

#include <array>
#include <vector>

#include "engine/scene/model/scene.h"
#include "scheduler/base/ids.h"

namespace weft::accel {

using math::Box;
using Point = math::Vec3;
using Corners = std::array<Point, 3>;

// True if Embree's builder accepts the box: within scene::kReach_m and margins.
bool is_in_reach(const Box& box);

// The decision for a scene; each list is sorted.
struct Placing {
    std::vector<u32> baked;   // instances
    std::vector<u32> placed;  // instances
    std::vector<u32> shared;  // meshes of the placed instances
};

// `is_visible` by instance; empty: all are.
Placing decide_placing(const scene::Scene& scene, const std::vector<bool>& is_visible);

Corners object_corners(const scene::Scene& scene, u32 mesh, u32 primitive);

// Corners of a baked instance: ((m0·x + m1·y) + m2·z) + m3 per row, in float, not fused.
Corners world_corners(const scene::Scene& scene, u32 instance, u32 primitive);

// Biased exponent of the power of two by which a triangle's box is widened: at least 2⁻²⁰ of its
// largest coordinate.
u8 margin_exponent(const Corners& corners);

// The triangle's box, widened by its margin.
Box bounds_of(const Corners& corners);

// True for triangles without area, or with a corner that is not finite or out of reach
// (scene::kReach_m). No tree holds them.
bool is_degenerate(const Corners& corners);

// Marks instances of which a part is out of reach and so in no tree. The tree counts them as not
// held: when they move, a patch adds all of their triangles.
class FarMarks {
public:
    explicit FarMarks(std::size_t instance_count) : marks_(instance_count, 0) {}

    // Any thread.
    void mark(u32 instance);
    void take_from(std::vector<bool>& is_held) const;

private:
    std::vector<u8> marks_;
};

// True if the triangle is not degenerate. Marks the instance if a corner is out of reach.
bool is_drawable(const Corners& corners, u32 instance, FarMarks& far);

// Boxes whose union holds the corners of all drawable triangles of a mesh: the mesh's box in 4×4×4
// cells, each shrunk to its corners.
std::vector<Box> mesh_cells(const scene::Scene& scene, u32 mesh);

// A conservative world box of a placed mesh's cells. If it is not in reach no tree holds the
// placement.
Box placed_bounds(const std::vector<Box>& cells, const math::Affine& object_to_world);

// True if hits on this material need alpha decisions, or tint shadow rays.
bool needs_flag(const shaders::MaterialRecord& material);

// True if the triangles of an instance get a flag: by `flagged` (by instance), or, where that is
// empty, by needs_flag() of its material.
bool must_flag(const scene::Scene& scene, const std::vector<bool>& flagged, u32 instance);

}  // namespace weft::accel
