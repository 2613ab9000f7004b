// Vectors: which bits normalize() gives, and its answer where there is no direction.
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <doctest/doctest.h>

#include "engine/math/angle.h"
#include "engine/math/vector.h"

namespace weft::math {
namespace {

TEST_SUITE("engine/math/vector") {
    TEST_CASE("normalize divides each component by the length") {
        const Vec3 v = {0.3f, -7.1f, 1e-3f};
        const float size = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
        CHECK(normalize(v) == Vec3{v.x / size, v.y / size, v.z / size});
        const DVec3 d = {1, 2, 4};
        const double long_size = std::sqrt(21.0);
        CHECK(normalize(d) == DVec3{1 / long_size, 2 / long_size, 4 / long_size});
    }

    TEST_CASE("a vector without a direction gives the other one or zero") {
        const float infinity = std::numeric_limits<float>::infinity();
        const Vec3 up = {0, 1, 0};
        for (const Vec3& v :
             {Vec3{}, Vec3{infinity, 0, 0}, Vec3{std::nanf(""), 1, 0}, Vec3{3e30f}}) {
            CHECK(normalize(v) == Vec3{});
            CHECK(normalize(v, up) == up);
        }
    }

    TEST_CASE("cross follows the right hand") {
        CHECK(cross(Vec3{1, 0, 0}, Vec3{0, 1, 0}) == Vec3{0, 0, 1});
        CHECK(dot(DVec3{1, 2, 3}, DVec3{4, -5, 6}) == 12);
        CHECK(length(Vec3{2, 3, 6}) == 7);
    }

    TEST_CASE("the components of a vector are its floats in order") {
        Vec3 v = vec3_at(std::array{1.0f, 2.0f, 3.0f}.data());
        components(v)[1] = 5;
        CHECK(v == Vec3{1, 5, 3});
        CHECK(components(std::as_const(v))[2] == 3);
    }

    TEST_CASE("degrees and radians convert to each other") {
        CHECK(to_radians(180) == shaders::kPi);
        CHECK(to_degrees(shaders::kPi / 2) == 90);
        CHECK(to_degrees(to_radians(33.3)) == doctest::Approx(33.3).epsilon(1e-15));
    }
}

}  // namespace
}  // namespace weft::math
