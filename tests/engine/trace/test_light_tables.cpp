#include <cmath>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/scene_tables.h"
#include "tests/engine/trace/trace_stage.h"

using namespace weft;
using namespace weft::trace;
using namespace weft::trace::test;
using shaders::LightKind;

namespace {

constexpr double kPi = 3.14159265358979323846;

scene::Light light_of(LightKind kind, float intensity) {
    scene::Light light;
    light.kind = kind;
    light.intensity = {intensity, intensity, intensity};
    light.direction = {0, -3, 0};
    return light;
}

double pdf_of(const SceneTables& tables, std::size_t light) {
    return static_cast<double>(tables.lights[light].choice_pdf);
}

SceneTables tables_by_power(const scene::Scene& scene) {
    TablesConfig config;
    config.light_choice = LightChoice::Power;
    return make_scene_tables(scene, config);
}

// An emissive quad beside a constant one, so that ratios of probabilities show its power.
SceneTables tables_beside_reference(scene::Scene& scene, u32 material) {
    const u32 mesh = add_quad(scene);
    add_instance(scene, mesh, material);
    const u32 reference = add_material(scene);
    set_emissive(scene, reference, 1);
    add_instance(scene, mesh, reference);
    return tables_by_power(scene);
}

// 3000 quads of which half emit, and a sky.
scene::Scene scene_of_many_tables() {
    scene::Scene scene;
    const u32 dark = add_material(scene);
    const u32 bright = add_material(scene);
    set_emissive(scene, bright, 5);
    const u32 mesh = add_quad(scene);
    for (u32 k = 0; k < 3000; ++k) {
        const float size = 0.5f + 0.001f * static_cast<float>(k);
        const float place = 0.37f * static_cast<float>(k % 71);
        add_instance(scene,
                     mesh,
                     k % 2 == 0 ? bright : dark,
                     {size, 0, 0.1f, place, 0, 1, 0.2f, 0, 0.3f, 0, -size, 2 * place});
    }
    scene.environment.width = 100;
    scene.environment.height = 200;
    for (u32 i = 0; i < 3 * 100 * 200; ++i) {
        scene.environment.pixels.push_back(static_cast<float>(i * 7919 % 1013) * 0.003f);
    }
    return scene;
}

template <typename Record>
bool has_same_bits(const std::vector<Record>& a, const std::vector<Record>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Record)) == 0;
}

}  // namespace

