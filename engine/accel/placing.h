// placing.h — where the triangles of a scene are for traversal: in the world, or in a mesh's own
// space.
//
// An instance that is the only visible user of its mesh (or whose matrix cannot be inverted) is
// *baked*: its vertices are transformed to the world once. The others are *placed*: their mesh has
// a tree of its own and the ray is transformed. The choice and all numbers here depend on the scene
// and on visibility alone, because hits depend on them. Used by the builder, by its slow twin and
// by the Embree reference. Pure; any thread.
#pragma once

#include <array>
#include <vector>

#include "engine/scene/model/scene.h"
#include "scheduler/base/ids.h"

namespace weft::accel {

using Point = std::array<float, 3>;
using Corners = std::array<Point, 3>;

struct Box {
    Point low{__builtin_huge_valf(), __builtin_huge_valf(), __builtin_huge_valf()};
    Point high{-__builtin_huge_valf(), -__builtin_huge_valf(), -__builtin_huge_valf()};
    void include(const Point& point);
    void include(const Box& box);

    [[nodiscard]] bool is_empty() const { return !(low[0] <= high[0]); }

    // Whether Embree's builder can take it: scene::kReach_m and margins.
    [[nodiscard]] bool is_in_reach() const;
};

// Lists of indices, each rising.
struct Placing {
    std::vector<u32> baked;   // instances
    std::vector<u32> placed;  // instances
    std::vector<u32> shared;  // meshes of the placed ones
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

// No area, or a corner that is not finite or out of reach (scene::kReach_m): such triangles are in
// no tree.
bool is_degenerate(const Corners& corners);

// Instances of which a part is in no tree because it is out of reach. A tree does not hold them:
// once they are moved, a patch adds all of them.
class FarMarks {
public:
    explicit FarMarks(std::size_t instance_count) : marks_(instance_count, 0) {}

    // Any thread.
    void mark(u32 instance);
    void take_from(std::vector<bool>& is_held) const;

private:
    std::vector<u8> marks_;
};

// Not degenerate; an instance that has a corner out of reach is marked.
bool is_drawable(const Corners& corners, u32 instance, FarMarks& far);

// The inverse, by cofactors in double precision and rounded once; false where there is none that is
// finite.
bool invert(const scene::Affine& matrix, scene::Affine& inverse);

// Boxes that together hold all proper triangles' corners of a mesh: its box in 4×4×4 cells, each
// shrunk to what is in it.
std::vector<Box> mesh_cells(const scene::Scene& scene, u32 mesh);

// A world box that surely holds the cells of a placed mesh. Where it is not in reach the placement
// is in no tree.
Box placed_bounds(const std::vector<Box>& cells, const scene::Affine& object_to_world);

// True if traversal has to ask about hits on this material: alpha decisions, or shadow rays that go
// on tinted.
bool needs_flag(const shaders::MaterialRecord& material);

// Whether hits on an instance are asked about: as `asked` says by instance; where that is empty, as
// its material needs.
bool must_flag(const scene::Scene& scene, const std::vector<bool>& flagged, u32 instance);

}  // namespace weft::accel
