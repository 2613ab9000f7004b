// test_gltf_animation.cpp — animated files at a time: keys, interpolation, what may move, bad keys.
#include <cmath>

#include "tests/engine/scene/gltf_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// Adds an animation of one channel that moves node 0; `numbers` of `type` per key.
void add_animation(Writer& writer,
                   const std::string& path,
                   const std::vector<float>& times,
                   const std::vector<float>& values,
                   const char* type,
                   const std::string& interpolation = "LINEAR") {
    const std::size_t width = std::string(type) == "SCALAR" ? 1
                              : std::string(type) == "VEC3" ? 3
                                                            : 4;
    const std::size_t input = writer.add(times, "SCALAR", 5126, times.size());
    const std::size_t output = writer.add(values, type, 5126, values.size() / width);
    Json target = {{"path", path}, {"node", 0}};
    if (path.starts_with('/')) {
        target = {{"path", "pointer"},
                  {"extensions", {{"KHR_animation_pointer", {{"pointer", path}}}}}};
    }
    writer.json["animations"].push_back(
        {{"samplers", {{{"input", input}, {"output", output}, {"interpolation", interpolation}}}},
         {"channels", {{{"sampler", 0}, {"target", target}}}}});
}

Scene at_time(const Writer& writer,
              const std::string& name,
              double time_s,
              const std::string& animation = "") {
    ImportConfig config;
    config.pose = Pose{time_s, animation};
    return import_ok(writer, name, config);
}

std::string error_at(const Writer& writer,
                     const std::string& name,
                     const std::string& animation = "") {
    ImportConfig config;
    config.pose = Pose{0.5, animation};
    Scene scene;
    const base::Status status = import_gltf(writer.write(name + ".gltf"), config, scene);
    REQUIRE(!status.is_ok());
    return status.error().sentence;
}

Writer moving(const std::string& interpolation, const std::vector<float>& values) {
    Writer writer;
    writer.add_triangle();
    add_animation(writer, "translation", {1, 2, 4}, values, "VEC3", interpolation);
    return writer;
}

float x_at(const Writer& writer, double time_s) {
    const Scene scene = at_time(writer, "moving", time_s);
    REQUIRE(scene.instances.size() == 1);
    return std::as_const(scene).instances[0].object_to_world[3];
}

}  // namespace

