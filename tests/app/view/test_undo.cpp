// test_undo.cpp — edits, undo and redo.
#include <random>

#include <doctest/doctest.h>

#include "app/view/session/document.h"
#include "app/view/session/step_words.h"

using namespace weft;
using namespace weft::app;

namespace {

scene::Scene two_nodes() {
    scene::Scene scene;
    scene.materials.push_back({"clay", scene::default_material()});
    scene.materials.push_back({"glass", scene::default_material()});
    scene.meshes.push_back({"triangle", {}, 0});
    scene.instances.push_back({.mesh = 0, .material = 0, .node = "left"});
    scene.instances.push_back({.mesh = 0, .material = 1, .node = "right"});
    return scene;
}

Document open_document() {
    Document document;
    const scene::EditContext context;
    document.open(std::make_shared<const scene::Scene>(two_nodes()), context);
    document.take_effect();
    return document;
}

std::string value_of(const Document& document, const std::string& path) {
    const auto value = scene::read_value(document.scene(), document.context(), path);
    REQUIRE(value.is_ok());
    return value.value();
}

void do_edit(Document& document, const scene::Edit& edit, bool continues = false) {
    REQUIRE(document.edit(edit, continues).is_ok());
}

}  // namespace

TEST_SUITE("app/view/undo") {
    TEST_CASE("undo restores the old value and redo the new one") {
        Document document = open_document();
        const std::string before = value_of(document, "materials/clay/roughness");
        do_edit(document, {"materials/clay/roughness", "0.25"});
        CHECK(value_of(document, "materials/clay/roughness") == "0.25");
        CHECK(document.take_effect() == scene::kEffectShading);
        CHECK(document.take_effect() == scene::kEffectNone);
        CHECK(document.undo());
        CHECK(value_of(document, "materials/clay/roughness") == before);
        CHECK(document.take_effect() == scene::kEffectShading);
        CHECK(!document.undo());
        CHECK(document.redo());
        CHECK(value_of(document, "materials/clay/roughness") == "0.25");
        CHECK(!document.redo());
    }

    TEST_CASE("pictures read by another thread enter only the scene that they were read for") {
        Document document = open_document();
        const Pictures before = document.pictures();
        Pictures more = before;
        more.texels = {7};
        more.textures.push_back({.name = "a.png", .meaning = scene::TexelMeaning::Color});
        CHECK(document.take_pictures(before, more));
        CHECK(document.take_effect() == scene::kEffectTextures);
        CHECK(document.scene().textures.size() == 1);
        CHECK(!document.can_undo());
        // The scene no longer has the pictures of `before`.
        CHECK(!document.take_pictures(before, {}));
        CHECK(document.scene().textures.size() == 1);
        CHECK(document.take_effect() == scene::kEffectNone);
        do_edit(document, {"materials/clay/base_color_texture", R"("a.png")"});
        CHECK(document.undo());
        CHECK(document.scene().textures.size() == 1);
    }

    TEST_CASE("a drag is one step whose undo restores its start") {
        Document document = open_document();
        const std::string before = value_of(document, "materials/clay/roughness");
        for (u32 k = 0; k < 50; ++k) {
            do_edit(document, {"materials/clay/roughness", "0." + std::to_string(10 + k)}, k > 0);
        }
        CHECK(document.done().size() == 1);
        CHECK(value_of(document, "materials/clay/roughness") == "0.59");
        CHECK(document.undo());
        CHECK(value_of(document, "materials/clay/roughness") == before);
        CHECK(document.redo());
        CHECK(value_of(document, "materials/clay/roughness") == "0.59");
    }

    TEST_CASE("a step is described by its field and its object at that time") {
        Document document = open_document();
        const auto words_of = [&](const std::vector<scene::Edit>& edits) {
            REQUIRE(document.edit_all(edits).is_ok());
            const std::string done = step_words(document, document.done().back());
            REQUIRE(document.undo());
            CHECK(step_words(document, document.undone().back()) == done);
            REQUIRE(document.redo());
            return done;
        };
        CHECK(words_of({{"materials/clay/roughness", "0.5"}}) ==
              "set the roughness of clay to 0.5");
        CHECK(words_of({{"materials/clay/base_color", "[0.1, 0.2, 0.3]"}}) ==
              "changed the base colour of clay");
        CHECK(words_of({{"nodes/left/visible", "false"}}) == "hid left");
        CHECK(words_of({{"nodes/left/visible", "true"}}) == "showed left");
        CHECK(words_of({{"view/exposure", "1"}}) == "set the exposure to 1 stops");
        CHECK(words_of({{"lights/Lamp", R"({"kind": "point"})"}}) == "added Lamp");
        CHECK(words_of({{"lights/Lamp", R"({"kind": "point", "radius_m": 0.5})"}}) ==
              "changed Lamp");
        CHECK(words_of({{"lights/Lamp/radius_m", "1"}, {"lights/Lamp/position", "[1, 2, 3]"}}) ==
              "changed 2 values of Lamp");
        CHECK(words_of({{"lights/Lamp/position", "[1, 2, 3.5]"}}) == "moved Lamp by 0.50 m");
        CHECK(words_of({{"lights/Lamp", "null"}}) == "deleted Lamp");
        CHECK(words_of({{"nodes/left/visible", "false"}, {"nodes/right/visible", "false"}}) ==
              "hid 2 objects");
        CHECK(words_of({{"nodes/left/visible", "true"}, {"view/exposure", "0"}}) ==
              "made 2 changes");
        document.move_camera(document.context().camera, 7);
        CHECK(step_words(document, document.done().back()) == "moved the camera");
    }

    TEST_CASE("a step of placing says how far the object moved or rotated or scaled") {
        Document document = open_document();
        const auto words_of = [&](const char* matrix) {
            do_edit(document, {"nodes/left/transform", matrix});
            return step_words(document, document.done().back());
        };
        CHECK(words_of("[1, 0, 0, 0.1, 0, 1, 0, 0, 0, 0, 1, 0]") == "moved left by 0.10 m");
        CHECK(words_of("[1, 0, 0, 0.1, 0, 1, 0, 0, 0, 0, 1, 0.004]") == "moved left by 4 mm");
        CHECK(words_of("[0, 0, 1, 0.1, 0, 1, 0, 0, -1, 0, 0, 0.004]") == "turned left by 90°");
        CHECK(words_of("[0, 0, 2, 0.1, 0, 2, 0, 0, -2, 0, 0, 0.004]") == "scaled left by 2");
        CHECK(words_of("[0, 0, 2, 9, 0, 2, 0, 0, -2, 0, 0, 0]") == "moved left by 8.90 m");
        CHECK(words_of("[1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0]") ==
              "moved and turned and scaled left");
    }

    TEST_CASE("a scene read again has the same steps done and undone") {
        Document document = open_document();
        do_edit(document, {"materials/clay/roughness", "0.25"});
        document.mark_saved();
        do_edit(document, {"nodes/left/visible", "false"});
        do_edit(document, {"materials/glass/ior", "1.8"});
        REQUIRE(document.undo());
        scene::Scene again = two_nodes();
        again.materials[0].record.metallic = 0.5F;  // the file's new value
        const scene::EditContext context;
        const u64 number = document.state_number();
        CHECK(document.reopen(std::make_shared<const scene::Scene>(again), context).is_ok());
        CHECK(document.take_effect() == scene::kEffectAll);
        CHECK(document.state_number() == number);
        CHECK(value_of(document, "materials/clay/metallic") == "0.5");
        CHECK(!document.original_value("materials/clay/metallic").has_value());
        CHECK(value_of(document, "materials/clay/roughness") == "0.25");
        CHECK(document.context().hidden == std::vector<std::string>{"nodes/left#1"});
        CHECK(document.redo());
        CHECK(value_of(document, "materials/glass/ior") == "1.8");
        CHECK(document.undo());
        CHECK(document.undo());
        CHECK(!document.is_changed());
        CHECK(document.undo());
        CHECK(value_of(document, "materials/clay/roughness") == "1");
    }

    TEST_CASE("a step that does not fit the scene read again is left out and reported") {
        Document document = open_document();
        do_edit(document, {"materials/glass/ior", "1.8"});
        do_edit(document, {"materials/clay/roughness", "0.25"});
        scene::Scene again = two_nodes();
        again.materials[1].name = "water";
        const base::Status made =
            document.reopen(std::make_shared<const scene::Scene>(again), scene::EditContext());
        REQUIRE(!made.is_ok());
        CHECK(made.error().sentence.find("materials/glass") != std::string::npos);
        CHECK(document.done().size() == 1);
        CHECK(value_of(document, "materials/clay/roughness") == "0.25");
    }

    TEST_CASE("edits of several objects can be one step") {
        Document document = open_document();
        do_edit(document, {"nodes/left/visible", "false"});
        do_edit(document, {"nodes/right/visible", "false"}, true);
        CHECK(document.done().size() == 1);
        CHECK(document.context().hidden ==
              std::vector<std::string>{"nodes/left#1", "nodes/right#1"});
        CHECK(document.undo());
        CHECK(document.context().hidden.empty());
    }

    TEST_CASE("an edit that fails changes nothing and makes no step") {
        Document document = open_document();
        do_edit(document, {"materials/clay/roughness", "0.25"});
        CHECK(document.undo());
        document.take_effect();
        const auto scene = document.shared_scene();
        CHECK(!document.edit({"materials/clay/roughness", "2"}).is_ok());
        CHECK(!document.edit({"materials/stone/roughness", "0.5"}).is_ok());
        CHECK(document.shared_scene() == scene);
        CHECK(document.done().empty());
        CHECK(document.undone().size() == 1);  // the undone step can still be redone
        CHECK(document.take_effect() == scene::kEffectNone);
    }

    TEST_CASE("a scene that was handed out does not change") {
        Document document = open_document();
        const auto handed_out = document.shared_scene();
        const float before = handed_out->materials[0].record.roughness;
        do_edit(document, {"materials/clay/roughness", "0.25"});
        CHECK(handed_out->materials[0].record.roughness == before);
        CHECK(document.scene().materials[0].record.roughness == 0.25f);
    }

    TEST_CASE("a field gives its original value only while it has another one") {
        Document document = open_document();
        const std::string path = "materials/glass/ior";
        CHECK(!document.original_value(path).has_value());
        do_edit(document, {path, "1.8"});
        CHECK(document.original_value(path) == "1.5");
        do_edit(document, {path, *document.original_value(path)});
        CHECK(!document.original_value(path).has_value());
    }

    TEST_CASE("two hundred random edits are undone to the initial values") {
        Document document = open_document();
        std::mt19937 random(5);
        const std::vector<std::string> fields = {
            "roughness", "metallic", "coat", "transmission", "alpha"};
        std::vector<std::string> before;
        for (const std::string material : {"clay", "glass"}) {
            for (const std::string& field : fields) {
                before.push_back(value_of(document, "materials/" + material + '/' + field));
            }
        }
        for (u32 k = 0; k < 200; ++k) {
            const std::string path = std::string("materials/") +
                                     (random() % 2 == 0 ? "clay/" : "glass/") +
                                     fields[random() % fields.size()];
            do_edit(document, {path, "0." + std::to_string(random() % 1000)}, random() % 3 == 0);
            if (random() % 5 == 0) {
                document.undo();
            }
        }
        while (document.undo()) {
        }
        std::size_t k = 0;
        for (const std::string material : {"clay", "glass"}) {
            for (const std::string& field : fields) {
                CHECK(value_of(document, "materials/" + material + '/' + field) == before[k++]);
            }
        }
    }
}
