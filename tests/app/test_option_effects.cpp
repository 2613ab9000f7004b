// test_option_effects.cpp — options whose only effect is on the picture or the figures. Each case
// fails if the option has no effect.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "engine/film/image_file.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

// Writes a triangle in the plane z = 0 that faces +z, under a white sky. `more` is additional JSON.
std::string triangle_scene(const TestFolder& folder, const std::string& more) {
    const std::string path = folder.file("triangle.gltf");
    film::put_bytes(
        path,
        R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}], )" +
            more +
            R"(,
        "buffers": [{"byteLength": 60, "uri": "data:application/octet-stream;base64,)"
            "AACAvwAAgL8AAAAAAACAPwAAgL8AAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAD8AAIA/"
            R"("}],
        "bufferViews": [{"buffer": 0, "byteLength": 36},
                        {"buffer": 0, "byteOffset": 36, "byteLength": 24}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                       "min": [-1, -1, 0], "max": [1, 1, 0]},
                      {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1},
                                    "material": 0}]}]})");
    return path;
}

// A render of 16x16 pixels into NAME.exr, with its figures in NAME.json.
std::vector<std::string> option_render(const std::string& scene,
                                       const std::string& name,
                                       const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"render", scene, "--width", "16", "--height", "16"};
    arguments.insert(arguments.end(),
                     {"--spp", "2", "-q", "-o", name + ".exr", "--stats", name + ".json"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

nlohmann::json option_stats(const TestFolder& folder,
                            const std::string& scene,
                            const std::vector<std::string>& more) {
    const Ended ended = run_weft(option_render(scene, folder.file("a"), more));
    INFO(ended.err);
    REQUIRE(ended.exit_code == kExitDone);
    return nlohmann::json::parse(film::bytes_of(folder.file("a.json")));
}

std::string option_hash(const TestFolder& folder,
                        const std::string& scene,
                        const std::vector<std::string>& more) {
    return option_stats(folder, scene, more).at("film_hash").get<std::string>();
}

// Writes two cameras of one name under a sky, one ahead and one upwards. `lens` is JSON.
std::string camera_scene(const TestFolder& folder, const std::string& lens) {
    const std::string path = folder.file("cameras.gltf");
    film::put_bytes(path,
                    R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"name": "cam", "camera": 0},
                  {"name": "cam", "camera": 0, "rotation": [0.70710678, 0, 0, 0.70710678]}],
        "cameras": [{"name": "cam", )" +
                        lens + "}]}");
    return path;
}

constexpr const char* kPerspective =
    R"("type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1})";
constexpr const char* kOrthographic =
    R"("type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "znear": 0.1, "zfar": 9})";

// Returns what the command says.
std::string check_done(const std::vector<std::string>& words) {
    const Ended ended = run_weft(words);
    INFO(ended.err);
    CHECK(ended.exit_code == kExitDone);
    return ended.err;
}

// Returns the minimum and maximum alpha of the last picture.
std::vector<float> alpha_range(const TestFolder& folder) {
    const auto picture = film::read_picture(folder.file("a.exr"));
    REQUIRE(picture.is_ok());
    std::vector<float> range = {1, 0};
    for (u32 y = 0; y < 16; ++y) {
        for (u32 x = 0; x < 16; ++x) {
            const float alpha = picture.value().at(x, y, 3);
            range = {std::min(range[0], alpha), std::max(range[1], alpha)};
        }
    }
    return range;
}

}  // namespace

