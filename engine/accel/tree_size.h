// tree_size.h — how many triangles a tree over a scene holds, and the memory that its build takes,
// before it is built. Pure.
#pragma once

#include "engine/accel/placing.h"

namespace weft::accel {

// Peak memory of a build per triangle (its box, its share of Embree's nodes and of the arrays), and
// per placement (the same and its record). Measured (tests/bench/notebook/scenes.md, 2026-11-22).
inline constexpr u64 kBuildBytesOfTriangle = 125;
inline constexpr u64 kBuildBytesOfPlacement = 500;

// Triangles of baked instances, plus those of each shared mesh once.
inline u64 triangles_in_tree(const scene::Scene& scene, const Placing& placing) {
    u64 triangles = 0;
    for (const u32 instance : placing.baked) {
        triangles += scene.meshes[scene.instances[instance].mesh].record.triangle_count;
    }
    for (const u32 mesh : placing.shared) {
        triangles += scene.meshes[mesh].record.triangle_count;
    }
    return triangles;
}

}  // namespace weft::accel
