// far_tree.h — a wood of boxes, panes and placed trees, and its tree cut into treelets as a device
// has them, for tests of rays through local memory.
//
// Used by the tests of this folder only; one thread.
#pragma once

#include <cstring>
#include <vector>

#include "engine/trace/treelets.h"
#include "scheduler/base/huge_pages.h"
#include "tests/engine/accel/test_stage.h"

namespace weft::trace::test {

// Random small triangles within a cube.
inline std::vector<accel::Corners> leaves(u32 count, float size, u64 seed) {
    accel::Dice dice(seed);
    std::vector<accel::Corners> triangles;
    for (u32 k = 0; k < count; ++k) {
        const accel::Point at = dice.point(size);
        accel::Corners corners{};
        for (accel::Point& corner : corners) {
            const accel::Point away = dice.point(size * 0.08f);
            corner = {at.x + away.x, at.y + away.y, at.z + away.z};
        }
        triangles.push_back(corners);
    }
    return triangles;
}

// Triangles of an only instance, flagged ones among them, and a shared mesh with some placements.
inline accel::Stage wood(u32 triangles, u32 placements) {
    accel::Stage stage;
    const u32 veil = stage.add_material(accel::veil_material(0.5f));
    const u32 pane = stage.add_material(accel::pane_material());
    stage.add(leaves(triangles, 4, 1));
    stage.add(leaves(triangles / 8, 4, 2), veil);
    stage.add(leaves(triangles / 8, 4, 3), pane);
    const u32 bush = stage.add_mesh(leaves(triangles / 8, 1, 4));
    accel::Dice dice(5);
    for (u32 k = 0; k < placements; ++k) {
        math::Affine to_world = math::kIdentity;
        const accel::Point at = dice.point(4);
        to_world[3] = at.x;
        to_world[7] = at.y;
        to_world[11] = at.z;
        stage.add_instance(bush, 0, to_world);
    }
    stage.finish();
    return stage;
}

inline accel::Rays shoot_into_wood(u32 count, u64 seed) {
    accel::Dice dice(seed);
    accel::Rays rays;
    for (u32 k = 0; k < count; ++k) {
        const accel::Point from = dice.point(5);
        rays.add(from, dice.point(1), k % 3 == 0 ? 2.0f : 1e30f);
    }
    return rays;
}

// Images, places and placements in memory that the test may overwrite.
class FarTree {
public:
    FarTree(const accel::Acceleration& tree, u32 treelet_bytes)
        : cut_(tree.view(), tree.nodes.size(), treelet_bytes),
          images_(cut_.size_bytes()),
          placements_(tree.placements.data(), tree.placements.data() + tree.placements.size()) {
        for (u32 treelet = 0; treelet < cut_.count(); ++treelet) {
            cut_.write(treelet, images_.data() + cut_.places()[treelet]);
        }
    }

    [[nodiscard]] TreeletView view() const {
        return {images_.data(),
                cut_.places().data(),
                placements_.data(),
                cut_.count(),
                cut_.most_bytes(),
                cut_.most_ways_out()};
    }

    [[nodiscard]] TreeletParts parts(u32 treelet) const {
        return parts_of(images_.data() + cut_.places()[treelet]);
    }

    // Overwrites all that a device has of the tree.
    void poison() {
        std::memset(images_.data(), 0xff, images_.size_bytes());
        std::memset(static_cast<void*>(placements_.data()),
                    0xff,
                    placements_.size() * sizeof(shaders::Placement));
    }

private:
    TreeletCut cut_;
    base::PageArray<std::byte> images_;
    std::vector<shaders::Placement> placements_;
};

}  // namespace weft::trace::test
