// test_watertight.cpp — no ray escapes a closed mesh: random rays, rays at vertices and edges, rays
// along axes, for any position of mesh and origin.
#include <numbers>

#include <doctest/doctest.h>

#include "tests/engine/accel/test_stage.h"

using namespace weft;
using namespace weft::accel;
using shaders::Isa;

namespace {

// A closed bumpy ball of 2·rings·sectors triangles around `centre`; neighbours share their
// vertices' bits.
class Ball {
public:
    Ball(u32 rings, u32 sectors, const Point& centre, float radius, float bump)
        : rings_(rings), sectors_(sectors), centre_(centre), radius_(radius), bump_(bump) {}

    [[nodiscard]] Point vertex(u32 ring, u32 sector) const {
        const u32 s = ring == 0 || ring == rings_ ? 0 : sector % sectors_;
        const double polar = std::numbers::pi * ring / rings_;
        const double around = 2 * std::numbers::pi * s / sectors_;
        const double size =
            static_cast<double>(radius_) * (1 + static_cast<double>(bump_) * std::sin(5 * around) *
                                                    std::sin(polar) * std::sin(7 * polar));
        const double unit[3] = {std::sin(polar) * std::cos(around),
                                std::cos(polar),
                                std::sin(polar) * std::sin(around)};
        Point point{};
        for (u32 axis = 0; axis < 3; ++axis) {
            // On a grid of 1/1024 of the radius, so that many vertices share coordinates with each
            // other and with rays.
            const double place =
                std::round(unit[axis] * size / static_cast<double>(radius_) * 1024) / 1024;
            point[axis] = static_cast<float>(static_cast<double>(centre_[axis]) +
                                             place * static_cast<double>(radius_));
        }
        return point;
    }

    [[nodiscard]] std::vector<Corners> triangles() const {
        std::vector<Corners> out;
        for (u32 ring = 0; ring < rings_; ++ring) {
            for (u32 sector = 0; sector < sectors_; ++sector) {
                const Point a = vertex(ring, sector);
                const Point b = vertex(ring + 1, sector);
                const Point c = vertex(ring + 1, sector + 1);
                const Point d = vertex(ring, sector + 1);
                out.push_back({a, b, c});
                out.push_back({c, d, a});
            }
        }
        return out;
    }

private:
    u32 rings_;
    u32 sectors_;
    Point centre_;
    float radius_;
    float bump_;
};

Point towards(const Point& from, const Point& to) {
    return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

// From inside: random directions, and exactly at vertices, edges and along the axes.
Rays rays_from_inside(
    const std::vector<Corners>& triangles, const Point& centre, float radius, u32 count, u64 seed) {
    Dice dice(seed);
    Rays rays;
    for (u32 k = 0; k < count; ++k) {
        Point from = centre;
        if (k % 4 != 0) {
            for (float& coordinate : math::components(from)) {
                coordinate += dice.between(-0.3f, 0.3f) * radius;
            }
        }
        const Corners& aim = triangles[dice.bits() % triangles.size()];
        Point direction = dice.point(1);
        if (k % 3 == 1) {
            direction = towards(from, aim[k % 2]);
        } else if (k % 3 == 2) {
            const float s = k % 2 == 0 ? 0.5f : dice.unit();
            Point on_edge{};
            for (u32 axis = 0; axis < 3; ++axis) {
                on_edge[axis] = aim[0][axis] * s + aim[1][axis] * (1 - s);
            }
            direction = towards(from, on_edge);
        }
        if (k % 16 == 15) {
            direction = {0, 0, 0};
            direction[dice.bits() % 3] = k % 32 == 15 ? 1.0f : -1.0f;
            // From the coordinates of a vertex, so that the ray runs through vertices and along
            // edges.
            from[k / 16 % 3] = aim[0][k / 16 % 3] * 0.25f + centre[k / 16 % 3] * 0.75f;
        }
        if (direction[0] != 0 || direction[1] != 0 || direction[2] != 0) {
            rays.add(from, direction);
        }
    }
    return rays;
}

u32 count_escapes(const Rays& rays) {
    return rays.size() - count_hits(rays);
}

}  // namespace

TEST_SUITE("engine/accel/watertight") {
    TEST_CASE("no ray from inside a closed ball escapes") {
        struct Where {
            Point centre;
            float radius;
        };

        const Where wheres[] = {
            {{0, 0, 0}, 1}, {{100, -50, 30}, 1}, {{0, 0, 0}, 1e-3f}, {{0, 5e4f, 0}, 1e5f}};
        for (const Where& where : wheres) {
            for (const float bump : {0.0f, 0.15f}) {
                const Ball ball(48, 64, where.centre, where.radius, bump);
                Stage stage;
                stage.add(ball.triangles());
                stage.finish();
                const Acceleration tree = must_build(stage);
                const Rays rays =
                    rays_from_inside(ball.triangles(), where.centre, where.radius, 200000, 31);
                for (const Isa isa : runnable_isas()) {
                    CAPTURE(where.radius);
                    CAPTURE(bump);
                    CAPTURE(static_cast<u32>(isa));
                    CHECK(count_escapes(trace_group(stage, tree, rays, isa, false)) == 0);
                }
            }
        }
    }

    TEST_CASE("no ray from inside a closed ball that is an instance escapes") {
        const Ball ball(48, 64, {0, 0, 0}, 1, 0.15f);
        const math::Affine matrices[] = {
            {0.6f, -0.64f, 0.48f, 7, 0.8f, 0.48f, -0.36f, 2, 0, 0.6f, 0.8f, -3},
            {-1, 0, 0.3f, -9, 0, 2, 0, 0, 0.2f, 0, 0.5f, 4}};
        Stage stage;
        const u32 mesh = stage.add_mesh(ball.triangles());
        for (const math::Affine& matrix : matrices) {
            stage.add_instance(mesh, 0, matrix);
        }
        stage.finish();
        const Acceleration tree = must_build(stage);
        REQUIRE(tree.placements.size() == 2);
        const Rays inside = rays_from_inside(ball.triangles(), {0, 0, 0}, 1, 100000, 32);
        for (const math::Affine& m : matrices) {
            Rays rays;
            for (const shaders::TraceRay& ray : inside.rays) {
                rays.add(math::transform_point(m, math::vec3_at(ray.origin)),
                         math::transform_vector(m, math::vec3_at(ray.direction)));
            }
            for (const Isa isa : runnable_isas()) {
                CHECK(count_escapes(trace_group(stage, tree, rays, isa, false)) == 0);
            }
        }
    }

    TEST_CASE("a hole in the ball lets rays out") {
        const Ball ball(48, 64, {0, 0, 0}, 1, 0);
        std::vector<Corners> triangles = ball.triangles();
        triangles.resize(triangles.size() - 1000);
        Stage stage;
        stage.add(triangles);
        stage.finish();
        const Acceleration tree = must_build(stage);
        const Rays rays = rays_from_inside(triangles, {0, 0, 0}, 1, 20000, 33);
        CHECK(count_escapes(trace_group(stage, tree, rays, Isa::Sse4, false)) > 500);
    }
}
