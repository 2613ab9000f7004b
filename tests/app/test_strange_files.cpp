// test_strange_files.cpp — pipes and devices in place of files, names with control characters, and
// scenes that read outside their folder.
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using Arguments = std::vector<std::string>;

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void check_refusal(const Arguments& arguments, const std::vector<std::string>& words) {
    const Ended ended = run_weft(arguments);
    INFO(ended.err);
    CHECK(ended.exit_code == kExitScene);
    CHECK(lines_of(ended.err).size() == 1);
    for (const std::string& word : words) {
        CAPTURE(word);
        CHECK(has(ended.err, word));
    }
}

// A glTF that uses `name` for a node and for an unknown extension, which the importer reports.
std::string gltf_named(const std::string& name) {
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":")" +
           name + R"("}],"extensionsUsed":[")" + name + R"("]})";
}

}  // namespace

TEST_SUITE("app/strange_files") {
    TEST_CASE("a pipe or a device in place of a file is refused without waiting for it") {
        const TestFolder folder;
        const std::string pipe = folder.file("pipe");
        REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
        for (const auto& [path, kind] : {std::pair<std::string, std::string>{pipe, "is a pipe"},
                                         {"/dev/zero", "is a device"}}) {
            CAPTURE(path);
            const auto render = [&](const Arguments& more) {
                Arguments arguments = {"render", "cornell", "-n"};
                arguments.insert(arguments.end(), more.begin(), more.end());
                return arguments;
            };
            check_refusal(render({"--environment", path}), {path, kind});
            check_refusal(render({"--edits", path}), {path, kind});
            check_refusal(render({"--set", "environment/file=" + path}), {path, kind});
            check_refusal({"render", path, "-n"}, {path});
            check_refusal({"info", path}, {path});
            check_refusal({"compare", path, path}, {path, kind});
            check_refusal({"verify", path}, {path, kind});
        }
    }

    TEST_CASE("control characters of names reach neither stdout nor stderr") {
        const TestFolder folder;
        const std::string scene = folder.file("a.gltf");
        film::put_bytes(scene, gltf_named("x\\u001b]0;owned\\u0007\\n\\u009b2J"));
        const Ended ended = run_weft({"info", scene});
        CHECK(ended.exit_code == kExitDone);
        CHECK(has(ended.out, "x\\u001b]0;owned\\u0007\\u000a\\u009b2J"));
        for (const std::string raw : {"\x1b", "\x07", "\xc2\x9b"}) {
            CHECK(!has(ended.out, raw));
        }
        const Ended refused =
            run_weft({"render", scene, "-n", "--set", "nodes/\x1b[2J\xff/visible=true"});
        CHECK(refused.exit_code == kExitUsage);
        CHECK(has(refused.err, "nodes/\\u001b[2J\\xff/visible"));
        CHECK(!has(refused.err, "\x1b"));
        CHECK(!has(refused.err, "\xff"));
    }

    TEST_CASE("scenes without area or of any size give a picture without a dropped sample") {
        const TestFolder folder;
        for (const char* const corners : {"v 1 1 1\nv 1 1 1\nv 1 1 1\n",
                                          "v 0 0 0\nv 1 0 0\nv 2 0 0\n",
                                          "v 0 0 0\nv 1e-42 0 0\nv 0 1e-42 0\n",
                                          "v 0 0 0\nv 1e-20 0 0\nv 0 1e-20 0\n",
                                          "v 0 0 0\nv 1e18 0 0\nv 0 1e18 0\n",
                                          "v 0 0 0\nv 3e38 0 0\nv 0 3e38 0\n",
                                          "v -3e38 -3e38 0\nv 3e38 0 0\nv 0 3e38 0\n",
                                          "v nan 0 0\nv 1 0 0\nv 0 inf 0\n",
                                          ""}) {
            CAPTURE(corners);
            const std::string scene = folder.file("a.obj");
            const std::string whole = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
            film::put_bytes(scene, whole + corners + (*corners == '\0' ? "" : "f 4 5 6\n"));
            for (const char* const second : {"furnace", "cornell"}) {
                const Ended ended = run_weft({"render",
                                              scene,
                                              second,
                                              "--width",
                                              "16",
                                              "--spp",
                                              "2",
                                              "-o",
                                              folder.file("a.exr")});
                INFO(ended.err);
                CHECK(ended.exit_code == kExitDone);
                CHECK(!has(ended.err, "were not finite or out of range"));
                CHECK(run_weft({"verify", folder.file("a.exr")}).exit_code == kExitDone);
            }
        }
    }

    TEST_CASE(
        "every command refuses a scene that reads outside its folder until asset-root allows it") {
        const TestFolder folder;
        std::filesystem::create_directories(folder.file("scene"));
        film::put_bytes(folder.file("secret"), "root:x:0:0:secret-line-of-36-bytes..");
        const std::string scene = folder.file("scene/a.gltf");
        film::put_bytes(
            scene,
            R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)"
            R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[)"
            R"({"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],)"
            R"("max":[1,1,0]}],"bufferViews":[{"buffer":0,"byteLength":36}],)"
            R"("buffers":[{"byteLength":36,"uri":"%2e%2e/secret"}]})");
        for (const Arguments& command : {Arguments{"render", scene, "-n"},
                                         Arguments{"info", scene},
                                         Arguments{"bench", scene}}) {
            const Ended ended = run_weft(command);
            INFO(ended.err);
            CHECK(ended.exit_code == kExitScene);
            CHECK(has(ended.err, "/buffers/0/uri"));
            CHECK(has(ended.err, "--asset-root"));
            CHECK(!has(ended.err, "secret-line"));
        }
        CHECK(run_weft({"info", scene, "--asset-root", folder.file("")}).exit_code == kExitDone);
        CHECK(run_weft({"info", scene, "--asset-root", folder.file("scene"), "--asset-root", "/"})
                  .exit_code == kExitDone);
        const Ended wrong = run_weft({"info", scene, "--asset-root", folder.file("none")});
        CHECK(wrong.exit_code == kExitUsage);
    }
}

}  // namespace weft::app::testing
