// rich_scene.h — one small room with everything that could make bits depend on who traces it.
#pragma once

#include "tests/engine/trace/small_scenes.h"

namespace weft::tests {

// Instances (mirrored, non-uniform), alpha, glass and several materials in one room.
inline scene::Scene rich_scene() {
    scene::Scene scene;
    add_object(scene, box({-3, 0, -3}, {3, 4, 3}, Facing::In), lambert({0.7F, 0.6F, 0.5F}));
    add_object(scene, quad({-0.8F, 3.95F, 0.8F}, {1.6F, 0, 0}, {0, 0, -1.6F}), emitter({9, 8, 7}));
    add_object(
        scene, uv_sphere({-1.2F, 0.9F, 0}, 0.8F, 24, 12, Shading::Smooth), glass(1.5F, 0.1F));
    add_object(scene,
               uv_sphere({1.1F, 0.7F, 0.6F}, 0.6F, 20, 10, Shading::Flat),
               metal({0.9F, 0.7F, 0.3F}, 0.3F));
    shaders::MaterialRecord leaf = plastic({0.2F, 0.6F, 0.2F}, 0.5F);
    leaf.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
    leaf.base_color[3] = 0.5F;
    add_object(scene, quad({-2, 0.5F, 1.5F}, {1.5F, 0, 0}, {0, 1.5F, 0}), leaf);
    add_object(
        scene, quad({0.4F, 0.4F, 1.8F}, {1.4F, 0, 0}, {0, 1.6F, 0}), window({0.6F, 0.8F, 1}, 0));
    const u32 stone = add_material(scene, plastic({0.6F, 0.3F, 0.25F}, 0.4F));
    const u32 pebble = add_mesh(scene, uv_sphere({0, 0, 0}, 0.25F, 12, 6, Shading::Smooth), stone);
    for (u32 k = 0; k < 30; ++k) {
        const auto f = static_cast<float>(k);
        const float sign = k % 3 == 0 ? -1.0F : 1.0F;
        add_instance(scene,
                     pebble,
                     placed({sign * (1 + 0.02F * f), 0.5F + 0.03F * f, 1},
                            {-2.5F + 0.17F * f, 0.2F, -1.5F + 0.5F * static_cast<float>(k % 4)}));
    }
    set_camera(scene, {0, 1.8F, 2.9F}, {0, 1.2F, 0}, 1.1F);
    return scene;
}

}  // namespace weft::tests