TEST_SUITE("engine/trace/light_tables") {
    TEST_CASE("F17 tables made in threads by any number of workers have the same bits") {
        scene::Scene scene = scene_of_many_tables();
        std::vector<SceneTables> made;
        for (const u32 workers : {1U, 2U, 3U, 9U}) {
            TablesConfig config;
            config.thread_count = workers;
            made.push_back(make_scene_tables(scene, config));
        }
        for (const SceneTables& tables : made) {
            CHECK(has_same_bits(tables.instances, made.front().instances));
            CHECK(has_same_bits(tables.lights, made.front().lights));
            CHECK(has_same_bits(tables.light_nodes, made.front().light_nodes));
            CHECK(has_same_bits(tables.environment_cells, made.front().environment_cells));
            // The geometry manager makes instances and triangles, the compute manager materials,
            // rows, their weights with cells, and their probabilities: each entry once.
            CHECK(tables.geometry.numbers_taken == 3000 + 3000);
            CHECK(tables.geometry.threads_made == (3000 + 1023) / 1024 + (3000 + 127) / 128);
            CHECK(tables.geometry.threads_finished == tables.geometry.threads_made);
            CHECK(tables.computed.numbers_taken == 2 + 200 + 200 + 200);
            CHECK(tables.computed.threads_finished == tables.computed.threads_made);
            CHECK(tables.computed.threads_made > 7);
        }
    }

    TEST_CASE("lights are listed punctual first and then triangles and then the environment") {
        scene::Scene scene;
        scene.lights = {light_of(LightKind::Spot, 1), light_of(LightKind::Point, 2)};
        const u32 dark = add_material(scene);
        const u32 bright = add_material(scene);
        set_emissive(scene, bright, 5);
        const u32 mesh = add_quad(scene);
        add_instance(scene, mesh, bright);
        add_instance(scene, mesh, dark);
        add_instance(scene, mesh, bright, {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0});
        scene.environment.width = 2;
        scene.environment.height = 1;
        scene.environment.pixels = {1, 1, 1, 1, 1, 1};
        const SceneTables tables = tables_by_power(scene);
        REQUIRE(tables.view.light_count == 7);
        const LightKind kinds[] = {LightKind::Spot,
                                   LightKind::Point,
                                   LightKind::Triangle,
                                   LightKind::Triangle,
                                   LightKind::Triangle,
                                   LightKind::Triangle,
                                   LightKind::Environment};
        for (u32 i = 0; i < 7; ++i) {
            CHECK(tables.lights[i].kind == static_cast<u32>(kinds[i]));
        }
        CHECK(tables.instances[0].first_light == 2);
        CHECK(tables.instances[1].first_light == kNone);
        CHECK(tables.instances[2].first_light == 4);
        CHECK(tables.lights[5].instance == 2);
        CHECK(tables.lights[5].primitive == 1);
        CHECK(tables.lights[5].area == 3);
        CHECK(tables.view.environment_light == 6);
        CHECK(tables.lights[0].direction[1] == -1);
        double total = 0;
        for (u32 i = 0; i < 7; ++i) {
            total += pdf_of(tables, i);
        }
        CHECK(total == doctest::Approx(1).epsilon(1e-6));
    }

    TEST_CASE("half of the choice is by power and half is shared between families") {
        scene::Scene scene;
        scene.lights = {light_of(LightKind::Point, 2),
                        light_of(LightKind::Spot, 3),
                        light_of(LightKind::Directional, 4)};
        scene.lights[1].cos_inner = 1;
        scene.lights[1].cos_outer = 0.5f;
        const u32 material = add_material(scene);
        set_emissive(scene, material, 7);
        add_instance(scene, add_quad(scene), material, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0});
        scene.environment.width = 2;
        scene.environment.height = 1;
        scene.environment.pixels = {1, 1, 1, 3, 3, 3};
        scene.environment.strength = 2;
        const SceneTables tables = tables_by_power(scene);
        const double radius_squared = 2;  // half the diagonal of a 2 × 2 square
        const std::vector<double> powers = {4 * kPi * 2,
                                            2 * kPi * (1 - 0.75) * 3,
                                            kPi * radius_squared * 4,
                                            kPi * 2 * 7 * 2,
                                            kPi * 2 * 7 * 2,
                                            kPi * kPi * radius_squared * 4};
        double total = 0;
        for (const double power : powers) {
            total += power;
        }
        REQUIRE(tables.lights.size() == powers.size());
        for (std::size_t i = 0; i < powers.size(); ++i) {
            const double family = i < 2              ? powers[0] + powers[1]
                                  : i == 3 || i == 4 ? powers[3] + powers[4]
                                                     : powers[i];
            const double expected = 0.5 * powers[i] / total + 0.5 * powers[i] / (4 * family);
            CHECK(pdf_of(tables, i) == doctest::Approx(expected).epsilon(1e-5));
        }
    }

    TEST_CASE("a record has the radius of a ball and the depth of a sun's cap as its size") {
        scene::Scene scene;
        scene.lights = {light_of(LightKind::Point, 1),
                        light_of(LightKind::Spot, 1),
                        light_of(LightKind::Directional, 1),
                        light_of(LightKind::Directional, 1)};
        for (scene::Light& light : scene.lights) {
            light.radius_m = 0.25f;
            light.angle_deg = 0.53f;
        }
        scene.lights[3].angle_deg = 0;
        const SceneTables tables = tables_by_power(scene);
        CHECK(tables.lights[0].size == 0.25f);
        CHECK(tables.lights[1].size == 0.25f);
        const double depth = 1 - std::cos(0.53 / 2 * kPi / 180);
        CHECK(static_cast<double>(tables.lights[2].size) == doctest::Approx(depth).epsilon(1e-6));
        CHECK(tables.lights[3].size == 0);
    }

    TEST_CASE("lights of one kind are chosen in proportion to power") {
        scene::Scene scene;
        scene.lights = {light_of(LightKind::Point, 2), light_of(LightKind::Point, 6)};
        const SceneTables tables = tables_by_power(scene);
        CHECK(pdf_of(tables, 0) == doctest::Approx(0.25).epsilon(1e-5));
        CHECK(pdf_of(tables, 1) == doctest::Approx(0.75).epsilon(1e-5));
    }

    TEST_CASE("the light tree has seven eighths of the choice") {
        scene::Scene scene;
        scene.lights = {light_of(LightKind::Point, 2),
                        light_of(LightKind::Directional, 6),
                        light_of(LightKind::Spot, 6),
                        light_of(LightKind::Point, 0),
                        light_of(LightKind::Point, 1)};
        add_instance(scene, add_quad(scene), add_material(scene));
        const SceneTables power = tables_by_power(scene);
        const SceneTables tree = make_scene_tables(scene, {});
        CHECK(power.view.light_nodes == nullptr);
        REQUIRE(tree.lights.size() == 5);
        for (const std::size_t light : {0U, 1U, 2U, 4U}) {
            CHECK(pdf_of(tree, light) == doctest::Approx(pdf_of(power, light) / 8).epsilon(1e-5));
        }
        CHECK(pdf_of(tree, 3) == 0);
        CHECK(tree.view.tree_share == 7.0f / 8);
        CHECK(power.view.tree_share == 0);
        // The root has the lamps and the sun, the other node the lamps.
        CHECK(tree.light_nodes.size() == 2);
    }

    TEST_CASE("there is a tree for three lights with a place or for a sun beside another light") {
        const auto has_tree = [](const std::vector<LightKind>& kinds, bool has_sky) {
            scene::Scene scene;
            for (const LightKind kind : kinds) {
                scene.lights.push_back(light_of(kind, 1));
            }
            if (has_sky) {
                scene.environment.width = 2;
                scene.environment.height = 1;
                scene.environment.pixels = {1, 1, 1, 3, 3, 3};
            }
            add_instance(scene, add_quad(scene), add_material(scene));
            return make_scene_tables(scene, {}).view.light_nodes != nullptr;
        };
        CHECK_FALSE(has_tree({LightKind::Point, LightKind::Spot}, false));
        CHECK(has_tree({LightKind::Point, LightKind::Spot, LightKind::Point}, false));
        CHECK_FALSE(has_tree({LightKind::Directional}, false));
        CHECK_FALSE(has_tree({}, true));
        CHECK(has_tree({LightKind::Directional}, true));
        CHECK(has_tree({LightKind::Directional, LightKind::Directional}, false));
        CHECK(has_tree({LightKind::Point, LightKind::Directional}, false));
        CHECK(has_tree({LightKind::Point}, true));
    }

    TEST_CASE("a degenerate triangle keeps its index and is never chosen") {
        scene::Scene scene;
        const u32 material = add_material(scene);
        set_emissive(scene, material, 1);
        const u32 mesh = add_quad(scene);
        scene.indices[2] = 1;  // the first triangle becomes a line
        add_instance(scene, mesh, material);
        const SceneTables tables = tables_by_power(scene);
        REQUIRE(tables.view.light_count == 2);
        CHECK(pdf_of(tables, 0) == 0);
        CHECK(pdf_of(tables, 1) == 1);
        CHECK(tables.instances[0].first_light == 0);
        CHECK(tables.lights[1].primitive == 1);
    }

    TEST_CASE("hidden emitters do not emit") {
        scene::Scene scene;
        const u32 material = add_material(scene);
        set_emissive(scene, material, 1);
        const u32 mesh = add_quad(scene);
        add_instance(scene, mesh, material);
        add_instance(scene, mesh, material);
        TablesConfig config;
        config.is_visible = {false, true};
        const SceneTables tables = make_scene_tables(scene, config);
        CHECK(tables.view.light_count == 2);
        CHECK(tables.instances[0].first_light == kNone);
        CHECK(tables.instances[1].first_light == 0);
        CHECK(tables.lights[0].instance == 1);
        config.is_visible = {false, false};
        CHECK(make_scene_tables(scene, config).view.light_count == 0);
    }

    TEST_CASE("lights without any power leave nothing to choose from") {
        scene::Scene scene;
        scene.lights = {light_of(LightKind::Point, 0)};
        scene.environment.width = 2;
        scene.environment.height = 1;
        scene.environment.pixels = {0, 0, 0, 0, 0, 0};
        const SceneTables tables = tables_by_power(scene);
        CHECK(tables.view.light_count == 0);
        CHECK(tables.view.environment_light == 1);
        CHECK(pdf_of(tables, tables.view.environment_light) == 0);
    }

    TEST_CASE("an environment of one colour takes no light samples from other lights") {
        scene::Scene scene;
        scene.lights = {light_of(LightKind::Point, 1), light_of(LightKind::Point, 3)};
        scene.environment.width = scene.environment.height = 1;
        scene.environment.pixels = {100, 100, 100};
        const SceneTables tables = tables_by_power(scene);
        CHECK(tables.view.light_count == 2);
        CHECK(tables.view.environment_light == kNone);
        CHECK(tables.view.environment_width == 1);
        CHECK(pdf_of(tables, 0) + pdf_of(tables, 1) == doctest::Approx(1).epsilon(1e-6));
    }

    TEST_CASE("a triangle's emission is the mean of its texture") {
        scene::Scene scene;
        const u32 material = add_material(scene);
        set_emissive(scene, material, 10);
        // A checker of 16 × 16 texels, every second one black; a quarter of the rest at half.
        std::vector<u32> words;
        double mean = 0;
        for (u32 i = 0; i < 256; ++i) {
            const u32 grey = (i + i / 16) % 2 == 0 ? 0 : (i % 4 == 1 ? 128 : 255);
            words.push_back(grey * 0x010101u | 0xff000000u);
            mean += grey / 255.0 / 256;
        }
        scene.materials[material].record.emissive_slot = add_texture(scene, 16, 16, words);
        const SceneTables tables = tables_beside_reference(scene, material);
        REQUIRE(tables.lights.size() == 4);
        const double ratio =
            (pdf_of(tables, 0) + pdf_of(tables, 1)) / (pdf_of(tables, 2) + pdf_of(tables, 3));
        CHECK(ratio == doctest::Approx(10 * mean).epsilon(0.05));
    }

    TEST_CASE("a small bright spot on a large triangle is found") {
        scene::Scene scene;
        const u32 material = add_material(scene);
        set_emissive(scene, material, 100);
        std::vector<u32> words(128 * 128, 0xff000000u);
        for (u32 y = 90; y < 98; ++y) {
            for (u32 x = 30; x < 38; ++x) {
                words[y * 128 + x] =
                    0xffffffffu;  // in the upper left triangle of the quad, the second
            }
        }
        scene.materials[material].record.emissive_slot = add_texture(scene, 128, 128, words);
        const SceneTables tables = tables_beside_reference(scene, material);
        CHECK(pdf_of(tables, 0) == 0);
        CHECK(pdf_of(tables, 1) / pdf_of(tables, 2) ==
              doctest::Approx(100 * 2 * 64.0 / 16384).epsilon(0.3));
    }

    TEST_CASE("an emitter's alpha scales its power") {
        scene::Scene scene;
        const u32 material = add_material(scene);
        set_emissive(scene, material, 0.5f);
        shaders::MaterialRecord& record = scene.materials[material].record;
        record.base_color[3] = 0.25f;
        SUBCASE("opaque") {
            const SceneTables tables = tables_beside_reference(scene, material);
            CHECK(pdf_of(tables, 0) / pdf_of(tables, 2) == doctest::Approx(0.5).epsilon(1e-5));
        }
        SUBCASE("blended") {
            record.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
            const SceneTables tables = tables_beside_reference(scene, material);
            CHECK(pdf_of(tables, 0) / pdf_of(tables, 2) == doctest::Approx(0.125).epsilon(1e-5));
        }
        SUBCASE("cut out") {
            record.alpha_mode = static_cast<u32>(shaders::AlphaMode::Mask);
            record.alpha_cutoff = 0.5f;
            const SceneTables tables = tables_beside_reference(scene, material);
            CHECK(pdf_of(tables, 0) == 0);
        }
    }

    TEST_CASE("an unlit surface is no light whatever it emits") {
        scene::Scene scene;
        const u32 material = add_material(scene);
        set_emissive(scene, material, 100);
        scene.materials[material].record.flags = shaders::kMaterialUnlit;
        const SceneTables tables = tables_beside_reference(scene, material);
        CHECK(tables.view.light_count == 2);
        CHECK(tables.instances[0].first_light == kNone);
        CHECK(tables.instances[1].first_light == 0);
    }
}
