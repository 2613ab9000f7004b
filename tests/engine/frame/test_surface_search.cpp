// test_surface_search.cpp — the grid finds the triangle that a walk over all triangles finds.
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/surface_search.h"

using namespace weft;
using namespace weft::frame;

namespace {

// Numbers that the standard fixes, in [-1, 1].
class RandomPlaces {
public:
    float number() { return static_cast<float>(engine_() >> 8) / 8388608.0F - 1; }

    math::Vec3 place() {
        const float x = number();
        const float y = number();
        return {x, y, number()};
    }

private:
    std::mt19937 engine_{11};
};

std::vector<math::Vec3> some_triangles(u32 count, float size, RandomPlaces& random) {
    std::vector<math::Vec3> corners;
    for (u32 k = 0; k < count; ++k) {
        const math::Vec3 at = random.place();
        for (u32 corner = 0; corner < 3; ++corner) {
            corners.push_back(at + size * random.place());
        }
    }
    return corners;
}

math::DVec3 place_of(const SurfaceSearch& search, const SurfacePoint& point) {
    math::DVec3 place(0);
    for (std::size_t k = 0; k < 3; ++k) {
        place += point.weights[k] * math::DVec3(search.corners()[3 * point.triangle + k]);
    }
    return place;
}

void check_same(const SurfaceSearch& search, const math::DVec3& place) {
    const SurfacePoint found = search.nearest(place);
    const SurfacePoint expected = search.nearest_of_all(place);
    CHECK(found.triangle == expected.triangle);
    CHECK(found.weights == expected.weights);
    CHECK(found.distance2 == expected.distance2);
}

}  // namespace

TEST_SUITE("engine/frame/surface_search") {
    TEST_CASE("the grid finds what all triangles in turn find, on the mesh and away from it") {
        RandomPlaces random;
        for (const float size : {0.05F, 0.3F, 2.0F}) {
            const SurfaceSearch search(some_triangles(300, size, random));
            for (u32 k = 0; k < 300; ++k) {
                SurfacePoint point{.triangle = k};
                const double a = 0.5 + 0.5 * static_cast<double>(random.number());
                const double b = (1 - a) * (0.5 + 0.5 * static_cast<double>(random.number()));
                point.weights = {a, b, 1 - a - b};
                const math::DVec3 place = place_of(search, point);
                check_same(search, place);
                CHECK(search.nearest(place).distance2 < 1e-18);
                check_same(search, place + 0.1 * math::DVec3(random.place()));
                check_same(search, 3.0 * math::DVec3(random.place()));
            }
        }
    }

    TEST_CASE("the point found is the nearest: no other point of the triangle is nearer") {
        RandomPlaces random;
        const SurfaceSearch search(some_triangles(1, 1, random));
        for (u32 k = 0; k < 50; ++k) {
            const math::DVec3 place(random.place());
            const SurfacePoint found = search.nearest(place);
            CHECK(found.weights[0] + found.weights[1] + found.weights[2] ==
                  doctest::Approx(1).epsilon(1e-12));
            for (u32 i = 0; i <= 20; ++i) {
                for (u32 j = 0; i + j <= 20; ++j) {
                    const double a = i / 20.0;
                    const double b = j / 20.0;
                    const math::DVec3 away =
                        place_of(search, {.weights = {a, b, 1 - a - b}}) - place;
                    CHECK(dot(away, away) >= found.distance2 - 1e-12);
                }
            }
        }
    }

    TEST_CASE("flat and tiny meshes, and triangles without area, are searched, too") {
        const SurfaceSearch point({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}});
        CHECK(point.nearest({5, 5, 5}).weights[0] == 1);
        const SurfaceSearch flat(
            {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
        check_same(flat, {0.25, 0.25, 0});
        check_same(flat, {0.75, 0.75, 0});
        CHECK(flat.nearest({0.75, 0.75, 0}).triangle == 1);
        const SurfaceSearch line({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}});
        CHECK(line.nearest({1.5, 0, 0}).distance2 < 1e-20);
    }
}
