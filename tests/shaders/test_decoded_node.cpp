// test_decoded_node.cpp — a decoded node has the children of its node, far to near for its octant,
// or from the last to the first.
//
// Why this can silently go wrong: a lost child is geometry that visits never find, and a wrong
// order only makes them slow.
#include <limits>
#include <set>

#include <doctest/doctest.h>

#include "shaders/traverse/decoded_node.h"
#include "tests/shaders/statistics.h"

namespace weft::tests {

using namespace shaders;

namespace {

// A node with `count` unit boxes at random places, its empty places spread between them.
BvhNode random_node(u32 count, u64 seed) {
    Random random(seed);
    BvhNode node{};
    for (u32 child = 0; child < 8; ++child) {
        const bool is_used = child * count / 8 != (child + 1) * count / 8;
        node.child[child] = is_used ? kRefLeaf | child : kRefEmpty;
        for (u32 axis = 0; axis < 3; ++axis) {
            const float low = random.between(-5, 5);
            constexpr float kInfinity = std::numeric_limits<float>::infinity();
            node.bounds[axis][0][child] = is_used ? low : kInfinity;
            node.bounds[axis][1][child] = is_used ? low + 1 : -kInfinity;
        }
    }
    order_children(node);
    return node;
}

// Distance along the octant's diagonal to the corner that rays of the octant reach first.
float distance(const DecodedNode& node, u32 octant, u32 child) {
    float sum = 0;
    for (u32 axis = 0; axis < 3; ++axis) {
        sum +=
            (octant >> axis & 1) != 0 ? -node.bounds[axis][1][child] : node.bounds[axis][0][child];
    }
    return sum;
}

}  // namespace

TEST_SUITE("shaders/decoded_node") {
    TEST_CASE("children come far to near for every octant with the boxes they had") {
        for (u32 count = 1; count <= 8; ++count) {
            const BvhNode node = random_node(count, count);
            for (u32 octant = 0; octant < 8; ++octant) {
                DecodedNode decoded;
                decode_node(node, octant, false, decoded);
                REQUIRE(decoded.child_count == count);
                std::set<u32> seen;
                for (u32 k = 0; k < count; ++k) {
                    const u32 child = decoded.child[k] & kRefIndex;
                    REQUIRE(child < 8);
                    seen.insert(child);
                    CHECK(decoded.child[k] == node.child[child]);
                    for (u32 axis = 0; axis < 3; ++axis) {
                        CHECK(decoded.bounds[axis][0][k] == node.bounds[axis][0][child]);
                        CHECK(decoded.bounds[axis][1][k] == node.bounds[axis][1][child]);
                    }
                    if (k != 0) {
                        CHECK(distance(decoded, octant, k - 1) >= distance(decoded, octant, k));
                    }
                }
                CHECK(seen.size() == count);
            }
        }
    }

    TEST_CASE("for any-hit rays children come from the last to the first") {
        for (u32 count = 1; count <= 8; ++count) {
            const BvhNode node = random_node(count, count);
            DecodedNode decoded;
            decode_node(node, 3, true, decoded);
            REQUIRE(decoded.child_count == count);
            u32 k = 0;
            for (u32 child = 8; child-- != 0;) {
                if (node.child[child] != kRefEmpty) {
                    CHECK(decoded.child[k] == node.child[child]);
                    CHECK(decoded.bounds[2][0][k] == node.bounds[2][0][child]);
                    CHECK(decoded.bounds[0][1][k] == node.bounds[0][1][child]);
                    ++k;
                }
            }
        }
    }

    TEST_CASE("empty places hold a box that no ray hits") {
        bool is_any = false;
        SUBCASE("closest hits") {}
        SUBCASE("any hits") {
            is_any = true;
        }
        DecodedNode decoded;
        decode_node(random_node(3, 9), 5, is_any, decoded);
        for (u32 k = 3; k < 8; ++k) {
            CHECK(decoded.child[k] == kRefEmpty);
            for (u32 axis = 0; axis < 3; ++axis) {
                CHECK(decoded.bounds[axis][0][k] > decoded.bounds[axis][1][k]);
            }
        }
    }
}

}  // namespace weft::tests
