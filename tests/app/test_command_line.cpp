// test_command_line.cpp — the program's command line: the exit code and the error of each refusal,
// and the output on stdout and stderr.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/sysinfo.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/skipped.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

// One triangle with a texture that the renderer ignores. `uri` embeds or names the 36 bytes of its
// positions.
std::string triangle_gltf(const std::string& uri) {
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],)"
           R"("nodes":[{"mesh":0,"name":"only"}],"meshes":[{"primitives":[{"attributes":)"
           R"({"POSITION":0},"material":0}]}],"materials":[{"name":"dusty","occlusionTexture":)"
           R"({"index":0}}],"textures":[{"source":0}],"images":[{"uri":"data:image/png;base64,)"
           R"(iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5)"
           R"(ErkJggg=="}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",)"
           R"("min":[0,0,0],"max":[1,1,0]}],"bufferViews":[{"buffer":0,"byteLength":36}],)"
           R"("buffers":[{"byteLength":36,"uri":")" +
           uri + R"("}]})";
}

constexpr const char* kTriangleBytes =
    "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";

std::vector<std::string> line_render(const std::string& output,
                                     const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "render", "cornell", "--width", "24", "--spp", "2", "-t", "2", "-o", output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Checks a refusal: the exit code, an empty stdout, and one sentence that contains every word.
void check_refusal(const std::vector<std::string>& arguments,
                   int exit_code,
                   const std::vector<std::string>& words) {
    const Ended ended = run_weft(arguments);
    INFO(ended.err);
    CHECK(ended.exit_code == exit_code);
    CHECK(ended.out.empty());
    CHECK(lines_of(ended.err).size() == 1);
    for (const std::string& word : words) {
        CAPTURE(word);
        CHECK(has(ended.err, word));
    }
}

// Checks a refusal by the option parser, whose sentence also says where help is.
void check_usage(const std::vector<std::string>& arguments, const std::string& word) {
    const Ended ended = run_weft(arguments);
    INFO(ended.err);
    CHECK(ended.exit_code == kExitUsage);
    CHECK(ended.out.empty());
    CHECK(lines_of(ended.err).size() == 1);
    CHECK(ended.err.starts_with("weft: "));
    CHECK(has(ended.err, "expected"));
    CHECK(has(ended.err, word));
    CHECK(has(ended.err, "; see weft"));
}

}  // namespace

