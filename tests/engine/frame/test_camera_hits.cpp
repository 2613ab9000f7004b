// test_camera_hits.cpp — the surfaces under points of the picture: those that samples of the film
// and single picks find.
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/camera_hits.h"
#include "engine/frame/picking.h"
#include "engine/frame/renderer.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using namespace weft;
using frame::CameraHit;
using frame::CameraHits;
using frame::PicturePoint;
using frame::Renderer;
using math::Vec3;
using tests::layer_of;
using tests::prepared;

std::vector<CameraHit> traced(const Renderer& renderer,
                              const frame::RenderSettings& settings,
                              const std::vector<PicturePoint>& points) {
    CameraHits hits(frame::unit_scene(renderer.scene()),
                    renderer.camera(),
                    {settings.width, settings.height},
                    settings.has_backface_culling);
    REQUIRE(hits.is_allocated());
    std::vector<CameraHit> found(points.size());
    hits.trace(points, found);
    return found;
}

std::vector<PicturePoint> grid_of_pixel(u32 x, u32 y) {
    constexpr u32 kSide = 8;
    std::vector<PicturePoint> points;
    for (u32 k = 0; k < kSide * kSide; ++k) {
        points.push_back({static_cast<float>(x) + (static_cast<float>(k % kSide) + 0.5F) / kSide,
                          static_cast<float>(y) + (static_cast<float>(k / kSide) + 0.5F) / kSide});
    }
    return points;
}

Vec3 mean_of(const film::Film& film, film::Aov aov, u32 x, u32 y) {
    float values[3];
    film.aov_pixel(layer_of(film, aov), x, y, values);
    return math::vec3_at(values);
}

// A wall across the view at z = −4, and before it a smaller one whose back faces the camera.
scene::Scene two_walls() {
    scene::Scene scene;
    shaders::MaterialRecord thin = tests::lambert({0.9F, 0.1F, 0.1F});
    thin.flags |= shaders::kMaterialSingleSided;
    tests::add_object(scene,
                      tests::quad({-9, -9, -4}, {18, 0, 0}, {0, 18, 0}),
                      tests::lambert({0.2F, 0.4F, 0.8F}));
    tests::add_object(scene, tests::quad({1, -1, -2}, {-2, 0, 0}, {0, 2, 0}), thin);
    tests::set_camera(scene, {0, 0, 0}, {0, 0, -1}, 1);
    return scene;
}

}  // namespace

