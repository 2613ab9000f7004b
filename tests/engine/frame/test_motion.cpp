// test_motion.cpp — vectors of surfaces that move from frame to frame, against projections that are
// written out.
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include <doctest/doctest.h>

#include "engine/frame/motion.h"
#include "engine/frame/renderer.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using namespace weft::tests;
using weft::u32;
using weft::film::Aov;
using weft::frame::Motion;
using weft::scene::Scene;

constexpr u32 kMotionWidth = 64;
constexpr u32 kMotionHeight = 32;
constexpr float kFov_rad = 0.8F;
constexpr double kTolerance = 1e-4;  // pixels

// Two objects: a quad of side 2 in the plane z = -4, seen from the origin.
Scene quad_scene() {
    Scene scene;
    add_object(scene, quad({-1, -1, -4}, {2, 0, 0}, {0, 2, 0}), lambert({0.5F, 0.5F, 0.5F}));
    add_object(scene, quad({2, -1, -4}, {1, 0, 0}, {0, 2, 0}), lambert({0.5F, 0.5F, 0.5F}));
    set_constant_environment(scene, {1, 1, 1});
    set_camera(scene, {0, 0, 0}, {0, 0, -1}, kFov_rad);
    return scene;
}

Scene moved(const Scene& scene, Float3 by) {
    Scene other = scene;
    other.instances[0].object_to_world = weft::math::translation(by);
    return other;
}

Motion motion_between(const Scene& previous, const Scene& now, const Scene& next) {
    return {{previous, previous.cameras.front()},
            {now, now.cameras.front()},
            {next, next.cameras.front()},
            kMotionWidth,
            kMotionHeight};
}

// The vertices of mesh 0 moved by themselves, as skins and morph targets move them: sheared, and
// turned out of their plane.
Scene bent(const Scene& scene, float by) {
    Scene other = scene;
    const auto& record = std::as_const(other).meshes[0].record;
    float* const positions = other.positions.own().data() + 3 * record.first_position;
    for (u32 vertex = 0; vertex < 4; ++vertex) {
        float* const at = positions + 3 * vertex;
        at[0] += by * at[1];
        at[2] += 0.5F * by * at[1];
    }
    return other;
}

// Renders the layers of one sample per pixel.
std::unique_ptr<weft::frame::Renderer> rendered(const Scene& now,
                                                std::shared_ptr<const Motion> motion,
                                                u32 samples,
                                                const weft::frame::RenderSettings& usual) {
    weft::frame::RenderSettings settings = usual;
    settings.width = kMotionWidth;
    settings.height = kMotionHeight;
    settings.samples_per_pixel = samples;
    settings.max_bounces = 0;
    settings.thread_count = 2;
    settings.aovs = {Aov::Motion, Aov::Instance, Aov::Depth, Aov::Position};
    settings.motion = std::move(motion);
    auto renderer = weft::frame::Renderer::prepare(now, now.cameras.front(), settings, {});
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    return std::move(renderer.value());
}

// Pixels of a metre in the plane at this distance.
double pixels_of_metre(double distance_m) {
    return kMotionHeight / (2 * std::tan(static_cast<double>(kFov_rad) / 2) * distance_m);
}

void check_vector(const std::array<float, 4>& vector, const std::array<double, 4>& wanted) {
    for (u32 c = 0; c < 4; ++c) {
        CAPTURE(c);
        CHECK(std::fabs(static_cast<double>(vector[c]) - wanted[c]) < kTolerance);
    }
}

}  // namespace

