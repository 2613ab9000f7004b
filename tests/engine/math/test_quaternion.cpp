// Quaternions: their matrices against closed forms, and back.
#include <cmath>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "engine/math/quaternion.h"
#include "scheduler/base/ids.h"

namespace weft::math {
namespace {

constexpr DVec3 kOrigin = {0, 0, 0};
constexpr DVec3 kOne = {1, 1, 1};

TEST_SUITE("engine/math/quaternion") {
    TEST_CASE("a quaternion of any length rotates by its angle about its axis") {
        // 90° about Z, then a third of a turn about (1, 1, 1), which exchanges the axes.
        const DAffine quarter = from_parts(kOrigin, DQuat(3, 0, 0, 3), kOne);
        CHECK(length(transform_vector(quarter, DVec3{1, 0, 0}) - DVec3{0, 1, 0}) < 1e-15);
        CHECK(length(transform_vector(quarter, DVec3{0, 1, 0}) - DVec3{-1, 0, 0}) < 1e-15);
        const DAffine third = from_parts(kOrigin, DQuat(0.5, 0.5, 0.5, 0.5), kOne);
        CHECK(third == DAffine{0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0});
    }

    TEST_CASE("the parts apply as scale then rotation then translation") {
        const DAffine m = from_parts({7, 8, 9}, DQuat(0.5, 0.5, 0.5, 0.5), {2, 3, 4});
        CHECK(transform_point(m, DVec3{1, 1, 1}) == DVec3{11, 10, 12});
    }

    TEST_CASE("a matrix from a quaternion is a rotation that gives the quaternion back") {
        std::mt19937 bits(1);
        const auto component = [&] { return static_cast<double>(bits()) * 0x1p-31 - 1; };
        for (u32 k = 0; k < 200; ++k) {
            const DQuat q = normalize(DQuat(component(), component(), component(), component()));
            const DAffine m = from_parts(kOrigin, q, kOne);
            CHECK(determinant(m) == doctest::Approx(1).epsilon(1e-12));
            const DAffine cofactors = normal_matrix(m);  // of a rotation: the rotation
            for (std::size_t i = 0; i < m.size(); ++i) {
                CHECK(std::fabs(cofactors[i] - m[i]) < 1e-14);
            }
            const DQuat back = glm::quat_cast(glm::dmat3(column(m, 0), column(m, 1), column(m, 2)));
            // q and −q are one rotation.
            CHECK(std::fabs(std::fabs(glm::dot(back, q)) - 1) < 1e-14);
        }
    }

    TEST_CASE("a quaternion of length zero or not finite is no rotation") {
        for (const double w : {0.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
            CHECK(from_parts(kOrigin, DQuat(w, 0, 0, 0), kOne) == kDIdentity);
        }
    }
}

}  // namespace
}  // namespace weft::math
