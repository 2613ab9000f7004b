// Boxes: empty ones, growth, and the box of a transformed box.
#include <doctest/doctest.h>

#include "engine/math/box.h"

namespace weft::math {
namespace {

TEST_SUITE("engine/math/box") {
    TEST_CASE("a box starts empty and holds what it included") {
        Box box;
        CHECK(box.is_empty());
        box.include(Box());
        CHECK(box.is_empty());
        box.include(Vec3{1, 2, 3});
        CHECK_FALSE(box.is_empty());
        CHECK(box == Box{{1, 2, 3}, {1, 2, 3}});
        box.include(Box{{0, 2.5f, -1}, {0, 4, -1}});
        CHECK(box == Box{{0, 2, -1}, {1, 4, 3}});
        box.include(Box());
        CHECK(box == Box{{0, 2, -1}, {1, 4, 3}});
    }

    TEST_CASE("corners follow the bits of their index") {
        const Box box = {{1, 2, 3}, {4, 5, 6}};
        CHECK(box.corner(0) == box.low);
        CHECK(box.corner(7) == box.high);
        CHECK(box.corner(1) == Vec3{4, 2, 3});
        CHECK(box.corner(6) == Vec3{1, 5, 6});
    }

    TEST_CASE("the box of a transformed box holds each transformed point") {
        const Affine m = {1, -2, 0.5f, 10, 0, 3, -1, 20, -1, 0, 4, 30};
        const Box box = {{-1, -2, -3}, {2, 1, 4}};
        // By interval arithmetic, exact for these numbers.
        const Box placed = transform_box(m, box);
        CHECK(placed == Box{{5.5f, 10, 16}, {18, 26, 47}});
        for (u32 k = 0; k < 27; ++k) {
            const Vec3 share = {static_cast<float>(k % 3) / 2,
                                static_cast<float>(k / 3 % 3) / 2,
                                static_cast<float>(k / 9) / 2};
            Box with = placed;
            with.include(transform_point(m, box.low + (box.high - box.low) * share));
            CHECK(with == placed);
        }
        CHECK(transform_box(m, Box()).is_empty());
    }
}

}  // namespace
}  // namespace weft::math
