// yard.h — a scene of small meshes that tests of patches edit: six with one instance each, and one
// with four, which are placed.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/accel/acceleration.h"
#include "tests/engine/accel/test_stage.h"

namespace weft::accel {

using TreePtr = std::shared_ptr<const Acceleration>;

inline constexpr u32 kShared = 6;  // the mesh with several instances

// The editable state: transforms, existence, visibility and flags of instances (the second material
// needs a flag).
struct Yard {
    scene::Scene scene;
    std::vector<bool> is_visible;
};

inline math::Affine somewhere(Dice& dice) {
    math::Affine matrix = math::kIdentity;
    const Point shift = dice.point(1);
    for (u32 axis = 0; axis < 3; ++axis) {
        matrix[5 * axis] = 0.8F + 0.3F * shift[axis];
        matrix[4 * axis + 3] = 0.7F * shift[(axis + 1) % 3];
    }
    return matrix;
}

// Meshes 0 to 5 have one instance each, the shared one has four, which are placed.
inline Yard make_yard(u64 seed) {
    Dice dice(seed);
    Stage stage;
    stage.add_material(veil_material(0.5F));
    for (u32 mesh = 0; mesh < kShared; ++mesh) {
        const u32 count = mesh == 0 ? 1 : 40 + 60 * mesh;
        stage.add_instance(
            stage.add_mesh(triangle_soup(count, 0.2F, seed + mesh)), mesh % 2, somewhere(dice));
    }
    const u32 shared = stage.add_mesh(triangle_soup(90, 0.3F, seed + kShared));
    for (u32 k = 0; k < 4; ++k) {
        stage.add_instance(shared, 0, somewhere(dice));
    }
    Yard yard{stage.scene(), {}};
    u32 number = 0;
    for (scene::Instance& instance : yard.scene.instances) {
        instance.node = "node " + std::to_string(number++);
    }
    yard.is_visible.assign(number, true);
    return yard;
}

inline BuildConfig config_of(const Yard& yard) {
    BuildConfig config;
    config.is_visible = yard.is_visible;
    return config;
}

inline TreePtr build(const Yard& yard) {
    base::Result<Acceleration> tree = build_acceleration(yard.scene, config_of(yard));
    REQUIRE(tree.is_ok());
    return std::make_shared<const Acceleration>(std::move(tree.value()));
}

}  // namespace weft::accel