TEST_SUITE("app/command_line") {
    TEST_CASE("help and version go to stdout and end with 0") {
        const Ended version = run_weft({"--version"});
        CHECK(version.exit_code == kExitDone);
        CHECK(version.out.starts_with("weft "));
        CHECK(version.err.empty());
        const Ended help = run_weft({"--help"});
        CHECK(help.exit_code == kExitDone);
        for (const char* word : {"render", "info", "compare", "verify", "Exit codes"}) {
            CHECK(has(help.out, word));
        }
        const Ended words = run_weft({"help", "render", "spp"});
        CHECK(words.exit_code == kExitDone);
        CHECK(has(words.out, "Usage: weft render"));
        CHECK(has(words.out, "samples per pixel"));
        CHECK(has(run_weft({"help"}).out, "weft help first-picture"));
        check_usage({"help", "no such word"}, "no such word");
        const Ended render_help = run_weft({"render", "--help"});
        CHECK(render_help.exit_code == kExitDone);
        for (const char* word : {"--spp", "--look-at", "--aov", "--time-limit", "--stats"}) {
            CHECK(has(render_help.out, word));
        }
    }

    TEST_CASE("an error of an option ends with the option's page, whenever it is found") {
        const film::TestFolder folder;
        const std::string picture = folder.file("a.exr");

        struct Fault {
            std::vector<std::string> words;
            std::string page;
        };

        // By the parser, by checks of all options, and against the scene.
        const std::vector<Fault> faults = {
            {{"--spp", "many"}, "spp"},
            {{"--light-groups", "key"}, "light-groups"},
            {{"--environment", "studio", "--environment-color", "1,1,1"}, "environment"},
            {{"--light-groups", "key=nobody"}, "light-groups"},
            {{"--set", "nodes/nobody/visible=false"}, "set"}};
        for (const Fault& fault : faults) {
            std::vector<std::string> words = {"render", "cornell", "-o", picture};
            words.insert(words.end(), fault.words.begin(), fault.words.end());
            const Ended ended = run_weft(words);
            INFO(ended.err);
            CHECK(ended.exit_code != kExitDone);
            CHECK(ended.err.ends_with("; see weft help " + fault.page + "\n"));
            CHECK(lines_of(ended.err).size() == 1);
            const Ended help = run_weft({"help", fault.page});
            CHECK(help.exit_code == kExitDone);
            CHECK(has(help.out, "--" + fault.page));
        }
        CHECK(folder.files().empty());
    }

    TEST_CASE("wrong usage ends with 2 and names the wrong word") {
        const TestFolder folder;
        const std::string picture = folder.file("a.png");
        check_usage({}, "no command");
        check_usage({"paint"}, "paint");
        check_usage({"render", "-o", picture}, "SCENE");
        check_usage({"compare", picture}, "compare: no B; expected picture (the reference); see");
        check_usage(line_render(picture, {"--frobnicate"}), "--frobnicate");
        check_usage(line_render(picture, {"--spp", "0"}), "--spp");
        check_usage(line_render(picture, {"--seed", "-1"}), "--seed");
        check_usage(line_render(picture, {"--filter", "sinc"}), "blackman-harris");
        check_usage(line_render(picture, {"--scheduler", "random"}), "unkeyed");
        check_usage(line_render(picture, {"--isa", "neon"}), "avx2");
        check_usage(line_render(picture, {"--aov", "beauty"}), "albedo");
        check_usage(line_render(picture, {"--pixelbounds", "1,2,3"}), "--pixelbounds");
        check_usage({"info", "--devices", "cornell"}, "expected no SCENE with it, found cornell");
        check_usage({"info", "--devices", "--cache"}, "--devices and --cache exclude each other");
        CHECK(folder.files().empty());
    }

    TEST_CASE("every option refuses numbers that are not finite or out of range") {
        const TestFolder folder;
        const std::string picture = folder.file("a.png");
        for (const char* option : {"--time-limit",
                                   "--exposure",
                                   "--fov",
                                   "--aperture",
                                   "--focus",
                                   "--clamp-direct",
                                   "--clamp-indirect",
                                   "--regularize",
                                   "--environment-rotation",
                                   "--environment-strength"}) {
            for (const char* number : {"nan", "1e39"}) {
                check_usage(line_render(picture, {option, number}), option);
            }
        }
        check_usage(line_render(picture, {"--time-limit", "0"}), "above 0");
        check_usage(line_render(picture, {"--regularize", "-0.1"}), "a number from 0 to 1");
        check_usage(line_render(picture, {"--regularize", "1.5"}), "a number from 0 to 1");
        check_usage(line_render(picture, {"--environment-strength", "-1"}), "from 0");
        check_usage(line_render(picture, {"--environment-color", "nan,1,1"}), "nan");
        check_usage(line_render(picture, {"--look-at", "inf,0,0,1,1,1"}), "inf");
        CHECK(folder.files().empty());
    }

    TEST_CASE("an impossible picture is refused before rendering starts") {
        const TestFolder folder;
        const std::string picture = folder.file("a.png");
        check_refusal({"render", "cornell"}, kExitUsage, {"-o FILE", ".exr"});
        check_refusal(line_render(folder.file("a.gif")), kExitUsage, {"a.gif", ".exr", ".png"});
        check_refusal(line_render(picture, {"--aov", "depth"}), kExitUsage, {"a.png", ".exr"});
        check_refusal(
            line_render(picture, {"--look-at", "1,2,3"}), kExitUsage, {"--look-at", "3", "6"});
        check_refusal(line_render(picture, {"--look-at", "1,2,3,1,2,3"}),
                      kExitUsage,
                      {"--look-at", "same point"});
        check_refusal(line_render(picture, {"--look-at", "0,0,0,0,1,0,0,2,0"}),
                      kExitUsage,
                      {"--look-at", "up"});
        check_refusal(line_render(picture, {"--pixelbounds", "0,25,0,4"}),
                      kExitUsage,
                      {"--pixelbounds", "25", "24"});
        check_refusal(line_render(picture, {"--pixelbounds", "4,4,0,4"}),
                      kExitUsage,
                      {"--pixelbounds", "x0 < x1"});
        check_refusal(
            line_render(picture, {"--camera", "nobody"}), kExitUsage, {"nobody", "'camera'"});
        check_refusal(line_render(picture, {"--camera", "1"}), kExitUsage, {"1 ('camera')"});
        check_refusal(line_render(picture, {"--hide", "nobody"}), kExitUsage, {"nobody"});
        check_refusal(line_render(picture, {"--clip-plane", "0,0,0,1"}), kExitUsage, {"0,0,0,1"});
        check_refusal(
            line_render(picture, {"--clip-plane", "1,0,0"}), kExitUsage, {"1,0,0", "nx,ny,nz,d"});
        check_refusal(line_render(picture, {"--memory-limit", "much"}), kExitUsage, {"512M"});
        check_refusal(
            line_render(picture, {"--memory-limit", "99999999999G"}), kExitUsage, {"512M"});
        check_refusal(line_render(picture, {"--memory-limit", "1"}), kExitScene, {"MiB"});
        check_refusal(line_render("", {"--debug-pixel", "24,0"}), kExitUsage, {"24,0", "x < 24"});
        CHECK(folder.files().empty());
    }

    TEST_CASE("a picture larger than the machine's memory ends with 3 before rendering starts") {
        struct sysinfo machine = {};
        REQUIRE(::sysinfo(&machine) == 0);
        const u64 bytes = (machine.totalram + machine.totalswap) * machine.mem_unit;
        if (bytes > u64{32768} * 32768 * 64) {
            tests::skip_for_lack_of("film that this machine could not hold", tests::Source::Person);
            return;
        }
        check_refusal({"render", "cornell", "--width", "32768", "--height", "32768", "-n"},
                      kExitScene,
                      {"32768x32768", "MiB"});
    }

    TEST_CASE("an output folder that cannot be written ends with 4 before the first sample") {
        const TestFolder folder;
        film::put_bytes(folder.file("plain"), "a file where a folder is wanted");
        for (const std::string& place : {std::string("missing/"), std::string("plain/")}) {
            check_refusal(line_render(folder.file(place + "a.exr"), {"--progress", "none"}),
                          kExitOutput,
                          {place + "a.exr"});
            // With JSON progress, a message holds the sentence, and the end object follows it.
            const Ended ended =
                run_weft(line_render(folder.file(place + "a.exr"), {"--progress", "json"}));
            CHECK(ended.exit_code == kExitOutput);
            REQUIRE(lines_of(ended.err).size() == 2);
            CHECK(has(lines_of(ended.err)[0], place + "a.exr"));
            CHECK(has(lines_of(ended.err)[1], "\"end\":\"failed\",\"exit_code\":4"));
            check_refusal(
                line_render(folder.file("a.exr"), {"--stats", folder.file(place + "a.json")}),
                kExitOutput,
                {place + "a.json"});
        }
        CHECK(folder.files() == std::vector<std::string>{"plain"});
    }

    TEST_CASE("an unusable scene ends with 3 and one sentence that names the file") {
        const TestFolder folder;
        film::put_bytes(folder.file("text.gltf"), "no JSON");
        film::put_bytes(folder.file("text.glb"), "no glTF");
        film::put_bytes(folder.file("lost.gltf"), triangle_gltf("lost.bin"));
        film::put_bytes(folder.file("short.gltf"),
                        triangle_gltf("data:application/octet-stream;base64,AAAA"));
        for (const char* name :
             {"missing.gltf", "text.gltf", "text.glb", "lost.gltf", "short.gltf"}) {
            const std::string scene = folder.file(name);
            check_refusal({"render", scene, "-o", folder.file("a.png")}, kExitScene, {name});
            check_refusal({"info", scene}, kExitScene, {name});
        }
        check_refusal({"info", "no-such-scene"}, kExitScene, {"no-such-scene", "cornell"});
        check_refusal({"info", "procedural:nothing"}, kExitScene, {"nothing"});
        check_refusal(line_render(folder.file("a.png"), {"--environment", "missing.hdr"}),
                      kExitScene,
                      {"missing.hdr"});
        const std::string long_name(5000, 'x');
        check_refusal(line_render(folder.file("a.png"), {"--environment", long_name}),
                      kExitScene,
                      {"no such file"});
        CHECK(folder.files().size() == 4);
    }

    TEST_CASE("info lists devices and the reason why each kernel would run on them") {
        const Ended devices = run_weft({"info", "--devices"});
        CHECK(devices.exit_code == kExitDone);
        CHECK(devices.err.empty());
        for (const char* word : {"device cpu",
                                 "instruction sets",
                                 "frame             score",
                                 "kernel shade",
                                 "is the best instruction set that the device runs"}) {
            CAPTURE(word);
            CHECK(has(devices.out, word));
        }
        const Ended forced = run_weft({"info", "--devices", "--isa", "sse4"});
        CHECK(forced.exit_code == kExitDone);
        CHECK(has(forced.out, "sse4 (linked): sse4 is forced"));
        check_refusal({"info", "--devices", "--device", "egpu", "--isa", "sse4"},
                      kExitUsage,
                      {"egpu", "class fma", "sse4"});
        CHECK(run_weft({"info"}).exit_code == kExitUsage);
    }

    TEST_CASE("info counts the parts of a scene and lists what rendering ignores") {
        const Ended cornell = run_weft({"info", "cornell"});
        CHECK(cornell.exit_code == kExitDone);
        CHECK(cornell.err.empty());
        for (const char* word : {"triangles    44", "instances    9", "materials    5", "camera"}) {
            CHECK(has(cornell.out, word));
        }
        const TestFolder folder;
        film::put_bytes(folder.file("triangle.gltf"), triangle_gltf(kTriangleBytes));
        const Ended triangle = run_weft({"info", folder.file("triangle.gltf")});
        INFO(triangle.out);
        CHECK(triangle.exit_code == kExitDone);
        CHECK(has(triangle.out, "triangles    1 "));
        CHECK(has(triangle.out, "dusty"));
        CHECK(has(triangle.out, "occlusion"));
    }

    TEST_CASE(
        "R1 R2 info prints the records and scores of devices and the kernels that they would run") {
        const Ended devices = run_weft({"info", "--devices"});
        CHECK(devices.exit_code == kExitDone);
        CHECK(devices.err.empty());
        for (const char* word :
             {"device cpu", "device egpu", "emulated", "score", "kernel shade", "best first"}) {
            CHECK(has(devices.out, word));
        }
        CHECK(has(run_weft({"info", "--devices", "--isa", "sse4"}).out, "sse4 is forced"));
        CHECK(run_weft({"info"}).exit_code == kExitUsage);
    }

    TEST_CASE("a trace is complete JSON and names the events of the render") {
        const TestFolder folder;
        const Ended ended =
            run_weft(line_render(folder.file("a.png"), {"--trace", folder.file("trace.json")}));
        REQUIRE(ended.exit_code == kExitDone);
        std::ifstream file(folder.file("trace.json"));
        std::string text;
        std::getline(file, text, '\0');
        CHECK(text.front() == '{');
        CHECK(has(text, "\"closest\""));
        CHECK(has(text, "\"shade\""));
        CHECK(has(text, "\"publish\""));
        CHECK(has(text, "{\"name\":\"main\"}"));
        CHECK(has(text, "{\"name\":\"worker "));
    }

    TEST_CASE("a full disk behind stdout is reported as a failure") {
        // /dev/full fails every write, as a full disk does.
        if (!std::filesystem::is_character_file("/dev/full")) {
            tests::skip_for_lack_of("/dev/full", tests::Source::Person);
            return;
        }
        const Ended ended = run_weft({"info", "cornell"}, "/dev/full");
        CHECK(ended.exit_code == kExitOutput);
        CHECK(has(ended.err, "standard output"));
    }

    TEST_CASE("an output that is a device is written to and never replaced") {
        if (!std::filesystem::is_character_file("/dev/full")) {
            tests::skip_for_lack_of("/dev/full", tests::Source::Person);
            return;
        }
        const TestFolder folder;
        for (const char* option : {"--trace", "--stats"}) {
            CAPTURE(option);
            const Ended full = run_weft(line_render(folder.file("a.png"), {option, "/dev/full"}));
            CHECK(full.exit_code == kExitOutput);
            CHECK(has(full.err, "/dev/full"));
            const Ended null = run_weft(line_render(folder.file("a.png"), {option, "/dev/null"}));
            CHECK(null.exit_code == kExitDone);
        }
        CHECK(std::filesystem::is_character_file("/dev/full"));
        CHECK(std::filesystem::is_character_file("/dev/null"));
    }

    TEST_CASE("no-clobber keeps an existing file and writes a new one") {
        const TestFolder folder;
        const std::string picture = folder.file("a.png");
        film::put_bytes(picture, "yesterday");
        const Ended kept = run_weft(line_render(picture, {"-u"}));
        CHECK(kept.exit_code == kExitDone);
        CHECK(has(kept.err, "a.png"));
        CHECK(film::bytes_of(picture) == "yesterday");
        CHECK(run_weft(line_render(folder.file("b.png"), {"-u"})).exit_code == kExitDone);
        CHECK(folder.files() == std::vector<std::string>{"a.png", "b.png"});
    }

    TEST_CASE("a dry run reads everything and writes nothing") {
        const TestFolder folder;
        const Ended ended =
            run_weft(line_render(folder.file("a.png"), {"-n", "--stats", folder.file("a.json")}));
        CHECK(ended.exit_code == kExitDone);
        CHECK(has(ended.out, "24x24"));
        CHECK(folder.files().empty());
        check_refusal({"render", folder.file("b.gltf"), "-n"}, kExitScene, {"b.gltf"});
    }

    TEST_CASE("compare finds a picture equal to itself and different from another seed") {
        const TestFolder folder;
        const std::string first = folder.file("a.exr");
        const std::string second = folder.file("b.exr");
        REQUIRE(run_weft(line_render(first)).exit_code == kExitDone);
        REQUIRE(run_weft(line_render(second, {"--seed", "1"})).exit_code == kExitDone);
        const Ended same = run_weft({"compare", first, first});
        CHECK(same.exit_code == kExitDone);
        CHECK(same.out == "rmse 0\nrelmse 0\npsnr inf\nflip 0\n");
        const Ended other = run_weft({"compare", first, second, "--metric", "rmse"});
        CHECK(other.exit_code == kExitDone);
        REQUIRE(other.out.starts_with("rmse "));
        CHECK(std::stod(other.out.substr(5)) > 0);
    }

    TEST_CASE("verify accepts a picture and ends with 1 after one bit of its pixels changed") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        REQUIRE(run_weft(line_render(picture, {"--exr-compression", "none", "--keep-film"}))
                    .exit_code == kExitDone);
        const Ended whole = run_weft({"verify", picture});
        CHECK(whole.exit_code == kExitDone);
        CHECK(whole.err.empty());
        std::string bytes = film::bytes_of(picture);
        bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 1);
        film::put_bytes(picture, bytes);
        const Ended changed = run_weft({"verify", picture});
        CHECK(changed.exit_code == kExitRender);
        CHECK(has(changed.err, "a.exr"));
        CHECK(run_weft({"verify", folder.file("missing.exr")}).exit_code == kExitScene);
    }

    TEST_CASE("progress as JSON is one object per line and quiet prints nothing") {
        const TestFolder folder;
        const std::string picture = folder.file("a.png");
        // Every line is an object; those with samples count up to the last line, which is returned.
        const auto check_lines = [](const std::string& err, u64 total, u32 least_steps) {
            u32 steps = 0;
            u64 before = 0;
            nlohmann::json object;
            for (const std::string& line : lines_of(err)) {
                object = nlohmann::json::parse(line, nullptr, false);
                REQUIRE(object.is_object());
                if (object.contains("samples")) {
                    CHECK(object.at("total") == total);
                    CHECK(object.at("samples") <= total);
                    CHECK(object.at("samples") >= before);
                    before = object.at("samples");
                    ++steps;
                }
            }
            CHECK(steps >= least_steps);
            return object;
        };
        // A render may end before anybody looks at its progress.
        const Ended told = run_weft(line_render(picture, {"--progress", "json", "-v"}));
        CHECK(told.exit_code == kExitDone);
        const nlohmann::json done = check_lines(told.err, 24 * 24 * 2, 1);
        CHECK(done.at("end") == "done");
        CHECK(done.at("exit_code") == 0);
        CHECK(done.at("samples") == done.at("total"));
        // One that lasts tells of samples before its end.
        WeftProcess process(line_render(picture, {"--progress", "json", "-v", "--spp", "1000000"}));
        REQUIRE(process.wait_until(has_samples));
        process.send(SIGTERM);
        const Ended stopped = process.wait();
        CHECK(stopped.exit_code == kExitSignal);
        const nlohmann::json end = check_lines(stopped.err, u64{24} * 24 * 1000000, 2);
        CHECK(end.at("end") == "signal");
        CHECK(end.at("exit_code") == kExitSignal);
        CHECK(end.at("samples") > 0);
        const Ended quiet = run_weft(line_render(picture, {"-q", "--progress", "json"}));
        CHECK(quiet.exit_code == kExitDone);
        CHECK(quiet.err.empty());
        CHECK(quiet.out.empty());
    }
}

}  // namespace weft::app::testing