TEST_SUITE("app/option_effects") {
    TEST_CASE("--missing-file ends the import or replaces a missing picture") {
        const TestFolder folder;
        const std::string scene =
            triangle_scene(folder,
                           R"("images": [{"uri": "missing.png"}], "textures": [{"source": 0}],
            "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}])");
        const Ended refused = run_weft(
            {"render", scene, "-q", "-o", folder.file("a.exr"), "--missing-file", "error"});
        CHECK(refused.exit_code == kExitScene);
        CHECK(refused.err.find("missing.png") != std::string::npos);
        const std::vector<std::string> sky = {"--environment-color", "1,1,1", "--missing-file"};
        std::vector<std::string> checker = sky;
        checker.emplace_back("checker");
        std::vector<std::string> black = sky;
        black.emplace_back("black");
        CHECK(option_hash(folder, scene, checker) != option_hash(folder, scene, black));
    }

    TEST_CASE(
        "--environment takes the installed maps by name, and a file of that name before them") {
        const TestFolder folder;
        const std::string scene = triangle_scene(folder, R"("materials": [{"name": "plain"}])");
        const std::string maps = WEFT_SOURCE_DIR "/assets/environments/";
        std::set<std::string> hashes;
        for (const std::string name : {"studio", "studio-soft", "studio-contrast"}) {
            const std::string hash = option_hash(folder, scene, {"--environment", name});
            CHECK(hash == option_hash(folder, scene, {"--environment", maps + name + ".hdr"}));
            hashes.insert(hash);
        }
        CHECK(hashes.size() == 3);
        // A file called studio in the current folder.
        std::filesystem::copy_file(maps + "studio-soft.hdr", folder.file("studio"));
        const Ended shadowed = run_weft(ShellScript{"cd " + folder.file("") + " && exec \"$@\""},
                                        option_render(scene, "b", {"--environment", "studio"}));
        INFO(shadowed.err);
        REQUIRE(shadowed.exit_code == kExitDone);
        CHECK(nlohmann::json::parse(film::bytes_of(folder.file("b.json"))).at("film_hash") ==
              option_hash(folder, scene, {"--environment", "studio-soft"}));
        const Ended misspelt = run_weft({"render", scene, "-n", "--environment", "studoi"});
        CHECK(misspelt.exit_code == kExitScene);
        CHECK(lines_of(misspelt.err).size() == 1);
        CHECK(misspelt.err.find("studio, studio-soft, studio-contrast") != std::string::npos);
    }

    TEST_CASE("--environment-strength and -rotation change the scene's own environment") {
        const TestFolder folder;
        const std::string scene = folder.file("sky.pbrt");
        film::put_bytes(scene,
                        "Camera \"perspective\"\nWorldBegin\nLightSource \"infinite\" \"rgb L\" "
                        "[1 1 1] \"float scale\" 0.25\nTranslate 0 0 -9\nShape \"sphere\"\n");
        const auto brightness = [&](const std::vector<std::string>& more) {
            option_stats(folder, scene, more);
            const auto picture = film::read_picture(folder.file("a.exr"));
            REQUIRE(picture.is_ok());
            return picture.value().at(8, 8, 0);
        };
        CHECK(brightness({}) == 0.25F);
        CHECK(brightness({"--environment-strength", "2"}) == 0.5F);
        CHECK(brightness({"--environment-color", "1,1,1"}) == 1.0F);
    }

    TEST_CASE("--film-transparent gives the sky an alpha of 0") {
        const TestFolder folder;
        const std::string scene = triangle_scene(folder, R"("materials": [{}])");
        std::vector<std::string> view = {
            "--environment-color", "1,1,1", "--look-at", "0,0,6,0,0,0"};
        option_stats(folder, scene, view);
        CHECK(alpha_range(folder) == std::vector<float>{1, 1});
        view.emplace_back("--film-transparent");
        option_stats(folder, scene, view);
        CHECK(alpha_range(folder) == std::vector<float>{0, 1});
    }

    TEST_CASE("--backface-culling hides a surface from behind and not from the front") {
        const TestFolder folder;
        const std::string scene = triangle_scene(folder, R"("materials": [{}])");
        for (const bool is_behind : {false, true}) {
            CAPTURE(is_behind);
            std::vector<std::string> view = {"--film-transparent",
                                             "--environment-color",
                                             "1,1,1",
                                             "--look-at",
                                             is_behind ? "0,0,-6,0,0,0" : "0,0,6,0,0,0"};
            option_stats(folder, scene, view);
            CHECK(alpha_range(folder)[1] == 1);
            view.emplace_back("--backface-culling");
            option_stats(folder, scene, view);
            CHECK(alpha_range(folder)[1] == (is_behind ? 0 : 1));
        }
    }

    TEST_CASE("--egpu-units is the number of units of the emulated GPU") {
        const TestFolder folder;
        for (const u32 units : {1U, 3U}) {
            const auto stats = option_stats(
                folder, "cornell", {"--device", "egpu", "--egpu-units", std::to_string(units)});
            REQUIRE(stats.at("devices").size() == 1);
            CHECK(stats.at("devices")[0].at("units") == units);
        }
    }

    TEST_CASE("--leaf is the number of samples in one share of a unit's work") {
        const TestFolder folder;
        for (const u32 samples : {32U, 100000U}) {
            const auto stats =
                option_stats(folder, "cornell", {"-t", "1", "--leaf", std::to_string(samples)});
            const u32 most = 16 * 16 * 2;
            const u64 handed_out = stats.at("run").at("units")[0].at("leaves");
            CHECK((samples < most ? handed_out >= most / samples : handed_out <= 2));
        }
    }

    TEST_CASE("--view-transform changes the pixels of a PNG") {
        const TestFolder folder;
        const auto pixels_of = [&](const std::string& view) {
            const std::string file = folder.file(view + ".png");
            option_stats(folder, "cornell", {"-o", file, "--view-transform", view});
            const auto picture = film::read_picture(file);
            REQUIRE(picture.is_ok());
            return picture.value().pixels;
        };
        CHECK(pixels_of("standard") != pixels_of("aces"));
    }

    TEST_CASE("compare --view-transform changes psnr and --hdr changes flip") {
        const TestFolder folder;
        for (const char* const seed : {"1", "2"}) {
            option_stats(folder, "cornell", {"-o", folder.file(seed) + ".exr", "--seed", seed});
        }
        const auto told_by = [&](const std::vector<std::string>& more) {
            std::vector<std::string> arguments = {
                "compare", folder.file("1.exr"), folder.file("2.exr"), "--metric"};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const Ended ended = run_weft(arguments);
            CHECK(ended.exit_code == kExitDone);
            return ended.out;
        };
        CHECK(told_by({"psnr"}) != told_by({"psnr", "--view-transform", "aces"}));
        CHECK(told_by({"flip"}) != told_by({"flip", "--hdr"}));
        // Options that the metric has no use for are warned of.
        const std::vector<std::string> shown = {"--view-transform", "aces", "--exposure", "1"};
        for (const std::vector<std::string>& metric : {std::vector<std::string>{"rmse"},
                                                       {"relmse"},
                                                       {"psnr"},
                                                       {"flip"},
                                                       {"flip", "--hdr"},
                                                       {"all", "--hdr"}}) {
            INFO(metric[0]);
            std::vector<std::string> arguments = {
                "compare", folder.file("1.exr"), folder.file("2.exr"), "--metric"};
            arguments.insert(arguments.end(), metric.begin(), metric.end());
            arguments.insert(arguments.end(), shown.begin(), shown.end());
            const std::string told = check_done(arguments);
            const bool is_idle =
                metric[0].ends_with("mse") || metric == std::vector<std::string>{"flip", "--hdr"};
            for (const std::string option : {"--view-transform", "--exposure"}) {
                CHECK((told.find("weft: " + option + ": changes nothing") != std::string::npos) ==
                      is_idle);
            }
        }
    }

    TEST_CASE("an option that changes nothing in a render is warned of, and only there") {
        struct Idle {
            std::vector<std::string> words;
            std::vector<std::string> lacking;  // with it, the option has an effect
        };

        const std::vector<Idle> options = {
            {{"--focus", "2"}, {"--aperture", "2.8"}},
            {{"--clip-cap"}, {"--clip-plane", "0,1,0,-1"}},
            {{"--fps", "25"}, {"--frames", "1"}},
            {{"--animation", "all"}, {"--frames", "1"}},
            {{"--skip-bad-frames"}, {"--frames", "1"}},
            {{"--shutter-moments", "4"}, {"--frames", "1", "--shutter", "0.5"}},
            {{"--traversal", "nodes", "--device", "egpu"}, {"--device", "cpu"}},
            {{"--cryptomatte-ranks", "4"}, {"-o", ".exr", "--aov", "crypto_object"}},
            {{"--exr-type", "float"}, {"-o", ".exr"}},
            {{"--exr-compression", "none"}, {"-o", ".exr"}},
        };
        // Each has an effect on a picture that is shown.
        const std::vector<std::vector<std::string>> shown = {{"--exposure", "1"},
                                                             {"--view-transform", "aces"}};
        const TestFolder folder;
        const auto told_by = [&](const Idle& idle, bool is_whole) {
            std::vector<std::string> arguments = {
                "render", "cornell", "--width", "8", "--height", "8", "--spp", "1"};
            arguments.insert(arguments.end(), idle.words.begin(), idle.words.end());
            const bool is_exr = is_whole && idle.lacking[0] == "-o";
            if (is_whole) {
                arguments.insert(
                    arguments.end(), idle.lacking.begin() + (is_exr ? 2 : 0), idle.lacking.end());
            }
            arguments.insert(arguments.end(), {"-o", folder.file(is_exr ? "a.exr" : "a.png")});
            const Ended ended = run_weft(arguments);
            INFO(ended.err);
            CHECK(ended.exit_code == kExitDone);
            return ended.err.find("weft: " + idle.words[0] + ": changes nothing") !=
                   std::string::npos;
        };
        for (const Idle& idle : options) {
            INFO(idle.words[0]);
            CHECK(told_by(idle, false));
            CHECK_FALSE(told_by(idle, true));
        }
        const std::string film = folder.file("film.exr");
        check_done({"render", "cornell", "--width", "8", "--spp", "1", "--keep-film", "-o", film});
        const std::string ranks =
            check_done({"merge", folder.file("b.exr"), film, "--cryptomatte-ranks", "4"});
        CHECK(ranks.find("weft: --cryptomatte-ranks: changes nothing") != std::string::npos);
        for (const std::vector<std::string>& option : shown) {
            INFO(option[0]);
            for (const std::string ending : {"exr", "tif", "hdr", "png", "jpg"}) {
                INFO(ending);
                const std::string picture = folder.file("a." + ending);
                const bool is_linear = ending != "png" && ending != "jpg";
                const std::string note = "weft: " + option[0] + ": changes nothing";
                for (std::vector<std::string> words :
                     {std::vector<std::string>{"render", "cornell", "--width", "8", "--spp", "1"},
                      {"merge", picture, film}}) {
                    words.insert(words.end(), option.begin(), option.end());
                    if (words[0] == "render") {
                        words.insert(words.end(), {"-o", picture});
                    }
                    CHECK((check_done(words).find(note) != std::string::npos) == is_linear);
                }
            }
        }
    }

    TEST_CASE("what a dry run and an explained pixel do not write is warned of") {
        const TestFolder folder;
        const std::vector<std::string> usual = {"render", "cornell", "--width", "8", "--heat"};
        const std::vector<std::pair<std::string, std::string>> files = {
            {"--stats", folder.file("a.json")},
            {"--trace", folder.file("b.json")},
            {"-o", folder.file("a.png")}};
        for (const bool is_dry : {true, false}) {
            INFO(is_dry);
            std::vector<std::string> words = usual;
            for (const auto& [option, file] : files) {
                words.insert(words.end(), {option, file});
            }
            if (is_dry) {
                words.emplace_back("-n");
            } else {
                words.insert(words.end(), {"--debug-pixel", "1,1"});
            }
            const std::string told = check_done(words);
            for (const std::string option : {"--stats", "--trace", "--heat", "-o"}) {
                INFO(option);
                CHECK((told.find("weft: " + option + ": changes nothing") != std::string::npos) ==
                      (option != "-o" || !is_dry));
            }
            CHECK(folder.files().empty());
        }
    }

    TEST_CASE("a camera is chosen by its name, by its name in edits or by its index") {
        const TestFolder folder;
        const std::string scene = camera_scene(folder, kPerspective);
        const std::string first = option_hash(folder, scene, {"--camera", "cam"});
        const std::string second = option_hash(folder, scene, {"--camera", "cam#2"});
        CHECK(first != second);
        CHECK(option_hash(folder, scene, {"--camera", "0"}) == first);
        CHECK(option_hash(folder, scene, {"--camera", "1"}) == second);
        // The header and the report say which of both it is.
        const std::string report = run_weft({"info", scene}).out;
        CHECK(report.find("0 cam: ") != std::string::npos);
        CHECK(report.find("1 cam#2: ") != std::string::npos);
        for (const std::string camera : {"cam", "cam#2"}) {
            const std::string name = folder.file("named");
            REQUIRE(run_weft(option_render(scene, name, {"--camera", camera})).exit_code ==
                    kExitDone);
            const std::string bytes = film::bytes_of(name + ".exr");
            CHECK(bytes.find(std::string("weft:camera_name\0string\0", 24) +
                             std::string{static_cast<char>(camera.size()), '\0', '\0', '\0'} +
                             camera) != std::string::npos);
            CHECK(bytes.find("weft:camera_yfov_rad") != std::string::npos);
        }
        const Ended ended = run_weft(option_render(scene, folder.file("b"), {"--camera", "cam#3"}));
        CHECK(ended.exit_code == kExitUsage);
        CHECK_MESSAGE(ended.err.find("cam#3: there is no such camera; the scene has 2 ('cam', "
                                     "'cam#2')") != std::string::npos,
                      ended.err);
    }

    TEST_CASE("a camera that is placed by eye and target keeps its projection") {
        const TestFolder folder;
        for (const char* const lens : {kPerspective, kOrthographic}) {
            const std::string scene = camera_scene(folder, lens);
            const std::string placed = option_hash(folder, scene, {"--look-at", "0,0,0,0,0,-1"});
            CHECK(placed == option_hash(folder, scene, {}));
            CHECK(placed != option_hash(folder, scene, {"--look-at", "0,0,0,0,1,0"}));
        }
    }

    TEST_CASE("an orthographic camera states no angle, in a merged picture neither") {
        const TestFolder folder;
        const std::string scene = camera_scene(folder, kOrthographic);
        const std::vector<std::string> render =
            option_render(scene, folder.file("a"), {"--keep-film"});
        REQUIRE(run_weft(render).exit_code == kExitDone);
        REQUIRE(run_weft({"merge", folder.file("b.exr"), folder.file("a.exr")}).exit_code ==
                kExitDone);
        for (const char* name : {"a.exr", "b.exr"}) {
            const std::string bytes = film::bytes_of(folder.file(name));
            CHECK(bytes.find("weft:camera_to_world") != std::string::npos);
            CHECK(bytes.find("weft:camera_yfov_rad") == std::string::npos);
        }
    }

    TEST_CASE("a lens and a field of view are idle where the camera is orthographic") {
        const TestFolder folder;
        const std::string scene = camera_scene(folder, kOrthographic);
        const auto told_by = [&](const std::vector<std::string>& more) {
            std::vector<std::string> arguments = {
                "render", scene, "--height", "8", "--spp", "1", "-o", folder.file("a.png")};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const Ended ended = run_weft(arguments);
            CHECK(ended.exit_code == kExitDone);
            return ended.err;
        };
        const std::string idle = ": changes nothing, since the camera is orthographic";
        const std::string told = told_by({"--aperture", "2.8", "--focus", "2"});
        CHECK(told.find("weft: --aperture" + idle) != std::string::npos);
        CHECK(told.find("weft: --focus" + idle) != std::string::npos);
        CHECK(told_by({"--fov", "40"}).find("weft: --fov" + idle) != std::string::npos);
        CHECK(told_by({"--look-at", "0,0,1,0,0,0"}).find("changes nothing") == std::string::npos);
        const std::string wide = told_by({"--aperture",
                                          "2.8",
                                          "--focus",
                                          "2",
                                          "--fov",
                                          "40",
                                          "--set",
                                          "camera/orthographic=false"});
        CHECK(wide.find("changes nothing") == std::string::npos);
    }
}

}  // namespace weft::app::testing
