// wide_scene.h — the rich scene with meshes of many pages, for frames whose tree lies in pages.
//
// Used by the tests of this folder only; one thread.
#pragma once

#include "tests/engine/frame/rich_scene.h"

namespace weft::tests {

// One of the large meshes is placed, the other is baked.
inline scene::Scene wide_scene() {
    scene::Scene scene = rich_scene();
    const u32 stone = add_material(scene, plastic({0.5F, 0.4F, 0.3F}, 0.6F));
    const u32 ball = add_mesh(scene, uv_sphere({0, 0, 0}, 0.4F, 96, 64, Shading::Smooth), stone);
    for (u32 k = 0; k < 5; ++k) {
        const auto f = static_cast<float>(k);
        add_instance(scene, ball, placed({1, 1 + 0.1F * f, 1}, {-2 + f, 2.6F, -1.5F + 0.4F * f}));
    }
    add_object(scene,
               uv_sphere({0.3F, 0.5F, -1.6F}, 0.5F, 128, 64, Shading::Smooth),
               plastic({0.3F, 0.5F, 0.7F}, 0.3F));
    return scene;
}

}  // namespace weft::tests
