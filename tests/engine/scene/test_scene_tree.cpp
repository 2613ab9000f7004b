// test_scene_tree.cpp — groups: moved against the closed form, undone to the bit, hidden, in
// collections, and very deep.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/edit/edit.h"
#include "engine/scene/model/scene_tree.h"
#include "tests/engine/scene/applied_edits.h"
#include "tests/engine/trace/small_scenes.h"

namespace weft::scene::testing {

namespace {

const std::string kTurned =
    "[0, -1.5, 0, 4, 1.5, 0, 0, 5, 0, 0, 1.5, 6]";  // a quarter turn, larger
const std::string kAside = "[1, 0, 0, 0.1, 0, 1, 0, 0.7, 0, 0, 1, 0.3]";

// room ⊃ desk ⊃ {lamp's light, drawer}; the room has a camera; the floor is in no group.
Scene furnished() {
    Scene scene;
    for (u32 k = 0; k < 3; ++k) {
        tests::add_object(
            scene, tests::quad({0, 0, 0}, {1, 0, 0}, {0, 1, 0}), tests::plastic({1, 1, 1}, 0.5F));
    }
    scene.groups = {{"room", math::translation({1, 2, 3})},
                    {"desk", {0.9F, 0, 0.1F, 1.3F, 0, 1, 0, 2.1F, -0.1F, 0, 0.9F, 3.7F}, 0}};
    scene.instances[0].node = "floor";
    scene.instances[1].node = "desk";
    scene.instances[1].group = 0;
    scene.instances[1].object_to_world = math::translation({1, 2.5F, 3});
    scene.instances[2].node = "drawer";
    scene.instances[2].group = 1;
    scene.instances[2].object_to_world = {0.3F, 0, 0, 1.1F, 0, 0.3F, 0, 2.2F, 0, 0, 0.3F, 3.3F};
    scene.lights = {tests::spot_light({1.7F, 3, 4}, {0, -1, 0}, {9, 9, 9}, 0.9F, 0.6F)};
    scene.lights[0].name = "lamp";
    scene.lights[0].group = 1;
    tests::set_camera(scene, {0, 1, 5}, {0, 0, 0}, 0.7F);
    scene.cameras[0].name = "eye";
    scene.cameras[0].group = 0;
    number_places(scene);
    number_groups(scene);
    return scene;
}

// Where everything stands.
std::vector<math::Affine> places(const Scene& scene) {
    std::vector<math::Affine> all;
    for (const Instance& instance : scene.instances) {
        all.push_back(instance.object_to_world);
    }
    for (const Group& group : scene.groups) {
        all.push_back(group.to_world);
    }
    for (const Light& light : scene.lights) {
        all.push_back(light_matrix(light));
    }
    for (const Camera& camera : scene.cameras) {
        all.push_back(camera.to_world);
    }
    return all;
}

bool is_near(const math::Affine& found, const math::DAffine& expected) {
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::abs(static_cast<double>(found[i]) - expected[i]) >
            2e-6 * (1 + std::abs(expected[i]))) {
            return false;
        }
    }
    return true;
}

// Applies the edits and then their inverses backwards; the places must be as before at each step.
void check_undo(Scene scene, EditContext context, const std::vector<Edit>& edits) {
    std::vector<Edit> inverses;
    std::vector<std::vector<math::Affine>> before;
    for (const Edit& edit : edits) {
        CAPTURE(edit.path);
        before.push_back(places(scene));
        const base::Result<Edit> inverse = inverse_edit(scene, context, edit);
        REQUIRE(inverse.is_ok());
        inverses.push_back(inverse.value());
        applied(scene, context, edit);
    }
    for (std::size_t k = edits.size(); k-- > 0;) {
        CAPTURE(edits[k].path);
        CAPTURE(inverses[k].value);
        applied(scene, context, inverses[k]);
        CHECK(places(scene) == before[k]);
    }
}

}  // namespace

