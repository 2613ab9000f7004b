// test_import.cpp — what a SCENE argument means, several scenes in one, and the report about it.
#include <algorithm>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "engine/scene/files/scene_folders.h"
#include "engine/scene/model/scene_report.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

constexpr const char* kTriangleObj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
constexpr const char* kEmptyGltf =
    R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"scene":0,"nodes":[{"name":"far","camera":0}],
    "cameras":[{"name":"second eye","type":"perspective","perspective":{"yfov":0.5,"znear":0.1}}]})";

}  // namespace

TEST_SUITE("engine/scene/import") {
    TEST_CASE("several sources are one scene with ids in the order of arguments") {
        const Folder folder("merge");
        const std::string obj = folder.write("one.obj", kTriangleObj);
        const std::string gltf = folder.write("eye.gltf", kEmptyGltf);
        const Scene scene = read({"procedural:spheres:200", obj, gltf, "procedural:rubble:100"});
        const Scene first = read({"procedural:spheres:200"});
        const Scene last = read({"procedural:rubble:100"});
        CHECK(scene_size(scene).triangles == 301);
        REQUIRE(scene.cameras.size() == 3);
        CHECK(scene.cameras[0].name == "spheres");
        CHECK(scene.cameras[1].yfov_rad == 0.5f);
        CHECK(scene.cameras[2].name == "rubble");
        // The triangle of the OBJ comes right after the spheres.
        const std::size_t at = first.instances.size();
        CHECK(scene.instances.size() == at + 1 + last.instances.size());
        CHECK(scene.meshes[scene.instances[at].mesh].record.triangle_count == 1);
        CHECK(scene.instances[at].material == first.materials.size());
        // The rubble refers to its own materials, behind all others; the default material exists
        // once.
        const std::size_t shift = scene.materials.size() - last.materials.size();
        for (std::size_t i = 0; i < last.instances.size(); ++i) {
            CHECK(scene.instances[at + 1 + i].material == last.instances[i].material + shift);
            CHECK(scene.materials[scene.instances[at + 1 + i].material].name ==
                  last.materials[last.instances[i].material].name);
        }
    }

    TEST_CASE("every scene of the repository is found by its name and imports without a warning") {
        for (const std::string name : {"cornell",
                                       "furnace",
                                       "material_grid",
                                       "many_lights",
                                       "door",
                                       "glass",
                                       "interior",
                                       "instances",
                                       "alpha_cutout"}) {
            CAPTURE(name);
            const Scene scene = read({name});
            CHECK(scene.cameras.size() == 1);
            CHECK(scene_size(scene).triangles > 30);
            for (const Note& note : scene.notes) {
                CHECK_MESSAGE(note.kind == Note::Kind::Found, note.sentence);
            }
        }
        const Scene forest = read({"instances"});
        CHECK(forest.instances.size() > 2000);
        CHECK(scene_size(forest).triangles > 100 * scene_size(forest).unique_triangles);
        CHECK(read({"many_lights"}).lights.size() == 26);
    }

    TEST_CASE("scenes are searched in the folders of WEFT_SCENE_PATH") {
        const Folder folder("path");
        folder.write("weft_test_only.gltf", kEmptyGltf);
        const std::string place = folder.file("");
        setenv("WEFT_SCENE_PATH", ("/nowhere:" + place).c_str(), 1);
        const auto found = find_scene("weft_test_only");
        unsetenv("WEFT_SCENE_PATH");
        REQUIRE(found.is_ok());
        CHECK(found.value().find("weft_test_only.gltf") != std::string::npos);
        CHECK_FALSE(find_scene("weft_test_only").is_ok());
    }

    TEST_CASE("a scene is also found with its ending, and a folder named earlier wins") {
        const Folder first("path_first");
        const Folder second("path_second");
        first.write("weft_test_only.obj", kTriangleObj);
        second.write("weft_test_only.gltf", kEmptyGltf);
        second.write("cornell.gltf", kEmptyGltf);
        setenv("WEFT_SCENE_PATH", (first.file("") + ":" + second.file("")).c_str(), 1);
        const auto with_ending = find_scene("weft_test_only.obj");
        const auto without = find_scene("weft_test_only");
        const auto replaced = find_scene("cornell");
        unsetenv("WEFT_SCENE_PATH");
        REQUIRE(with_ending.is_ok());
        CHECK(with_ending.value() == first.file("weft_test_only.obj"));
        REQUIRE(without.is_ok());
        CHECK(without.value() == second.file("weft_test_only.gltf"));
        REQUIRE(replaced.is_ok());
        CHECK(replaced.value() == second.file("cornell.gltf"));
    }

    TEST_CASE(
        "a name with two meanings in one folder, and a bad folder, are told in one sentence") {
        const Folder folder("path_twice");
        folder.write("weft_test_only.gltf", kEmptyGltf);
        folder.write("weft_test_only.glb", kEmptyGltf);
        const std::string place = folder.file("");
        setenv("WEFT_SCENE_PATH", (place + ":/nowhere:/dev/null").c_str(), 1);
        const std::string twice = complaint("weft_test_only");
        const std::string absent = complaint("weft_test_other");
        const std::string with_ending = complaint("weft_test_other.glb");
        unsetenv("WEFT_SCENE_PATH");
        CHECK(twice == "weft_test_only: may mean weft_test_only.gltf or weft_test_only.glb in " +
                           place + "; expected one of these names.");
        const std::string bad =
            "WEFT_SCENE_PATH also names /nowhere and /dev/null, where no folder is.";
        CHECK(absent.ends_with(bad));
        CHECK(with_ending.ends_with(bad));
    }

    TEST_CASE("a name that means nothing lists the scenes there are") {
        const std::string sentence = complaint("no_such_scene");
        CHECK(sentence.find("no_such_scene") == 0);
        CHECK(sentence.find("cornell") != std::string::npos);
        CHECK(complaint("folder/gone.gltf").find("no such file") != std::string::npos);
    }

    TEST_CASE("folders and pictures are refused with a sentence") {
        const Folder folder("refuse");
        CHECK(complaint(folder.file("")).find("is not a file") != std::string::npos);
        CHECK(complaint(folder.write("sky.hdr", "#?RADIANCE")).find("--environment") !=
              std::string::npos);
        const auto none = import_scene({}, {});
        REQUIRE_FALSE(none.is_ok());
        CHECK(none.error().kind == base::ErrorKind::Usage);
    }

    TEST_CASE("the extension may be written large and a glb may be called anything") {
        const Folder folder("upper");
        CHECK(scene_size(read({folder.write("ONE.OBJ", kTriangleObj)})).triangles == 1);
        const std::string sentence =
            complaint(folder.write("model.bin", std::string("glTF\x02\0\0\0\xff\0\0\0", 12)));
        CHECK(sentence.find("cannot be read (No suitable reader") == std::string::npos);
    }

    TEST_CASE("the report names counts and materials and groups the notes") {
        Scene scene = read({"procedural:spheres:5K"});
        scene.notes.push_back({Note::Kind::Repaired, "a crack was closed"});
        scene.notes.push_back({Note::Kind::Repaired, "a crack was closed"});
        scene.notes.push_back({Note::Kind::Ignored, "a sound was not played"});
        const std::string text = scene_report(scene);
        CHECK(text.find("triangles    5000 (5000 unique)") != std::string::npos);
        CHECK(text.find("materials    67") != std::string::npos);
        CHECK(text.find("… and 27 more") != std::string::npos);
        CHECK(text.find("repaired\n  a crack was closed (2 times)\n") != std::string::npos);
        CHECK(text.find("ignored\n  a sound was not played\n") != std::string::npos);
        CHECK(text.find("replaced") == std::string::npos);
        const Scene grid = read({"material_grid"});
        const std::string grid_text = scene_report(grid);
        CHECK(grid_text.find("coat 0: dielectric, coat") != std::string::npos);
        CHECK(grid_text.find("solid transmission, absorbing") != std::string::npos);
        CHECK(material_features(grid.materials[0]) == "metal");
        CHECK(grid_text.find("objects\n  ") != std::string::npos);
        const std::string room = scene_report(read({"cornell"}));
        CHECK(room.find("  floor: 2 triangles, white\n") != std::string::npos);
        const Scene glass = read({"glass"});
        const auto features = [&glass](const char* name) {
            const auto found = std::find_if(
                glass.materials.begin(), glass.materials.end(), [name](const Material& material) {
                    return material.name == name;
                });
            return found == glass.materials.end() ? "none" : material_features(*found);
        };
        CHECK(features("diamond") == "solid transmission, dispersive");
        CHECK(features("clear glass") == "solid transmission, absorbing");
    }
}
