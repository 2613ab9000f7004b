// test_edit_lists.cpp — a list of edits does the same as its edits one by one; none of them throws
// or opens a forbidden file.
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/edit/edit.h"
#include "tests/engine/trace/small_scenes.h"

using namespace weft;
using namespace weft::scene;

namespace {

Scene three_boards() {
    Scene scene;
    for (float z = 0; z < 3; ++z) {
        tests::add_object(scene,
                          tests::quad({0, 0, z}, {1, 0, 0}, {0, 1, 0}),
                          tests::plastic({0.5F, 0.25F, 0.125F}, 0.7F));
    }
    for (u32 k = 0; k < 3; ++k) {
        scene.materials[k].name = k == 0 ? "oak" : "twin";
        scene.instances[k].node = "board";
    }
    scene.instances[1].object_to_world = math::translation({0, 0, 4});
    scene.instances[2].object_to_world = math::translation({0, 0, 5});
    number_places(scene);
    tests::set_camera(scene, {0, 1, 5}, {0, 0, 0}, 0.7F);
    return scene;
}

// Edits that add, copy, delete and move nodes and assign materials, many of which must fail.
std::vector<Edit> random_edits(u32 count) {
    std::mt19937 random(20261122);
    const auto pick = [&](u32 end) { return static_cast<u32>(random() % end); };
    const auto node = [&] {
        static const char* const names[] = {"board", "a", "b", "a~2b", "c"};
        return std::string("nodes/") + names[pick(5)] + (pick(3) == 0 ? "#2" : "");
    };
    const auto material = [&] {
        static const char* const names[] = {"oak", "twin", "x", "y"};
        return std::string("materials/") + names[pick(4)] + (pick(3) == 0 ? "#2" : "");
    };
    std::vector<Edit> edits;
    for (u32 k = 0; k < count; ++k) {
        const std::string at =
            pick(4) == 0 ? ", \"insert_at\": " + std::to_string(pick(6)) : std::string();
        switch (pick(7)) {
            case 0:
            case 1:
                edits.push_back({node(), "{\"copy_of\": \"" + node() + "\"" + at + "}"});
                break;
            case 2:
                edits.push_back({node(), "null"});
                break;
            case 3:
                edits.push_back({node() + "/transform",
                                 "[1, 0, 0, " + std::to_string(k) + ", 0, 1, 0, 0, 0, 0, 1, 0]"});
                break;
            case 4:
                edits.push_back(
                    {material(),
                     "{\"copy_of\": \"" + material() + "\", \"roughness\": 0.5" + at + "}"});
                break;
            case 5:
                edits.push_back({material(), "null"});
                break;
            default:
                edits.push_back({node() + "/material", "\"" + material() + "\""});
        }
    }
    return edits;
}

std::string text_of(const Scene& scene) {
    std::string text;
    for (const Instance& instance : scene.instances) {
        text += instance.node + "#" + std::to_string(instance.place) + " " +
                std::to_string(instance.mesh) + " " + std::to_string(instance.material) + " " +
                std::to_string(instance.object_to_world[3]) + "\n";
    }
    for (const Material& material : scene.materials) {
        text += material.name + " " + std::to_string(material.record.roughness) + "\n";
    }
    return text;
}

}  // namespace

