// test_obj_objects.cpp — every object and group of an OBJ is an object of its own, with any name.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/edit/edit.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// Each word is one line, except "f": a triangle of its own, further along x.
std::string obj_of(const std::vector<std::string>& words, const std::string& end = "\n") {
    std::string text;
    u32 count = 0;
    for (const std::string& word : words) {
        if (word != "f") {
            text += word + end;
            continue;
        }
        for (const char* const corner : {" 0 0", " 1 0", " 0 1"}) {
            text += "v " + std::to_string(count) + corner + end;
        }
        const std::string first = std::to_string(3 * count + 1);
        text += "f " + first + " " + std::to_string(3 * count + 2) + " " +
                std::to_string(3 * count + 3) + end;
        ++count;
    }
    return text;
}

// The triangles of each object by its path, as their numbers along x.
std::map<std::string, std::vector<int>> objects_of(const std::string& text) {
    const Folder folder("obj_objects");
    const Scene scene = read({folder.write("file.obj", text)});
    std::map<std::string, std::vector<int>> objects;
    for (const std::string& path : object_paths(scene, "nodes")) {
        for (const u32 instance : node_instances(scene, path)) {
            const shaders::MeshRecord& mesh = scene.meshes[scene.instances[instance].mesh].record;
            for (u32 k = 0; k < mesh.triangle_count; ++k) {
                const u32 corner = scene.indices[3 * (mesh.first_triangle + k)];
                objects[path].push_back(
                    static_cast<int>(scene.positions[3 * (mesh.first_position + corner)]));
            }
        }
        std::sort(objects[path].begin(), objects[path].end());
    }
    return objects;
}

using Objects = std::map<std::string, std::vector<int>>;

}  // namespace

TEST_SUITE("engine/scene/obj_objects") {
    TEST_CASE("objects whose names have spaces are objects of their own") {
        CHECK(objects_of(obj_of({"o Box 1", "f", "o Box 2", "f", "f", "o Box", "f"})) ==
              Objects{{"nodes/Box 1", {0}}, {"nodes/Box 2", {1, 2}}, {"nodes/Box", {3}}});
    }

    TEST_CASE("objects of one name stay apart and a continued group is one object") {
        CHECK(objects_of(obj_of({"o a", "f", "o b", "f", "o a", "f", "o a", "f"})) ==
              Objects{{"nodes/a", {0}}, {"nodes/b", {1}}, {"nodes/a 2", {2}}, {"nodes/a 3", {3}}});
        CHECK(objects_of(obj_of({"g l", "f", "g r", "f", "g l", "f", "g l", "f"})) ==
              Objects{{"nodes/l", {0, 2, 3}}, {"nodes/r", {1}}});
    }

    TEST_CASE(
        "groups of one name in two objects are two and a group named as its object adds none") {
        CHECK(objects_of(obj_of({"o car",
                                 "f",
                                 "g wheel",
                                 "f",
                                 "g",
                                 "f",
                                 "o cart",
                                 "g wheel",
                                 "f",
                                 "g axle",
                                 "f",
                                 "g wheel",
                                 "f"})) == Objects{{"nodes/car", {0, 2}},
                                                   {"nodes/wheel", {1}},
                                                   {"nodes/wheel 2", {3, 5}},
                                                   {"nodes/axle", {4}}});
        CHECK(objects_of(obj_of({"o car", "g car", "f", "o car", "g car", "f"})) ==
              Objects{{"nodes/car", {0}}, {"nodes/car 2", {1}}});
        CHECK(objects_of(obj_of({"g car", "o car", "f"})) == Objects{{"nodes/car", {0}}});
    }

    TEST_CASE("lines before any object and continued lines stay as they are") {
        CHECK(objects_of(obj_of({"f", "o a", "f"})) ==
              Objects{{"nodes/defaultobject", {0}}, {"nodes/a", {1}}});
        CHECK(
            objects_of(obj_of({"  o  tab\tbed ", "f", "o\tb", "f", "# o c", "f", "o", "f"}, "\r\n"))
                .size() == 2);
        CHECK(objects_of(obj_of({"g a b", "f", "g a c", "f", "g", "f"})) ==
              Objects{{"nodes/a b", {0}}, {"nodes/a c", {1}}, {"nodes/file", {2}}});
    }

    TEST_CASE("each object has one mesh for each of its materials") {
        const Folder folder("obj_parts");
        const std::string text =
            obj_of({"o a", "usemtl m", "f", "usemtl n", "f", "usemtl m", "f", "o b", "f"});
        const Scene scene = read({folder.write("file.obj", text)});
        REQUIRE(scene.meshes.size() == 3);
        CHECK(scene.meshes[0].record.triangle_count == 2);
        CHECK(scene.meshes[1].record.triangle_count == 1);
        CHECK(scene.meshes[0].material == scene.meshes[2].material);
        CHECK(scene.meshes[0].material != scene.meshes[1].material);
        CHECK(objects_of(text) == Objects{{"nodes/a", {0, 1, 2}}, {"nodes/b", {3}}});
    }

    TEST_CASE("objects without faces leave their names to others") {
        CHECK(objects_of(obj_of({"o a", "o a", "f", "o a", "g b", "f"})) ==
              Objects{{"nodes/a", {0}}, {"nodes/b", {1}}});
        CHECK(objects_of(obj_of({"f", "o defaultobject", "f"})) ==
              Objects{{"nodes/defaultobject", {0}}, {"nodes/defaultobject 2", {1}}});
    }
}