TEST_SUITE("engine/frame/motion") {
    TEST_CASE("a vector leads to the previous place, and comes from the next one") {
        const Scene now = quad_scene();
        const Motion motion =
            motion_between(moved(now, {-0.5F, 0.25F, 0}), now, moved(now, {1, 0, 2}));
        const float place[3] = {0.5F, 0.5F, -4};
        const double far = pixels_of_metre(4);
        const double near = pixels_of_metre(2);
        check_vector(motion.vector_of(0, place),
                     {-0.5 * far, 0.25 * far, 0.5 * far - 1.5 * near, 0.5 * far - 0.5 * near});
        // What does not move has no vector at all.
        CHECK(motion.vector_of(1, place) == std::array<float, 4>{});
        CHECK(motion.vector_of(7, place) == std::array<float, 4>{});
    }

    TEST_CASE("a turned and scaled object takes its points with it") {
        Scene now = quad_scene();
        // Mirrored at x = y, twice as large: object (x, y) lies at (2y, 2x).
        now.instances[0].object_to_world = {0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 2, 0};
        const Scene then = moved(now, {0, 0, 0});
        const Motion motion = motion_between(then, now, now);
        const float place[3] = {0.4F, 0.2F, -8};
        const double far = pixels_of_metre(8);
        const double near = pixels_of_metre(4);
        check_vector(motion.vector_of(0, place),
                     {0.1 * near - 0.4 * far, 0.2 * near - 0.2 * far, 0, 0});
    }

    TEST_CASE("an object that turns takes its points around") {
        const Scene now = quad_scene();
        Scene then = now;
        // A quarter about the z axis: (x, y) goes to (-y, x).
        then.instances[0].object_to_world = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
        const float place[3] = {0.5F, 0.25F, -4};
        const double far = pixels_of_metre(4);
        check_vector(motion_between(then, now, now).vector_of(0, place),
                     {-0.75 * far, 0.25 * far, 0, 0});
        check_vector(motion_between(now, now, then).vector_of(0, place),
                     {0, 0, 0.75 * far, -0.25 * far});
    }

    TEST_CASE("vertices that move by themselves take the points of their triangles with them") {
        const Scene now = quad_scene();
        const Motion motion = motion_between(now, now, bent(moved(now, {0.5F, 0, 0}), 0.4F));
        const double far = pixels_of_metre(4);
        for (const float y : {-0.9F, -0.25F, 0.125F, 0.75F}) {
            const float place[3] = {0.3F, y, -4};
            const double at = static_cast<double>(y);
            const double there = pixels_of_metre(4 - 0.2 * at);
            const double x = static_cast<double>(place[0]);
            check_vector(motion.vector_of(0, place),
                         {0, 0, x * far - (x + 0.4 * at + 0.5) * there, at * far - at * there});
        }
        // The other object, and the frame in which nothing moves.
        const float other[3] = {2.5F, 0.5F, -4};
        CHECK(motion.vector_of(1, other) == std::array<float, 4>{});
        CHECK(motion_between(bent(now, 0.1F), now, now).hash() != motion.hash());
    }

    TEST_CASE("an object that another frame lacks, or has with other triangles, stands still") {
        const Scene now = quad_scene();
        Scene fewer = moved(now, {1, 0, 0});
        fewer.instances.resize(1);
        Scene renamed = moved(now, {1, 0, 0});
        renamed.instances[0].node = "another";
        const float place[3] = {0.5F, 0.5F, -4};
        CHECK(motion_between(now, now, fewer).vector_of(1, place) == std::array<float, 4>{});
        CHECK(motion_between(now, now, renamed).vector_of(0, place) == std::array<float, 4>{});
    }

    TEST_CASE("an object keeps its motion when others appear, vanish or bear its name") {
        Scene now = quad_scene();
        now.instances[0].source = 5;
        now.instances[1].source = 7;
        now.instances[1].node = now.instances[0].node;
        const Scene before = moved(now, {-1, 0, 0});
        Scene after = moved(now, {1, 0, 0});
        const float moving[3] = {0.5F, 0.5F, -4};
        const float still[3] = {2.5F, 0.5F, -4};
        const double step = pixels_of_metre(4);
        // The next moment has another object first, and lacks the one that stands still.
        after.instances.push_back(after.instances[0]);
        after.instances[0] = after.instances[1];
        after.instances[0].source = 2;
        std::swap(after.instances[1], after.instances[2]);
        after.instances.resize(2);
        const Motion motion = motion_between(before, now, after);
        check_vector(motion.vector_of(0, moving), {-step, 0, -step, 0});
        CHECK(motion.vector_of(1, still) == std::array<float, 4>{});
        // Several of one source correspond by their order.
        Scene twice = now;
        twice.instances[1].source = 5;
        Scene later = moved(twice, {1, 0, 0});
        const Motion copies = motion_between(twice, twice, later);
        check_vector(copies.vector_of(0, moving), {0, 0, -step, 0});
        CHECK(copies.vector_of(1, still) == std::array<float, 4>{});
    }

    TEST_CASE("a camera that moves or turns moves what stands still") {
        const Scene now = quad_scene();
        Scene before = now;
        set_camera(before, {0.3F, 0, 0}, {0.3F, 0, -1}, kFov_rad);
        Scene after = now;
        set_camera(after, {0, 0, 0}, {0, 0, 1}, kFov_rad);  // looks away
        Scene wide = now;
        set_camera(wide, {0, 0, 0}, {0, 0, -1}, 2 * std::atan(2 * std::tan(kFov_rad / 2)));
        const float place[3] = {1, -1, -4};
        const double far = pixels_of_metre(4);
        check_vector(motion_between(before, now, after).vector_of(0, place), {-0.3 * far, 0, 0, 0});
        check_vector(motion_between(now, now, wide).vector_of(0, place),
                     {0, 0, 0.5 * far, -0.5 * far});
        // Turned to the right by 0.1.
        const double sine = std::sin(0.1);
        const double cosine = std::cos(0.1);
        Scene turned = now;
        set_camera(turned,
                   {0, 0, 0},
                   {static_cast<float>(sine), 0, static_cast<float>(-cosine)},
                   kFov_rad);
        const double depth = sine + 4 * cosine;
        const double one = pixels_of_metre(1);
        check_vector(motion_between(turned, now, now).vector_of(0, place),
                     {(cosine - 4 * sine) / depth * one - far, -one / depth + far, 0, 0});
    }

    TEST_CASE("an orthographic camera moves pixels by metres") {
        Scene now = quad_scene();
        now.cameras[0].is_orthographic = true;
        now.cameras[0].xmag = 4;
        now.cameras[0].ymag = 2;
        const Motion motion = motion_between(moved(now, {0.5F, 0.25F, 3}), now, now);
        const float place[3] = {0, 0, -4};
        check_vector(motion.vector_of(0, place), {4, 2, 0, 0});
    }

    TEST_CASE("the hash tells motions apart") {
        const Scene now = quad_scene();
        const Scene then = moved(now, {1, 0, 0});
        CHECK(motion_between(now, now, now).hash() == motion_between(now, now, now).hash());
        CHECK(motion_between(then, now, now).hash() != motion_between(now, now, then).hash());
    }

    TEST_CASE("a film holds the mean vector of the samples that hit something") {
        const Scene now = quad_scene();
        const auto motion = std::make_shared<const Motion>(
            motion_between(moved(now, {-0.5F, 0, 0}), now, moved(now, {0.5F, 0, 0})));
        const auto renderer = rendered(now, motion, 8, {});
        const weft::film::Film& film = renderer->film();
        const double step = 0.5 * pixels_of_metre(4);
        u32 moving = 0;
        u32 partial = 0;
        for (u32 pixel = 0; pixel < kMotionWidth * kMotionHeight; ++pixel) {
            const u32 x = pixel % kMotionWidth;
            const u32 y = pixel / kMotionWidth;
            std::array<float, 4> vector{};
            film.aov_pixel(0, x, y, vector.data());
            const bool is_left = x < kMotionWidth / 2 + 20;  // of the quad that stands still
            const bool is_hit = film.pixel(x, y)[3] > 0;
            CAPTURE(x);
            CAPTURE(y);
            if (is_left && vector != std::array<float, 4>{}) {
                check_vector(vector, {-step, 0, -step, 0});
                ++moving;
                float depth = 0;
                film.aov_pixel(2, x, y, &depth);
                partial += depth < 3.9F ? 1U : 0U;
            } else if (!is_left || !is_hit) {
                CHECK(vector == std::array<float, 4>{});
            }
        }
        CHECK(moving > 200);
        CHECK(partial > 10);
    }

    TEST_CASE("each pixel of a film has the vector of the place that it shows, on every device") {
        const Scene now = quad_scene();
        const auto motion = std::make_shared<const Motion>(
            motion_between(moved(now, {0, 0.3F, 0.2F}), now, bent(now, 0.3F)));
        const auto renderer = rendered(now, motion, 1, {});
        const weft::film::Film& film = renderer->film();
        u32 moving = 0;
        for (u32 y = 0; y < kMotionHeight; ++y) {
            for (u32 x = 0; x < kMotionWidth; ++x) {
                std::array<float, 4> vector{};
                std::array<float, 3> place{};
                film.aov_pixel(0, x, y, vector.data());
                film.aov_pixel(3, x, y, place.data());
                const u32 instance = film.number(1, x, y);
                const auto expected = instance == weft::kNone
                                          ? std::array<float, 4>{}
                                          : motion->vector_of(instance, place.data());
                for (u32 c = 0; c < 4; ++c) {
                    CHECK(std::fabs(vector[c] - expected[c]) < 1e-3F);
                }
                moving += vector != std::array<float, 4>{} ? 1U : 0U;
            }
        }
        CHECK(moving > 200);
        // The same sums from other schedulers, devices and instruction sets of the same class.
        weft::frame::RenderSettings unkeyed;
        unkeyed.integrator.mode = weft::trace::SchedulerMode::Unkeyed;
        weft::frame::RenderSettings emulated;
        emulated.has_cpu = false;
        emulated.has_egpu = true;
        for (const weft::frame::RenderSettings& other : {unkeyed, emulated}) {
            CHECK(rendered(now, motion, 1, other)->film().aov_hash(0) == film.aov_hash(0));
        }
        // Without motion every vector is 0.
        const auto still = rendered(now, nullptr, 1, {});
        std::array<float, 4> vector{1, 1, 1, 1};
        still->film().aov_pixel(0, kMotionWidth / 2, kMotionHeight / 2, vector.data());
        CHECK(vector == std::array<float, 4>{});
    }
}
