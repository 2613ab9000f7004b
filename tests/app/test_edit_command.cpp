// test_edit_command.cpp — `--set` and `--edits`: their effect on pictures, and the errors for wrong
// edits.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using nlohmann::json;

Ended render(const TestFolder& folder, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"render",
                                          "cornell",
                                          "--width",
                                          "16",
                                          "--height",
                                          "16",
                                          "--spp",
                                          "2",
                                          "-t",
                                          "2",
                                          "-q",
                                          "-o",
                                          folder.file("a.exr"),
                                          "--stats",
                                          folder.file("a.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_weft(arguments);
}

std::string edited_hash(const TestFolder& folder, const std::vector<std::string>& more) {
    const Ended ended = render(folder, more);
    REQUIRE_MESSAGE(ended.exit_code == kExitDone, ended.err);
    const json stats = json::parse(film::bytes_of(folder.file("a.json")), nullptr, false);
    REQUIRE(stats.is_object());
    return stats.at("film_hash").get<std::string>();
}

std::string write(const TestFolder& folder, const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name), std::ios::binary) << text;
    return folder.file(name);
}

}  // namespace

TEST_SUITE("app/edit_options") {
    TEST_CASE("a picture has the frame of the edits, else the size that the command line gives") {
        const TestFolder folder;
        const std::string file = write(folder,
                                       "frame.json",
                                       R"({"weft_edits": 1, "edits": [)"
                                       R"({"path": "frame/size", "value": [64, 40]},)"
                                       R"({"path": "frame/percent", "value": 25}]})");
        const auto size_of = [&](const std::vector<std::string>& more) {
            std::vector<std::string> arguments = {
                "render", "cornell", "--spp", "1", "--dry-run", "-o", folder.file("a.exr")};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const Ended ended = run_weft(arguments);
            CHECK_MESSAGE(ended.exit_code == kExitDone, ended.err);
            return ended.out.substr(0, ended.out.find(','));
        };
        CHECK(size_of({"--edits", file}) == "16x10");
        CHECK(size_of({"--edits", file, "--width", "30", "--height", "20"}) == "16x10");
        CHECK(size_of({"--width", "30", "--height", "20", "--set", "frame/percent=50"}) == "15x10");
        CHECK(size_of({"--width", "60", "--height", "20", "--set", "view/exposure=1"}) == "60x20");
        // A side that nothing states follows from the camera after all edits.
        CHECK(size_of({"--width", "60", "--set", "camera/aspect=1.5"}) == "60x40");
        CHECK(size_of({"--width", "60", "--set", "camera/aspect=1.5", "--set", "frame/size=8,9"}) ==
              "8x9");
        CHECK(size_of({"--edits", file, "--set", "frame/percent=50"}) == "32x20");
        CHECK(size_of({"--edits", file, "--set", "frame/size=null"}) ==
              size_of({"--set", "frame/percent=25"}));
        const std::string usual = size_of({});
        CHECK(size_of({"--set", "frame/percent=100"}) == usual);
        CHECK(size_of({"--set", "frame/size=80,30"}) == "80x30");
    }

    TEST_CASE("set makes the same picture as the option of the same meaning") {
        const TestFolder folder;
        const std::string plain = edited_hash(folder, {});
        CHECK(edited_hash(folder, {"--set", "environment/color=1,0.5,0.25"}) ==
              edited_hash(folder, {"--environment-color", "1,0.5,0.25"}));
        CHECK(edited_hash(folder, {"--set", "view/clip_planes=[[0, -1, 0, 0.5]]"}) ==
              edited_hash(folder, {"--clip-plane", "0,-1,0,0.5"}));
        const std::vector<std::string> open = {
            "--environment-color", "1,1,1", "--clip-plane", "0,-1,0,0.25"};
        std::vector<std::string> closed = open;
        closed.emplace_back("--clip-cap");
        std::vector<std::string> set = open;
        set.insert(set.end(), {"--set", "view/clip_cap=true"});
        CHECK(edited_hash(folder, set) == edited_hash(folder, closed));
        CHECK(edited_hash(folder, set) != edited_hash(folder, open));
        closed.insert(closed.end(), {"--set", "view/clip_cap=false"});
        CHECK(edited_hash(folder, closed) == edited_hash(folder, open));
        CHECK(edited_hash(folder, {"--set", "camera/yfov_deg=20"}) ==
              edited_hash(folder, {"--fov", "20"}));
        CHECK(edited_hash(folder, {"--set", "camera/yfov_deg=20"}) != plain);
        // Exposure changes the displayed picture, not the film.
        CHECK(edited_hash(folder, {"--set", "view/exposure=3"}) == plain);
    }

    TEST_CASE("an edit file and the same edits as set make one picture and set applies last") {
        const TestFolder folder;
        const std::string file = write(folder,
                                       "a.weft-edits.json",
                                       R"({"weft_edits": 1, "scene": "cornell", "edits": [
            {"path": "environment/color", "value": [0.5, 0.5, 0.5]},
            {"path": "camera", "value": {"yfov_deg": 25}}]})");
        const std::vector<std::string> sets = {
            "--set", "environment/color=[0.5, 0.5, 0.5]", "--set", "camera/yfov_deg=25"};
        CHECK(edited_hash(folder, {"--edits", file}) == edited_hash(folder, sets));
        CHECK(edited_hash(folder, {"--set", "camera/yfov_deg=30", "--edits", file}) ==
              edited_hash(
                  folder,
                  {"--set", "environment/color=[0.5, 0.5, 0.5]", "--set", "camera/yfov_deg=30"}));
    }

    TEST_CASE("a wrong set is wrong usage and names path and value and the expected value") {
        const TestFolder folder;
        const auto complains = [&](const std::string& set, const std::string& sentence) {
            const Ended ended = render(folder, {"--set", set});
            CHECK(ended.exit_code == kExitUsage);
            CHECK(ended.err == "weft: " + sentence + "; see weft help set\n");
            CHECK(!std::filesystem::exists(folder.file("a.exr")));
        };
        complains("camera/yfov_deg",
                  "--set camera/yfov_deg: expected path=value, for example "
                  "materials/Floor/roughness=0.2");
        complains("camera/yfov_deg=wide",
                  "--set camera/yfov_deg: found \"wide\", expected a number from 0.01 to 179");
        complains("environment/strength=-1",
                  "--set environment/strength: found -1, expected a number from 0");
        complains(
            "sky/color=1,1,1",
            "--set sky/color: found 'sky', expected a path that begins with materials, nodes, "
            "groups, lights, cameras, collections, environment, camera, frame or view");
        complains(
            "groups/attic/visible=false",
            "--set groups/attic/visible: the scene has no such object; expected one of its 0");
        const Ended missing = render(folder, {"--set", "environment/file=gone.hdr"});
        CHECK(missing.exit_code == kExitScene);
        CHECK(missing.err.find("environment/file: gone.hdr") != std::string::npos);
    }

    TEST_CASE("groups and collections are moved and hidden as what is in them one by one") {
        const TestFolder folder;
        // A triangle in a group, another one beside it, and a lamp in the group.
        const std::string triangles = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
        const std::string scene =
            write(folder,
                  "tree.gltf",
                  R"({"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_lights_punctual"],
                "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,)" +
                      triangles + R"("}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
                "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
                "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
                "extensions": {"KHR_lights_punctual":
                    {"lights": [{"type": "point", "intensity": 30, "name": "lamp"}]}},
                "nodes": [
                    {"name": "desk", "translation": [0.5, 0, 0], "children": [1, 2]},
                    {"name": "sheet", "mesh": 0},
                    {"translation": [0, 0, 1], "extensions": {"KHR_lights_punctual": {"light": 0}}},
                    {"name": "wall", "mesh": 0, "translation": [-1, 0, 0]},
                    {"name": "wall", "mesh": 0, "translation": [-0.5, 0.75, 0]}],
                "scenes": [{"nodes": [0, 3, 4]}]})");
        const auto hash = [&](std::vector<std::string> more) {
            std::vector<std::string> arguments = {"render",
                                                  scene,
                                                  "--look-at",
                                                  "0,0.5,4,0,0.5,0",
                                                  "--width",
                                                  "24",
                                                  "--height",
                                                  "16",
                                                  "--spp",
                                                  "2",
                                                  "-t",
                                                  "2",
                                                  "-q",
                                                  "-o",
                                                  folder.file("a.exr"),
                                                  "--stats",
                                                  folder.file("a.json")};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const Ended ended = run_weft(arguments);
            REQUIRE_MESSAGE(ended.exit_code == kExitDone, ended.err);
            const json stats = json::parse(film::bytes_of(folder.file("a.json")), nullptr, false);
            return stats.at("film_hash").get<std::string>();
        };
        const std::string plain = hash({});
        // Moved by a quarter of a metre upwards: to the bit what moving each thing gives.
        const std::string moved =
            hash({"--set", "groups/desk/transform=1,0,0,0.5,0,1,0,0.25,0,0,1,0"});
        CHECK(moved != plain);
        CHECK(moved == hash({"--set",
                             "nodes/sheet/transform=1,0,0,0.5,0,1,0,0.25,0,0,1,0",
                             "--set",
                             "lights/lamp/position=0.5,0.25,1"}));
        const std::string hidden = hash({"--set", "groups/desk/visible=false"});
        CHECK(hidden != plain);
        CHECK(hidden == hash({"--hide", "sheet", "--hide", "lamp"}));
        CHECK(hidden == hash({"--hide", "desk"}));
        CHECK(plain == hash({"--hide", "desk", "--show", "desk"}));
        // An edit means one node, --hide all of its name; edits come after it.
        const std::string walls = hash({"--hide", "wall"});
        const std::string upper = hash({"--set", "nodes/wall#2/visible=false"});
        CHECK(upper != plain);
        CHECK(upper != walls);
        CHECK(upper != hash({"--set", "nodes/wall/visible=false"}));
        CHECK(upper == hash({"--hide", "wall", "--set", "nodes/wall/visible=true"}));
        CHECK(upper == hash({"--set", "nodes/wall#2/visible=false", "--show", "wall"}));
        CHECK(walls ==
              hash({"--set", "nodes/wall/visible=false", "--set", "nodes/wall#2/visible=false"}));
        const std::string file = write(folder, "set.json", R"({"weft_edits": 1, "edits": [
            {"path": "collections/on the desk",
             "value": {"members": ["nodes/sheet", "lights/lamp"], "visible": false}}]})");
        CHECK(hidden == hash({"--edits", file}));
        CHECK(plain == hash({"--edits", file, "--set", "collections/on the desk/visible=true"}));
    }

    TEST_CASE("a damaged edit file is reported with its name and place and makes no picture") {
        const TestFolder folder;
        const auto complains = [&](const std::string& text, const std::string& sentence) {
            CAPTURE(text);
            const std::string file = write(folder, "bad.json", text);
            const Ended ended = render(folder, {"--edits", file});
            CHECK(ended.exit_code == kExitScene);
            CHECK(ended.err == "weft: " + file + ": " + sentence + "\n");
            CHECK(!std::filesystem::exists(folder.file("a.exr")));
        };
        const std::string expected =
            ", expected a file of edits: {\"weft_edits\": 1, \"edits\": [...]}";
        complains("",
                  "line 1 is no JSON (syntax error while parsing value - unexpected end of input; "
                  "expected '[', '{', or a literal)" +
                      expected);
        complains("{\"weft_edits\": 1,\n\"edits\": [1}",
                  "line 2 is no JSON (syntax error while parsing array - unexpected '}'; expected "
                  "']')" +
                      expected);
        complains(
            "{\"weft_edits\": 1,\n\"edits\": [{\"path\": \"view/exposure\", \"value\": 1e999}]}",
            "line 2 has the number 1e999, which is out of range" + expected);
        complains("{\"weft_edits\": 1, \"edits\": [{\"path\": \"view/exposure\", \"value\":" +
                      std::string(100000, '[') + std::string(100000, ']') + "}]}",
                  "line 1 nests brackets deeper than 96 levels" + expected);
        complains("[]", "found no /weft_edits" + expected);
        complains("{\"weft_edits\": 2}", "/weft_edits is 2, expected 1");
        complains("{\"weft_edits\": 1}",
                  "/edits is no list, expected [{\"path\": ..., \"value\": ...}, ...]");
        complains("{\"weft_edits\": 1, \"edits\": [{\"path\": 3}]}",
                  "/edits/0 is no edit, expected {\"path\": \"...\", \"value\": ...}");
        complains(
            "{\"weft_edits\": 1, \"edits\": [{\"path\": \"view/exposure\", \"value\": 1},"
            "{\"path\": \"camera/yfov_deg\", \"value\": 200}]}",
            "/edits/1: camera/yfov_deg: found 200, expected a number from 0.01 to 179");
        complains(
            "{\"weft_edits\": 1, \"edits\": [{\"path\": \"view/exposure\", \"value\": 1,"
            "\"valeu\": 2}]}",
            "/edits/0/valeu is no member of an edit, expected path and value alone");
        complains(
            "{\"weft_edits\": 1, \"edits\": [{\"path\": \"view/exposure\", \"value\": 1},"
            "{\"path\": \"view/exposure\", \"value\": 1, \"value\": 2}]}",
            "/edits/1/value occurs twice, expected it once");
        complains(
            "{\"weft_edits\": 1, \"edits\": [{\"path\": \"camera\", \"value\": "
            "{\"shift_x\": 0, \"yfov_deg\": 40, \"shift_x\": 1}}]}",
            "/edits/0/value/shift_x occurs twice, expected it once");
        complains(std::string("{\"weft_edits\": 1,\n\"edits\": []}\0[", 32),
                  "line 2 has a zero byte before more text" + expected);
        const Ended missing = render(folder, {"--edits", folder.file("none.json")});
        CHECK(missing.exit_code == kExitScene);
        CHECK(missing.err == "weft: " + folder.file("none.json") +
                                 ": no such file, expected a file of edits: {\"weft_edits\": 1, "
                                 "\"edits\": [...]}\n");
    }
}

}  // namespace weft::app::testing
