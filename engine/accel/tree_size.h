// tree_size.h — how many triangles a tree over a scene holds, before it is built. Pure.
#pragma once

#include "engine/accel/placing.h"

namespace weft::accel {

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
