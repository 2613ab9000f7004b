// test_edit.cpp — edits as paths and values: what they change, what they refuse, and that values
// read back as the same bits.
#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/edit/edit.h"
#include "engine/scene/files/installed_maps.h"
#include "engine/scene/import.h"
#include "engine/scene/model/scene_tree.h"
#include "engine/scene/model/sky.h"
#include "engine/scene/model/texture.h"
#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"
#include "tests/engine/trace/small_scenes.h"

namespace weft::scene::testing {

namespace {

// Two materials of one name, one with marks in its name; two nodes; two lights of one name.
Scene small_scene() {
    Scene scene;
    tests::add_object(scene,
                      tests::quad({0, 0, 0}, {1, 0, 0}, {0, 1, 0}),
                      tests::plastic({0.5F, 0.25F, 0.125F}, 0.7F));
    tests::add_object(
        scene, tests::quad({0, 0, 1}, {1, 0, 0}, {0, 1, 0}), tests::metal({1, 0.5F, 0}, 0.1F));
    tests::add_object(
        scene, tests::quad({0, 0, 2}, {1, 0, 0}, {0, 1, 0}), tests::glass(1.5F, 0.0F));
    scene.materials[0].name = "Oak/dark#3~";
    scene.materials[1].name = scene.materials[2].name = "twin";
    scene.instances[0].node = "table";
    scene.instances[1].node = scene.instances[2].node = "chair";
    scene.instances[2].object_to_world = math::translation({0, 0, 4});
    number_places(scene);
    // One picture as colours and as numbers; read mirrored, from the second uv set.
    const auto grey = [](u32 x, u32 y) {
        const u8 level = (x + y) % 2 == 0 ? 50 : 200;
        return tests::Byte4{level, level, level, 255};
    };
    const u32 slot = tests::add_slot(scene, 4, tests::Meaning::Color, grey);
    tests::add_slot(scene, 4, tests::Meaning::Linear, grey);
    scene.slots[slot].wrap_u = 2;
    scene.slots[slot].uv_set = 1;
    scene.slots[slot].uv_transform[2] = -0.0F;
    scene.materials[0].record.base_color_slot = slot;
    scene.lights = {tests::point_light({1, 2, 3}, {4, 5, 6}),
                    tests::spot_light({1, 1, 1}, {0, -1, 0}, {9, 9, 9}, 0.9F, 0.6F)};
    scene.lights[0].name = scene.lights[1].name = "lamp";
    tests::set_constant_environment(scene, {0.25F, 0.5F, 1});
    scene.environment.name = "constant";
    tests::set_camera(scene, {0, 1, 5}, {0, 0, 0}, 0.7F);
    scene.cameras[0].name = "eye";
    scene.groups = {{"room"}, {"room", math::translation({1, 0, 0}), 0}};
    scene.instances[0].group = 1;
    scene.lights[0].group = 0;
    number_groups(scene);
    return scene;
}

EditContext context_of(const Scene& scene) {
    EditContext context;
    context.camera = scene.cameras.front();
    return context;
}

std::string sentence_of(Scene scene, EditContext context, const Edit& edit) {
    const base::Result<u32> applied = apply_edit(scene, context, edit);
    REQUIRE(!applied.is_ok());
    return applied.error().sentence;
}

std::vector<std::string> all_objects(const Scene& scene) {
    std::vector<std::string> objects = {"environment", "camera", "view"};
    for (const char* family : {"materials", "nodes", "groups", "lights", "cameras"}) {
        for (const std::string& path : object_paths(scene, family)) {
            objects.push_back(path);
        }
    }
    return objects;
}

// Every value of every field of every object, one line each.
std::string everything(const Scene& scene, const EditContext& context) {
    std::string text;
    for (const std::string& object : all_objects(scene)) {
        for (const EditField& field : editable_fields(scene, context, object)) {
            const base::Result<std::string> value = read_value(scene, context, field.path);
            REQUIRE_MESSAGE(value.is_ok(), value.error().sentence);
            text += field.path + " = " + value.value() + "\n";
        }
    }
    return text;
}

// A value that differs from the present one.
std::string other_value(const EditField& field, const std::string& now) {
    switch (field.kind) {
        case EditKind::Number:
            return now == "0.5" ? "0.25" : field.low > 0.5 ? "1.75" : "0.5";
        case EditKind::Colour:
            return "[0.125, 0.5, 0.875]";
        case EditKind::Vector:
            return field.count == 12 ? "[2, 0, 0, 1, 0, 2, 0, 1, 0, 0, 2, 1]" : "[0, 1, 0.0]";
        case EditKind::Flag:
            return now == "true" ? "false" : "true";
        case EditKind::Choice:
            return "\"" + field.choices[now == "\"" + field.choices[0] + "\"" ? 1 : 0] + "\"";
        case EditKind::File:
            return "\"clear sky\"";
        case EditKind::Texture:
            return now == "null" ? "\"made in code\"" : "null";
        case EditKind::PlaneList:
            return "[[0.0, 1, 0, 0.5]]";
        case EditKind::PathList:
            return R"(["nodes/table"])";
        case EditKind::Materials:
            return now == "\"materials/twin\"" ? "\"materials/twin#2\"" : "\"materials/twin\"";
        case EditKind::Name:
            return now == "null" ? R"("Throne")" : "null";
    }
    return {};
}

}  // namespace

TEST_SUITE("engine/scene/edit") {
    TEST_CASE("a name with a slash or a mark or a tilde is reached by its escapes") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        CHECK(material_path(scene, 0) == "materials/Oak~1dark~23~0");
        const auto applied =
            apply_edit(scene, context, {"materials/Oak~1dark~23~0/roughness", "0.125"});
        REQUIRE(applied.is_ok());
        CHECK(applied.value() == kEffectShading);
        CHECK(scene.materials[0].record.roughness == 0.125F);
    }

