// scene_boxes.h — the world box of a scene with the boxes that it was joined from, so that an edit
// computes the boxes of moved instances alone.
//
// Plain data. Any thread that may read the scene makes them; the pass over triangles fans out.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::scene {

// How far from the origin a corner may lie on any axis: Embree's builder (3.13) ends the program
// where coordinates reach 1.8e18. A triangle with a corner out of reach is drawn nowhere.
inline constexpr float kReach_m = 1e18f;

inline bool is_in_reach(const math::Vec3& p) {
    return std::fabs(p.x) <= kReach_m && std::fabs(p.y) <= kReach_m && std::fabs(p.z) <= kReach_m;
}

struct SceneBoxes {
    math::Box whole;        // scene_bounds(), to the bit
    u64 far_triangles = 0;  // out of reach and in no box; instances multiplied out
    // One for each instance in the world; for very many corners one for each mesh in its own space.
    std::vector<math::Box> boxes;
    std::vector<u64> far;  // by box: its triangles out of reach
    bool is_by_mesh = false;
    u64 made = 0;  // boxes computed, not taken from a former scene
    // The arrays that the boxes were computed from, shared with the scene.
    GeometryArena<u32> indices;
    GeometryArena<float> positions;
    Arena<Mesh> meshes;
    Arena<Instance> instances;
};

// Keeps those boxes of a former scene (null: none) whose triangles, matrix and instance number are
// the same.
SceneBoxes make_scene_boxes(const Scene& scene, const SceneBoxes* maybe_former);

// The note on `far_triangles`; empty where there are none.
std::string far_note(const SceneBoxes& boxes);

}  // namespace weft::scene