TEST_SUITE("engine/scene/gltf_animation") {
    TEST_CASE("linear keys are lines between them and end values outside") {
        const Writer writer = moving("LINEAR", {0, 0, 0, 10, 0, 0, 30, 0, 0});
        CHECK(x_at(writer, -1) == 0);
        CHECK(x_at(writer, 1) == 0);
        CHECK(x_at(writer, 1.25) == 2.5F);
        CHECK(x_at(writer, 2) == 10);
        CHECK(x_at(writer, 3) == 20);
        CHECK(x_at(writer, 4) == 30);
        CHECK(x_at(writer, 9) == 30);
    }

    TEST_CASE("step keys hold until the next key") {
        const Writer writer = moving("STEP", {0, 0, 0, 10, 0, 0, 30, 0, 0});
        CHECK(x_at(writer, 1.999) == 0);
        CHECK(x_at(writer, 2) == 10);
        CHECK(x_at(writer, 3.999) == 10);
        CHECK(x_at(writer, 4) == 30);
    }

    TEST_CASE("cubic keys are Hermite curves with tangents per second") {
        // x(t) = t³ at 1, 2 and 4: tangents 3, 12 and 48.
        const std::vector<float> values = {3, 0,  0, 1, 0,  0, 3, 0,  0, 12, 0,  0, 8, 0,
                                           0, 12, 0, 0, 48, 0, 0, 64, 0, 0,  48, 0, 0};
        const Writer writer = moving("CUBICSPLINE", values);
        for (const double time : {1.0, 1.3, 1.9, 2.0, 2.7, 3.6, 4.0}) {
            CHECK(x_at(writer, time) == doctest::Approx(time * time * time).epsilon(1e-6));
        }
        CHECK(x_at(writer, 0) == 1);
        CHECK(x_at(writer, 5) == 64);
    }

    TEST_CASE("rotations take the shorter arc at constant speed") {
        Writer writer;
        writer.add_triangle();
        // From no turn to 120 degrees about z; the second key is the other quaternion of that turn.
        const float c = -0.5F;
        const float s = -std::sqrt(0.75F);
        add_animation(writer, "rotation", {0, 1}, {0, 0, 0, 1, 0, 0, s, c}, "VEC4");
        for (const double time : {0.0, 0.25, 0.5, 1.0}) {
            const Scene scene = at_time(writer, "turning", time);
            const double angle = time * 2 * 3.14159265358979 / 3;
            const math::Affine& m = std::as_const(scene).instances[0].object_to_world;
            CHECK(m[0] == doctest::Approx(std::cos(angle)).epsilon(1e-6));
            CHECK(m[4] == doctest::Approx(std::sin(angle)).epsilon(1e-6));
        }
    }

    TEST_CASE("a pose is the scene of a file at rest with the values of that time") {
        Writer moved = moving("LINEAR", {0, 0, 0, 10, 4, 0, 30, 0, 0});
        Writer still;
        still.add_triangle();
        still.json["nodes"][0]["translation"] = {5, 2, 0};
        const Scene a = at_time(moved, "moved", 1.5);
        const Scene b = import_ok(still, "still");
        CHECK(a.instances[0].object_to_world == b.instances[0].object_to_world);
        CHECK(a.positions == b.positions);
        // At rest, the file's own values hold.
        CHECK(import_ok(moved, "moved").instances[0].object_to_world == math::kIdentity);
    }

    TEST_CASE("weights of morph targets move vertices") {
        Writer writer;
        const std::size_t target = writer.add_vec3({0, 0, 1, 0, 0, 2, 0, 0, 3});
        writer.add_mesh(
            {{"attributes", {{"POSITION", writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})}}},
             {"targets", {{{"POSITION", target}}}}});
        add_animation(writer, "weights", {0, 2}, {0, 1}, "SCALAR");
        const Scene scene = at_time(writer, "weights", 1);
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 0, 0.5F, 1, 0, 1, 0, 1, 1.5F});
    }

    TEST_CASE("a pointer moves one weight of a node or a mesh, and leaves the others") {
        for (const std::string list : {"/nodes/0/weights/", "/meshes/0/weights/"}) {
            for (const bool has_weights : {true, false}) {
                CAPTURE(list);
                CAPTURE(has_weights);
                Writer writer;
                const std::size_t along_x = writer.add_vec3({1, 0, 0, 0, 0, 0, 0, 0, 0});
                const std::size_t along_y = writer.add_vec3({0, 1, 0, 0, 0, 0, 0, 0, 0});
                writer.add_mesh(
                    {{"attributes", {{"POSITION", writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})}}},
                     {"targets", {{{"POSITION", along_x}}, {{"POSITION", along_y}}}}});
                if (has_weights) {
                    writer.json["meshes"][0]["weights"] = {7, 3};
                }
                add_animation(writer, list + "0", {0, 1}, {0, 1}, "SCALAR");
                const auto corner = [&](double time_s) {
                    const std::vector<float> corners =
                        corners_of(at_time(writer, "one_weight", time_s), 0, 0);
                    return std::vector<float>(corners.begin(), corners.begin() + 2);
                };
                const float other = has_weights ? 3 : 0;
                CHECK(corner(0) == std::vector<float>{0, other});
                CHECK(corner(0.5) == std::vector<float>{0.5F, other});
            }
        }
        Writer without;
        without.add_triangle();
        add_animation(without, "/nodes/0/weights/0", {0, 1}, {0, 1}, "SCALAR");
        CHECK(has_note(at_time(without, "no_weight", 0),
                       Note::Kind::Ignored,
                       "moves /nodes/0/weights/0, which cannot be animated"));
    }

    TEST_CASE("joints move the vertices of a skin") {
        Writer writer;
        const std::size_t joints = writer.add(std::vector<u8>(12, 0), "VEC4", 5121, 3);
        const std::size_t weights =
            writer.add(std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4", 5126, 3);
        writer.add_mesh({{"attributes",
                          {{"POSITION", writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})},
                           {"JOINTS_0", joints},
                           {"WEIGHTS_0", weights}}}});
        writer.json["nodes"] = {{{"name", "joint"}}, {{"mesh", 0}, {"skin", 0}}};
        writer.json["skins"] = {{{"joints", {0}}}};
        writer.json["scenes"][0]["nodes"] = {0, 1};
        add_animation(writer, "translation", {0, 1}, {0, 0, 0, 0, 0, 8}, "VEC3");
        const Scene scene = at_time(writer, "skin", 0.5);
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 0, 4, 1, 0, 4, 0, 1, 4});
    }

    TEST_CASE("a pose takes over the meshes of another one that were made in the same way") {
        // Node 0 morphs, node 1 follows its joint, node 2 does neither.
        Writer writer;
        const std::vector<float> corners = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        const std::size_t target = writer.add_vec3({0, 0, 1, 0, 0, 2, 0, 0, 3});
        const std::size_t joints = writer.add(std::vector<u8>(12, 0), "VEC4", 5121, 3);
        const std::size_t weights =
            writer.add(std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4", 5126, 3);
        writer.add_mesh({{"attributes", {{"POSITION", writer.add_vec3(corners)}}},
                         {"targets", {{{"POSITION", target}}}}});
        writer.add_mesh({{"attributes",
                          {{"POSITION", writer.add_vec3(corners)},
                           {"JOINTS_0", joints},
                           {"WEIGHTS_0", weights}}}});
        writer.add_mesh({{"attributes", {{"POSITION", writer.add_vec3(corners)}}}});
        writer.json["nodes"] = {{{"mesh", 0}}, {{"mesh", 1}, {"skin", 0}}, {{"mesh", 2}}};
        writer.json["skins"] = {{{"joints", {0}}}};
        writer.json["scenes"][0]["nodes"] = {0, 1, 2};
        add_animation(writer, "weights", {0, 2}, {0, 1}, "SCALAR");
        add_animation(writer, "translation", {2, 3}, {0, 0, 0, 0, 0, 8}, "VEC3");
        // Change what was read, to see which of it is kept and which is read again.
        Scene former = at_time(writer, "kept", 1, "all");
        REQUIRE(former.meshes.size() == 3);
        for (u32 mesh = 0; mesh < 3; ++mesh) {
            former.positions[std::size_t{9} * mesh + 1] = 0.25F;
        }
        const auto marks_at = [&](double time_s) {
            ImportConfig config;
            config.pose = Pose{time_s, "all"};
            config.former = &former;
            const Scene scene = import_ok(writer, "kept", config);
            REQUIRE(scene.meshes.size() == 3);
            std::vector<bool> is_marked;
            for (u32 mesh = 0; mesh < 3; ++mesh) {
                is_marked.push_back(corners_of(scene, mesh, 0)[1] == 0.25F);
            }
            return is_marked;
        };
        CHECK(marks_at(1) == std::vector<bool>{true, true, true});
        CHECK(marks_at(1.5) == std::vector<bool>{false, true, true});
        CHECK(marks_at(2.5) == std::vector<bool>{false, false, true});
        // A scene at rest takes nothing, and gives nothing.
        ImportConfig rest;
        rest.former = &former;
        CHECK(corners_of(import_ok(writer, "kept", rest), 2, 0)[1] == 0);
        CHECK(import_ok(writer, "kept", rest).mesh_sources.empty());
    }

    TEST_CASE("pointers move materials, cameras, lights and visibility") {
        Writer writer;
        writer.add_triangle();
        writer.json["meshes"][0]["primitives"][0]["material"] = 0;
        writer.json["materials"] = {{{"name", "paint"}}};
        writer.json["cameras"] = {
            {{"type", "perspective"}, {"perspective", {{"yfov", 0.5}, {"znear", 0.1}}}}};
        writer.json["extensions"]["KHR_lights_punctual"]["lights"] = {{{"type", "point"}}};
        writer.json["nodes"][0]["camera"] = 0;
        writer.json["nodes"][0]["extensions"]["KHR_lights_punctual"]["light"] = 0;
        add_animation(
            writer, "/materials/0/pbrMetallicRoughness/roughnessFactor", {0, 1}, {0, 1}, "SCALAR");
        add_animation(writer,
                      "/materials/0/pbrMetallicRoughness/baseColorFactor",
                      {0, 1},
                      {0, 0, 0, 1, 1, 0.5F, 0, 1},
                      "VEC4");
        add_animation(writer, "/cameras/0/perspective/yfov", {0, 1}, {0.5F, 1.5F}, "SCALAR");
        add_animation(
            writer, "/extensions/KHR_lights_punctual/lights/0/intensity", {0, 1}, {2, 4}, "SCALAR");
        const Scene scene = at_time(writer, "pointers", 0.5, "all");
        const shaders::MaterialRecord& paint = std::as_const(scene).materials.back().record;
        CHECK(paint.roughness == 0.5F);
        CHECK(paint.base_color[1] == 0.25F);
        CHECK(scene.cameras[0].yfov_rad == 1);
        CHECK(scene.lights[0].intensity.x == 3);

        add_animation(writer,
                      "/nodes/0/extensions/KHR_node_visibility/visible",
                      {0, 1},
                      {1, 0},
                      "SCALAR",
                      "STEP");
        CHECK(at_time(writer, "seen", 0.9, "all").instances.size() == 1);
        CHECK(at_time(writer, "seen", 1, "all").instances.empty());
    }

    TEST_CASE("an animation that turns light on or off is told from one that does not") {
        // Node 0 holds node 1, which shows an emissive triangle; node 2 is a lamp.
        const auto has_moving_light = [](const std::string& path,
                                         const std::vector<float>& values,
                                         const char* type,
                                         const Json& at_rest = Json::object()) {
            Writer writer;
            writer.add_triangle();
            writer.json["meshes"][0]["primitives"][0]["material"] = 0;
            writer.json["materials"] = {{{"emissiveFactor", {0, 0.5, 0}}}};
            writer.json["extensions"]["KHR_lights_punctual"]["lights"] = {
                {{"type", "point"}, {"intensity", 0}}};
            writer.json["nodes"] = {{{"children", {1}}}, {{"mesh", 0}}, Json::object()};
            writer.json["nodes"][2]["extensions"]["KHR_lights_punctual"]["light"] = 0;
            writer.json["scenes"][0]["nodes"] = {0, 2};
            writer.json.merge_patch(at_rest);
            add_animation(writer, path, {0, 1}, values, type);
            CHECK_FALSE(import_ok(writer, "rest").has_moving_light);
            return at_time(writer, "moving_light", 0).has_moving_light;
        };
        const std::string lamp = "/extensions/KHR_lights_punctual/lights/0/";
        CHECK(has_moving_light(lamp + "intensity", {0, 2}, "SCALAR"));
        CHECK(has_moving_light(lamp + "color", {0, 0, 1, 0, 0, 0}, "VEC3"));
        CHECK_FALSE(has_moving_light(lamp + "intensity", {0, 0}, "SCALAR"));
        CHECK_FALSE(has_moving_light(lamp + "range", {1, 2}, "SCALAR"));
        CHECK(has_moving_light("/materials/0/emissiveFactor", {0, 0, 0, 0, 0, 1}, "VEC3"));
        CHECK_FALSE(has_moving_light(
            "/materials/0/pbrMetallicRoughness/roughnessFactor", {0, 1}, "SCALAR"));
        // What shows, hides, or shrinks to nothing an emitter.
        const std::string visible = "/extensions/KHR_node_visibility/visible";
        CHECK(has_moving_light("/nodes/0" + visible, {1, 0}, "SCALAR"));
        CHECK_FALSE(has_moving_light("/nodes/0" + visible, {1, 1}, "SCALAR"));
        CHECK_FALSE(has_moving_light("/nodes/0" + visible, {0, 0}, "SCALAR"));
        CHECK_FALSE(has_moving_light("/nodes/2" + visible, {1, 0}, "SCALAR"));
        const Json dark = {{"materials", {{{"emissiveFactor", {0, 0, 0}}}}}};
        CHECK_FALSE(has_moving_light("/nodes/0" + visible, {1, 0}, "SCALAR", dark));
        CHECK(has_moving_light("scale", {0, 0, 0, 1, 1, 1}, "VEC3"));
        CHECK_FALSE(has_moving_light("scale", {0, 1, 1, 1, 1, 1}, "VEC3"));
    }

    TEST_CASE("an animation is chosen by name or number, and the first is usual") {
        Writer writer;
        writer.add_triangle();
        add_animation(writer, "translation", {0}, {1, 0, 0}, "VEC3");
        add_animation(writer, "translation", {0}, {2, 0, 0}, "VEC3");
        writer.json["animations"][1]["name"] = "walk";
        const u64 input = writer.json["animations"][0]["samplers"][0]["input"];
        writer.json["accessors"][input]["max"] = {1.5};
        const auto x = [&](const std::string& animation) {
            const Scene scene = at_time(writer, "chosen", 0, animation);
            return scene.instances[0].object_to_world[3];
        };
        CHECK(x("") == 1);
        CHECK(x("0") == 1);
        CHECK(x("1") == 2);
        CHECK(x("walk") == 2);
        // A name comes before a number.
        writer.json["animations"][0]["name"] = "1";
        CHECK(x("1") == 1);
        CHECK(x("0") == 1);
        writer.json["animations"][0].erase("name");
        const std::string error = error_at(writer, "chosen", "run");
        CHECK(contains(error, "--animation run"));
        CHECK(contains(error, "0, walk"));
        CHECK(has_note(
            import_ok(writer, "chosen"), Note::Kind::Found, "2 animations (0, 1.5 s; walk)"));
    }

    TEST_CASE("a channel that cannot be followed is left out with a note") {
        Writer writer;
        writer.add_triangle();
        add_animation(writer, "/nodes/0/name", {0}, {1}, "SCALAR");
        add_animation(writer, "/nodes/7/translation", {0}, {1, 2, 3}, "VEC3");
        add_animation(writer, "translation", {0}, {1, 2, 3}, "VEC3");
        add_animation(writer, "/nodes/0/scale", {0}, {1, 2, 3}, "VEC3");
        writer.json["nodes"][0]["matrix"] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 9, 0, 0, 1};
        const Scene scene = at_time(writer, "left_out", 0, "all");
        CHECK(
            has_note(scene, Note::Kind::Ignored, "moves /nodes/0/name, which cannot be animated"));
        CHECK(has_note(scene, Note::Kind::Ignored, "moves /nodes/7/translation"));
        CHECK(has_note(scene,
                       Note::Kind::Ignored,
                       "/animations/2/channels/0 moves a node that is placed by a matrix"));
        CHECK(has_note(scene,
                       Note::Kind::Ignored,
                       "/animations/3/channels/0 moves a node that is placed by a matrix"));
        CHECK(std::as_const(scene).instances[0].object_to_world[3] == 9);
    }

    TEST_CASE("keys that cannot be read are an error with their place") {
        const auto with = [](const auto& change) {
            Writer writer = moving("LINEAR", {0, 0, 0, 10, 0, 0, 30, 0, 0});
            change(writer.json["animations"][0]);
            return error_at(writer, "broken");
        };
        CHECK(contains(with([](Json& a) { a["samplers"][0]["input"] = 99; }),
                       "/animations/0/samplers/0/input is 99"));
        CHECK(contains(with([](Json& a) { a["samplers"][0].erase("output"); }),
                       "/animations/0/samplers/0/output is missing"));
        CHECK(contains(with([](Json& a) { a["samplers"][0]["interpolation"] = "SMOOTH"; }),
                       "is \"SMOOTH\", LINEAR, STEP or CUBICSPLINE"));
        CHECK(contains(with([](Json& a) { a["samplers"][0]["interpolation"] = "CUBICSPLINE"; }),
                       "has 9 numbers for 3 keys, 27 expected"));
        CHECK(contains(with([](Json& a) { a["channels"][0]["sampler"] = 4; }),
                       "/animations/0/channels/0/sampler is 4"));
        CHECK(contains(with([](Json& a) { a["channels"][0].erase("target"); }),
                       "/target/path is missing"));
        CHECK(contains(with([](Json& a) { a["channels"][0]["target"]["node"] = -1; }),
                       "/target/node is -1"));

        Writer backwards;
        backwards.add_triangle();
        add_animation(backwards, "translation", {2, 1}, {0, 0, 0, 1, 0, 0}, "VEC3");
        CHECK(contains(error_at(backwards, "backwards"), "/input goes to 1.0"));
        Writer infinite;
        infinite.add_triangle();
        add_animation(infinite, "translation", {0, 1}, {0, 0, 0, INFINITY, 0, 0}, "VEC3");
        CHECK(contains(error_at(infinite, "infinite"), "is not finite"));
    }

    TEST_CASE("a pointer into a texture that is not there is an error, not a crash") {
        Writer writer;
        writer.add_triangle();
        writer.json["materials"] = {{{"name", "paint"}}};
        writer.json["meshes"][0]["primitives"][0]["material"] = 0;
        add_animation(writer,
                      "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/"
                      "KHR_texture_transform/rotation",
                      {0},
                      {1},
                      "SCALAR");
        CHECK(contains(error_at(writer, "no_texture"),
                       "/materials/0/pbrMetallicRoughness/baseColorTexture/index"));
    }
}
