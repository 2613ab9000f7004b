// test_tree_pieces.cpp — pieces of a tree hold each of its leaves once, largest cut first, and lie
// one behind the other in the order of the tree over them.
#include <algorithm>

#include <doctest/doctest.h>

#include "engine/accel/tree_pieces.h"
#include "tests/engine/accel/test_stage.h"

namespace weft::accel {

namespace {

constexpr u32 kTriangles = 5000;

SplitTree split_soup(const std::vector<Corners>& triangles) {
    SplitInput input;
    input.resize(triangles.size());
    for (u32 k = 0; k < triangles.size(); ++k) {
        input.set(k, {0, k}, bounds_of(triangles[k]));
    }
    auto tree = SplitTree::build(std::move(input), {}, "a soup");
    REQUIRE(tree.is_ok());
    return std::move(tree.value());
}

// The tree over the pieces, which are its items behind `first_index` others.
SplitTree split_pieces(const std::vector<TreePiece>& pieces, u32 first_index) {
    SplitInput input;
    input.resize(pieces.size());
    for (u32 k = 0; k < pieces.size(); ++k) {
        input.set(k, {0, first_index + k}, pieces[k].tree->box);
    }
    auto tree = SplitTree::build(std::move(input), {.leaf_items = 1}, "pieces");
    REQUIRE(tree.is_ok());
    return std::move(tree.value());
}

void add_items(const SplitNode& tree, std::vector<u32>& items) {
    if (tree.child_count == 0) {
        for (u32 k = 0; k < tree.item_count; ++k) {
            items.push_back(tree.item[k].index);
        }
        return;
    }
    for (u32 c = 0; c < tree.child_count; ++c) {
        add_items(*tree.child[c], items);
    }
}

std::vector<u32> items_of(const std::vector<TreePiece>& pieces) {
    std::vector<u32> items;
    for (const TreePiece& piece : pieces) {
        add_items(*piece.tree, items);
    }
    std::sort(items.begin(), items.end());
    return items;
}

}  // namespace

TEST_SUITE("engine/accel/tree_pieces") {
    TEST_CASE("pieces hold each triangle once however many they are") {
        const SplitTree tree = split_soup(triangle_soup(kTriangles, 0.1f, 1));
        const SplitNode& root = *tree.maybe_root();
        for (const u64 most : {u64{0}, u64{1}, u64{2}, u64{9}, u64{700}, u64{1000000}}) {
            CAPTURE(most);
            const std::vector<TreePiece> pieces = cut_pieces(root, most);
            const std::vector<u32> items = items_of(pieces);
            CHECK(items.size() == kTriangles);
            CHECK(std::adjacent_find(items.begin(), items.end()) == items.end());
            CHECK(pieces.size() >= std::clamp(most, u64{1}, root.leaf_count));
            CHECK(pieces.size() < std::max(most, u64{1}) + kMaxChildren);
        }
        CHECK(cut_pieces(root, 1)[0].tree == &root);
        CHECK(cut_pieces(root, 1000000).size() == root.leaf_count);
    }

    TEST_CASE("a node's box is the smallest that holds the boxes of its triangles") {
        const std::vector<Corners> triangles = triangle_soup(kTriangles, 0.1f, 2);
        const SplitTree tree = split_soup(triangles);
        for (const TreePiece& piece : cut_pieces(*tree.maybe_root(), 300)) {
            Box box;
            for (const u32 item : items_of({piece})) {
                box.include(bounds_of(triangles[item]));
            }
            CHECK(piece.tree->box == box);
        }
    }

    TEST_CASE("places of pieces follow each other without gaps in the order of the tree") {
        constexpr u32 kFirstIndex = 7;
        const SplitTree tree = split_soup(triangle_soup(kTriangles, 0.1f, 3));
        const SplitNode& root = *tree.maybe_root();
        for (const u64 most : {u64{1}, u64{300}, u64{1000000}}) {
            CAPTURE(most);
            std::vector<TreePiece> pieces = cut_pieces(root, most);
            const SplitTree top = split_pieces(pieces, kFirstIndex);
            Place next = {40, 50};
            const Place end = place_pieces(*top.maybe_root(), kFirstIndex, next, pieces);
            std::vector<u32> order;
            add_items(*top.maybe_root(), order);
            REQUIRE(order.size() == pieces.size());
            for (const u32 index : order) {
                const TreePiece& piece = pieces[index - kFirstIndex];
                CHECK(piece.place.node == next.node);
                CHECK(piece.place.block == next.block);
                next.node += static_cast<u32>(piece.tree->node_count);
                next.block += static_cast<u32>(piece.tree->leaf_count);
            }
            CHECK(end.node == next.node);
            CHECK(end.block == next.block);
            CHECK(end.block == 50 + root.leaf_count);
        }
    }
}

}  // namespace weft::accel
