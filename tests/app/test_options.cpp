// test_options.cpp — the parsing of options: numbers, repeats, help, lists; and the
// command line in the figures.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/stat.h>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "engine/film/aov_facts.h"
#include "engine/film/image_file.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

std::vector<std::string> render_to(const std::string& output,
                                   const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "render", "cornell", "--width", "16", "--spp", "2", "-t", "2", "-q", "-o", output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

bool has_part(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Renders with these options and returns the figures.
nlohmann::json stats_of(const TestFolder& folder, const std::vector<std::string>& more) {
    std::vector<std::string> arguments =
        render_to(folder.file("a.exr"), {"--stats", folder.file("a.json")});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = run_weft(arguments);
    INFO(ended.err);
    REQUIRE(ended.exit_code == kExitDone);
    return nlohmann::json::parse(film::bytes_of(folder.file("a.json")));
}

// Checks for exit code 2 and one line on stderr that begins with the program's name and contains
// every word.
void check_refused(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& words) {
    const Ended ended = run_weft(arguments);
    INFO(ended.err);
    CHECK(ended.exit_code == kExitUsage);
    CHECK(ended.out.empty());
    CHECK(ended.err.starts_with("weft: "));
    CHECK(lines_of(ended.err).size() == 1);
    for (const std::string& word : words) {
        CAPTURE(word);
        CHECK(has_part(ended.err, word));
    }
}

}  // namespace

TEST_SUITE("app/options") {
    TEST_CASE("sides, angles and names of files beyond their bounds are refused") {
        const TestFolder folder;
        const std::string output = folder.file("b.jpg");
        check_refused(render_to(output, {"--set", "camera/aspect=1e-30"}),
                      {"16 by 1000000 pixels", "32768 at most"});
        check_refused({"render",
                       "cornell",
                       "-o",
                       output,
                       "--set",
                       "frame/size=[32768,1]",
                       "--set",
                       "frame/percent=201"},
                      {"65864 by 2 pixels", "32768 at most"});
        check_refused(render_to(output, {"--environment-rotation", "1e30"}),
                      {"--environment-rotation"});
        check_refused(render_to(output, {"--edits", ""}), {"--edits", "the name of a file"});
        check_refused(render_to(output, {"--set", R"(lights/new={"insert_at":0.5})"}),
                      {"insert_at", "a whole number"});
    }

    TEST_CASE("numbers are decimal and the last of two equal options counts") {
        const TestFolder folder;
        CHECK(stats_of(folder, {"--spp", "010"}).at("samples").at("spp") == 10);
        CHECK(stats_of(folder, {"--spp", "3", "--spp=5"}).at("samples").at("spp") == 5);
        check_refused(render_to(folder.file("b.exr"), {"--environment-color", "1,1,1,1"}),
                      {"--environment-color", "3 finite numbers"});
        const auto twice = stats_of(folder,
                                    {"--look-at",
                                     "0,1,2,0,1,0",
                                     "--look-at",
                                     "0,1,3,0,1,0",
                                     "--environment-color",
                                     "1,1,1",
                                     "--environment-color",
                                     "0.5,0.25,0"});
        const auto once =
            stats_of(folder, {"--environment-color", "0.5,0.25,0", "--look-at", "0,1,3,0,1,0"});
        CHECK(twice.at("film_hash") == once.at("film_hash"));
        for (const char* number : {"0x10", "8.", "1e2", "", "-3", "99999999999999999999"}) {
            check_refused(render_to(folder.file("b.exr"), {"--spp", number}),
                          {"--spp", "a whole number from 1"});
        }
    }

    TEST_CASE("an option with one value does not take the scene after it as a value") {
        const TestFolder folder;
        for (const std::vector<std::string>& option :
             {std::vector<std::string>{"--hide", "tall box"},
              {"--look-at", "0,1,3,0,1,0"},
              {"--aov", "depth"},
              {"--policy", "oldest"}}) {
            std::vector<std::string> arguments = {"render"};
            arguments.insert(arguments.end(), option.begin(), option.end());
            arguments.insert(arguments.end(), {"cornell", "-n", "-o", folder.file("a.exr")});
            const Ended ended = run_weft(arguments);
            INFO(ended.err);
            CHECK(ended.exit_code == kExitDone);
        }
    }

    TEST_CASE("sizes of memory are a number and a known unit") {
        for (const char* right : {"8G", "8gb", "8GiB", "900000k", "8589934592"}) {
            CHECK(run_weft({"render", "cornell", "-n", "--memory-limit", right}).exit_code ==
                  kExitDone);
        }
        for (const char* wrong : {"8GX", "8GiBs", "G", "8 G", "1.5G", "-1G", "", "8KK"}) {
            check_refused({"render", "cornell", "-n", "--memory-limit", wrong},
                          {"--memory-limit", "512M", "found"});
            check_refused({"render", "cornell", "-n", "--egpu-memory", wrong}, {"--egpu-memory"});
        }
    }

    TEST_CASE("the error for an option names the option and the expected value") {
        check_refused({"render", "cornell", "--sp", "4"}, {"--sp:", "perhaps --spp", "--help"});
        check_refused({"render", "cornell", "--fliter", "box"}, {"perhaps --filter"});
        check_refused({"render", "cornell", "--spp"}, {"--spp", "a value"});
        check_refused({"render", "cornell", "--pixelbounds", "1,2,3"}, {"--pixelbounds", "4"});
        check_refused({"render", "cornell", "--scheduler", "best"},
                      {"--scheduler", "keyed, unkeyed or embree", "found best"});
        check_refused(
            {"paint"},
            {"paint", "render, view, serve, bench, info, compare, merge, denoise, verify or help"});
        check_refused({"verify", "a.exr", "b.exr"}, {"b.exr", "too many"});
        check_refused({"compare", "a.exr"}, {"compare: no B", "the reference"});
        check_refused({"render", "cornell", "--heat", "-o", "a.exr"}, {"--heat", "--stats"});
        check_refused({"bench", "cornell", "--classes", "odd"}, {"--classes", "primary"});
        check_refused({"compare", "a", "b", "--metric", "ssim"}, {"--metric", "rmse", "ssim"});
    }

    TEST_CASE("a value with parts is refused before any scene is read") {
        for (const auto& [option, value, sentence] :
             {std::tuple{"--policy", "shade=newest", "--policy shade=newest: expected depth_first"},
              {"--look-at", "1,2,3", "--look-at has 3 numbers; expected 6"},
              {"--clip-plane", "0,0,0,1", "--clip-plane 0,0,0,1: expected nx,ny,nz,d"},
              {"--debug-pixel", "24", "--debug-pixel 24: expected x,y[,sample]"},
              {"--set", "roughness", "--set roughness: expected path=value"}}) {
            check_refused({"render", "no-such-scene", "-n", option, value}, {sentence});
        }
        check_refused({"view", "--look-at", "1,2,3"}, {"--look-at has 3 numbers"});
    }

    TEST_CASE("the viewer refuses options of renders that write files") {
        for (const std::vector<std::string>& batch : {std::vector<std::string>{"--slice", "1/2"},
                                                      {"--denoise-command", "cp {color} {output}"},
                                                      {"--checkpoint"},
                                                      {"--checkpoint-interval", "5"},
                                                      {"--resume"},
                                                      {"--frames", "1,2"},
                                                      {"--frame-start", "1"},
                                                      {"--frame-end", "2"},
                                                      {"--frame-jump", "1"},
                                                      {"--fps", "25"},
                                                      {"--animation", "all"},
                                                      {"--shutter", "0.5"},
                                                      {"--shutter-moments", "4"},
                                                      {"--skip-bad-frames"}}) {
            std::vector<std::string> arguments = {"view", "cornell"};
            arguments.insert(arguments.end(), batch.begin(), batch.end());
            check_refused(arguments, {batch[0], "weft view --help"});
        }
        check_refused({"view", "cornell", "--denoise=best"},
                      {"--denoise=best", "quality, fast or off"});
    }

    TEST_CASE("--aov-list tells each layer's channels, unit and meaning, without a scene") {
        const Ended list = run_weft({"render", "--aov-list"});
        CHECK(list.exit_code == kExitDone);
        CHECK(list.err.empty());
        const std::vector<std::string> lines = lines_of(list.out);
        REQUIRE(lines.size() == 2 + film::kAovs.size());
        CHECK(has_part(lines.back(), "light_NAME.R light_NAME.G light_NAME.B"));
        for (const film::Aov aov : film::kAovs) {
            const std::string name = film::aov_name(aov);
            CAPTURE(name);
            const auto line = std::find_if(lines.begin(), lines.end(), [&](const std::string& one) {
                return one.starts_with(name + ' ');
            });
            REQUIRE(line != lines.end());
            const film::AovFacts facts = film::aov_facts(aov);
            for (const std::string& channel : facts.channels) {
                CHECK(has_part(*line, channel));
            }
            CHECK(line->ends_with(facts.meaning));
            CHECK(line->find(facts.meaning) == lines[0].find("MEANING"));  // columns are straight
        }
    }

    TEST_CASE("paths are guided in render alone") {
        check_refused({"render", "cornell", "-n", "--guiding", "often"},
                      {"--guiding", "often", "off, on or auto"});
        check_refused({"view", "cornell", "--guiding", "on"}, {"--guiding", "weft view --help"});
    }

    TEST_CASE("help shows groups and kinds of values and defaults") {
        const Ended help = run_weft({"render", "--help"});
        CHECK(help.exit_code == kExitDone);
        CHECK(help.err.empty());
        for (const char* word : {"\nPicture:",
                                 "\nCamera:",
                                 "\nOutput:",
                                 "\nMachine:",
                                 "--spp N",
                                 "(default: 64)",
                                 "box|blackman-harris|gaussian",
                                 "(default: blackman-harris)",
                                 "--seed N",
                                 "(default: 0)",
                                 "--log-level error|warning|info|debug"}) {
            CAPTURE(std::string(word));
            CHECK(has_part(help.out, word));
        }
        CHECK(has_part(run_weft({"bench", "--help"}).out, "  --images,--no-images  "));
        CHECK(has_part(run_weft({"bench", "--help"}).out,
                       "(default: 4)"));  // bench has its own default of --spp
        CHECK(run_weft(ShellScript{"exec \"$@\" >/dev/full"}, {"--help"}).exit_code == kExitOutput);
    }

    TEST_CASE("messages follow the level and quiet keeps errors") {
        const TestFolder folder;
        film::put_bytes(folder.file("twin.gltf"),
                        R"({"asset":{"version":"2.0"},"scenes":[{},{}],"scene":0})");
        const auto lines = [&](const std::vector<std::string>& more) {
            std::vector<std::string> arguments = {"render",
                                                  folder.file("twin.gltf"),
                                                  "cornell",
                                                  "--width",
                                                  "8",
                                                  "--spp",
                                                  "1",
                                                  "--progress",
                                                  "none",
                                                  "-o",
                                                  folder.file("a.exr")};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const Ended ended = run_weft(arguments);
            CHECK(ended.exit_code == kExitDone);
            return lines_of(ended.err).size();
        };
        const std::size_t usual = lines({});
        CHECK(lines({"--log-level", "info"}) == usual);
        CHECK(lines({"--log-level", "error"}) == 0);
        CHECK(lines({"-q"}) == 0);
        CHECK(lines({"-v"}) >= usual);
        CHECK(lines({"-v"}) == lines({"--log-level", "debug"}));
        CHECK(lines({"-q", "--log-level", "info"}) == usual);
        CHECK(lines({"--log-level", "warning"}) < usual);
    }

    TEST_CASE("JSON progress ends with the outcome also if nothing was rendered") {
        const TestFolder folder;
        for (const auto& [scene, code] :
             {std::pair{"no-such-scene", kExitScene}, std::pair{"cornell", kExitOutput}}) {
            const std::string output = folder.file(code == kExitOutput ? "missing/a.exr" : "a.exr");
            const Ended ended = run_weft({"render", scene, "-o", output, "--progress", "json"});
            CHECK(ended.exit_code == code);
            const std::vector<std::string> lines = lines_of(ended.err);
            REQUIRE(lines.size() == 2);
            CHECK(nlohmann::json::parse(lines[0]).at("level") == "error");
            CHECK(nlohmann::json::parse(lines[1]).at("end") == "failed");
            CHECK(nlohmann::json::parse(lines[1]).at("exit_code") == code);
        }
    }

    TEST_CASE("the command line in the figures makes the same picture in a shell") {
        const TestFolder folder;
        const std::string odd = folder.file("it's $HOME; a \"picture\".exr");
        const Ended first = run_weft({"render",
                                      "cornell",
                                      "--width",
                                      "16",
                                      "--spp",
                                      "1",
                                      "--set",
                                      "nodes/tall box/visible=false",
                                      "-q",
                                      "-o",
                                      odd,
                                      "--stats",
                                      folder.file("a.json")});
        REQUIRE(first.exit_code == kExitDone);
        const auto stats = nlohmann::json::parse(film::bytes_of(folder.file("a.json")));
        const std::string hash = stats.at("film_hash");
        const std::string line = stats.at("command_line");
        REQUIRE(std::filesystem::remove(odd));
        std::filesystem::remove(folder.file("a.json"));
        CHECK(run_weft(ShellScript{line}, {}).exit_code == kExitDone);
        CHECK(nlohmann::json::parse(film::bytes_of(folder.file("a.json"))).at("film_hash") == hash);
        CHECK(std::filesystem::exists(odd));
    }

    TEST_CASE("a picture goes to the standard output in the format that its name gives") {
        const TestFolder folder;
        REQUIRE(run_weft(render_to(folder.file("a.exr"))).exit_code == kExitDone);
        REQUIRE(run_weft(render_to(folder.file("a.png"))).exit_code == kExitDone);
        for (const auto& [name, same] : {std::pair{"-", "a.exr"}, std::pair{"-.png", "a.png"}}) {
            CAPTURE(std::string(name));
            const Ended ended = run_weft(render_to(name));
            CHECK(ended.exit_code == kExitDone);
            CHECK(ended.err.empty());
            const std::string copy = folder.file(std::string("copy") + same);
            film::put_bytes(copy, ended.out);
            CHECK(run_weft({"compare", copy, folder.file(same), "--metric", "rmse"}).out ==
                  "rmse 0\n");
        }
        CHECK(run_weft({"verify", folder.file("copya.exr")}).exit_code == kExitDone);
        const std::vector<std::string> before = folder.files();
        CHECK(run_weft(ShellScript{"exec \"$@\" >/dev/full"}, render_to("-")).exit_code ==
              kExitOutput);
        CHECK(run_weft(ShellScript{"exec \"$@\" >&-"}, render_to("-")).exit_code == kExitOutput);
        CHECK(folder.files() == before);
        CHECK_FALSE(std::filesystem::exists("-"));
    }

    TEST_CASE("a picture does not go to a terminal") {
        // `script` (of the package bsdutils) provides a terminal.
        const Ended ended = run_weft(ShellScript{"exec script -qec \"$*\" /dev/null"},
                                     {"render", "cornell", "--width", "8", "-o", "-"});
        CHECK(ended.exit_code == kExitUsage);
        CHECK(has_part(ended.out, "the standard output is a terminal"));
        CHECK(lines_of(ended.out).size() == 1);
    }

    TEST_CASE("an EXR goes through a named pipe") {
        const TestFolder folder;
        const std::string fifo = folder.file("fifo.exr");
        REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
        const Ended ended = run_weft(
            ShellScript{"cat '" + fifo + "' > '" + folder.file("copy.exr") + "' & \"$@\"; wait"},
            render_to(fifo));
        INFO(ended.err);
        CHECK(run_weft({"verify", folder.file("copy.exr")}).exit_code == kExitDone);
    }

    TEST_CASE("two outputs to one file and an output over an input are refused") {
        const TestFolder folder;
        std::filesystem::create_directory(folder.file("sub"));
        std::filesystem::create_symlink("a.exr", folder.file("link"));
        std::filesystem::create_symlink("sub", folder.file("other"));
        film::put_bytes(folder.file("edits.json"),
                        R"({"format":"weft-edits","version":1,"edits":[]})");
        const std::string picture = folder.file("a.exr");
        for (const std::string& same :
             {picture, folder.file("sub/../a.exr"), folder.file("./a.exr"), folder.file("link")}) {
            CAPTURE(same);
            check_refused(render_to(picture, {"--stats", same}), {"--stats", "the same file"});
            check_refused(render_to(picture, {"--trace", same}), {"--trace", "the same file"});
        }
        check_refused(
            render_to(
                picture,
                {"--stats", folder.file("sub/a.json"), "--trace", folder.file("other/a.json")}),
            {"--stats", "--trace", "the same file"});
        check_refused(render_to("-", {"--stats", "-"}), {"-o", "--stats", "the same file"});
        check_refused(render_to(picture,
                                {"--edits",
                                 folder.file("edits.json"),
                                 "--stats",
                                 folder.file("sub/../edits.json")}),
                      {"--edits", "--stats"});
        film::put_bytes(folder.file("b.exr"), "a picture");
        check_refused({"compare", folder.file("b.exr"), "c.exr", "-o", folder.file("b.exr")},
                      {"A", "-o", "the same file"});
        check_refused({"compare", folder.file("b.exr"), "c.exr", "-o", "-"}, {"standard output"});
        check_refused({"bench", "cornell", "--json", "-"}, {"--json", "standard output"});
        CHECK(film::bytes_of(folder.file("b.exr")) == "a picture");
        CHECK_FALSE(std::filesystem::exists(picture));
        CHECK(run_weft(render_to(picture, {"--stats", "/dev/null", "--trace", "/dev/null"}))
                  .exit_code == kExitDone);
    }

    TEST_CASE("a number sign in the name is kept and a warning mentions it") {
        const TestFolder folder;
        const Ended ended = run_weft(
            {"render", "cornell", "--width", "8", "--spp", "1", "-o", folder.file("a#.png")});
        CHECK(ended.exit_code == kExitDone);
        CHECK(has_part(ended.err, "the frame's number"));
        CHECK(folder.files() == std::vector<std::string>{"a#.png"});
    }
}

}  // namespace weft::app::testing
