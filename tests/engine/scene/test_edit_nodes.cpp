// test_edit_nodes.cpp — edits that copy, delete and restore nodes: parts, places in the list,
// names, and what is refused.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/edit/edit.h"
#include "engine/scene/model/scene_tree.h"
#include "tests/engine/scene/applied_edits.h"
#include "tests/engine/trace/small_scenes.h"

namespace weft::scene::testing {

namespace {

// A lamp of two separate parts, a table and two chairs.
Scene furniture() {
    Scene scene;
    for (u32 k = 0; k < 5; ++k) {
        const auto z = static_cast<float>(k);
        tests::add_object(
            scene, tests::quad({0, 0, z}, {1, 0, 0}, {0, 1, 0}), tests::plastic({1, 1, 1}, 0.5F));
    }
    const char* const names[] = {"lamp", "table", "chair", "chair", "lamp"};
    for (u32 k = 0; k < 5; ++k) {
        scene.instances[k].node = names[k];
    }
    scene.instances[3].object_to_world = math::translation({0, 0, 4});
    scene.instances[4].clip_planes = 5;
    number_places(scene);
    return scene;
}

bool is_same(const Instance& a, const Instance& b) {
    return a.mesh == b.mesh && a.material == b.material && a.object_to_world == b.object_to_world &&
           a.node == b.node && a.place == b.place && a.clip_planes == b.clip_planes;
}

bool has_same_instances(const Scene& a, const Scene& b) {
    const auto same = [](const Instance& one, const Instance& other) {
        return is_same(one, other);
    };
    return std::equal(
        a.instances.begin(), a.instances.end(), b.instances.begin(), b.instances.end(), same);
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_SUITE("engine/scene/edit_nodes") {
    TEST_CASE(
        "a copy has all parts and the transform of its original and comes after all instances") {
        Scene scene = furniture();
        EditContext context;
        const Scene before = scene;
        const Edit copy = {"nodes/lamp 2", R"({"copy_of": "nodes/lamp"})"};
        const Edit back = inverse_edit(scene, context, copy).value();
        CHECK(back == Edit{"nodes/lamp 2", "null"});
        CHECK(applied(scene, context, copy) == kEffectPlacement);
        REQUIRE(scene.instances.size() == 7);
        CHECK(node_instances(scene, "nodes/lamp 2") == std::vector<u32>{5, 6});
        for (const u32 part : {0U, 1U}) {
            Instance expected = before.instances[4 * part];
            expected.node = "lamp 2";
            CHECK(is_same(scene.instances[5 + part], expected));
        }
        applied(scene, context, back);
        CHECK(has_same_instances(scene, before));
        // With another transform, hidden, and between others.
        const Edit aside = {"nodes/stool",
                            R"({"copy_of": "nodes/chair#2", "visible": false, "insert_at": 1,
                                "transform": [1, 0, 0, 9, 0, 1, 0, 0, 0, 0, 1, 0]})"};
        CHECK(applied(scene, context, aside) == (kEffectPlacement | kEffectLook));
        CHECK(context.hidden == Paths{"nodes/stool#1"});
        CHECK(scene.instances[1].node == "stool");
        CHECK(scene.instances[1].mesh == 3);
        CHECK(scene.instances[1].object_to_world[3] == 9);
        CHECK(before.instances.size() == 5);
    }

    TEST_CASE("a deleted node returns with the same indices and visibility") {
        for (const std::string path :
             {"nodes/lamp", "nodes/table", "nodes/chair", "nodes/chair#2"}) {
            CAPTURE(path);
            Scene scene = furniture();
            EditContext context;
            context.hidden = {"nodes/chair#2", "nodes/lamp#1", "nodes/table#1"};
            const Scene before = scene;
            const Edit remove = {path, "null"};
            const Edit back = inverse_edit(scene, context, remove).value();
            applied(scene, context, remove);
            CHECK(node_instances(scene, path).empty());
            // A renderer refuses names that nobody has.
            for (const std::string& hidden : context.hidden) {
                CHECK(!node_instances(scene, hidden).empty());
            }
            CHECK(inverse_edit(scene, context, back).value() == remove);
            applied(scene, context, back);
            CHECK(has_same_instances(scene, before));
            CHECK(context.hidden == Paths{"nodes/chair#2", "nodes/lamp#1", "nodes/table#1"});
        }
    }

    TEST_CASE("a given name stays beside the name of paths and comes back with its node") {
        Scene scene = furniture();
        EditContext context;
        const auto called = [&](u32 k) { return present_name(scene, scene.instances[k]); };
        applied(scene, context, {"nodes/lamp/name", R"("Lampe \u00e4")"});
        applied(scene, context, {"nodes/chair#2/name", R"("Throne")"});
        CHECK(called(0) == "Lampe \xc3\xa4");
        CHECK(called(4) == called(0));  // the other part
        CHECK(called(2) == "chair");
        CHECK(called(3) == "Throne");
        CHECK(object_paths(scene, "nodes") ==
              Paths{"nodes/lamp", "nodes/table", "nodes/chair", "nodes/chair#2"});
        // Deleted and back again; a copy has the name of its path.
        const Edit remove = {"nodes/chair#2", "null"};
        const Edit back = inverse_edit(scene, context, remove).value();
        applied(scene, context, remove);
        applied(scene, context, back);
        CHECK(called(3) == "Throne");
        applied(scene, context, {"nodes/stool", R"({"copy_of": "nodes/chair#2"})"});
        CHECK(called(5) == "stool");
        // Its own name and null take it back.
        applied(scene, context, {"nodes/chair#2/name", R"("chair")"});
        CHECK(scene.instances[3].given_name == kNone);
        CHECK(read_value(scene, context, "nodes/chair#2/name").value() == "null");
        applied(scene, context, {"nodes/lamp/name", "null"});
        CHECK(called(4) == "lamp");
        const std::vector<std::string> wrong = {
            "7", R"("")", R"("a\nb")", R"("\u0000")", '"' + std::string(1001, 'x') + '"'};
        for (const std::string& value : wrong) {
            CAPTURE(value);
            const auto refused = apply_edit(scene, context, {"nodes/table/name", value});
            REQUIRE(!refused.is_ok());
            CHECK(refused.error().sentence.starts_with("nodes/table/name: found "));
            CHECK(called(1) == "table");
        }
    }

    TEST_CASE("groups and lights and cameras have given names too") {
        Scene scene = furniture();
        scene.groups = {{"room"}, {"room"}};
        scene.lights = {{.name = "sun"}, {.name = "sun"}};
        scene.cameras = {{.name = "eye"}};
        number_groups(scene);
        EditContext context;
        for (const std::string path :
             {"groups/room#2", "lights/sun", "lights/sun#2", "cameras/eye"}) {
            CAPTURE(path);
            const Edit edit = {path + "/name", R"("other")"};
            const Edit back = inverse_edit(scene, context, edit).value();
            applied(scene, context, edit);
            CHECK(read_value(scene, context, path + "/name").value() == R"("other")");
            applied(scene, context, back);
            CHECK(read_value(scene, context, path + "/name").value() == "null");
            applied(scene, context, edit);
        }
        CHECK(present_name(scene.groups[0]) == "room");
        CHECK(present_name(scene.groups[1]) == "other");
        CHECK(present_name(scene.cameras[0]) == "other");
        // A light that comes back after its deletion has it, whichever of a name it is.
        const Edit remove = {"lights/sun", "null"};
        const Edit back = inverse_edit(scene, context, remove).value();
        applied(scene, context, {"lights/sun#2/name", "null"});
        applied(scene, context, remove);
        CHECK(present_name(scene.lights[0]) == "sun");
        applied(scene, context, back);
        CHECK(present_name(scene.lights[0]) == "other");
        CHECK(present_name(scene.lights[1]) == "sun");
    }

    TEST_CASE("the second node of a name keeps its path when the first one is deleted") {
        Scene scene = furniture();
        EditContext context;
        context.hidden = {"nodes/chair#1", "nodes/chair#2"};
        CHECK(applied(scene, context, {"nodes/chair", "null"}) == (kEffectPlacement | kEffectLook));
        CHECK(object_paths(scene, "nodes") == Paths{"nodes/lamp", "nodes/table", "nodes/chair#2"});
        CHECK(node_path(scene, 2) == "nodes/chair#2");
        CHECK(context.hidden == Paths{"nodes/chair#2"});
        CHECK(read_value(scene, context, "nodes/chair#2/visible").value() == "false");
        CHECK(applied(scene, context, {"nodes/chair#2", "null"}) ==
              (kEffectPlacement | kEffectLook));
        CHECK(context.hidden.empty());
    }

    TEST_CASE("all nodes can be deleted and all return") {
        Scene scene = furniture();
        EditContext context;
        const Scene before = scene;
        std::vector<Edit> way_back;
        for (const std::string& path : object_paths(scene, "nodes")) {
            way_back.push_back(inverse_edit(scene, context, {path, "null"}).value());
            applied(scene, context, {path, "null"});
        }
        CHECK(scene.instances.empty());
        for (auto edit = way_back.rbegin(); edit != way_back.rend(); ++edit) {
            applied(scene, context, *edit);
        }
        CHECK(has_same_instances(scene, before));
    }

    TEST_CASE(
        "all parts of a node get one material or each its own and the inverse restores them") {
        Scene scene = furniture();
        EditContext context;
        const Scene before = scene;
        for (u32 k = 0; k < 5; ++k) {
            scene.materials[k].name = "m" + std::to_string(k);
        }
        CHECK(read_value(scene, context, "nodes/table/material").value() == "\"materials/m1\"");
        const std::string own = R"(["materials/m0","materials/m4"])";
        CHECK(read_value(scene, context, "nodes/lamp/material").value() == own);

        const Edit one = {"nodes/lamp/material", "\"materials/m3\""};
        const Edit back = inverse_edit(scene, context, one).value();
        CHECK(back == Edit{"nodes/lamp/material", own});
        CHECK(applied(scene, context, one) == kEffectShading);
        CHECK(scene.instances[0].material == 3);
        CHECK(scene.instances[4].material == 3);
        CHECK(scene.instances[3].material == 3);  // a chair's, as before
        CHECK(scene.instances[2].material == 2);
        applied(scene, context, {"nodes/lamp/material", R"(["materials/m2", "materials/m0"])"});
        CHECK(scene.instances[0].material == 2);
        CHECK(scene.instances[4].material == 0);
        applied(scene, context, back);
        CHECK(has_same_instances(scene, before));

        const auto complains = [&](const char* value, const std::string& sentence) {
            const base::Result<u32> effect =
                apply_edit(scene, context, {"nodes/lamp/material", value});
            REQUIRE(!effect.is_ok());
            CHECK(effect.error().sentence == "nodes/lamp/material" + sentence);
            CHECK(has_same_instances(scene, before));
        };
        complains("\"m3\"", ": found \"m3\", expected the path of a material of the scene");
        complains("\"nodes/table\"",
                  ": found \"nodes/table\", expected the path of a material of the scene");
        complains("3", ": found 3, expected a text in quotes");
        complains(R"(["materials/m3"])",
                  ": found [\"materials/m3\"], expected a material, or a list of 2, one for each "
                  "part");
        complains(R"(["materials/m3", "materials/m9"])",
                  "/1: found \"materials/m9\", expected the path of a material of the scene");
    }

    TEST_CASE("a node that cannot be added or deleted is refused with a sentence") {
        Scene scene = furniture();
        EditContext context;
        const Scene before = scene;
        const auto complains = [&](const Edit& edit, const std::string& sentence) {
            const base::Result<u32> effect = apply_edit(scene, context, edit);
            REQUIRE(!effect.is_ok());
            CHECK(effect.error().sentence == sentence);
            CHECK(has_same_instances(scene, before));
            CHECK(context.hidden.empty());
        };
        complains({"nodes/sofa", "null"},
                  "nodes/sofa: the scene has no such object; expected one of its 4 (nodes/lamp, "
                  "nodes/table, nodes/chair, nodes/chair#2)");
        complains({"nodes/sofa", "3"},
                  "nodes/sofa: found 3, expected an object with either copy_of or parts, or null");
        complains({"nodes/sofa", "{}"},
                  "nodes/sofa: found {}, expected an object with either copy_of or parts, or null");
        complains({"nodes/table", R"({"copy_of": "nodes/lamp"})"},
                  "nodes/table: the scene has this node already, expected another name, or null to "
                  "delete it first");
        complains({"nodes/sofa", R"({"copy_of": "nodes/bed"})"},
                  "nodes/sofa/copy_of: found \"nodes/bed\", expected the path of a node of the "
                  "scene");
        complains({"nodes/sofa", R"({"copy_of": "nodes/lamp", "size": 2})"},
                  "nodes/sofa/size: found 2, expected no other field than copy_of, transform, "
                  "visible, name, insert_at");
        complains({"nodes/sofa", R"({"copy_of": "nodes/lamp", "insert_at": 6})"},
                  "nodes/sofa/insert_at: found 6, expected a whole number below 6");
        complains({"nodes/sofa", R"({"copy_of": "nodes/lamp", "transform": [1, 2]})"},
                  "nodes/sofa/transform: found [1,2], expected 12 numbers from -1e+18 to 1e+18");
        complains({"nodes/lamp/transform", "[1, 0, 0, 2e38, 0, 1, 0, 0, 0, 0, 1, 0]"},
                  "nodes/lamp/transform/3: found 2e+38, expected a number from -1e+18 to 1e+18");
        complains({"nodes/sofa", R"({"copy_of": "nodes/lamp", "visible": 1})"},
                  "nodes/sofa/visible: found 1, expected true or false");
        complains({"nodes/sofa", R"({"parts": []})"},
                  "nodes/sofa/parts: found [], expected a list of objects with mesh, material and "
                  "insert_at");
        complains({"nodes/sofa", R"({"parts": [{"mesh": 5, "material": 0, "insert_at": 0}]})"},
                  "nodes/sofa/parts/0/mesh: found 5, expected a whole number below 5");
        complains({"nodes/sofa", R"({"parts": [{"mesh": 0, "insert_at": 0}]})"},
                  "nodes/sofa/parts/0/material: found null, expected a whole number below 5");
        complains({"nodes/sofa",
                   R"({"parts": [{"mesh": 0, "material": 0, "insert_at": 3},
                                 {"mesh": 1, "material": 0, "insert_at": 3}]})"},
                  "nodes/sofa/parts/1/insert_at: found 3, expected a whole number from 4 to 6");
    }
}

}  // namespace weft::scene::testing
