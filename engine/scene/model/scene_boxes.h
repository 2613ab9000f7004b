// scene_boxes.h — the world box of a scene, and what it was put together from, so that of an edited
// scene only what has moved is looked at again.
//
// Plain data. Made by any thread that may read the scene; looking at triangles fans out.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::scene {

using SceneBox = std::array<std::array<float, 3>, 2>;  // low > high where there is nothing

// How far from the origin a corner may lie on any axis: Embree's builder (3.13) ends the program
// where coordinates reach 1.8e18. A triangle with a corner out of reach is drawn nowhere.
inline constexpr float kReach_m = 1e18f;

inline bool is_in_reach(const std::array<float, 3>& p) {
    return std::fabs(p[0]) <= kReach_m && std::fabs(p[1]) <= kReach_m &&
           std::fabs(p[2]) <= kReach_m;
}

struct SceneBoxes {
    SceneBox whole{};       // scene_bounds(), to the bit
    u64 far_triangles = 0;  // out of reach and in no box; instances multiplied out
    // By instance where each corner is placed, by mesh in its own space where there are too many.
    std::vector<SceneBox> boxes;
    std::vector<u64> far;  // by box: its triangles out of reach
    bool is_by_mesh = false;
    u64 made = 0;  // of these, not taken from others
    // What they are boxes of: shared arrays.
    Arena<u32> indices;
    Arena<float> positions;
    Arena<Mesh> meshes;
    Arena<Instance> instances;
};

// With those of a former scene (null: none), whose boxes are kept where the same triangles still
// stand in the same place under the same number.
SceneBoxes make_scene_boxes(const Scene& scene, const SceneBoxes* maybe_former);

// A sentence about `far_triangles`; empty where there are none.
std::string far_note(const SceneBoxes& boxes);

}  // namespace weft::scene