    TEST_CASE("the ordinal picks one of several objects of one name and the first needs none") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        CHECK(object_paths(scene, "materials") ==
              std::vector<std::string>{
                  "materials/Oak~1dark~23~0", "materials/twin", "materials/twin#2"});
        REQUIRE(apply_edit(scene, context, {"materials/twin#2/metallic", "0.25"}).is_ok());
        CHECK(scene.materials[1].record.metallic == 1);
        CHECK(scene.materials[2].record.metallic == 0.25F);
        CHECK(node_path(scene, 2) == "nodes/chair#2");
        const std::string moved = "[1, 0, 0, 7, 0, 1, 0, 0, 0, 0, 1, 0]";
        const auto applied = apply_edit(scene, context, {"nodes/chair#2/transform", moved});
        REQUIRE(applied.is_ok());
        CHECK(applied.value() == kEffectPlacement);
        CHECK(scene.instances[1].object_to_world == math::kIdentity);
        CHECK(scene.instances[2].object_to_world[3] == 7);
        CHECK(light_path(scene, 1) == "lights/lamp#2");
    }

    TEST_CASE("every field has a value that changes it and the inverse edit brings the bits back") {
        const Scene start = small_scene();
        const EditContext start_context = context_of(start);
        const std::string before = everything(start, start_context);
        for (const std::string& object : all_objects(start)) {
            const auto fields = editable_fields(start, start_context, object);
            REQUIRE(!fields.empty());
            for (const EditField& field : fields) {
                CAPTURE(field.path);
                Scene scene = start;
                EditContext context = start_context;
                const std::string now = read_value(scene, context, field.path).value();
                const Edit edit = {field.path, other_value(field, now)};
                CAPTURE(edit.value);
                const base::Result<Edit> inverse = inverse_edit(scene, context, edit);
                REQUIRE(inverse.is_ok());
                const base::Result<u32> applied = apply_edit(scene, context, edit);
                REQUIRE_MESSAGE(applied.is_ok(), applied.error().sentence);
                CHECK(applied.value() != kEffectNone);
                CHECK(everything(scene, context) != before);
                REQUIRE(apply_edit(scene, context, inverse.value()).is_ok());
                CHECK(everything(scene, context) == before);
            }
        }
    }

    TEST_CASE("angles of lights and cones and lenses read back as the same bits") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        for (u32 k = 1; k < 200; ++k) {
            const float angle = 0.0078F * static_cast<float>(k);
            scene.lights[1].cos_inner = 1 - 0.0001F * static_cast<float>(k);
            scene.lights[1].cos_outer = 0.5F - 0.0025F * static_cast<float>(k);
            scene.environment.rotation_rad = angle;
            context.camera.yfov_rad = angle;
            scene.materials[0].record.anisotropy_cos = static_cast<float>(std::cos(3.0 * k));
            scene.materials[0].record.anisotropy_sin = static_cast<float>(std::sin(3.0 * k));
            Scene copy = scene;
            EditContext context_copy = context;
            for (const char* path : {"lights/lamp#2/inner_deg",
                                     "lights/lamp#2/outer_deg",
                                     "environment/rotation_deg",
                                     "camera/yfov_deg",
                                     "materials/Oak~1dark~23~0/anisotropy_rotation_deg"}) {
                const std::string value = read_value(scene, context, path).value();
                REQUIRE(apply_edit(copy, context_copy, {path, value}).is_ok());
            }
            CHECK(copy.lights[1].cos_inner == scene.lights[1].cos_inner);
            CHECK(copy.lights[1].cos_outer == scene.lights[1].cos_outer);
            CHECK(copy.environment.rotation_rad == angle);
            CHECK(context_copy.camera.yfov_rad == angle);
            CHECK(copy.materials[0].record.anisotropy_cos ==
                  scene.materials[0].record.anisotropy_cos);
            CHECK(copy.materials[0].record.anisotropy_sin ==
                  scene.materials[0].record.anisotropy_sin);
        }
    }

    TEST_CASE("a light is added and copied and deleted and comes back where it was") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        const std::string before = everything(scene, context);
        const Edit remove = {"lights/lamp", "null"};
        const Edit back = inverse_edit(scene, context, remove).value();
        REQUIRE(apply_edit(scene, context, remove).is_ok());
        REQUIRE(scene.lights.size() == 1);
        CHECK(scene.lights[0].kind == shaders::LightKind::Spot);
        const Edit again = inverse_edit(scene, context, back).value();
        REQUIRE(apply_edit(scene, context, back).is_ok());
        CHECK(everything(scene, context) == before);
        CHECK(again == remove);
        // A copy under another name goes to the end.
        REQUIRE(apply_edit(scene, context, {"lights/lamp#2/radius_m", "0.1"}).is_ok());
        REQUIRE(apply_edit(scene, context, {"lights/lamp#2/angle_deg", "0.53"}).is_ok());
        const std::string sized = everything(scene, context);
        const Edit copy = {"lights/lamp copy", read_value(scene, context, "lights/lamp#2").value()};
        const Edit undo = inverse_edit(scene, context, copy).value();
        REQUIRE(apply_edit(scene, context, copy).is_ok());
        REQUIRE(scene.lights.size() == 3);
        CHECK(scene.lights[2].name == "lamp copy");
        CHECK(scene.lights[2].cos_inner == scene.lights[1].cos_inner);
        CHECK(scene.lights[2].radius_m == 0.1F);
        CHECK(scene.lights[2].angle_deg == 0.53F);
        REQUIRE(apply_edit(scene, context, undo).is_ok());
        CHECK(everything(scene, context) == sized);
    }

    TEST_CASE("an angle of a cone that passes the other changes both and undo restores both") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        const std::string before = everything(scene, context);
        const Edit narrow = {"lights/lamp#2/outer_deg", "10"};
        const Edit back = inverse_edit(scene, context, narrow).value();
        REQUIRE(apply_edit(scene, context, narrow).is_ok());
        CHECK(scene.lights[1].cos_inner == scene.lights[1].cos_outer);
        CHECK(scene.lights[1].cos_outer > 0.98F);
        REQUIRE(apply_edit(scene, context, back).is_ok());
        CHECK(everything(scene, context) == before);
    }

    TEST_CASE("a picture is decoded once by the meaning of its slot") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        const Folder folder("edit_texture");
        write_picture<u8>(folder.file("half.png"), 1, 1, {128, 128, 128, 255});
        context.folder = folder.file("");
        const std::string before = everything(scene, context);
        const Scene kept = scene;
        const auto apply = [&](const Edit& edit) {
            const base::Result<u32> applied = apply_edit(scene, context, edit);
            REQUIRE_MESSAGE(applied.is_ok(), applied.error().sentence);
            return applied.value();
        };
        const Edit color = {"materials/twin/base_color_texture", "\"half.png\""};
        const Edit back = inverse_edit(scene, context, color).value();
        CHECK(apply(color) == (kEffectShading | kEffectTextures));
        const shaders::MaterialRecord& record = std::as_const(scene).materials[1].record;
        CHECK(scene.textures[scene.slots[record.base_color_slot].texture].record.format ==
              static_cast<u32>(shaders::TexelFormat::Srgb8));
        const Edit rough = {"materials/twin/metallic_roughness_texture", "\"half.png\""};
        CHECK(apply(rough) == (kEffectShading | kEffectTextures));
        CHECK(scene.textures.size() == 4);
        CHECK(scene.textures[scene.slots[record.metallic_roughness_slot].texture].record.format ==
              static_cast<u32>(shaders::TexelFormat::Linear8));
        // Known already, for another material as well.
        CHECK(apply({"materials/twin#2/base_color_texture", "\"half.png\""}) == kEffectShading);
        CHECK(scene.textures.size() == 4);
        CHECK(kept.textures.size() == 2);
        apply({"materials/twin#2/base_color_texture", "null"});
        apply({"materials/twin/metallic_roughness_texture", "null"});
        apply(back);
        CHECK(everything(scene, context) == before);
        CHECK(sentence_of(scene, context, {color.path, "\"none.png\""}).find("none.png") !=
              std::string::npos);
        CHECK(sentence_of(scene, context, {color.path, "3"}) ==
              "materials/twin/base_color_texture: found 3, expected the name of a picture in "
              "quotes, an object with \"file\", or null");
    }

    TEST_CASE("another picture by its name alone keeps the settings of the slot") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        const Folder folder("edit_texture_slot");
        write_picture<u8>(folder.file("a.png"), 1, 1, {1, 2, 3, 255});
        const std::string path = "materials/Oak~1dark~23~0/base_color_texture";
        const shaders::TextureSlot old =
            std::as_const(scene).slots[scene.materials[0].record.base_color_slot];
        const std::string before = read_value(scene, context, path).value();
        REQUIRE(apply_edit(scene, context, {path, "\"" + folder.file("a.png") + "\""}).is_ok());
        const shaders::TextureSlot& now =
            std::as_const(scene).slots[scene.materials[0].record.base_color_slot];
        CHECK(now.wrap_u == old.wrap_u);
        CHECK(now.uv_set == old.uv_set);
        CHECK(now.texture == 2);
        REQUIRE(apply_edit(scene, context, {path, "null"}).is_ok());
        REQUIRE(apply_edit(scene, context, {path, before}).is_ok());
        // The same row as before, with the sign of its zero.
        CHECK(scene.materials[0].record.base_color_slot == 0);
    }

    TEST_CASE("hiding goes by node, also among nodes of one name, and is undone by showing") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        REQUIRE(apply_edit(scene, context, {"nodes/table/visible", "false"}).value() ==
                kEffectLook);
        REQUIRE(apply_edit(scene, context, {"nodes/chair#2/visible", "false"}).is_ok());
        CHECK(context.hidden == std::vector<std::string>{"nodes/chair#2", "nodes/table#1"});
        CHECK(read_value(scene, context, "nodes/chair/visible").value() == "true");
        CHECK(read_value(scene, context, "nodes/chair#2/visible").value() == "false");
        REQUIRE(apply_edit(scene, context, {"nodes/table/visible", "true"}).is_ok());
        CHECK(context.hidden == std::vector<std::string>{"nodes/chair#2"});
    }

    TEST_CASE("a replaced environment is found again by its name") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        const Folder folder("edit_environment");
        context.folder = folder.file("");
        scene.environment = soft_environment();
        scene.environment.strength = 3;
        const Edit constant = {"environment/color", "[1, 2, 3]"};
        const Edit back = inverse_edit(scene, context, constant).value();
        REQUIRE(apply_edit(scene, context, constant).is_ok());
        CHECK(scene.environment.width == 1);
        CHECK(scene.environment.pixels[1] == 2);
        CHECK(scene.environment.strength == 3);
        CHECK(read_value(scene, context, "environment/file").value() == "null");
        REQUIRE(apply_edit(scene, context, back).is_ok());
        CHECK(scene.environment.width == soft_environment().width);
        CHECK(sentence_of(scene, context, {"environment/file", "\"gone.hdr\""}).find("gone.hdr") !=
              std::string::npos);
    }

    TEST_CASE("an installed map is known by its bare name unless a file has it") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        const Folder folder("edit_installed_map");
        context.folder = folder.file("");
        context.may_open = [](const std::string&) { return false; };
        REQUIRE(apply_edit(scene, context, {"environment/file", "\"studio\""}).is_ok());
        const auto studio = read_environment(installed_map("studio"), nullptr);
        REQUIRE(studio.is_ok());
        CHECK(std::as_const(scene).environment.pixels.items() ==
              std::as_const(studio).value().pixels.items());
        CHECK(read_value(scene, context, "environment/file").value() == "\"studio\"");
        // A file of that name is what the edit means, and this one may not be opened.
        REQUIRE(apply_edit(scene, context, {"environment/file", "null"}).is_ok());
        context.environments.clear();
        std::ofstream(folder.file("studio")) << "no map";
        CHECK(!apply_edit(scene, context, {"environment/file", "\"studio\""}).is_ok());
    }

    TEST_CASE(
        "a wrong edit names the place and the found and expected values and changes nothing") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        const std::string before = everything(scene, context);
        const auto complains = [&](const Edit& edit, const std::string& sentence) {
            CAPTURE(edit.path);
            const base::Result<u32> applied = apply_edit(scene, context, edit);
            REQUIRE(!applied.is_ok());
            CHECK(applied.error().kind == base::ErrorKind::Usage);
            CHECK(applied.error().sentence == sentence);
            CHECK(everything(scene, context) == before);
        };
        complains({"materials/twin/roughness", "1.5"},
                  "materials/twin/roughness: found 1.5, expected a number from 0 to 1");
        complains({"materials/twin/roughness", "rough"},
                  "materials/twin/roughness: found 'rough', expected JSON such as 0.5, [1, 0.5, "
                  "0], true, null or \"a name\"");
        complains({"materials/twin/base_color", "[1, 2, 0]"},
                  "materials/twin/base_color/1: found 2, expected a number from 0 to 1");
        complains({"materials/twin/base_color", "[1, 0]"},
                  "materials/twin/base_color: found [1,0], expected 3 numbers from 0 to 1");
        complains(
            {"materials/twin/ior", "0.5"},
            "materials/twin/ior: found 0.5, expected 0 (a mirror) or a number from 1 to 1000");
        complains({"materials/twin/dispersion", "-1"},
                  "materials/twin/dispersion: found -1, expected a number from 0 to 1000");
        complains({"materials/twin/alpha_mode", "\"glassy\""},
                  "materials/twin/alpha_mode: found \"glassy\", expected \"opaque\", \"mask\" or "
                  "\"blend\"");
        complains({"materials/birch/roughness", "1"},
                  "materials/birch/roughness: the scene has no such object; expected one of its 3 "
                  "(materials/Oak~1dark~23~0, materials/twin, materials/twin#2)");
        complains({"nodes/chair#3/visible", "true"},
                  "nodes/chair#3/visible: the scene has no such object; expected one of its 3 "
                  "(nodes/table, nodes/chair, nodes/chair#2)");
        complains({"nodes/chair/visible", "1"},
                  "nodes/chair/visible: found 1, expected true or false");
        complains({"nodes/chair/transform", "[0, 0, 0, 7, 0, 1, 0, 0, 0, 0, 1, 0]"},
                  "nodes/chair/transform: found [0,0,0,7,0,1,0,0,0,0,1,0], expected a matrix that "
                  "can be inverted");
        complains({"lights/lamp", "{\"inner_deg\": 20, \"outer_deg\": 10}"},
                  "lights/lamp: found inner_deg 20 and outer_deg 10, expected the inner "
                  "angle to be "
                  "the smaller one");
        complains({"camera/to_world", "[1, 0, 0, 7, 0, 1, 0, 0, 0, 0, 0, 0]"},
                  "camera/to_world: found [1,0,0,7,0,1,0,0,0,0,0,0], expected a matrix that can be "
                  "inverted");
        complains({"camera", "{\"to_world\": [0, 0, 0, 7, 0, 1, 0, 0, 0, 0, 1, 0]}"},
                  "camera/to_world: found [0,0,0,7,0,1,0,0,0,0,1,0], expected a matrix that can be "
                  "inverted");
        complains({"lights/lamp/position", "[0, 1e30, 0]"},
                  "lights/lamp/position/1: found 1e+30, expected a number from -1e+18 to 1e+18");
        complains({"lights/lamp/intensity", "[1e38, 0, 0]"},
                  "lights/lamp/intensity/0: found 1e+38, expected a number from 0 to 1.1e+30");
        complains({"lights/lamp/direction", "[0, -2e30, 0]"},
                  "lights/lamp/direction/1: found -2e+30, expected a number from -1.1e+30");
        complains({"lights/lamp/intensity", "[1, \"bright\", 0]"},
                  "lights/lamp/intensity/1: found \"bright\", expected a number from 0");
        complains({"lights/lamp/radius_m", "-0.5"},
                  "lights/lamp/radius_m: found -0.5, expected a number from 0 to 10000");
        complains({"lights/lamp/angle_deg", "91"},
                  "lights/lamp/angle_deg: found 91, expected a number from 0 to 90");
        complains({"lamps/lamp", "1"},
                  "lamps/lamp: found 'lamps', expected a path that begins with materials, nodes, "
                  "groups, lights, cameras, collections, environment, camera, frame or view");
        complains({"frame/size", "[640, 0]"},
                  "frame/size/1: found 0, expected a number from 1 to 32768");
        complains({"frame/size", "640"},
                  "frame/size: found 640, expected [width, height], whole numbers of pixels, or "
                  "null");
        complains({"frame/size", "[640.5, 360]"},
                  "frame/size: found [640.5,360], expected [width, height], whole numbers of "
                  "pixels, or null");
        complains({"frame/percent", "0"},
                  "frame/percent: found 0, expected a number from 1 to 400");
        complains({"frame/width", "640"},
                  "frame/width: found 'width', expected one of size, percent");
        complains({"view/exposure", "1e9"},
                  "view/exposure: found 1000000000.0, expected a number from -100 to 100");
        complains({"view/stops", "1"},
                  "view/stops: found 'stops', expected one of exposure, transform, clip_planes, "
                  "clip_cap");
        complains({"view/clip_cap", "1"}, "view/clip_cap: found 1, expected true or false");
        complains({"view/clip_planes", "[[0, 0, 0, 1]]"},
                  "view/clip_planes/0: found [0,0,0,1], expected a plane with a normal that is not "
                  "zero");
        complains({"camera", "{\"yfov_deg\": 40, \"zoom\": 2}"},
                  "camera/zoom: found 2, expected no other field than to_world, yfov_deg, "
                  "lens_radius_m, focus_m, autofocus, orthographic, xmag, ymag, aspect, shift_x, "
                  "shift_y, pixel_aspect");
    }

    TEST_CASE("the frame has the size that is set and none again after undo") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        const Edit size = {"frame/size", "[640, 360]"};
        const Edit back = inverse_edit(scene, context, size).value();
        CHECK(back.value == "null");
        CHECK(apply_edit(scene, context, size).value() == kEffectCamera);
        CHECK(context.frame_size == std::array<u32, 2>{640, 360});
        CHECK(read_value(scene, context, "frame/size").value() == "[640, 360]");
        CHECK(apply_edit(scene, context, {"frame/percent", "12.5"}).value() == kEffectCamera);
        CHECK(read_value(scene, context, "frame/percent").value() == "12.5");
        CHECK(editable_fields(scene, context, "frame").size() == 2);
        REQUIRE(apply_edit(scene, context, back).is_ok());
        CHECK(context.frame_size == std::array<u32, 2>{});
    }

    TEST_CASE("a camera object sets all that it names and a focus ends the autofocus") {
        Scene scene = small_scene();
        EditContext context = context_of(scene);
        context.has_autofocus = true;
        const Edit focus = {"camera/focus_m", "2.5"};
        const Edit back = inverse_edit(scene, context, focus).value();
        REQUIRE(apply_edit(scene, context, focus).value() == kEffectCamera);
        CHECK(!context.has_autofocus);
        CHECK(context.camera.focus_m == 2.5F);
        REQUIRE(apply_edit(scene, context, back).is_ok());
        CHECK(context.has_autofocus);
        CHECK(context.camera.focus_m == scene.cameras[0].focus_m);
    }
}

}  // namespace weft::scene::testing
