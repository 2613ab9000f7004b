// test_request.cpp — messages as values, and the sentences on wrong ones.
#include <string>

#include <doctest/doctest.h>

#include "app/serve/option_words.h"
#include "app/serve/request.h"

namespace {

using namespace weft;
using app::serve::Action;
using app::serve::read_request;

app::serve::Request request_of(const std::string& text) {
    const app::serve::ReadRequest read = read_request(text);
    REQUIRE_MESSAGE(read.request.is_ok(), read.request.error().sentence);
    return read.request.value();
}

std::string refusal_of(const std::string& text) {
    const app::serve::ReadRequest read = read_request(text);
    REQUIRE(!read.request.is_ok());
    return read.request.error().sentence;
}

}  // namespace

TEST_SUITE("app/serve/request") {
    TEST_CASE("each message has its members") {
        CHECK(request_of(R"({"do": "hello", "version": 1})").version == 1);
        const app::serve::Request load = request_of(
            R"({"do": "load", "scenes": ["a.gltf", "b"], "options": ["--environment-color", "1,1,1"]})");
        CHECK(load.action == Action::Load);
        CHECK(load.scenes == std::vector<std::string>{"a.gltf", "b"});
        CHECK(load.options.size() == 2);
        const app::serve::Request settings =
            request_of(R"({"do": "settings", "pixels": "display", "denoise": true})");
        CHECK(settings.pixels == app::serve::PixelKind::Display);
        CHECK(settings.is_denoised);
        CHECK(settings.options.empty());
        const app::serve::Request edit =
            request_of(R"({"do": "edit", "edits": [{"path": "camera/yfov_deg", "value": 40}]})");
        REQUIRE(edit.edits.size() == 1);
        CHECK(edit.edits[0] == scene::Edit{"camera/yfov_deg", "40"});
        const app::serve::Request mesh =
            request_of(R"({"do": "mesh", "mesh": "Cloth", "file": "/proc/7/fd/3"})");
        CHECK(mesh.action == Action::Mesh);
        CHECK(mesh.mesh == "Cloth");
        CHECK(mesh.file == "/proc/7/fd/3");
        CHECK(request_of(R"({"do": "save", "file": "a b.exr"})").file == "a b.exr");
        CHECK(request_of(R"({"do": "pause", "paused": true})").is_paused);
        CHECK(request_of(R"({"do": "status"})").action == Action::Status);
        CHECK(request_of(R"({"do": "quit"})").action == Action::Quit);
    }

    TEST_CASE("the id comes back also where the message is wrong") {
        CHECK(read_request(R"({"do": "status", "id": 7})").id == 7);
        CHECK(read_request(R"({"do": "dance", "id": 8})").id == 8);
        CHECK(read_request(R"({"do": "status"})").id == 0);
    }

    TEST_CASE("a wrong message is refused in a sentence") {
        CHECK(refusal_of("{").find("a message: line 1 is no JSON") == 0);
        CHECK(refusal_of("[]").find("do: found none, expected one of hello, load") == 0);
        CHECK(refusal_of(R"({"do": 3})").find("do: found 3, expected one of") == 0);
        CHECK(refusal_of(R"({"do": "dance"})").find("do: found \"dance\"") == 0);
        CHECK(refusal_of(R"({"do": "status", "id": -1})") ==
              "id: found -1, expected a whole number");
        CHECK(refusal_of(R"({"do": "status", "when": 1})") == "status: has no member \"when\"");
        CHECK(refusal_of(R"({"do": "hello"})").find("hello/version: found none") == 0);
        CHECK(refusal_of(R"({"do": "load"})") ==
              "load/scenes: found none, expected a list with at least one scene");
        CHECK(refusal_of(R"({"do": "load", "scenes": [1]})") ==
              "load/scenes/0: found 1, expected a text");
        CHECK(refusal_of(R"({"do": "load", "scenes": ["a\u0000b"]})").find("load/scenes/0") == 0);
        CHECK(refusal_of(R"({"do": "settings", "pixels": "red"})") ==
              "settings/pixels: found \"red\", expected \"linear\" or \"display\"");
        CHECK(refusal_of(R"({"do": "settings", "denoise": 1})") ==
              "settings/denoise: found 1, expected true or false");
        CHECK(refusal_of(R"({"do": "edit", "edits": [{"path": "camera"}]})")
                  .find("edit/edits/0: found {\"path\":\"camera\"}") == 0);
        CHECK(refusal_of(R"({"do": "mesh", "mesh": ""})") ==
              "mesh/mesh: found \"\", expected a text");
        CHECK(refusal_of(R"({"do": "mesh", "mesh": "Cloth"})") ==
              "mesh/file: found none, expected a text");
        for (const std::string file : {"../a.exr", "/a.exr", "b/a.exr", ".a.exr"}) {
            CHECK(refusal_of(R"({"do": "save", "file": ")" + file + "\"}") ==
                  "save/file: found \"" + file +
                      "\", expected the name of a file without a folder, which does not begin "
                      "with a dot");
        }
        CHECK(refusal_of(R"({"do": "save", "file": "a\u0000.exr"})").find("save/file") == 0);
        CHECK(refusal_of(R"({"do": "pause"})") ==
              "pause/paused: found none, expected true or false");
        const std::string nested(100000, '[');
        CHECK(refusal_of(nested).size() < 200);
        CHECK(refusal_of(R"({"do": ")" + nested + R"("})").size() < 400);
    }
}

TEST_SUITE("app/serve/option_words") {
    TEST_CASE("words have the values that the command line gives them") {
        app::RenderOptions usual;
        usual.threads = 3;
        const auto read = app::serve::read_render_words(
            usual, {"--spp", "8", "--device", "cpu", "--film-transparent"});
        REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
        CHECK(read.value().spp == 8U);
        CHECK(read.value().device == app::DeviceChoice::Cpu);
        CHECK(read.value().film_transparent);
        CHECK(read.value().threads == 3);
        const auto scene = app::serve::read_scene_words(usual, {"--environment-color", "1,0.5,0"});
        REQUIRE_MESSAGE(scene.is_ok(), scene.error().sentence);
        CHECK((*scene.value().environment_color)[1] == 0.5F);
    }

    TEST_CASE("wrong words and words of other messages are refused in a sentence") {
        const auto refusal = [](const std::vector<std::string>& words) {
            const auto read = app::serve::read_render_words({}, words);
            return read.is_ok() ? std::string() : read.error().sentence;
        };
        CHECK(refusal({"--spp", "many"}).find("--spp: expected a whole number") == 0);
        CHECK(refusal({"--spp"}).find("--spp") == 0);
        CHECK(refusal({"-o", "a.exr"}).find("-o: unknown option") == 0);
        CHECK(refusal({"--threads", "64"}).find("--threads: unknown option") == 0);
        CHECK(refusal({"--environment-color", "1,1,1"}).find("--environment-color: unknown") == 0);
        CHECK(!refusal({"cornell"}).empty());
        CHECK(!refusal({"--help"}).empty());
        CHECK(!refusal({"--version"}).empty());
        CHECK(!refusal({"render"}).empty());
        CHECK(!refusal({"--scheduler", "unkeyed", "--traversal", "sets"}).empty());
        const auto both = app::serve::read_scene_words(
            {}, {"--environment", "studio", "--environment-color", "1,1,1"});
        REQUIRE(!both.is_ok());
        CHECK(both.error().sentence.find("exclude each other") != std::string::npos);
    }
}
