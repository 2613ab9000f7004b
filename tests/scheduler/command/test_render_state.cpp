// test_render_state.cpp — slots, valid bits, topology and the clip mask as pure functions.
#include <set>

#include <doctest/doctest.h>

#include "tests/scheduler/command/small_engine.h"

namespace weft::command {

namespace {

// The shape that clause C6 counts: 5 stages × (128 + 16 + 18) + 9.
StateShape large_shape() {
    std::vector<RowShape> rows;
    for (int stage = 0; stage < 5; ++stage) {
        rows.push_back({"textures", 128, SlotKind::Resource});
        rows.push_back({"samplers", 16, SlotKind::Value});
        rows.push_back({"constants", 18, SlotKind::Resource});
    }
    rows.push_back({"targets", 3, SlotKind::Resource});
    return StateShape(rows);
}

u32 corner(const Corners& corners, int which) {
    return which == 0 ? corners.first : which == 1 ? corners.second : corners.third;
}

}  // namespace

TEST_SUITE("scheduler/command/render_state") {
    TEST_CASE("C6 unbind_all leaves no slot valid and the next value of a slot is the new one") {
        const StateShape shape = large_shape();
        CHECK(shape.slot_count() == 819);
        RenderState state(shape);
        for (u32 row = 0; row < shape.row_count(); ++row) {
            for (u32 slot = 0; slot < shape.row(row).slot_count; ++slot) {
                state.set({row, slot}, 1000 * u64{row} + slot);
            }
        }
        CHECK(state.valid_count() == 819);
        CHECK(state.value({2, 127}) == 2127);
        state.unbind_all();
        CHECK(state.valid_count() == 0);
        state.set({2, 127}, 5);
        CHECK(state.value({2, 127}) == 5);
        CHECK(state.valid_count() == 1);
        CHECK(state.is_same(RenderState(shape)) == false);
    }

    TEST_CASE("C6 unbind_all is the same as resetting every slot by itself") {
        const StateShape shape = large_shape();
        RenderState at_once(shape);
        RenderState one_by_one(shape);
        for (RenderState* state : {&at_once, &one_by_one}) {
            for (u32 row = 0; row < shape.row_count(); row += 2) {
                state->set({row, shape.row(row).slot_count - 1}, row);
            }
        }
        CHECK(at_once.valid_count() > 0);
        at_once.unbind_all();
        for (u32 row = 0; row < shape.row_count(); ++row) {
            for (u32 slot = 0; slot < shape.row(row).slot_count; ++slot) {
                one_by_one.reset({row, slot});
            }
        }
        CHECK(at_once.is_same(one_by_one));
    }

    TEST_CASE("setting and resetting a slot touches no other slot") {
        const StateShape& shape = small_vocabulary().shape;
        RenderState state(shape);
        state.set({kTextures, 63}, 1);
        state.set({kTextures, 64}, 2);
        state.set({kTextures, 65}, 3);
        state.reset({kTextures, 64});
        CHECK(state.is_valid({kTextures, 63}));
        CHECK_FALSE(state.is_valid({kTextures, 64}));
        CHECK(state.value({kTextures, 65}) == 3);
        CHECK(state.valid_count() == 2);
    }

    TEST_CASE("states are the same exactly when what is valid is the same") {
        const StateShape& shape = small_vocabulary().shape;
        RenderState left(shape);
        RenderState right(shape);
        left.set(kMaterial, 3);
        CHECK_FALSE(left.is_same(right));
        right.set(kMaterial, 4);
        CHECK_FALSE(left.is_same(right));
        right.set(kMaterial, 3);
        CHECK(left.is_same(right));
        left.set(kScale, 9);
        left.reset(kScale);
        CHECK(left.is_same(right));
    }

    TEST_CASE("C4b every topology covers its vertices and faces one way") {
        CHECK(primitive_count(Topology::TriangleList, 8) == 2);
        for (const Topology topology : {Topology::TriangleStrip, Topology::TriangleFan}) {
            CHECK(primitive_count(topology, 0) == 0);
            CHECK(primitive_count(topology, 2) == 0);
            CHECK(primitive_count(topology, 3) == 1);
            CHECK(primitive_count(topology, 9) == 7);
        }
        // Two triangles that share an edge walk it in opposite directions, if they face alike.
        for (const Topology topology : {Topology::TriangleStrip, Topology::TriangleFan}) {
            std::set<std::pair<u32, u32>> edges;
            for (u32 primitive = 0; primitive < 7; ++primitive) {
                const Corners corners = primitive_corners(topology, primitive);
                for (int side = 0; side < 3; ++side) {
                    CHECK(edges.insert({corner(corners, side), corner(corners, (side + 1) % 3)})
                              .second);
                }
            }
            int shared = 0;
            for (const auto& [from, to] : edges) {
                shared += edges.contains({to, from}) ? 1 : 0;
            }
            CHECK(shared == 12);
        }
    }

    TEST_CASE("C4b corners of strips and fans are those that glTF lists") {
        const auto same = [](Topology topology, u32 primitive, u32 a, u32 b, u32 c) {
            const Corners corners = primitive_corners(topology, primitive);
            return corners.first == a && corners.second == b && corners.third == c;
        };
        CHECK(same(Topology::TriangleList, 2, 6, 7, 8));
        CHECK(same(Topology::TriangleStrip, 0, 0, 1, 2));
        CHECK(same(Topology::TriangleStrip, 1, 1, 3, 2));
        CHECK(same(Topology::TriangleStrip, 2, 2, 3, 4));
        CHECK(same(Topology::TriangleFan, 0, 1, 2, 0));
        CHECK(same(Topology::TriangleFan, 3, 4, 5, 0));
    }

    TEST_CASE("C4c the mask of the last stage that ran is the one combined with the enable mask") {
        using Masks = std::vector<std::optional<u32>>;
        CHECK(combined_clip_planes(0b1111, Masks{}) == 0b1111);
        CHECK(combined_clip_planes(0b1111, Masks{0b0011, std::nullopt}) == 0b0011);
        CHECK(combined_clip_planes(0b1111, Masks{0b0011, 0b1100}) == 0b1100);
        CHECK(combined_clip_planes(0b0101, Masks{0b0011, 0b1100}) == 0b0100);
        CHECK(combined_clip_planes(0b1010, Masks{std::nullopt, 0}) == 0);
    }
}

}  // namespace weft::command
