// Paths through slabs, matched indices and media, mirrored instances, and the recorded story of a
// path.
#include <doctest/doctest.h>

#include "engine/accel/acceleration.h"
#include "engine/scene/import.h"
#include "tests/engine/trace/reference_stage.h"

namespace weft::tests {

namespace {

using trace::reference::gray;

// A light that fills the view behind a slab, seen at right angles.
scene::Scene behind_slab(const shaders::MaterialRecord& record) {
    scene::Scene scene;
    add_object(scene, quad({-50, -50, -2}, {100, 0, 0}, {0, 100, 0}), emitter({1, 1, 1}));
    add_object(scene, box({-50, -50, -1}, {50, 50, 1}, Facing::Out), record);
    set_camera(scene, {0, 0, 5}, {0, 0, 0}, 1e-3f);
    return scene;
}

// Mirrors x of positions, normals and tangents, and reverses the winding order.
Shape mirrored(Shape shape) {
    const auto negate = [](std::vector<float>& values, std::size_t first, std::size_t stride) {
        for (std::size_t i = first; i < values.size(); i += stride) {
            values[i] = -values[i];
        }
    };
    negate(shape.positions, 0, 3);
    negate(shape.normals, 0, 3);
    negate(shape.tangents, 0, 4);
    negate(shape.tangents, 3, 4);
    for (std::size_t i = 0; i < shape.indices.size(); i += 3) {
        std::swap(shape.indices[i + 1], shape.indices[i + 2]);
    }
    return shape;
}

// A bumpy box and a bumpy floor, as one mesh each.
scene::Scene bumpy(const Shape& shape, const math::Affine& placing) {
    scene::Scene scene;
    shaders::MaterialRecord record = plastic({0.8f, 0.3f, 0.2f}, 0.3f);
    record.anisotropy = 0.7f;
    record.anisotropy_cos = 0.6f;
    record.anisotropy_sin = 0.8f;
    record.normal_slot = add_slot(scene, 8, Meaning::Linear, [](u32 x, u32 y) {
        return Byte4{static_cast<u8>(90 + 11 * x), static_cast<u8>(100 + 9 * y), 230, 255};
    });
    add_instance(scene, add_mesh(scene, shape, add_material(scene, record)), placing);
    scene.lights.push_back(point_light({2, 3, 4}, {40, 40, 40}));
    set_constant_environment(scene, {0.5f, 0.5f, 0.5f});
    set_camera(scene, {1, 2, 5}, {0, 0.5f, 0}, 0.7f);
    return scene;
}

}  // namespace

TEST_SUITE("engine/trace/reference_paths") {
    TEST_CASE("a glass slab at normal incidence transmits the whole series of inner reflections") {
        const Rgb mean = mean_of(behind_slab(glass(1.5f, 0.0f)), 1024, {2, 64, true, true});
        const double reflected = 0.04;
        CHECK(relative_difference(mean, gray((1 - reflected) / (1 + reflected))) < 5e-3);
    }

    TEST_CASE("an absorbing slab of matched index attenuates by its thickness") {
        shaders::MaterialRecord slab = glass(1.0f, 0.0f);
        slab.sigma_a[0] = 0.5f;
        slab.sigma_a[1] = 0.1f;
        const Rgb mean = mean_of(behind_slab(slab), 1, {2, 8, true, true});
        CHECK(relative_difference(mean, {std::exp(-1.0), std::exp(-0.2), 1}) < 1e-4);
    }

    TEST_CASE("a solid of matched index changes no bit of the view through it") {
        scene::Scene bare;
        set_sky(bare, 16, 8);
        set_camera(bare, {0, 0, 5}, {0, 0, 0}, 0.3f);
        scene::Scene with_solid = bare;
        add_object(with_solid, uv_sphere({0, 0, 0}, 2, 12, 6, Shading::Smooth), glass(1.0f, 0.4f));
        const ReferenceStage first(bare, {});
        const ReferenceStage second(with_solid, {});
        for (u32 i = 0; i < 64; ++i) {
            CHECK(first.tracer().trace_sample(i % 4, i / 16, i) ==
                  second.tracer().trace_sample(i % 4, i / 16, i));
        }
    }

    TEST_CASE("a solid of higher priority hides another one inside it") {
        shaders::MaterialRecord outer = glass(1.0f, 0.0f);
        outer.medium_priority = 2;
        shaders::MaterialRecord inner = glass(1.8f, 0.0f);
        inner.medium_priority = 1;
        inner.sigma_a[0] = 3;
        scene::Scene scene = behind_slab(outer);
        add_object(scene, box({-10, -10, -0.5f}, {10, 10, 0.5f}, Facing::Out), inner);
        CHECK(relative_difference(mean_of(scene, 4), gray(1)) < 1e-6);
    }

    TEST_CASE("a straight window tints the view behind it") {
        const Rgb mean = mean_of(behind_slab(window({0.5f, 1, 1}, 0.0f)), 256);
        // Two panes; they reflect black.
        CHECK(mean.x / mean.y == doctest::Approx(0.25).epsilon(1e-6));
        CHECK(mean.y > 0.8);
        CHECK(mean.y < 0.96);
    }

    TEST_CASE("a mirrored instance looks like a mesh that was mirrored by hand") {
        const Shape shape = box({-1.2f, -0.5f, -1}, {0.3f, 1, 0.8f}, Facing::Out);
        const ReferenceStage by_instance(bumpy(shape, placed({-1, 1, 1}, {0, 0, 0})),
                                         {6, 4, true, true});
        const ReferenceStage by_hand(bumpy(mirrored(shape), math::kIdentity), {6, 4, true, true});
        const trace::ReferenceTracer first = by_instance.tracer();
        const trace::ReferenceTracer second = by_hand.tracer();
        for (u32 i = 0; i < 36 * 16; ++i) {
            const auto a = first.trace_sample(i % 6, i / 6 % 6, i / 36);
            const auto b = second.trace_sample(i % 6, i / 6 % 6, i / 36);
            for (std::size_t c = 0; c < 4; ++c) {
                CHECK(a[c] == doctest::Approx(b[c]).epsilon(1e-9));
            }
        }
    }

    TEST_CASE("a hidden instance is invisible and casts no shadow") {
        scene::Scene scene;
        add_object(scene, quad({-5, 0, 5}, {10, 0, 0}, {0, 0, -10}), lambert({0.5f, 0.5f, 0.5f}));
        add_object(scene, box({-1, 0.1f, -1}, {1, 1, 1}, Facing::Out), lambert({0, 0, 0}));
        set_constant_environment(scene, {1, 1, 1});
        set_camera(scene, {0, 3, 1}, {0, 0, 0}, 0.05f);
        ReferenceStage stage(scene, {});
        CHECK(stage.mean(4).x == 0);
        stage.settings().is_visible = {true, false};
        CHECK(relative_difference(stage.mean(512), gray(0.5)) < 5e-3);
    }

    TEST_CASE("a culled back is hidden from camera rays and not from others") {
        scene::Scene scene;
        shaders::MaterialRecord wall = lambert({0, 0, 0});
        wall.flags |= shaders::kMaterialSingleSided;
        add_object(scene, quad({5, -5, 0}, {-10, 0, 0}, {0, 10, 0}), wall);
        // Behind the wall a plane sees only the wall's front.
        add_object(scene, quad({-5, -5, -0.001f}, {10, 0, 0}, {0, 10, 0}), lambert({1, 1, 1}));
        set_constant_environment(scene, {1, 1, 1});
        set_camera(scene, {0, 0, 3}, {0, 0, 0}, 0.1f);
        ReferenceStage stage(scene, {});
        std::vector<std::string> events;
        (void)stage.tracer().explain_sample(0, 0, 0, events);
        CHECK(events[1].find("instance 0") != std::string::npos);
        stage.settings().params.backface_culling = 1;
        events.clear();
        (void)stage.tracer().explain_sample(0, 0, 0, events);
        CHECK(events[3].find("instance 1") != std::string::npos);
        CHECK(stage.mean(64).x < 0.01);
    }

    TEST_CASE("a lamp shines from its front alone and the camera looks through it") {
        scene::Scene scene;
        shaders::MaterialRecord lamp = lambert({1, 1, 1});
        lamp.specular = 0;
        lamp.ior = 1;
        lamp.roughness = 0;
        lamp.transmission = 1;
        lamp.flags |= shaders::kMaterialFrontEmission | shaders::kMaterialUnseen;
        std::fill_n(lamp.emissive, 3, 1.0f);
        // A large lamp before the camera, whose front faces away from it, lights the wall behind.
        add_object(scene, quad({-500, -500, 0}, {0, 1000, 0}, {1000, 0, 0}), lamp);
        add_object(
            scene, quad({-5, -5, -0.5f}, {10, 0, 0}, {0, 10, 0}), lambert({0.5f, 0.5f, 0.5f}));
        set_camera(scene, {0, 0, 3}, {0, 0, 0}, 0.1f);
        ReferenceStage stage(scene, {});
        CHECK(relative_difference(stage.mean(512), gray(0.5)) < 2e-2);
        // Turned around it lights nothing that the camera sees.
        scene.meshes.clear();
        scene.instances.clear();
        add_object(scene, quad({-500, -500, 0}, {1000, 0, 0}, {0, 1000, 0}), lamp);
        add_object(
            scene, quad({-5, -5, -0.5f}, {10, 0, 0}, {0, 10, 0}), lambert({0.5f, 0.5f, 0.5f}));
        ReferenceStage turned(scene, {});
        CHECK(turned.mean(16).x == 0);
    }

    TEST_CASE("a hidden environment leaves alpha 0 and still lights") {
        scene::Scene scene;
        add_object(scene, quad({-1, -1, 0}, {1, 0, 0}, {0, 2, 0}), lambert({0.5f, 0.5f, 0.5f}));
        set_constant_environment(scene, {1, 1, 1});
        set_camera(scene, {0, 0, 3}, {0, 0, 0}, 0.3f);
        const ReferenceStage stage(scene, {2, 4, true, false});
        const auto on_quad = stage.tracer().trace_sample(0, 0, 0);
        CHECK(on_quad[3] == 1);
        CHECK(on_quad[0] > 0);
        CHECK(stage.tracer().trace_sample(1, 0, 0) == std::array<double, 4>{0, 0, 0, 0});
    }

    TEST_CASE("a clear pane shows a hidden environment, and hides nothing of it in light") {
        scene::Scene scene;
        add_object(scene, quad({-1, -1, 0}, {2, 0, 0}, {0, 2, 0}), window({1, 1, 1}, 0));
        set_constant_environment(scene, {1, 1, 1});
        set_camera(scene, {0, 0, 3}, {0, 0, 0}, 0.3f);
        const ReferenceStage stage(scene, {2, 4, true, false});
        for (u32 i = 0; i < 16; ++i) {
            const auto passed_or_mirrored = stage.tracer().trace_sample(0, 0, i);
            CHECK(passed_or_mirrored[0] == doctest::Approx(1));
            CHECK(passed_or_mirrored[3] == 1);
        }
    }

    TEST_CASE("paths are the same over a tree of the renderer and over the reference's own") {
        auto scenes = ten_scenes();
        auto shared = scene::import_scene({WEFT_SOURCE_DIR "/scenes/instances.gltf"}, {});
        REQUIRE(shared.is_ok());
        scene::complete_scene(shared.value());
        scenes.push_back({"instances", std::move(shared.value())});
        for (SmallScene& small : scenes) {
            CAPTURE(small.name);
            const auto built = accel::build_acceleration(small.scene, {});
            REQUIRE(built.is_ok());
            ReferenceStage stage(std::move(small.scene), {8, 8, true, true});
            const trace::ReferenceTracer own = stage.tracer();
            const trace::ReferenceTracer other(
                stage.tables(), stage.settings(), built.value().view());
            for (u32 i = 0; i < 64 * 2; ++i) {
                CAPTURE(i);
                CHECK(own.trace_sample(i % 8, i / 8 % 8, i / 64) ==
                      other.trace_sample(i % 8, i / 8 % 8, i / 64));
            }
        }
    }

    TEST_CASE("clamping cuts a contribution to its limit and keeps its colour") {
        scene::Scene scene;
        add_object(scene, quad({-5, -5, 0}, {10, 0, 0}, {0, 10, 0}), emitter({8, 4, 2}));
        set_camera(scene, {0, 0, 3}, {0, 0, 0}, 0.3f);
        ReferenceStage stage(scene, {});
        stage.settings().params.clamp_direct = 2;
        CHECK(relative_difference(stage.mean(1), {2, 1, 0.5}) < 1e-12);
    }

    TEST_CASE("every sample of the ten scenes is finite and explained as it is traced") {
        for (SmallScene& small : ten_scenes()) {
            CAPTURE(small.name);
            const ReferenceStage stage(std::move(small.scene), {6, 8, true, true});
            const trace::ReferenceTracer tracer = stage.tracer();
            double sum = 0;
            for (u32 i = 0; i < 36 * 4; ++i) {
                std::vector<std::string> events;
                const auto told = tracer.explain_sample(i % 6, i / 6 % 6, i / 36, events);
                CHECK(told == tracer.trace_sample(i % 6, i / 6 % 6, i / 36));
                CHECK(std::isfinite(told[0] + told[1] + told[2]));
                CHECK(std::min({told[0], told[1], told[2]}) >= 0);
                CHECK(events.size() >= 3);
                CHECK(events.front().starts_with("Camera ray"));
                sum += told[0] + told[1] + told[2];
            }
            CHECK(sum > 1);
        }
    }
}

}  // namespace weft::tests