TEST_SUITE("engine/scene/edit_lists") {
    TEST_CASE(
        "a list of edits makes the same scene as its edits one by one and its inverses undo it") {
        const std::vector<Edit> edits = random_edits(3000);
        const Scene before = three_boards();
        Scene one_by_one = before;
        EditContext context;
        std::vector<std::size_t> refused;
        for (std::size_t i = 0; i < edits.size(); ++i) {
            if (!apply_edit(one_by_one, context, edits[i]).is_ok()) {
                refused.push_back(i);
            }
        }
        Scene at_once = before;
        EditContext other;
        const EditsMade made = apply_edits(at_once, other, edits, OnFault::Skip, true);
        CHECK(text_of(at_once) == text_of(one_by_one));
        REQUIRE(made.faults.size() == refused.size());
        for (std::size_t k = 0; k < refused.size(); ++k) {
            REQUIRE(made.faults[k].index == refused[k]);
        }
        REQUIRE(refused.size() > 100);
        REQUIRE(edits.size() - refused.size() > 100);
        REQUIRE(made.inverses.size() == edits.size() - refused.size());
        const std::vector<Edit> back(made.inverses.rbegin(), made.inverses.rend());
        CHECK(apply_edits(at_once, other, back, OnFault::Stop, false).faults.empty());
        CHECK(text_of(at_once) == text_of(before));
    }

    TEST_CASE("a list that stops at its first fault applies the edits before it") {
        Scene scene = three_boards();
        EditContext context;
        const std::vector<Edit> edits = {{"nodes/a", R"({"copy_of": "nodes/board"})"},
                                         {"nodes/b", R"({"copy_of": "nodes/gone"})"},
                                         {"nodes/c", R"({"copy_of": "nodes/board"})"}};
        const EditsMade made = apply_edits(scene, context, edits, OnFault::Stop, false);
        REQUIRE(made.faults.size() == 1);
        CHECK(made.faults[0].index == 1);
        CHECK(scene.instances.size() == 4);
        CHECK(context.names == nullptr);
    }

    TEST_CASE("twenty thousand copies are found by their names") {
        Scene scene = three_boards();
        EditContext context;
        std::vector<Edit> edits;
        for (u32 k = 0; k < 20000; ++k) {
            edits.push_back(
                {"nodes/" + std::to_string(k + 1),
                 R"({"copy_of": "nodes/)" + (k == 0 ? "board" : std::to_string(k)) + R"("})"});
        }
        const EditsMade made = apply_edits(scene, context, edits, OnFault::Stop, true);
        CHECK(made.faults.empty());
        CHECK(scene.instances.size() == 20003);
        const std::vector<Edit> back(made.inverses.rbegin(), made.inverses.rend());
        CHECK(apply_edits(scene, context, back, OnFault::Stop, false).faults.empty());
        CHECK(text_of(scene) == text_of(three_boards()));
    }

    TEST_CASE("values of the wrong kind are sentences and never exceptions") {
        const Scene scene = three_boards();
        const std::string deep = std::string(100000, '[') + std::string(100000, ']');
        for (const std::string& path : {std::string("view/exposure"),
                                        std::string("lights/new"),
                                        std::string("nodes/new"),
                                        std::string("materials/new"),
                                        std::string("camera"),
                                        std::string("environment/file"),
                                        std::string("materials/oak/base_color_texture")}) {
            for (const std::string& value : {std::string("1e999"),
                                             std::string("-1e999"),
                                             deep,
                                             std::string(R"({"insert_at": "x"})"),
                                             std::string(R"({"insert_at": -1e300})"),
                                             std::string(R"({"insert_at": null, "kind": 3})"),
                                             std::string(R"({"": {"": {}}})"),
                                             std::string("\"\xff\""),
                                             std::string("")}) {
                CAPTURE(path);
                Scene changed = scene;
                EditContext context;
                const std::vector<Edit> edits = {{path, value}};
                const EditsMade made = apply_edits(changed, context, edits, OnFault::Skip, true);
                CHECK(made.faults.size() == 1);
                CHECK(text_of(changed) == text_of(scene));
            }
        }
    }

    TEST_CASE("edits that came with a scene open no file outside of its folders") {
        Scene scene = three_boards();
        EditContext context;
        std::vector<std::string> wanted;
        context.may_open = [&](const std::string& path) {
            wanted.push_back(path);
            return false;
        };
        context.folder = "/scenes/room";
        for (const Edit& edit :
             {Edit{"environment/file", "\"../sky.hdr\""},
              Edit{"materials/oak/base_color_texture", "\"/etc/passwd\""},
              Edit{"materials/new",
                   R"({"copy_of": "materials/oak", "normal_texture": "n.png"})"}}) {
            const auto applied = apply_edit(scene, context, edit);
            REQUIRE_FALSE(applied.is_ok());
            CHECK(applied.error().kind == base::ErrorKind::Scene);
            CHECK(applied.error().sentence.find("--asset-root") != std::string::npos);
        }
        CHECK(wanted ==
              std::vector<std::string>{"/scenes/sky.hdr", "/etc/passwd", "/scenes/room/n.png"});
        // The sentence has the absolute path of a file in the current folder.
        context.folder.clear();
        const auto here = apply_edit(scene, context, {"environment/file", "\"sky.hdr\""});
        REQUIRE_FALSE(here.is_ok());
        const std::string whole = (std::filesystem::current_path() / "sky.hdr").string();
        CHECK(here.error().sentence.find('"' + whole + '"') != std::string::npos);
    }
}
