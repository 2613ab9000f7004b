// test_placed_objects.cpp — objects that pbrt's and Mitsuba's files place several times: a node for
// one shape, a group for several.
#include <string>

#include <doctest/doctest.h>

#include "engine/scene/edit/edit.h"
#include "engine/scene/model/scene_tree.h"
#include "tests/engine/scene/mitsuba_text.h"

namespace weft::scene::testing {

namespace {

// A lamp of two shapes, placed at x = 10 and at x = 20, and a ball of one shape.
Scene lamps_of_pbrt() {
    const Folder folder("placed_pbrt");
    return read({folder.write("lamps.pbrt",
                              "WorldBegin\nObjectBegin \"lamp\"\nShape \"disk\"\n"
                              "Translate 0 2 0\nShape \"sphere\"\nObjectEnd\n"
                              "ObjectBegin \"ball\"\nShape \"sphere\"\nObjectEnd\n"
                              "ObjectBegin \"none\"\nObjectEnd\n"
                              "AttributeBegin Translate 10 0 0 ObjectInstance \"lamp\" "
                              "AttributeEnd\n"
                              "AttributeBegin Translate 20 0 0 ObjectInstance \"lamp\" "
                              "AttributeEnd\n"
                              "ObjectInstance \"ball\"\nObjectInstance \"none\"\n"
                              "AttributeBegin Scale 1 0 1 ObjectInstance \"lamp\" AttributeEnd\n"
                              "Shape \"disk\"\n")});
}

Scene lamps_of_mitsuba() {
    const auto place = [](const std::string& steps) {
        return "<transform name=\"to_world\">" + steps + "</transform>";
    };
    const auto lamp = [&](const std::string& steps) {
        return shape_text("instance", "<ref id=\"lamp\"/>" + place(steps));
    };
    const Folder folder("placed_mitsuba");
    return read({folder.write(
        "lamps.xml",
        mitsuba_text("<shape type=\"shapegroup\" id=\"lamp\">" + shape_text("disk", "") +
                     shape_text("sphere", place("<translate y=\"2\"/>")) + "</shape>" +
                     "<shape type=\"shapegroup\" id=\"ball\">" + shape_text("sphere", "") +
                     "</shape>" + lamp("<translate x=\"10\"/>") + lamp("<translate x=\"20\"/>") +
                     shape_text("instance", "<ref id=\"ball\"/>") + lamp("<scale y=\"0\"/>") +
                     shape_text("disk", "")))});
}

Edit edit(const std::string& path, const std::string& value) {
    return {path, value};
}

}  // namespace

TEST_SUITE("engine/scene/placed_objects") {
    TEST_CASE("an instance of several shapes is a group and one of a shape is a node") {
        for (const Scene& scene : {lamps_of_pbrt(), lamps_of_mitsuba()}) {
            CAPTURE(scene.name);
            CHECK(object_paths(scene, "groups") ==
                  std::vector<std::string>{"groups/lamp", "groups/lamp#2"});
            CHECK(object_paths(scene, "nodes") == std::vector<std::string>{"nodes/disk",
                                                                           "nodes/sphere",
                                                                           "nodes/disk#2",
                                                                           "nodes/sphere#2",
                                                                           "nodes/ball",
                                                                           "nodes/disk#3"});
            REQUIRE(scene.instances.size() == 6);
            REQUIRE(scene.groups.size() == 2);
            for (std::size_t k = 0; k < 6; ++k) {
                CHECK(scene.instances[k].group == (k < 4 ? k / 2 : kNone));
                const std::string asset = asset_name(scene, scene.instances[k]);
                CHECK(asset == (k < 4 ? "lamp" : k == 4 ? "ball" : "lamps"));
            }
            CHECK(math::column(scene.groups[1].to_world, 3) == math::Vec3(20, 0, 0));
            CHECK(scene.groups[1].parent == kNone);
            // The lamp without a height is left out, with a note.
            CHECK(scene.notes.size() >= 1);
        }
    }

    TEST_CASE("an instance moves and hides as one") {
        for (Scene scene : {lamps_of_pbrt(), lamps_of_mitsuba()}) {
            CAPTURE(scene.name);
            EditContext context;
            const math::Vec3 other = math::column(scene.instances[1].object_to_world, 3);
            const math::Vec3 before = math::column(scene.instances[3].object_to_world, 3);
            const base::Result<u32> moved = apply_edit(
                scene, context, edit("groups/lamp#2/transform", "[1,0,0,20, 0,1,0,5, 0,0,1,0]"));
            REQUIRE_MESSAGE(moved.is_ok(), moved.error().sentence);
            CHECK(math::column(scene.instances[2].object_to_world, 3) == math::Vec3(20, 5, 0));
            CHECK(math::column(scene.instances[3].object_to_world, 3) ==
                  before + math::Vec3(0, 5, 0));
            CHECK(math::column(scene.instances[1].object_to_world, 3) == other);
            REQUIRE(apply_edit(scene, context, edit("groups/lamp/visible", "false")).is_ok());
            const std::vector<bool> hidden =
                hidden_groups(scene.groups, hidden_names(scene, context));
            CHECK(hidden == std::vector<bool>{true, false});
        }
    }
}

}  // namespace weft::scene::testing