TEST_SUITE("engine/frame/camera_hits") {
    TEST_CASE("each hit is the one that a pick at that point finds") {
        const scene::Scene scene = tests::rich_scene();
        frame::RenderSettings settings = tests::small_frame(1, 512);
        const auto renderer = prepared(scene, settings);
        std::vector<PicturePoint> points;
        for (u32 k = 0; k < 400; ++k) {
            points.push_back(
                {static_cast<float>(k * 37 % 720) / 10, static_cast<float>(k * 91 % 500) / 10});
        }
        const std::vector<CameraHit> hits = traced(*renderer, settings, points);
        for (std::size_t k = 0; k < points.size(); ++k) {
            const auto picked =
                frame::surface_at(frame::unit_scene(renderer->scene()),
                                  renderer->camera(),
                                  points[k].x / static_cast<float>(settings.width),
                                  points[k].y / static_cast<float>(settings.height));
            REQUIRE(picked.has_value() == (hits[k].instance != kNone));
            if (picked) {
                CHECK(hits[k].instance == picked->instance);
                CHECK(hits[k].primitive == picked->primitive);
                CHECK(math::length(hits[k].position - picked->position) < 1e-4F);
                CHECK(hits[k].distance_m == doctest::Approx(picked->distance_m).epsilon(1e-4));
            }
        }
    }

    TEST_CASE("normal and colour over a pixel are the means of the film's layers") {
        const scene::Scene scene = tests::rich_scene();
        frame::RenderSettings settings = tests::small_frame(64, 512);
        settings.filter = trace::PixelFilter::Box;
        settings.max_bounces = 0;
        settings.aovs = {film::Aov::Albedo, film::Aov::Normal, film::Aov::Position};
        const auto renderer = prepared(scene, settings);
        REQUIRE(renderer->render({}).is_ok());
        u32 compared = 0;
        for (u32 y = 1; y < settings.height; y += 3) {
            for (u32 x = 1; x < settings.width; x += 3) {
                const std::vector<CameraHit> hits =
                    traced(*renderer, settings, grid_of_pixel(x, y));
                Vec3 albedo{};
                Vec3 normal{};
                Vec3 position{};
                bool is_one = true;
                for (const CameraHit& hit : hits) {
                    is_one = is_one && hit.instance == hits.front().instance;
                    albedo += hit.albedo / static_cast<float>(hits.size());
                    normal += hit.normal / static_cast<float>(hits.size());
                    position += hit.position / static_cast<float>(hits.size());
                }
                const u32 material = scene.instances[hits.front().instance].material;
                const auto& record = scene.materials[material].record;
                // The leaf is there for some samples alone, and the lamp's colour is its light's.
                if (!is_one || record.alpha_mode != 0 || record.emissive[0] > 0) {
                    continue;
                }
                const auto& film = renderer->film();
                if (math::length(mean_of(film, film::Aov::Position, x, y) - position) > 0.05F) {
                    continue;  // half behind the leaf
                }
                ++compared;
                CHECK(math::length(mean_of(film, film::Aov::Albedo, x, y) - albedo) < 0.02F);
                CHECK(math::length(mean_of(film, film::Aov::Normal, x, y) - normal) < 0.05F);
            }
        }
        CHECK(compared > 100);
    }

    TEST_CASE("a mirror shows what the mirrored ray meets, and nothing else is a mirror") {
        scene::Scene scene;
        // A wall behind the camera, seen by a tilted mirror; beside it brushed metal and glass.
        tests::add_object(scene,
                          tests::quad({9, -9, 5}, {-18, 0, 0}, {0, 18, 0}),
                          tests::lambert({0.2F, 0.4F, 0.8F}));
        const auto pane = [&](float x, const shaders::MaterialRecord& material) {
            tests::add_object(
                scene, tests::quad({x, -1, -2}, {0.5F, 0, 0}, {0, 2, -0.2F}), material);
        };
        pane(-0.75F, tests::metal({1, 1, 1}, 0.3F));
        pane(-0.25F, tests::metal({1, 1, 1}, 0.05F));
        pane(0.25F, tests::glass(1.5F, 0));
        tests::set_camera(scene, {0, 0, 0}, {0, 0, -1}, 1);
        const frame::RenderSettings settings = tests::small_frame(1, 512);
        const auto renderer = prepared(scene, settings);
        CameraHits hits(frame::unit_scene(renderer->scene()),
                        renderer->camera(),
                        {settings.width, settings.height},
                        false);
        const std::vector<PicturePoint> points = {{24, 25}, {36, 25}, {46, 25}, {2, 25}};
        std::vector<CameraHit> found(points.size());
        std::vector<frame::MirroredPoint> shown(points.size());
        hits.trace(points, found);
        hits.trace_mirrored(found, shown);
        CHECK(found[0].instance == 1);
        CHECK(found[1].instance == 2);
        CHECK(found[2].instance == 3);
        CHECK(found[3].instance == kNone);
        for (const std::size_t k : {0U, 2U, 3U}) {
            CHECK(!shown[k].is_mirror);
            CHECK(shown[k].instance == kNone);
        }
        // The mirror leans back by atan(0.1): the ray goes up by twice that angle.
        REQUIRE(shown[1].is_mirror);
        CHECK(shown[1].instance == 0);
        const float slope = 2 * 0.1F / (1 - 0.01F);
        const float depth_m = 5 - found[1].position.z;
        CHECK(shown[1].position.z == doctest::Approx(5));
        CHECK(shown[1].position.y == doctest::Approx(slope * depth_m).epsilon(1e-3));
    }

    TEST_CASE("rays pass the back of a culled face and no other") {
        const scene::Scene scene = two_walls();
        frame::RenderSettings settings = tests::small_frame(1, 512);
        const auto renderer = prepared(scene, settings);
        const std::vector<PicturePoint> middle = {{36, 25}};
        const CameraHit near = traced(*renderer, settings, middle).front();
        CHECK(near.instance == 1);
        CHECK(near.normal.z == doctest::Approx(1));
        settings.has_backface_culling = true;
        const CameraHit far = traced(*renderer, settings, middle).front();
        CHECK(far.instance == 0);
        CHECK(far.distance_m == doctest::Approx(4));
        CHECK(far.albedo.z == doctest::Approx(0.8));
    }

    TEST_CASE("edges and heights of a seen triangle are in pixels, also with a corner behind") {
        scene::Scene scene;
        // An edge at x = 0 from far below to far above, which passes the camera's side.
        tests::add_object(scene,
                          tests::quad({0, -1, 3}, {6, 0, 0}, {0, 0, -9}),
                          tests::lambert({0.5F, 0.5F, 0.5F}));
        tests::set_camera(scene, {0, 0, 0}, {0, 0, -1}, 1.57079633F);
        const frame::RenderSettings settings = tests::small_frame(1, 512);
        const auto renderer = prepared(scene, settings);
        CameraHits hits(frame::unit_scene(renderer->scene()),
                        renderer->camera(),
                        {settings.width, settings.height},
                        false);
        // The edge x = 0, y = −1 is the upright line in the middle of the picture's lower half.
        for (const float x : {36.5F, 38.0F}) {
            const PicturePoint point{x, 49};
            CameraHit hit;
            hits.trace({&point, 1}, {&hit, 1});
            REQUIRE(hit.instance == 0);
            CHECK(hits.seen(hit, point).to_edge == doctest::Approx(x - 36).epsilon(0.01));
            CHECK(hits.seen(hit, point).height > 10);
        }
    }
}
