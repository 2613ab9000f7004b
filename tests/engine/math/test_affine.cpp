// Affine matrices against what they mean: products, inverses, and normals of sheared surfaces.
#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "engine/math/affine.h"
#include "scheduler/base/ids.h"

namespace weft::math {
namespace {

// Uniform entries in [−2, 2].
Affine random_affine(std::mt19937& bits) {
    Affine m{};
    for (float& entry : m) {
        entry = static_cast<float>(bits() >> 8) * 0x1p-22f - 2;
    }
    return m;
}

double largest_difference(const DAffine& a, const DAffine& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::fabs(a[i] - b[i]));
    }
    return largest;
}

TEST_SUITE("engine/math/affine") {
    TEST_CASE("a matrix times its inverse is the identity") {
        std::mt19937 bits(1);
        u32 checked = 0;
        for (u32 k = 0; k < 1000; ++k) {
            const Affine m = random_affine(bits);
            if (std::fabs(determinant(to_double(m))) < 0.1) {
                continue;
            }
            const auto back = inverse(m);
            REQUIRE(back);
            // The inverse of entries up to 2 with a determinant above 0.1 has entries below 80
            // times 6.
            CHECK(largest_difference(compose(to_double(m), to_double(*back)), kDIdentity) < 3e-4);
            CHECK(largest_difference(compose(to_double(*back), to_double(m)), kDIdentity) < 3e-4);
            ++checked;
        }
        CHECK(checked > 900);
    }

    TEST_CASE("an inverse of powers of two is exact") {
        const Affine m = {0, -2, 0, 3, 4, 0, 0, 8, 0, 0, 0.5f, -1};
        CHECK(inverse(m) == Affine{0, 0.25f, 0, -2, -0.5f, 0, 0, 1.5f, 0, 0, 2, 2});
    }

    TEST_CASE("a singular matrix and one whose inverse overflows have no inverse") {
        CHECK_FALSE(inverse(Affine{1, 2, 3, 0, 2, 4, 6, 0, 0, 0, 1, 0}));
        CHECK_FALSE(inverse(Affine{1e-39f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}));
        CHECK_FALSE(inverse(Affine{1e-20f, 0, 0, 1e30f, 0, 1, 0, 0, 0, 0, 1, 0}));
        CHECK_FALSE(inverse(Affine{std::nanf(""), 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}));
    }

    TEST_CASE("a product transforms as both matrices in turn") {
        std::mt19937 bits(2);
        for (u32 k = 0; k < 100; ++k) {
            const DAffine a = to_double(random_affine(bits));
            const DAffine b = to_double(random_affine(bits));
            const DVec3 p = column(to_double(random_affine(bits)), 1);
            const DAffine product = compose(a, b);
            CHECK(length(transform_point(product, p) - transform_point(a, transform_point(b, p))) <
                  1e-13);
            CHECK(length(transform_vector(product, p) -
                         transform_vector(a, transform_vector(b, p))) < 1e-13);
            CHECK(determinant(product) ==
                  doctest::Approx(determinant(a) * determinant(b)).epsilon(1e-9));
        }
    }

    TEST_CASE("a point moves with the origin and a vector does not") {
        const Affine m = from_columns(Vec3{0, 2, 0}, Vec3{-1, 0, 0}, Vec3{0, 0, 3}, Vec3{5, 6, 7});
        CHECK(m == Affine{0, -1, 0, 5, 2, 0, 0, 6, 0, 0, 3, 7});
        CHECK(transform_point(m, Vec3{1, 1, 1}) == Vec3{4, 8, 10});
        CHECK(transform_vector(m, Vec3{1, 1, 1}) == Vec3{-1, 2, 3});
        CHECK(column(m, 3) == Vec3{5, 6, 7});
        Affine other = kIdentity;
        for (std::size_t k = 0; k < 4; ++k) {
            set_column(other, k, column(m, k));
        }
        CHECK(other == m);
    }

    TEST_CASE("products and transformed vectors have no negative zero") {
        const Affine turned = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0};
        const Affine product = compose(turned, kIdentity);
        CHECK(std::none_of(product.begin(), product.end(), [](float entry) {
            return entry == 0 && std::signbit(entry);
        }));
        CHECK_FALSE(std::signbit(transform_vector(turned, Vec3{0, -0.0f, -0.0f}).x));
    }

    TEST_CASE("normals stay orthogonal to a sheared and mirrored surface") {
        std::mt19937 bits(3);
        for (u32 k = 0; k < 100; ++k) {
            const DAffine m = to_double(random_affine(bits));
            const DAffine frame = to_double(random_affine(bits));
            const DVec3 along = column(frame, 0);
            const DVec3 across = column(frame, 1);
            const DVec3 normal = transform_vector(normal_matrix(m), cross(along, across));
            CHECK(std::fabs(dot(normal, transform_vector(m, along))) < 1e-12);
            CHECK(std::fabs(dot(normal, transform_vector(m, across))) < 1e-12);
            // Cofactors even give the cross product of the transformed edges.
            CHECK(length(normal - cross(transform_vector(m, along), transform_vector(m, across))) <
                  1e-12);
        }
    }
}

}  // namespace
}  // namespace weft::math
