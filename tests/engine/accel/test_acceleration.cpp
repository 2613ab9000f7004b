// test_acceleration.cpp — a built tree: holds every drawable triangle once, boxes contain their
// subtrees, depth-first order, exact sizes, the same hits for any number of threads, and error
// sentences for scenes beyond the limits.
#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

#include <doctest/doctest.h>

#include "shaders/traverse/decoded_node.h"
#include "tests/engine/accel/test_stage.h"

using namespace weft;
using namespace weft::accel;

namespace {

// Walks a tree from `ref`; checks boxes and order on the way and gathers triangles and placements.
struct Walk {
    const Acceleration& tree;
    std::map<std::pair<u32, u32>, u32> triangles{};  // (instance, primitive) → occurrences
    std::vector<u32> placements{};
    u32 nodes = 0;
    u32 blocks = 0;
    u32 wrong_boxes = 0;
    u32 wrong_order = 0;
    u32 mixed_nodes = 0;  // over triangles in world space and placements
    bool is_over_triangles = false;
    bool is_over_placements = false;

    Box walk(u32 ref) {
        const u32 index = ref & shaders::kRefIndex;
        if ((ref & shaders::kRefKind) == shaders::kRefLeaf) {
            is_over_triangles = true;
            return walk_block(tree.blocks[index]);
        }
        if ((ref & shaders::kRefKind) == shaders::kRefInstance) {
            placements.push_back(index);
            is_over_placements = true;
            const shaders::Placement& placement = tree.placements[index];
            Box box;
            for (u32 axis = 0; axis < 3; ++axis) {
                box.low[axis] = placement.bounds[axis][0];
                box.high[axis] = placement.bounds[axis][1];
            }
            return box;
        }
        return walk_node(index);
    }

    Box walk_node(u32 index) {
        const shaders::BvhNode& node = tree.nodes[index];
        ++nodes;
        Box whole;
        const bool was_over_triangles = std::exchange(is_over_triangles, false);
        const bool was_over_placements = std::exchange(is_over_placements, false);
        for (u32 child = 0; child < 8; ++child) {
            Box stored;
            for (u32 axis = 0; axis < 3; ++axis) {
                stored.low[axis] = node.bounds[axis][0][child];
                stored.high[axis] = node.bounds[axis][1][child];
            }
            if (node.child[child] == shaders::kRefEmpty) {
                wrong_boxes += stored.is_empty() ? 0u : 1u;
                continue;
            }
            if ((node.child[child] & shaders::kRefKind) == shaders::kRefNode) {
                wrong_order += node.child[child] > index ? 0u : 1u;
            }
            const Box below = walk(node.child[child]);
            wrong_boxes += below.low == stored.low && below.high == stored.high ? 0u : 1u;
            whole.include(stored);
        }
        mixed_nodes += is_over_triangles && is_over_placements ? 1u : 0u;
        is_over_triangles |= was_over_triangles;
        is_over_placements |= was_over_placements;
        return whole;
    }

    Box walk_block(const shaders::LeafBlock& block) {
        ++blocks;
        Box box;
        for (u32 k = 0; k < 4; ++k) {
            Corners corners{};
            for (u32 corner = 0; corner < 3; ++corner) {
                for (u32 axis = 0; axis < 3; ++axis) {
                    corners[corner][axis] = block.vertex[corner][axis][k];
                }
            }
            wrong_boxes += block.margin[k] == margin_exponent(corners) ? 0u : 1u;
            box.include(bounds_of(corners));
            if ((block.flags >> (8 + k) & 1) != 0) {
                ++triangles[{block.instance[k], block.primitive[k]}];
            }
        }
        return box;
    }
};

// The children of every node from the last to the first.
void reverse_children(Acceleration& tree) {
    for (u32 index = 0; index < tree.nodes.size(); ++index) {
        shaders::BvhNode& node = tree.nodes.data()[index];
        std::reverse(std::begin(node.child), std::end(node.child));
        for (auto& axis : node.bounds) {
            for (auto& side : axis) {
                std::reverse(std::begin(side), std::end(side));
            }
        }
        shaders::order_children(node);
    }
}

// Rays between random points of a box.
Rays random_segments(u32 count) {
    std::mt19937 random(11);
    std::uniform_real_distribution<float> coordinate(-2, 2);
    const auto point = [&] {
        return Point(coordinate(random), coordinate(random), coordinate(random));
    };
    Rays rays;
    for (u32 k = 0; k < count; ++k) {
        const Point from = point();
        rays.add(from, point() - from, 1);
    }
    return rays;
}

}  // namespace

