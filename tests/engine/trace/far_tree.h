// far_tree.h — a wood of boxes, panes and placed trees, and its tree cut into treelets as a device
// has them, for tests of rays through local memory.
//
// Used by the tests of this folder only; one thread.
#pragma once

#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "engine/accel/paged_tree.h"
#include "engine/trace/page_treelets.h"
#include "scheduler/base/huge_pages.h"
#include "tests/engine/accel/test_stage.h"
#include "tests/engine/pages/sample_tree.h"

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

// The same tree in pages, of which the least budget for so many readers is in memory; its subtrees
// are treelets of at most so many bytes.
inline accel::Acceleration in_pages(const accel::Stage& stage,
                                    const pages::testing::TestFolder& folder,
                                    u32 treelet_bytes,
                                    u32 reader_count) {
    accel::PagingConfig paging;
    paging.folder = folder.file("pages");
    paging.budget_bytes = u64{1} << 30;
    paging.page_bytes = u64{16} << 10;
    paging.subtree_bytes = treelet_bytes - sizeof(TreeletHeader);
    paging.reader_count = reader_count;
    auto roomy = accel::page_acceleration(stage.scene(), {}, paging);
    REQUIRE_MESSAGE(roomy.is_ok(), roomy.error().sentence);
    const pages::PageFigures figures = roomy.value().store->figures();
    paging.budget_bytes = figures.resident_bytes + figures.least_bytes;
    REQUIRE(figures.least_bytes < figures.bytes);
    auto made = accel::page_acceleration(stage.scene(), {}, paging);
    REQUIRE_MESSAGE(made.is_ok(), made.error().sentence);
    return std::move(made.value());
}

// Images, places and placements in memory that the test may overwrite.
class FarTree {
public:
    FarTree(const accel::Acceleration& tree, u32 treelet_bytes)
        : page_rows_(tree.store ? tree.store->rows() : pages::PageRows{}),
          rows_(tree.store ? tree.store->resident() : rows_of(tree)),
          pages_(tree.store ? PageTreelets::make(*tree.store, treelet_bytes)
                            : base::Error{base::ErrorKind::Usage, "no pages"}),
          cut_(tree.view(), rows_.first_node, rows_.node_count, treelet_bytes),
          images_(cut_.size_bytes()),
          placements_(rows_.placements.begin(), rows_.placements.end()) {
        REQUIRE(pages_.is_ok() == (tree.store != nullptr));
        for (u32 treelet = 0; treelet < cut_.count(); ++treelet) {
            cut_.write(treelet, images_.data() + cut_.places()[treelet]);
        }
    }

    [[nodiscard]] TreeletView view() const {
        return {.images = images_.data(),
                .places = cut_.places().data(),
                .placements = placements_.data(),
                .pages = pages_.is_ok() ? &pages_.value() : nullptr,
                .page_nodes = page_rows_.nodes.data(),
                .page_blocks = page_rows_.blocks.data(),
                .count = cut_.count(),
                .most_bytes = cut_.most_bytes(),
                .most_ways_out = cut_.most_ways_out()};
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
    static pages::ResidentRows rows_of(const accel::Acceleration& tree) {
        pages::ResidentRows rows;
        rows.node_count = static_cast<u32>(tree.nodes.size());
        rows.placements = {tree.placements.data(), tree.placements.size()};
        return rows;
    }

    pages::PageRows page_rows_;
    pages::ResidentRows rows_;
    base::Result<PageTreelets> pages_;
    TreeletCut cut_;
    base::PageArray<std::byte> images_;
    std::vector<shaders::Placement> placements_;
};

}  // namespace weft::trace::test
