// test_edit_materials.cpp — edits that copy, add, delete and restore materials: every bit of them,
// their indices, and what is refused.
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/edit/edit.h"
#include "tests/engine/scene/applied_edits.h"
#include "tests/engine/trace/small_scenes.h"

namespace weft::scene::testing {

namespace {

// Three objects, each of a material of its own after the default one; the second has a picture.
Scene shelf() {
    Scene scene;
    for (u32 k = 0; k < 4; ++k) {
        const auto z = static_cast<float>(k);
        tests::add_object(scene,
                          tests::quad({0, 0, z}, {1, 0, 0}, {0, 1, 0}),
                          tests::plastic({0.1F * z, 1.0F / 3, 0.7F}, 0.3F));
        scene.instances[k].node = "object " + std::to_string(k);
        scene.materials[k].name = "m" + std::to_string(k);
    }
    scene.instances[0].material = 1;
    scene.materials[2].record.anisotropy_cos = 0.6F;
    scene.materials[2].record.anisotropy_sin = 0.8F;
    scene.materials[2].record.base_color_slot =
        tests::add_slot(scene, 4, tests::Meaning::Color, [](u32 x, u32 y) {
            return tests::Byte4{static_cast<u8>(40 * x), static_cast<u8>(40 * y), 9, 255};
        });
    number_places(scene);
    return scene;
}

bool is_same(const Material& a, const Material& b) {
    return a.name == b.name && std::memcmp(&a.record, &b.record, sizeof a.record) == 0;
}

bool is_same(const Scene& a, const Scene& b) {
    bool same = a.materials.size() == b.materials.size();
    for (u32 k = 0; same && k < a.materials.size(); ++k) {
        same = is_same(a.materials[k], b.materials[k]);
    }
    for (u32 k = 0; same && k < a.instances.size(); ++k) {
        same = a.instances[k].material == b.instances[k].material;
    }
    for (u32 k = 0; same && k < a.meshes.size(); ++k) {
        same = a.meshes[k].material == b.meshes[k].material;
    }
    return same;
}

}  // namespace

TEST_SUITE("engine/scene/edit_materials") {
    TEST_CASE("a copy has every bit of the other one and comes after all materials") {
        Scene scene = shelf();
        EditContext context;
        const Scene before = scene;
        const Edit copy = {"materials/mine", R"({"copy_of": "materials/m2"})"};
        const Edit back = inverse_edit(scene, context, copy).value();
        CHECK(back == Edit{"materials/mine", "null"});
        CHECK(applied(scene, context, copy) == kEffectShading);
        REQUIRE(scene.materials.size() == 5);
        CHECK(scene.materials[4].name == "mine");
        CHECK(std::memcmp(&scene.materials[4].record,
                          &scene.materials[2].record,
                          sizeof scene.materials[2].record) == 0);
        CHECK(scene.instances.shares_with(before.instances));
        // They are independent: change one of them, on one object.
        applied(scene, context, {"nodes/object 2/material", "\"materials/mine\""});
        applied(scene, context, {"materials/mine/roughness", "0.75"});
        CHECK(scene.materials[scene.instances[2].material].record.roughness == 0.75F);
        CHECK(scene.materials[2].record.roughness == before.materials[2].record.roughness);
        CHECK(refusal(scene, context, back).find("that nothing in the scene needs") !=
              std::string::npos);
        applied(scene, context, {"nodes/object 2/material", "\"materials/m2\""});
        CHECK(applied(scene, context, back) == kEffectShading);
        CHECK(is_same(scene, before));
    }

    TEST_CASE("a material is made of fields alone or is a copy with changed fields") {
        Scene scene = shelf();
        EditContext context;
        applied(scene, context, {"materials/new", R"({"metallic": 0, "roughness": 0.25})"});
        applied(scene,
                context,
                {"materials/new#2", R"({"copy_of": "materials/m2", "base_color_texture": null})"});
        Material wanted{"new", default_material()};
        wanted.record.metallic = 0;
        wanted.record.roughness = 0.25F;
        CHECK(is_same(scene.materials[4], wanted));
        wanted.record = scene.materials[2].record;
        wanted.record.base_color_slot = kNone;
        CHECK(is_same(scene.materials[5], wanted));
        CHECK(material_path(scene, 5) == "materials/new#2");
    }

    TEST_CASE("a deleted material returns with its bits to its place") {
        Scene scene = shelf();
        EditContext context;
        applied(scene, context, {"materials/first", R"({"copy_of": "materials/m2"})"});
        applied(scene, context, {"materials/second", R"({"copy_of": "materials/m3"})"});
        applied(scene, context, {"nodes/object 3/material", "\"materials/second\""});
        const Scene before = scene;
        const Edit away = {"materials/first", "null"};
        const Edit back = inverse_edit(scene, context, away).value();
        CHECK(back.path == "materials/first");
        applied(scene, context, away);
        CHECK(scene.materials.size() == 5);
        CHECK(scene.instances[3].material == 4);
        const Edit away_again = inverse_edit(scene, context, back).value();
        CHECK(away_again == away);
        applied(scene, context, back);
        CHECK(is_same(scene, before));
        // The same by its whole value: read_value() makes an equal material.
        const std::string whole = read_value(scene, context, "materials/m2").value();
        applied(scene, context, {"materials/again", whole});
        CHECK(std::memcmp(&scene.materials[6].record,
                          &scene.materials[2].record,
                          sizeof scene.materials[2].record) == 0);
    }

    TEST_CASE("a value that is no material is refused with a sentence and changes nothing") {
        Scene scene = shelf();
        EditContext context;
        const Scene before = scene;
        const std::vector<std::pair<Edit, std::string>> wrong = {
            {{"materials/m1", R"({"copy_of": "materials/m2"})"},
             "materials/m1: the scene has this material already, expected another name"},
            {{"materials/m1#3", R"({"copy_of": "materials/m2"})"},
             "materials/m1#3: found a number that is not the next one, expected materials/m1#2"},
            {{"materials/x", R"({"copy_of": "nodes/object 1"})"},
             "materials/x/copy_of: found \"nodes/object 1\", expected the path of a material of "
             "the scene"},
            {{"materials/x", R"({"copy_of": "materials/m1", "shine": 1})"},
             "materials/x/shine: found 'shine', expected one of"},
            {{"materials/x", R"({"copy_of": "materials/m1", "roughness": 7})"},
             "materials/x/roughness: found 7, expected"},
            {{"materials/x", R"({"insert_at": 9})"},
             "materials/x/insert_at: found 9, expected a whole number from 1 to 4"},
            {{"materials/x", "3"},
             "materials/x: found 3, expected an object with copy_of or a material's fields, or "
             "null"},
            {{"materials/x", "null"}, "materials/x: the scene has no such object"},
            {{"materials/m1", "null"},
             "materials/m1: found null, expected a material that nothing in the scene needs"},
            {{"materials/m0", "null"},
             "materials/m0: found null, expected a material that nothing in the scene needs"},
        };
        for (const auto& [edit, sentence] : wrong) {
            const std::string found = refusal(scene, context, edit);
            CHECK_MESSAGE(found.starts_with(sentence), found);
            CHECK(is_same(scene, before));
        }
    }
}

}  // namespace weft::scene::testing