TEST_SUITE("engine/accel/acceleration") {
    TEST_CASE("any-hit rays visit less with children in the order of the build than reversed") {
        // Large triangles that block most rays, among many small ones.
        Stage stage;
        stage.add(triangle_soup(4000, 0.05F, 3));
        stage.add(triangle_soup(40, 2.0F, 4));
        stage.finish();
        Acceleration tree = must_build(stage);
        const Rays rays = random_segments(4000);
        shaders::TraceCounters in_order;
        const Rays found = trace_group(stage, tree, rays, shaders::Isa::Sse4, true, &in_order);
        reverse_children(tree);
        shaders::TraceCounters reversed;
        const Rays again = trace_group(stage, tree, rays, shaders::Isa::Sse4, true, &reversed);
        CHECK(count_differences(found, again) == 0);
        CHECK(count_hits(found) > 1000);
        CHECK(10 * (in_order.node_tests + in_order.leaf_tests) <
              9 * (reversed.node_tests + reversed.leaf_tests));
    }

    TEST_CASE("every triangle is in the tree once and every box contains its subtree") {
        for (const u32 count : {1u, 2u, 4u, 5u, 33u, 2000u, 40000u}) {
            for (const u32 leaf_fill : {1u, 4u}) {
                for (const bool is_high_quality : {true, false}) {
                    CAPTURE(count);
                    CAPTURE(leaf_fill);
                    CAPTURE(is_high_quality);
                    Stage stage;
                    stage.add(triangle_soup(count, 0.1f, count));
                    stage.finish();
                    const Acceleration tree =
                        must_build(stage, {2, leaf_fill, is_high_quality, {}});
                    Walk walk{tree};
                    walk.walk(tree.root);
                    CHECK(walk.triangles.size() == count);
                    CHECK(std::all_of(walk.triangles.begin(),
                                      walk.triangles.end(),
                                      [](const auto& entry) { return entry.second == 1; }));
                    CHECK(walk.wrong_boxes == 0);
                    CHECK(walk.wrong_order == 0);
                    CHECK(walk.nodes == tree.nodes.size());
                    CHECK(walk.blocks == tree.blocks.size());
                    CHECK(walk.blocks >= (count + leaf_fill - 1) / leaf_fill);
                }
            }
        }
    }

    TEST_CASE("a mesh of several instances is stored once and placed as often") {
        Stage stage;
        const u32 shared = stage.add_mesh(triangle_soup(500, 0.1f, 1));
        for (u32 k = 0; k < 40; ++k) {
            stage.add_instance(shared, 0, {1, 0, 0, static_cast<float>(k), 0, 1, 0, 0, 0, 0, 1, 0});
        }
        const u32 own = stage.add(triangle_soup(300, 0.1f, 2));
        stage.finish();
        const Acceleration tree = must_build(stage);
        Walk walk{tree};
        walk.walk(tree.root);
        CHECK(walk.placements.size() == 40);
        CHECK(std::set<u32>(walk.placements.begin(), walk.placements.end()).size() == 40);
        CHECK(walk.wrong_boxes == 0);
        CHECK(walk.triangles.size() == 300);
        CHECK(walk.triangles.count({own, 7}) == 1);
        Walk inside{tree};
        inside.walk(tree.placements[0].root);
        CHECK(inside.triangles.size() == 500);
        CHECK(inside.triangles.count({kNone, 7}) == 1);
        CHECK(walk.nodes + inside.nodes == tree.nodes.size());
        CHECK(walk.blocks + inside.blocks == tree.blocks.size());
        for (const shaders::Placement& placement : tree.placements.span()) {
            CHECK(placement.root == tree.placements[0].root);
        }
    }

    TEST_CASE("neighbours share nodes of one tree whether they are baked or placed") {
        for (const u32 count : {1u, 3u, 6000u}) {
            CAPTURE(count);
            Stage stage;
            stage.add(triangle_soup(count, 0.05f, 8));
            const u32 shared = stage.add_mesh(triangle_soup(20, 0.02f, 9));
            Dice dice(10);
            for (u32 k = 0; k < 200; ++k) {
                const Point at = dice.point(1);
                stage.add_instance(
                    shared, 0, {0.1f, 0, 0, at[0], 0, 0.1f, 0, at[1], 0, 0, 0.1f, at[2]});
            }
            stage.finish();
            const Acceleration tree = must_build(stage);
            Walk walk{tree};
            walk.walk(tree.root);
            CHECK(walk.wrong_boxes == 0);
            CHECK(walk.triangles.size() == count);
            std::sort(walk.placements.begin(), walk.placements.end());
            CHECK(walk.placements.size() == 200);
            CHECK(std::adjacent_find(walk.placements.begin(), walk.placements.end()) ==
                  walk.placements.end());
            CHECK(walk.mixed_nodes > (count < 4 ? 0u : 50u));
            // What is left of the arrays is the mesh.
            walk.walk(tree.placements[0].root);
            CHECK(walk.nodes == tree.nodes.size());
            CHECK(walk.blocks == tree.blocks.size());
        }
    }

    TEST_CASE("hiding all users of a mesh but one bakes the remaining one") {
        Stage stage;
        const u32 shared = stage.add_mesh(triangle_soup(10, 0.1f, 3));
        stage.add_instance(shared);
        stage.add_instance(shared, 0, {1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0});
        stage.finish();
        CHECK(must_build(stage).placements.size() == 2);
        const Acceleration tree = must_build(stage, {1, 4, true, {false, true}});
        CHECK(tree.placements.size() == 0);
        Walk walk{tree};
        const Box box = walk.walk(tree.root);
        CHECK(walk.triangles.size() == 10);
        CHECK(walk.triangles.count({1, 0}) == 1);
        CHECK(box.low[0] > 3);
        CHECK(must_build(stage, {1, 4, true, {false, false}}).root == shaders::kRefEmpty);
    }

    TEST_CASE("triangles without area or with corners that are not finite are left out") {
        const float inf = std::numeric_limits<float>::infinity();
        const float nan = std::numeric_limits<float>::quiet_NaN();
        Stage stage;
        stage.add({{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
                   {{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}}},
                   {{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}},
                   {{{0, 0, 0}, {inf, 0, 0}, {0, 1, 0}}},
                   {{{0, nan, 0}, {1, 0, 0}, {0, 1, 0}}},
                   {{{0, 0, 0}, {1e-6f, 0, 0}, {0, 1e-6f, 0}}}});
        const u32 shared = stage.add_mesh({{{{3, 3, 3}, {3, 3, 3}, {3, 3, 3}}}});
        stage.add_instance(shared);
        stage.add_instance(shared);
        stage.finish();
        const Acceleration tree = must_build(stage);
        Walk walk{tree};
        walk.walk(tree.root);
        CHECK(walk.triangles == std::map<std::pair<u32, u32>, u32>{{{0, 0}, 1}, {{0, 5}, 1}});
        CHECK(tree.placements.size() == 0);
    }

    TEST_CASE("trees built by one thread and by four give the same hits") {
        Stage stage;
        stage.add(triangle_soup(60000, 0.03f, 4));
        stage.finish();
        const Rays rays = random_rays(20000, 1.5f, 5);
        const Rays one = trace_group(
            stage, must_build(stage, {1, 4, true, {}}), rays, shaders::Isa::Sse4, false);
        const Rays four = trace_group(
            stage, must_build(stage, {4, 4, true, {}}), rays, shaders::Isa::Sse4, false);
        CHECK(count_hits(one) > 10000);
        CHECK(count_differences(one, four) == 0);
    }

    TEST_CASE("a placed instance's box holds its corners whatever the shape of its BLAS") {
        Stage stage;
        const u32 shared = stage.add_mesh(triangle_soup(200, 0.2f, 6));
        Dice dice(7);
        for (u32 k = 0; k < 30; ++k) {
            math::Affine matrix{};
            for (float& entry : matrix) {
                entry = dice.between(-2, 2);
            }
            stage.add_instance(shared, 0, matrix);
        }
        stage.finish();
        const Acceleration tree = must_build(stage, {1, 4, true, {}});
        const Acceleration other = must_build(stage, {1, 1, false, {}});
        for (u32 k = 0; k < 30; ++k) {
            const shaders::Placement& placement = tree.placements[k];
            const shaders::Placement& twin = other.placements[k];
            u32 outside = 0;
            for (u32 axis = 0; axis < 3; ++axis) {
                CHECK(placement.bounds[axis][0] == twin.bounds[axis][0]);
                CHECK(placement.bounds[axis][1] == twin.bounds[axis][1]);
                for (u32 p = 0; p < 200; ++p) {
                    for (const Point& corner : world_corners(stage.scene(), k, p)) {
                        outside += corner[axis] < placement.bounds[axis][0] ||
                                   corner[axis] > placement.bounds[axis][1];
                    }
                }
            }
            CHECK(outside == 0);
        }
    }

    TEST_CASE("only triangles that alpha or tint or clip planes concern are flagged") {
        Stage stage;
        const u32 veil = stage.add_material(veil_material(0.5f));
        const u32 pane = stage.add_material(pane_material());
        shaders::MaterialRecord solid = pane_material();
        solid.flags |= shaders::kMaterialSolid;
        const u32 glass = stage.add_material(solid);
        const Corners triangle = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
        for (const u32 material : {0u, veil, pane, glass}) {
            stage.add({triangle}, material);
        }
        stage.finish();
        const Acceleration tree = must_build(stage);
        std::map<u32, bool> is_flagged;
        for (const shaders::LeafBlock& block : tree.blocks.span()) {
            for (u32 k = 0; k < 4; ++k) {
                if ((block.flags >> (8 + k) & 1) != 0) {
                    is_flagged[block.instance[k]] = (block.flags >> k & 1) != 0;
                }
            }
        }
        CHECK(is_flagged == std::map<u32, bool>{{0, false}, {1, true}, {2, true}, {3, false}});
    }

    TEST_CASE("a tree beyond the range of references is refused with a sentence") {
        constexpr u64 kMost = (u64{1} << 30) - 1;
        CHECK(check_limits(kMost, kMost, kMost, shaders::kMaxTreeLevels).is_ok());
        const base::Status nodes = check_limits(kMost + 1, 1, 1, 1);
        REQUIRE_FALSE(nodes.is_ok());
        CHECK(nodes.error().kind == base::ErrorKind::Scene);
        CHECK(nodes.error().sentence ==
              "the scene needs 1073741824 nodes in its tree, and at most 1073741823 are possible");
        CHECK_FALSE(check_limits(1, kMost + 1, 1, 1).is_ok());
        CHECK_FALSE(check_limits(1, 1, kMost + 1, 1).is_ok());
        CHECK(check_limits(1, 1, 1, 53).error().sentence ==
              "the scene needs 53 levels in its tree, and at most 52 are possible");
    }

    TEST_CASE("a thousand coincident triangles still make a tree") {
        Stage stage;
        stage.add(std::vector<Corners>(5000, {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}));
        stage.finish();
        for (const bool is_high_quality : {true, false}) {
            const Acceleration tree = must_build(stage, {1, 4, is_high_quality, {}});
            Walk walk{tree};
            walk.walk(tree.root);
            CHECK(walk.triangles.size() == 5000);
        }
    }
}
