// test_treelets.cpp — a cut holds every node, block and placement once, in images that are small
// enough and refer to nothing outside.
#include <set>
#include <string>

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

    TEST_CASE("F12 F16 the subtrees of pages are treelets and hold every block once") {
        const accel::Stage stage = wood(3000, 40);
        const pages::testing::TestFolder folder;
        for (const u32 bytes : {1024U, 4096U}) {
            CAPTURE(bytes);
            const accel::Acceleration tree = in_pages(stage, folder, bytes, 1);
            const FarTree far(tree, bytes);
            const TreeletView view = far.view();
            const PageTreelets& pages = *view.pages;
            CHECK(pages.root_count() > 100);
            // Every page root lies behind an exit of the device's treelets.
            std::set<u32> reached = {0};
            for (u32 treelet = 0; treelet < view.count; ++treelet) {
                CHECK(view.size_of(treelet) <= bytes);
                CHECK(far.parts(treelet).header->block_count == 0);
                for (u32 k = 0; k < far.parts(treelet).header->exit_count; ++k) {
                    reached.insert(far.parts(treelet).exits[k].ref);
                }
            }
            for (u32 root = 0; root < pages.root_count(); ++root) {
                CHECK(reached.contains(view.count + root) == (pages.page_of(root) != kNone));
            }
            // A copy holds the subtree, and copies of a page hold all of its nodes and blocks.
            base::PageArray<std::byte> image(bytes);
            const u32 reader = tree.store->join();
            u64 wrong = 0;
            for (u32 page = 0; page < tree.store->figures().count; ++page) {
                for (u64 arrivals = tree.store->arrivals();
                     tree.store->fetch(reader, page) != weft::pages::Fetch::Near;
                     arrivals = tree.store->arrivals()) {
                    tree.store->wait_beyond(arrivals);
                }
                unit::BusCounters counted;
                u64 held = 0;
                const RootRange roots = pages.roots_of(page);
                for (u32 root = roots.begin; root < roots.end; ++root) {
                    if (pages.page_of(root) != page) {
                        continue;
                    }
                    REQUIRE(pages.copy(root, view, image.data(), counted));
                    const TreeletParts parts = parts_of(image.data());
                    wrong += is_inside(*parts.header, parts.header->root) ? 0U : 1U;
                    for (u32 node = 0; node < parts.header->node_count; ++node) {
                        for (const u32 ref : parts.nodes[node].child) {
                            wrong += is_inside(*parts.header, ref) ? 0U : 1U;
                        }
                    }
                    held += parts.header->node_count * sizeof(shaders::BvhNode) +
                            parts.header->block_count * sizeof(shaders::LeafBlock);
                }
                const weft::pages::PageEntry& entry = tree.store->resident().pages[page];
                const u64 whole = entry.node_count * sizeof(shaders::BvhNode) +
                                  entry.block_count * sizeof(shaders::LeafBlock);
                CHECK(held == whole);
                CHECK(counted.bytes == whole);
                tree.store->end_walk(reader, page);
            }
            CHECK(wrong == 0);
        }
    }

    TEST_CASE("a page file that was cut for another device is refused") {
        const accel::Stage stage = wood(3000, 4);
        const pages::testing::TestFolder folder;
        const accel::Acceleration tree = in_pages(stage, folder, 4096, 1);
        CHECK(PageTreelets::make(*tree.store, 4096).is_ok());
        const auto refused = PageTreelets::make(*tree.store, 1024);
        REQUIRE(!refused.is_ok());
        CHECK(refused.error().sentence.find("another device") != std::string::npos);
    }

    TEST_CASE("a tree without anything to hit has no treelet") {
        const FarTree far(accel::Acceleration{}, 4096);
        CHECK(far.view().count == 0);
    }
}

}  // namespace weft::trace::test
