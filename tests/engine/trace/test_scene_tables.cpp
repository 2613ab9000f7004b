#include <cmath>
#include <utility>

#include <doctest/doctest.h>

#include "engine/trace/scene_tables.h"
#include "shaders/surface/albedo_tables.h"
#include "tests/engine/trace/trace_stage.h"

using namespace weft;
using namespace weft::trace;
using namespace weft::trace::test;

namespace {

u32 flags_of(const shaders::MaterialRecord& record) {
    scene::Scene scene;
    scene.materials.push_back({"", record});
    return make_scene_tables(scene, {}).materials[0].flags;
}

}  // namespace

TEST_SUITE("engine/trace/scene_tables") {
    TEST_CASE("an instance's inverse undoes its matrix and mirrored instances are marked") {
        scene::Scene scene;
        const u32 material = add_material(scene);
        const u32 mesh = add_quad(scene);
        const math::Affine matrix = {2, 0.5f, -1, 7, 0.25f, -3, 0, 8, 1, 0, 0.125f, -9};
        add_instance(scene, mesh, material, matrix);
        add_instance(scene, mesh, material, {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
        add_instance(scene, mesh, material, {-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0});
        const SceneTables tables = make_scene_tables(scene, {});
        const shaders::InstanceRecord& placed = tables.instances[0];
        math::Affine to_world{};
        math::Affine to_object{};
        std::copy_n(placed.object_to_world, 12, to_world.begin());
        std::copy_n(placed.world_to_object, 12, to_object.begin());
        const math::DVec3 point = {1.5, -2.25, 3.125};
        const math::DVec3 world = math::transform_point(math::to_double(to_world), point);
        const math::DVec3 back = math::transform_point(math::to_double(to_object), world);
        for (u32 axis = 0; axis < 3; ++axis) {
            CHECK(back[axis] == doctest::Approx(point[axis]).epsilon(1e-5));
        }
        // Determinant of `matrix`: 2 · (−0.375) − 0.5 · 0.03125 − 1 · 3 is negative.
        CHECK(tables.instances[0].flags == shaders::kInstanceMirrored);
        CHECK(tables.instances[1].flags == shaders::kInstanceMirrored);
        CHECK(tables.instances[2].flags == 0);
    }

    TEST_CASE("a singular matrix gives zeros and no NaN") {
        scene::Scene scene;
        add_instance(
            scene, add_quad(scene), add_material(scene), {1, 0, 0, 4, 0, 1, 0, 5, 0, 0, 0, 6});
        const SceneTables tables = make_scene_tables(scene, {});
        for (const float entry : tables.instances[0].world_to_object) {
            CHECK(entry == 0);
        }
    }

    TEST_CASE("material flags follow the factors") {
        using namespace weft::shaders;
        MaterialRecord plain = scene::default_material();
        plain.flags = 0;
        CHECK(flags_of(plain) == 0);

        MaterialRecord record = plain;
        record.coat = 0.1f;
        record.anisotropy = 0.5f;
        record.sheen_color[1] = 0.2f;
        record.normal_slot = 0;
        record.emissive[2] = 1;
        record.flags = kMaterialSingleSided;
        CHECK(flags_of(record) == (kMaterialCoat | kMaterialAnisotropy | kMaterialSheen |
                                   kMaterialNormalMap | kMaterialEmissive | kMaterialSingleSided));

        record = plain;
        record.iridescence = 1;
        record.iridescence_max_nm = 400;
        CHECK(flags_of(record) == kMaterialIridescence);
        record.iridescence_max_nm = 0;
        CHECK(flags_of(record) == 0);
    }

    TEST_CASE("transmission is straight if thin and smooth and solid only with a volume") {
        using namespace weft::shaders;
        MaterialRecord record = scene::default_material();
        record.flags = 0;
        record.transmission = 1;
        record.roughness = 0.05f;
        CHECK(flags_of(record) == (kMaterialTransmission | kMaterialStraight));
        record.roughness = 0.06f;
        CHECK(flags_of(record) == kMaterialTransmission);
        record.flags = kMaterialSolid;
        record.roughness = 0;
        CHECK(flags_of(record) == (kMaterialTransmission | kMaterialSolid));
        record.ior = 1.0005f;
        CHECK(flags_of(record) == (kMaterialTransmission | kMaterialSolid | kMaterialStraight));
        record.transmission = 0;
        CHECK(flags_of(record) == 0);
    }

    TEST_CASE("media scatter inside of solids, and a boundary of one is nothing else") {
        using namespace weft::shaders;
        MaterialRecord record = scene::default_material();
        record.flags = kMaterialSolid;
        record.sigma_s[1] = 2;
        CHECK(flags_of(record) == 0);
        record.transmission = 1;
        CHECK((flags_of(record) & kMaterialScattering) != 0);
        record.flags = kMaterialBoundary;
        record.coat = 1;
        record.emissive[0] = 100;
        CHECK(flags_of(record) == (kMaterialBoundary | kMaterialSolid | kMaterialScattering));
        record.sigma_s[1] = 0;
        CHECK(flags_of(record) == (kMaterialBoundary | kMaterialSolid));
    }

    TEST_CASE("an unlit material neither scatters nor counts as emissive") {
        using namespace weft::shaders;
        MaterialRecord record = scene::default_material();
        record.flags = kMaterialUnlit | kMaterialSolid | kMaterialSingleSided;
        record.transmission = 1;
        record.coat = 1;
        record.emissive[0] = 100;
        CHECK(flags_of(record) == (kMaterialUnlit | kMaterialSingleSided));
    }

    TEST_CASE("the view points to the tables after a move") {
        scene::Scene scene;
        const u32 material = add_material(scene);
        set_emissive(scene, material, 1);
        add_instance(scene, add_quad(scene), material);
        scene.environment.width = scene.environment.height = 1;
        scene.environment.pixels = {1, 1, 1};
        scene.environment.rotation_rad = 0.5f;
        SceneTables first = make_scene_tables(scene, {});
        SceneTables tables;
        tables = std::move(first);
        const shaders::SceneView& view = tables.view;
        CHECK(view.meshes == tables.meshes.data());
        CHECK(view.instances == tables.instances.data());
        CHECK(view.materials == tables.materials.data());
        CHECK(view.lights == tables.lights.data());
        CHECK(view.environment_cells == tables.environment_cells.data());
        CHECK(view.ggx_albedo == shaders::ggx_albedo().data());
        CHECK(view.positions == std::as_const(scene).positions.data());
        CHECK(view.environment == scene.environment.pixels.data());
        CHECK(view.sheen_albedo == shaders::albedo_tables().sheen.data());
        CHECK(view.srgb_to_linear[255] == 1);
        CHECK(view.environment_cos == doctest::Approx(std::cos(0.5)));
        CHECK(view.environment_sin == doctest::Approx(std::sin(0.5)));
    }

    TEST_CASE("an empty scene has tables without lights") {
        const scene::Scene scene;
        const SceneTables tables = make_scene_tables(scene, {});
        CHECK(tables.view.light_count == 0);
        CHECK(tables.view.environment_light == kNone);
        CHECK(tables.view.environment_width == 0);
        CHECK(tables.view.environment_is_visible == 1);
        TablesConfig hidden;
        hidden.environment_is_visible = false;
        CHECK(make_scene_tables(scene, hidden).view.environment_is_visible == 0);
    }
}
