// test_treelets.cpp — a cut holds every node, block and placement once, in images that are small
// enough and refer to nothing outside.
#include <set>

#include <doctest/doctest.h>

#include "tests/engine/trace/far_tree.h"

namespace weft::trace::test {

namespace {

u32 kind_of(u32 ref) {
    return ref & shaders::kRefKind;
}

// Whether a reference names a row of the image.
bool is_inside(const TreeletHeader& header, u32 ref) {
    const u32 index = ref & shaders::kRefIndex;
    switch (kind_of(ref)) {
        case shaders::kRefNode:
            return index < header.node_count;
        case shaders::kRefLeaf:
            return index < header.block_count;
        case shaders::kRefInstance:
            return index < header.placement_count;
        default:
            return ref == shaders::kRefEmpty || index < header.exit_count;
    }
}

}  // namespace

TEST_SUITE("engine/trace/treelets") {
    TEST_CASE("F12 F16 treelets hold every part of a tree once and fit into an entry") {
        const accel::Stage stage = wood(3000, 40);
        const accel::Acceleration tree = accel::must_build(stage);
        for (const u32 bytes : {1024U, 4096U, 65536U, 1U << 24}) {
            CAPTURE(bytes);
            const FarTree far(tree, bytes);
            const TreeletView view = far.view();
            CHECK((view.count > 2) == (bytes < 1U << 24));
            u64 nodes = 0;
            u64 blocks = 0;
            std::set<u32> placements;
            std::set<u32> reached = {0};
            u32 outside = 0;
            for (u32 treelet = 0; treelet < view.count; ++treelet) {
                CHECK(view.size_of(treelet) <= bytes);
                const TreeletParts parts = far.parts(treelet);
                const TreeletHeader& header = *parts.header;
                nodes += header.node_count;
                blocks += header.block_count;
                CHECK(header.ways_out <= view.most_ways_out);
                outside += is_inside(header, header.root) ? 0U : 1U;
                for (u32 node = 0; node < header.node_count; ++node) {
                    for (const u32 ref : parts.nodes[node].child) {
                        outside += is_inside(header, ref) ? 0U : 1U;
                    }
                }
                for (u32 k = 0; k < header.placement_count; ++k) {
                    const shaders::Placement& placement = parts.placements[k];
                    placements.insert(placement.reserved[0]);
                    outside += shaders::is_page(placement.root) ? 0U : 1U;
                    outside += is_inside(header, placement.root) ? 0U : 1U;
                }
                for (u32 k = 0; k < header.exit_count; ++k) {
                    CHECK(parts.exits[k].page == 0);
                    reached.insert(parts.exits[k].ref);
                }
            }
            CHECK(outside == 0);
            CHECK(nodes == tree.node_count);
            CHECK(blocks == tree.block_count);
            CHECK(placements.size() == 40);
            CHECK(reached.size() == view.count);
            CHECK(*reached.rbegin() == view.count - 1);
        }
    }

    TEST_CASE("a tree without anything to hit has no treelet") {
        const FarTree far(accel::Acceleration{}, 4096);
        CHECK(far.view().count == 0);
    }
}

}  // namespace weft::trace::test
