// test_section_caps.cpp — filled sections of solids: areas, holes, directions, and meshes that are
// no solids.
#include <cmath>

#include <doctest/doctest.h>

#include "engine/scene/model/section_caps.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using namespace weft;
using namespace weft::scene;
using tests::Facing;

using Flat = std::array<double, 2>;

double area_of(const std::vector<Flat>& triangles) {
    double area = 0;
    for (std::size_t k = 0; k + 2 < triangles.size(); k += 3) {
        const Flat& a = triangles[k];
        const Flat& b = triangles[k + 1];
        const Flat& c = triangles[k + 2];
        const double twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        CHECK(twice >= -1e-12);
        area += 0.5 * twice;
    }
    return area;
}

std::vector<ContourEdge> ring(const std::vector<Flat>& points) {
    std::vector<ContourEdge> edges;
    for (std::size_t k = 0; k < points.size(); ++k) {
        edges.push_back({points[k], points[(k + 1) % points.size()]});
    }
    return edges;
}

double filled_area(const std::vector<ContourEdge>& edges) {
    bool is_open = true;
    const double area = area_of(fill_contours(edges, is_open));
    CHECK_FALSE(is_open);
    return area;
}

// Area of the triangles of a mesh as they are, and the sum of their normals times area.
struct Surface {
    double area = 0;
    math::DVec3 normal{};
};

Surface surface_of(const Scene& scene, u32 mesh) {
    Surface found;
    const shaders::MeshRecord& record = scene.meshes[mesh].record;
    for (u32 t = 0; t < record.triangle_count; ++t) {
        std::array<math::DVec3, 3> p{};
        for (u32 k = 0; k < 3; ++k) {
            const u32 vertex = scene.indices[3 * (record.first_triangle + t) + k];
            p[k] =
                math::DVec3(math::vec3_at(&scene.positions[3 * (record.first_position + vertex)]));
        }
        const math::DVec3 n = 0.5 * cross(p[1] - p[0], p[2] - p[0]);
        found.normal += n;
        found.area += length(n);
    }
    return found;
}

}  // namespace

TEST_SUITE("engine/scene/section_caps") {
    TEST_CASE("contours are filled to their area and reversed ones are not filled") {
        const std::vector<Flat> arrow = {{0, 0}, {3, 1}, {0, 2}, {1, 1}};
        CHECK(filled_area(ring(arrow)) == doctest::Approx(2));
        CHECK(filled_area(ring({{0, 0}, {1, 1}, {0, 2}, {3, 1}})) == 0);
        CHECK(filled_area({}) == 0);
    }

    TEST_CASE("a contour that runs the other way inside another is a hole") {
        std::vector<ContourEdge> edges = ring({{0, 0}, {4, 0}, {4, 4}, {0, 4}});
        for (const ContourEdge& edge : ring({{1, 1}, {1, 3}, {3, 3}, {3, 1}})) {
            edges.push_back(edge);
        }
        CHECK(filled_area(edges) == doctest::Approx(12));
        // One of the same direction overlaps: an area wound around twice is filled once.
        edges = ring({{0, 0}, {4, 0}, {4, 4}, {0, 4}});
        for (const ContourEdge& edge : ring({{3, 1}, {5, 1}, {5, 3}, {3, 3}})) {
            edges.push_back(edge);
        }
        CHECK(filled_area(edges) == doctest::Approx(18));
    }

    TEST_CASE("a star of many corners is filled to the area of the shoelace formula") {
        std::vector<Flat> star;
        double twice = 0;
        for (int k = 0; k < 400; ++k) {
            const double angle = 2 * 3.14159265358979 * k / 400;
            const double radius = 1 + 0.3 * ((k * 7919) % 13) / 13.0;
            star.push_back({radius * std::cos(angle), radius * std::sin(angle)});
        }
        for (std::size_t k = 0; k < star.size(); ++k) {
            const Flat& a = star[k];
            const Flat& b = star[(k + 1) % star.size()];
            twice += a[0] * b[1] - a[1] * b[0];
        }
        CHECK(filled_area(ring(star)) == doctest::Approx(0.5 * twice));
    }

    TEST_CASE("a contour that does not close is reported and fills no open stretch") {
        bool is_open = false;
        const auto triangles = fill_contours({{{1, 0}, {1, 2}}}, is_open);
        CHECK(is_open);
        CHECK(triangles.empty());
    }

    TEST_CASE("the cap of a box is its section and faces the side that was cut away") {
        Scene scene;
        tests::add_object(scene, tests::box({-1, 0, -2}, {1, 3, 2}, Facing::Out), {});
        const CapFigures figures = append_caps(scene, {{{-1, 0, 0}, 0.25F}});
        CHECK(figures.caps == 1);
        CHECK(figures.open == 0);
        REQUIRE(scene.instances.size() == 2);
        CHECK(scene.instances[1].clip_planes == ~1U);
        CHECK(scene.instances[1].material == scene.instances[0].material);
        const Surface cap = surface_of(scene, scene.instances[1].mesh);
        CHECK(cap.area == doctest::Approx(12));
        CHECK(cap.normal[0] == doctest::Approx(12));
        for (const float x :
             std::vector<float>(scene.positions.end() - 3, scene.positions.end() - 2)) {
            CHECK(x == doctest::Approx(0.25F));
        }
    }

    TEST_CASE("the cap of a sphere has its circle's area whichever way it is placed") {
        for (const float mirror : {1.0F, -1.0F}) {
            Scene scene;
            tests::add_object(
                scene, tests::uv_sphere({0, 0, 0}, 1, 256, 128, tests::Shading::Smooth), {});
            scene.instances[0].object_to_world = tests::placed({2 * mirror, 2, 2}, {5, 0, 0});
            const CapFigures figures = append_caps(scene, {{{0.6F, 0.8F, 0}, -3.5F}});
            REQUIRE(figures.caps == 1);
            // The centre lies 0.5 behind: a circle of radius √(4 − 0.25).
            const Surface cap = surface_of(scene, scene.instances[1].mesh);
            CHECK(cap.area == doctest::Approx(3.14159265 * 3.75).epsilon(1e-3));
            CHECK(cap.normal[0] == doctest::Approx(-0.6 * cap.area).epsilon(1e-4));
            CHECK(cap.normal[1] == doctest::Approx(-0.8 * cap.area).epsilon(1e-4));
        }
    }

    TEST_CASE("a room that faces inwards and a sheet are no solids") {
        Scene scene;
        tests::add_object(scene, tests::box({-1, 0, -1}, {1, 2, 1}, Facing::In), {});
        CHECK(append_caps(scene, {{{1, 0, 0}, 0}}).caps == 0);
        CHECK(scene.notes.empty());
        tests::add_object(scene, tests::quad({-1, 0, 0}, {2, 0, 0}, {0, 2, 0}), {});
        const CapFigures sheet = append_caps(scene, {{{1, 0, 0}, 0}});
        CHECK(sheet.caps == 0);
        CHECK(sheet.open == 1);
        CHECK(scene.notes.size() == 1);
    }

    TEST_CASE("planes that miss a solid or are not enabled for it give it no cap") {
        Scene scene;
        tests::add_object(scene, tests::box({-1, 0, -1}, {1, 2, 1}, Facing::Out), {});
        CHECK(append_caps(scene, {{{1, 0, 0}, 1.5F}}).caps == 0);
        scene.instances[0].clip_planes = 0b10;
        CHECK(append_caps(scene, {{{1, 0, 0}, 0}}).caps == 0);
        CHECK(append_caps(scene, {{{1, 0, 0}, 0}, {{0, 1, 0}, -1}}).caps == 1);
    }
}