TEST_SUITE("engine/scene/tree") {
    TEST_CASE("all that is below a group follows it as the closed form says") {
        const Scene before = furnished();
        Scene scene = before;
        EditContext context;
        context.camera = scene.cameras[0];
        const u32 effect = applied(scene, context, {"groups/room/transform", kTurned});
        CHECK(effect == (kEffectTree | kEffectPlacement | kEffectShading | kEffectCamera));
        const math::DAffine way =
            math::compose(math::to_double(scene.groups[0].to_world),
                          *math::inverse(math::to_double(before.groups[0].to_world)));
        CHECK(read_value(scene, context, "groups/room/transform").value() == kTurned);
        const auto moved = [&](const math::Affine& m) {
            return math::compose(way, math::to_double(m));
        };
        CHECK(scene.instances[0].object_to_world == before.instances[0].object_to_world);
        for (const u32 k : {1U, 2U}) {
            CHECK(is_near(scene.instances[k].object_to_world,
                          moved(before.instances[k].object_to_world)));
        }
        CHECK(is_near(scene.groups[1].to_world, moved(before.groups[1].to_world)));
        const math::DAffine light = moved(light_matrix(before.lights[0]));
        CHECK(length(scene.lights[0].position - math::Vec3(math::column(light, 3))) < 1e-5F);
        // Turned, without the group's scale.
        CHECK(length(scene.lights[0].direction - math::Vec3{1, 0, 0}) < 1e-6F);
        const math::DVec3 eye = math::column(moved(before.cameras[0].to_world), 3);
        CHECK(length(math::column(scene.cameras[0].to_world, 3) - math::Vec3(eye)) < 1e-5F);
        for (const u32 axis : {0U, 1U, 2U}) {
            CHECK(length(math::column(scene.cameras[0].to_world, axis)) == doctest::Approx(1));
        }
        // The camera that renders looks through this one.
        CHECK(context.camera.to_world == scene.cameras[0].to_world);
        CHECK(before.holds.empty());
    }

    TEST_CASE("moves of groups and of what stands in them are undone to the bit") {
        const Scene scene = furnished();
        EditContext context;
        context.camera = scene.cameras[0];
        check_undo(scene,
                   context,
                   {{"groups/room/transform", kTurned},
                    {"nodes/drawer/transform", kAside},
                    {"lights/lamp/position", "[0.1, 0.2, 0.3]"},
                    {"cameras/eye/transform", kAside},
                    {"groups/desk/transform", kTurned},
                    {"groups/room/transform", kAside},
                    {"nodes/drawer", "null"},
                    {"lights/lamp", "null"},
                    {"nodes/other", R"({"copy_of": "nodes/desk"})"},
                    {"groups/room/transform", kTurned},
                    {"nodes/other", "null"}});
    }

    TEST_CASE("where things stand depends on where their group is and not on how it came there") {
        Scene straight = furnished();
        Scene winding = straight;
        EditContext context;
        for (const char* const way : {"[2, 0, 0, 0.3, 0, 3, 0, 0.1, 0, 0, 0.7, 9]",
                                      "[1, 0, 0, 1e6, 0, 1, 0, 0, 0, 0, 1, 0]",
                                      "[0.001, 0, 0, 0, 0, 0.001, 0, 0, 0, 0, 0.001, 0]"}) {
            applied(winding, context, {"groups/room/transform", way});
        }
        applied(winding, context, {"groups/room/transform", kTurned});
        applied(straight, context, {"groups/room/transform", kTurned});
        CHECK(places(winding) == places(straight));
        CHECK(winding.holds.size() == straight.holds.size());
        // The same when a copy of the last state is written down parents first.
        applied(winding, context, {"groups/desk/transform", kAside});
        applied(winding, context, {"groups/room/transform", kAside});
        Scene listed = furnished();
        applied(listed, context, {"groups/room/transform", kAside});
        applied(listed,
                context,
                {"groups/desk/transform",
                 read_value(winding, context, "groups/desk/transform").value()});
        CHECK(places(listed) == places(winding));
    }

    TEST_CASE("a group hides all that is below it and no namesake elsewhere") {
        Scene scene = furnished();
        EditContext context;
        CHECK(applied(scene, context, {"groups/desk/visible", "false"}) == kEffectLook);
        CHECK(context.hidden == std::vector<std::string>{"groups/desk#1"});
        std::vector<bool> hidden = hidden_groups(scene.groups, hidden_names(scene, context));
        CHECK(!is_in(hidden, 0));
        CHECK(is_in(hidden, 1));
        CHECK(!is_in(hidden, kNone));
        applied(scene, context, {"groups/room/visible", "false"});
        applied(scene, context, {"groups/desk/visible", "true"});
        hidden = hidden_groups(scene.groups, hidden_names(scene, context));
        CHECK(is_in(hidden, 0));
        CHECK(is_in(hidden, 1));
        CHECK(hidden_groups(scene.groups, {"floor", "lights/lamp"}).empty());
    }

    TEST_CASE("groups of one name have numbers and paths of their own") {
        Scene scene = furnished();
        scene.groups.push_back({"desk", math::kIdentity});
        number_groups(scene);
        EditContext context;
        CHECK(object_paths(scene, "groups") ==
              std::vector<std::string>{"groups/room", "groups/desk", "groups/desk#2"});
        CHECK(group_path(scene, 2) == "groups/desk#2");
        CHECK(find_group(scene, "groups/desk#2") == 2U);
        CHECK(!find_group(scene, "groups/desk#3"));
        applied(scene, context, {"groups/desk#2/visible", "false"});
        CHECK(hidden_groups(scene.groups, context.hidden) == std::vector<bool>{false, false, true});
    }

    TEST_CASE("a collection is kept by name and hides its members as one") {
        Scene scene = furnished();
        EditContext context;
        const Edit made = {"collections/desk things",
                           R"({"members": ["nodes/drawer", "lights/lamp", "nodes/drawer"]})"};
        CHECK(inverse_edit(scene, context, made).value() ==
              Edit{"collections/desk things", "null"});
        CHECK(applied(scene, context, made) == kEffectNone);
        CHECK(read_value(scene, context, made.path).value() ==
              R"({"members": ["lights/lamp", "nodes/drawer"]})");
        CHECK(hidden_names(scene, context).empty());
        const Edit hide = {"collections/desk things/visible", "false"};
        CHECK(inverse_edit(scene, context, hide).value() ==
              Edit{"collections/desk things/visible", "true"});
        CHECK(applied(scene, context, hide) == kEffectLook);
        CHECK(hidden_names(scene, context) ==
              std::vector<std::string>{"lights/lamp", "nodes/drawer#1"});
        CHECK(context.hidden.empty());
        applied(scene, context, {"collections/desk things/members", R"(["groups/desk"])"});
        CHECK(hidden_names(scene, context) == std::vector<std::string>{"groups/desk#1"});
        const Edit remove = {"collections/desk things", "null"};
        const Edit back = inverse_edit(scene, context, remove).value();
        CHECK(applied(scene, context, remove) == kEffectLook);
        CHECK(context.collections.empty());
        applied(scene, context, back);
        CHECK(hidden_names(scene, context) == std::vector<std::string>{"groups/desk#1"});
    }

    TEST_CASE("a camera of the file moves and takes along the camera that looks through it") {
        Scene scene = furnished();
        EditContext context;
        context.camera = scene.cameras[0];
        const Edit move = {"cameras/eye/transform", kAside};
        const Edit back = inverse_edit(scene, context, move).value();
        CHECK(applied(scene, context, move) == (kEffectTree | kEffectCamera));
        CHECK(context.camera.to_world == scene.cameras[0].to_world);
        applied(scene, context, back);
        CHECK(context.camera.to_world == furnished().cameras[0].to_world);
        context.camera.to_world = math::translation({9, 9, 9});
        CHECK(applied(scene, context, move) == kEffectTree);
        CHECK(context.camera.to_world == math::translation({9, 9, 9}));
    }

    TEST_CASE("edits of groups and cameras and collections that cannot be made are one sentence") {
        Scene scene = furnished();
        EditContext context;
        const auto before = places(scene);
        const auto complains = [&](const Edit& edit, const std::string& sentence) {
            const base::Result<u32> effect = apply_edit(scene, context, edit);
            REQUIRE(!effect.is_ok());
            CHECK(effect.error().sentence == sentence);
            CHECK(places(scene) == before);
        };
        complains({"groups/attic/visible", "false"},
                  "groups/attic/visible: the scene has no such object; expected one of its 2 "
                  "(groups/room, groups/desk)");
        complains({"groups/room/size", "1"},
                  "groups/room/size: found 'size', expected one of transform, visible, name");
        complains({"groups/room", "null"},
                  "groups/room: found '', expected one of transform, visible, name");
        complains({"groups/room/transform", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"},
                  "groups/room/transform: found [0,0,0,0,0,0,0,0,0,0,0,0], expected a matrix that "
                  "can be inverted");
        complains(
            {"groups/desk/transform", "[9e17, 0, 0, -9e17, 0, 1, 0, 0, 0, 0, 1, 0]"},
            "groups/desk/transform: found [9e+17,0,0,-9e+17,0,1,0,0,0,0,1,0], expected a matrix "
            "that leaves all in the group within 1e18 m and invertible");
        complains({"groups/room/transform", R"({"put": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]})"},
                  "groups/room/transform: found {\"put\":[1,0,0,0,0,1,0,0,0,0,1,0]}, expected 12 "
                  "numbers, since it stands in no group");
        complains({"cameras/eye/yfov_deg", "3"},
                  "cameras/eye/yfov_deg: found 'yfov_deg', expected one of transform, name");
        complains({"collections/set", R"({"members": ["nodes/sofa"]})"},
                  "nodes/sofa: the scene has no such object; expected one of its 3 (nodes/floor, "
                  "nodes/desk, nodes/drawer)");
        complains({"collections/set", R"({"members": ["materials/oak"]})"},
                  "collections/set/members/0: found \"materials/oak\", expected the path of a "
                  "node, a group, a light or a camera");
        complains({"collections/set/visible", "false"},
                  "collections/set/visible: there is no such collection; expected a list of "
                  "members, which makes it");
        complains({"lights/lamp", R"({"group": 7})"},
                  "lights/lamp/group: found 7, expected null or a whole number below 2");
    }

    TEST_CASE("ten thousand groups in one another move and hide without recursion") {
        constexpr u32 kDepth = 10000;
        Scene scene = furnished();
        std::vector<Group> chain;
        for (u32 k = 0; k < kDepth; ++k) {
            chain.push_back({"level",
                             math::translation({0, static_cast<float>(k), 0}),
                             k == 0 ? kNone : k - 1});
        }
        scene.groups = chain;
        scene.instances[2].group = kDepth - 1;
        number_groups(scene);
        EditContext context;
        applied(scene, context, {"groups/level/transform", "[1,0,0,5,0,1,0,0,0,0,1,0]"});
        CHECK(std::as_const(scene.groups)[kDepth - 1].to_world ==
              math::translation({5, kDepth - 1, 0}));
        CHECK(std::as_const(scene.instances)[2].object_to_world[3] == 1.1F + 5);
        applied(scene, context, {"groups/level#2/visible", "false"});
        CHECK(is_in(hidden_groups(scene.groups, context.hidden), kDepth - 1));
        CHECK(group_path(scene, kDepth - 1) == "groups/level#10000");
    }
}

}  // namespace weft::scene::testing
