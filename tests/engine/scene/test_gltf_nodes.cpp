// test_gltf_nodes.cpp — nodes: transforms, instances, cameras, lights, and graphs that are no
// trees.
#include <cmath>

#include "tests/engine/scene/gltf_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

bool is_same(const math::Affine& found, const math::Affine& expected) {
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::fabs(found[i] - expected[i]) > 1e-6f) {
            return false;
        }
    }
    return true;
}

Writer with_nodes(const Json& nodes, const Json& roots) {
    Writer writer;
    writer.add_triangle();
    writer.json["nodes"] = nodes;
    writer.json["scenes"][0]["nodes"] = roots;
    return writer;
}

}  // namespace

TEST_SUITE("engine/scene/gltf_nodes") {
    TEST_CASE(
        "translation and rotation and scale compose as the specification says and children "
        "follow") {
        const double half = std::sqrt(0.5);
        const Writer writer = with_nodes(
            {{{"translation", {1, 2, 3}}, {"rotation", {0, 0, half, half}}, {"children", {1}}},
             {{"mesh", 0}, {"scale", {2, 3, 4}}, {"name", "leaf"}}},
            {0});
        const Scene scene = import_ok(writer, "trs");
        REQUIRE(scene.instances.size() == 1);
        CHECK(scene.instances[0].node == "leaf");
        // A quarter turn about z takes x to y.
        CHECK(is_same(scene.instances[0].object_to_world, {0, -3, 0, 1, 2, 0, 0, 2, 0, 0, 4, 3}));
    }

    TEST_CASE("a node matrix is read column by column and may mirror") {
        const Writer writer = with_nodes(
            {{{"mesh", 0}, {"matrix", {-1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1}}}}, {0});
        CHECK(is_same(import_ok(writer, "matrix").instances[0].object_to_world,
                      {-1, 0, 0, 5, 0, 2, 0, 6, 0, 0, 1, 7}));
    }

    TEST_CASE("two nodes with one mesh share it in memory") {
        const Scene scene = import_ok(
            with_nodes({{{"mesh", 0}}, {{"mesh", 0}, {"translation", {5, 0, 0}}}}, {0, 1}),
            "shared");
        CHECK(scene.instances.size() == 2);
        CHECK(scene.meshes.size() == 1);
        CHECK(scene_size(scene).triangles == 2);
        CHECK(scene_size(scene).unique_triangles == 1);
        CHECK(scene_bounds(scene).high == math::Vec3{6, 1, 0});
    }

    TEST_CASE("gpu instancing places the mesh once per row relative to its node") {
        Writer writer = with_nodes({{{"mesh", 0}, {"translation", {0, 0, 9}}}}, {0});
        const std::size_t where = writer.add_vec3({1, 0, 0, 2, 0, 0, 3, 0, 0});
        const std::vector<std::int8_t> turns = {0, 0, 0, 127, 0, 0, 127, 0, 0, 0, 0, 127};
        const std::size_t turn = writer.add(turns, "VEC4", 5120, 3, true);
        writer.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = {
            {"TRANSLATION", where}, {"ROTATION", turn}};
        const Scene scene = import_ok(writer, "gpu_instancing");
        REQUIRE(scene.instances.size() == 3);
        CHECK(scene.meshes.size() == 1);
        REQUIRE(scene.groups.size() == 1);  // which folds and moves the places as one
        CHECK(scene.instances[2].group == 0);
        CHECK(is_same(scene.instances[0].object_to_world, {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 9}));
        CHECK(is_same(scene.instances[1].object_to_world, {-1, 0, 0, 2, 0, -1, 0, 0, 0, 0, 1, 9}));
    }

    TEST_CASE("gpu instancing by attributes of an application alone places the mesh at its node") {
        Writer writer = with_nodes({{{"mesh", 0}, {"translation", {0, 0, 9}}}}, {0});
        const std::size_t numbers = writer.add(std::vector<float>{0, 1, 2}, "SCALAR", 5126, 3);
        Json& attributes =
            writer.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
        attributes = {{"_ID", numbers}};
        const Scene scene = import_ok(writer, "only_ids");
        REQUIRE(scene.instances.size() == 3);
        for (u32 k = 0; k < 3; ++k) {
            CHECK(scene.instances[k].object_to_world == math::translation({0, 0, 9}));
        }
        attributes["TRANSLATION"] = writer.add_vec3({1, 0, 0, 2, 0, 0, 3, 0, 0});
        CHECK(import_ok(writer, "ids_as_well").instances[2].object_to_world ==
              math::translation({3, 0, 9}));
    }

    TEST_CASE("nodes with something below them are groups and empty branches are none") {
        const Writer writer = with_nodes(
            {{{"name", "house"}, {"translation", {1, 0, 0}}, {"children", {1, 3, 5}}},
             {{"name", "table"}, {"mesh", 0}, {"translation", {0, 2, 0}}, {"children", {2}}},
             {{"name", "cup"}, {"mesh", 0}, {"translation", {0, 0, 3}}},
             {{"name", "joint"}, {"children", {4}}},
             {{"name", "end"}},
             {{"name", "flat"}, {"scale", {0, 1, 1}}, {"children", {6}}},
             {{"name", "eye"}, {"camera", 0}}},
            {0});
        Writer with_camera = writer;
        with_camera.json["cameras"] = {
            {{"type", "perspective"}, {"perspective", {{"yfov", 0.7}, {"znear", 0.1}}}}};
        const Scene scene = import_ok(with_camera, "groups");
        REQUIRE(scene.groups.size() == 3);
        CHECK(scene.groups[0].name == "house");
        CHECK(scene.groups[0].parent == kNone);
        CHECK(scene.groups[1].name == "table");
        CHECK(scene.groups[1].parent == 0);
        CHECK(scene.groups[1].to_world == math::translation({1, 2, 0}));
        // A group that is scaled to nothing keeps its place.
        CHECK(scene.groups[2].name == "flat");
        CHECK(scene.groups[2].to_world == math::translation({1, 0, 0}));
        REQUIRE(scene.instances.size() == 2);
        CHECK(scene.instances[0].node == "table");
        CHECK(scene.instances[0].group == 1);
        CHECK(scene.instances[1].node == "cup");
        CHECK(scene.instances[1].group == 1);
        REQUIRE(scene.cameras.size() == 1);
        CHECK(scene.cameras[0].group == 2);
    }

    TEST_CASE("a loop of nodes is cut and ten thousand nodes in one another are read") {
        Json nodes;
        constexpr u32 kDepth = 10000;
        for (u32 k = 0; k < kDepth; ++k) {
            nodes.push_back({{"children", {k + 1}}, {"translation", {0, 1, 0}}});
        }
        nodes.push_back({{"mesh", 0}, {"children", {5}}});
        const Scene scene = import_ok(with_nodes(nodes, {0}), "deep");
        REQUIRE(scene.groups.size() == kDepth);
        CHECK(scene.groups[kDepth - 1].parent == kDepth - 2);
        CHECK(scene.instances[0].group == kDepth - 1);
        CHECK(scene.instances[0].object_to_world == math::translation({0, kDepth, 0}));
        CHECK(has_note(scene, Note::Kind::Repaired, "is part of a loop"));
    }

    TEST_CASE("instancing attributes of different lengths are refused with their pointer") {
        Writer writer = with_nodes({{{"mesh", 0}}}, {0});
        writer.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = {
            {"TRANSLATION", writer.add_vec3({1, 0, 0, 2, 0, 0})},
            {"SCALE", writer.add_vec3({1, 1, 1})}};
        CHECK(contains(import_error(writer, "bad_instancing"),
                       "/nodes/0/extensions/EXT_mesh_gpu_instancing/attributes/SCALE"));
    }

    TEST_CASE("a node that is its own ancestor counts once") {
        const Scene scene = import_ok(
            with_nodes({{{"mesh", 0}, {"children", {1}}}, {{"children", {0}}}}, {0}), "loop");
        CHECK(scene.instances.size() == 1);
        CHECK(has_note(scene, Note::Kind::Repaired, "loop"));
    }

    TEST_CASE("a hidden node takes its children with it") {
        Writer writer = with_nodes({{{"children", {1}}}, {{"mesh", 0}}}, {0});
        writer.json["nodes"][0]["extensions"]["KHR_node_visibility"] = {{"visible", false}};
        const Scene scene = import_ok(writer, "hidden");
        CHECK(scene.instances.empty());
        CHECK(has_note(scene, Note::Kind::Ignored, "hidden"));
    }

    TEST_CASE("a camera sees from a hidden node, in the order and the group of the file") {
        Writer writer =
            with_nodes({{{"name", "rig"}, {"translation", {0, 0, 1}}, {"children", {1}}},
                        {{"name", "arm"}, {"children", {2, 3, 4}}},
                        {{"name", "A"}, {"camera", 0}, {"translation", {0, 0, 4}}},
                        {{"mesh", 0}},
                        Json::object(),
                        {{"name", "B"}, {"camera", 0}},
                        {{"mesh", 0}}},
                       {0, 5, 6});
        writer.json["cameras"] = {
            {{"type", "perspective"}, {"perspective", {{"yfov", 0.7}, {"znear", 0.1}}}}};
        writer.json["extensions"]["KHR_lights_punctual"]["lights"] = {{{"type", "point"}}};
        writer.json["nodes"][4]["extensions"]["KHR_lights_punctual"]["light"] = 0;
        for (const u32 hidden : {1U, 2U}) {
            CAPTURE(hidden);
            Writer with = writer;
            with.json["nodes"][hidden]["extensions"]["KHR_node_visibility"] = {{"visible", false}};
            const Scene scene = import_ok(with, "hidden_camera");
            REQUIRE(scene.cameras.size() == 2);
            CHECK(scene.cameras[0].name == "A");
            CHECK(is_same(scene.cameras[0].to_world, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 5}));
            REQUIRE(scene.groups.size() == 2);
            CHECK(scene.cameras[0].group == 1);
            CHECK(scene.instances.size() == (hidden == 1 ? 1 : 2));
            CHECK(scene.lights.size() == (hidden == 1 ? 0 : 1));
            CHECK(scene.instances.back().group == kNone);
        }
    }

    TEST_CASE("an instance keeps its source whatever else the file shows") {
        Writer writer = with_nodes(
            {{{"mesh", 0}}, {{"mesh", 0}, {"children", {2}}}, {{"mesh", 1}}, {{"mesh", 0}}},
            {0, 1, 3});
        writer.json["meshes"].push_back(writer.json["meshes"][0]);
        Json& primitives = writer.json["meshes"][1]["primitives"];
        primitives.push_back(primitives[0]);
        writer.json["nodes"][1]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = {
            {"TRANSLATION", writer.add_vec3({1, 0, 0, 2, 0, 0})}};
        const auto sources = [](const Scene& scene) {
            std::vector<u32> numbers;
            for (const Instance& instance : scene.instances) {
                numbers.push_back(instance.source);
            }
            return numbers;
        };
        const Scene all = import_ok(writer, "sources");
        CHECK(sources(all) == std::vector<u32>{0, 1, 2, 3, 4, 5});
        CHECK(all.source_count == 6);
        Writer hidden = writer;
        hidden.json["nodes"][1]["extensions"]["KHR_node_visibility"] = {{"visible", false}};
        CHECK(sources(import_ok(hidden, "sources")) == std::vector<u32>{0, 5});
        Writer shrunk = writer;
        shrunk.json["nodes"][0]["scale"] = {0, 0, 0};
        CHECK(sources(import_ok(shrunk, "sources")) == std::vector<u32>{1, 2, 3, 4, 5});
        // Those of a second file follow, and so do those of files that cannot be animated.
        const base::Result<Scene> two = import_scene(
            {hidden.write("hidden.gltf"), "procedural:spheres:1K", shrunk.write("shrunk.gltf")},
            {});
        REQUIRE(two.is_ok());
        const std::vector<u32> numbers = sources(two.value());
        const auto spheres = static_cast<u32>(numbers.size() - 7);
        CHECK(numbers[1] == 5);
        CHECK(numbers[2] == 6);
        CHECK(numbers[2 + spheres] == 6 + spheres + 1);
        CHECK(numbers.back() == 6 + spheres + 5);
        CHECK(two.value().source_count == 12 + spheres);
    }

    TEST_CASE("without scenes all root nodes are shown and without nodes the scene is empty") {
        Writer writer =
            with_nodes({{{"mesh", 0}}, {{"children", {0}}, {"translation", {0, 0, 1}}}}, {0});
        writer.json.erase("scene");
        writer.json.erase("scenes");
        const Scene scene = import_ok(writer, "no_scenes");
        REQUIRE(scene.instances.size() == 1);
        CHECK(scene.instances[0].object_to_world[11] == 1);
        Writer empty;
        empty.json.erase("scene");
        empty.json.erase("scenes");
        CHECK(import_ok(empty, "nothing").instances.empty());
    }

    TEST_CASE("only the default scene of several is shown") {
        Writer writer =
            with_nodes({{{"mesh", 0}, {"name", "a"}}, {{"mesh", 0}, {"name", "b"}}}, {0});
        writer.json["scenes"].push_back({{"nodes", {1}}});
        writer.json["scene"] = 1;
        const Scene scene = import_ok(writer, "two_scenes");
        REQUIRE(scene.instances.size() == 1);
        CHECK(scene.instances[0].node == "b");
    }

    TEST_CASE("a node scaled to nothing and one beyond all bounds are left out with a note") {
        const Scene scene = import_ok(with_nodes({{{"mesh", 0}, {"scale", {0, 0, 0}}},
                                                  {{"mesh", 0}, {"translation", {1e300, 0, 0}}}},
                                                 {0, 1}),
                                      "lost");
        CHECK(scene.instances.empty());
        CHECK(has_note(scene, Note::Kind::Ignored, "scaled to nothing"));
        CHECK(has_note(scene, Note::Kind::Repaired, "not finite"));
    }

    TEST_CASE(
        "a mesh that is flattened to a plane stays, and one flattened to a line has no area") {
        const auto scaled = [](const Json& node) {
            return import_ok(with_nodes({{{"mesh", 0}}, node}, {1}), "flat");
        };
        const auto placed = [&](const Json& scale) {
            const Scene scene = scaled({{"mesh", 0}, {"scale", scale}});
            REQUIRE(scene.instances.size() == 1);
            CHECK(math::inverse(scene.instances[0].object_to_world));
            return scene.instances[0].object_to_world;
        };
        CHECK(placed({1, 1, 0}) == math::Affine{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1e-5F, 0});
        CHECK(placed({0, 3, 3}) == math::Affine{3e-5F, 0, 0, 0, 0, 3, 0, 0, 0, 0, 3, 0});
        // The side that faces forward is the one around which the corners turn.
        CHECK(placed({-2, 2, 0}) == math::Affine{-2, 0, 0, 0, 0, 2, 0, 0, 0, 0, -2e-5F, 0});
        CHECK(placed({1, 1, -1e-20}) == math::Affine{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1e-5F, 0});
        CHECK(is_same(placed({1e-3, 1e-3, 0}), {1e-3F, 0, 0, 0, 0, 1e-3F, 0, 0, 0, 0, 1e-8F, 0}));
        for (const Json& scale : {Json{1, 0, 0}, Json{0, 0, 1}, Json{0, 0, 0}}) {
            const Scene scene = scaled({{"mesh", 0}, {"scale", scale}});
            CHECK(scene.instances.empty());
            CHECK(has_note(scene, Note::Kind::Ignored, "scaled to nothing"));
        }
        // Flattened across the axes of the world: x + y stays, x − y goes to z, z is lost.
        const Scene sheared =
            scaled({{"mesh", 0}, {"matrix", {1, 1, 1, 0, 1, 1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1}}});
        REQUIRE(sheared.instances.size() == 1);
        const math::Affine m = sheared.instances[0].object_to_world;
        CHECK(math::inverse(m));
        CHECK(m[2] == doctest::Approx(-m[6]));
        CHECK(m[10] == 0);
        const double thickness = std::hypot(static_cast<double>(m[2]), static_cast<double>(m[6]));
        CHECK(thickness == doctest::Approx(1e-5 * std::sqrt(std::sqrt(8.0))));
    }

    TEST_CASE("a mesh in tiny units is placed") {
        for (const double scale : {1e-9, 1e-10, 1e-12, -3e-13}) {
            const Scene scene = import_ok(
                with_nodes({{{"mesh", 0}, {"scale", {scale, scale, scale}}}}, {0}), "tiny");
            REQUIRE(scene.instances.size() == 1);
            CHECK(scene.instances[0].object_to_world[0] == static_cast<float>(scale));
            CHECK(math::inverse(scene.instances[0].object_to_world));
        }
    }

    TEST_CASE("cameras keep their numbers and lose the scale of their node") {
        Writer writer = with_nodes(
            {{{"camera", 0}, {"translation", {0, 1, 5}}, {"scale", {3, 3, 3}}, {"name", "eye"}},
             {{"camera", 1}}},
            {0, 1});
        writer.json["cameras"] = {
            {{"type", "perspective"},
             {"perspective", {{"yfov", 0.5}, {"znear", 0.1}, {"aspectRatio", 1.5}}}},
            {{"type", "orthographic"},
             {"orthographic", {{"xmag", 4}, {"ymag", 2}, {"znear", 0}, {"zfar", 9}}}}};
        const Scene scene = import_ok(writer, "cameras");
        REQUIRE(scene.cameras.size() == 2);
        CHECK(scene.cameras[0].name == "eye");
        CHECK(scene.cameras[0].yfov_rad == 0.5f);
        CHECK(scene.cameras[0].aspect == 1.5f);
        CHECK(is_same(scene.cameras[0].to_world, {1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 5}));
        CHECK(scene.cameras[1].is_orthographic);
        CHECK(scene.cameras[1].xmag == 4);
        CHECK(scene.cameras[1].ymag == 2);
    }

    TEST_CASE("punctual lights point along minus z of their node in candela and lux") {
        const double half = std::sqrt(0.5);
        Writer writer = with_nodes(
            {{{"rotation", {-half, 0, 0, half}}, {"translation", {1, 2, 3}}}, {{"name", "sun"}}},
            {0, 1});
        writer.json["nodes"][0]["extensions"]["KHR_lights_punctual"] = {{"light", 0}};
        writer.json["nodes"][1]["extensions"]["KHR_lights_punctual"] = {{"light", 1}};
        writer.json["extensions"]["KHR_lights_punctual"]["lights"] = {
            {{"type", "spot"},
             {"intensity", 10},
             {"color", {1, 0.5, 0}},
             {"range", 3},
             {"spot", {{"innerConeAngle", 0.25}, {"outerConeAngle", 0.5}}}},
            {{"type", "directional"}, {"intensity", 3}}};
        const Scene scene = import_ok(writer, "lights");
        REQUIRE(scene.lights.size() == 2);
        const Light& spot = scene.lights[0];
        CHECK(spot.kind == shaders::LightKind::Spot);
        CHECK(spot.position == math::Vec3{1, 2, 3});
        CHECK(spot.direction[1] == doctest::Approx(-1).epsilon(1e-6));
        CHECK(spot.intensity == math::Vec3{10, 5, 0});
        CHECK(spot.cos_inner == doctest::Approx(std::cos(0.25)));
        CHECK(spot.cos_outer == doctest::Approx(std::cos(0.5)));
        CHECK(scene.lights[1].kind == shaders::LightKind::Directional);
        CHECK(scene.lights[1].intensity == math::Vec3{3, 3, 3});
        CHECK(scene.lights[1].name == "sun");
        CHECK(has_note(scene, Note::Kind::Ignored, "ranges of lights"));
    }

    TEST_CASE("our own extras give lights a size and cameras a lens") {
        Writer writer =
            with_nodes({{{"camera", 0}}, {{"name", "sun"}}, {{"name", "bulb"}}}, {0, 1, 2});
        writer.json["nodes"][1]["extensions"]["KHR_lights_punctual"] = {{"light", 0}};
        writer.json["nodes"][2]["extensions"]["KHR_lights_punctual"] = {{"light", 1}};
        writer.json["extensions"]["KHR_lights_punctual"]["lights"] = {
            {{"type", "directional"}, {"extras", {{"weft_angle_deg", 120}, {"weft_radius_m", 3}}}},
            {{"type", "point"}, {"extras", {{"weft_radius_m", 0.25}}}}};
        writer.json["cameras"] = {{{"type", "perspective"},
                                   {"perspective", {{"yfov", 0.5}, {"znear", 0.1}}},
                                   {"extras",
                                    {{"weft_lens_radius_m", 0.125},
                                     {"weft_focus_m", 3},
                                     {"weft_shift_x", 0.5},
                                     {"weft_shift_y", -0.25},
                                     {"weft_pixel_aspect", "wide"}}}}};
        const Scene scene = import_ok(writer, "extras");
        REQUIRE(scene.lights.size() == 2);
        CHECK(scene.lights[0].angle_deg == 90);
        CHECK(scene.lights[0].radius_m == 0);
        CHECK(scene.lights[1].radius_m == 0.25f);
        CHECK(
            has_note(scene, Note::Kind::Repaired, "extras/weft_angle_deg is 120.0, taken as 90.0"));
        REQUIRE(scene.cameras.size() == 1);
        const Camera& camera = scene.cameras[0];
        CHECK(camera.lens_radius_m == 0.125f);
        CHECK(camera.focus_m == 3);
        CHECK(camera.shift_x == 0.5f);
        CHECK(camera.shift_y == -0.25f);
        CHECK(camera.pixel_aspect == 1);
    }

    TEST_CASE("a hundred thousand nested nodes do not exhaust the stack") {
        Json nodes = Json::array();
        for (int i = 0; i < 100000; ++i) {
            nodes.push_back({{"children", {i + 1}}});
        }
        nodes.push_back({{"mesh", 0}});
        CHECK(import_ok(with_nodes(nodes, {0}), "deep").instances.size() == 1);
    }
}
