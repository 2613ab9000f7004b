// test_colours.cpp — --ocio, $OCIO, --display-device, --view-transform and --look: pictures against
// closed forms, textures by rule, and what is refused.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "engine/film/image_file.h"
#include "engine/film/view_transform.h"
#include "tests/app/weft_process.h"
#include "tests/engine/colour/sample_config.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

using Words = std::vector<std::string>;

Words render_words(const std::string& scene, const std::string& output, const Words& more) {
    Words words = {"render", scene, "--width", "16", "--height", "16", "--spp", "2", "-q"};
    words.insert(words.end(), {"-o", output, "--exr-type", "float"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void render_colours(const std::string& scene, const std::string& output, const Words& more) {
    const Ended ended = run_weft(render_words(scene, output, more));
    INFO(ended.err);
    REQUIRE(ended.exit_code == kExitDone);
}

film::Picture read(const std::string& path) {
    const auto picture = film::read_picture(path);
    REQUIRE(picture.is_ok());
    return picture.value();
}

// The bytes of a PNG, which read_picture() decodes as sRGB.
u32 byte_at(const film::Picture& png, u32 x, u32 y, u32 c) {
    return static_cast<u32>(255 * film::srgb_encode(double{png.at(x, y, c)}) + 0.5);
}

// Whether the PNG shows `view` of the EXR's values, up to the rounding of a byte.
template <typename View>
bool shows(const film::Picture& png, const film::Picture& exr, const View& view) {
    for (u32 y = 0; y < exr.height; ++y) {
        for (u32 x = 0; x < exr.width; ++x) {
            const colour::Rgb shown = view({exr.at(x, y, 0), exr.at(x, y, 1), exr.at(x, y, 2)});
            for (u32 c = 0; c < 3; ++c) {
                const float expected = 255 * std::clamp(shown[c], 0.0F, 1.0F);
                if (std::fabs(static_cast<float>(byte_at(png, x, y, c)) - expected) > 0.51F) {
                    return false;
                }
            }
        }
    }
    return true;
}

colour::Rgb root(const colour::Rgb& rgb) {
    return {std::sqrt(rgb[0]), std::sqrt(rgb[1]), std::sqrt(rgb[2])};
}

colour::Rgb swapped_half(const colour::Rgb& rgb) {
    return {rgb[2] / 2, rgb[1] / 2, rgb[0] / 2};
}

// Writes a large triangle before the camera, which shines with the colour of a picture of that
// name: 128 of 255 in each channel.
std::string glowing_scene(const TestFolder& folder, const std::string& picture) {
    film::Picture grey{0, 0, 2, 2, 3, std::vector<float>(12, 128.0F / 255)};
    REQUIRE(film::write_picture(folder.file(picture), grey).is_ok());
    const std::string path = folder.file(picture + ".gltf");
    film::put_bytes(
        path,
        R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0, "scale": [9, 9, 1]}, {"camera": 0, "translation": [0, 0, 1]}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1}}],
        "images": [{"uri": ")" +
            picture +
            R"("}], "textures": [{"source": 0}],
        "materials": [{"emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0},
                       "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 0, 1]}}],
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

// The value of the middle pixel.
float middle_of(const std::string& exr) {
    return read(exr).at(8, 8, 0);
}

std::vector<float> chromaticities_of(const std::string& path) {
    const auto file = OIIO::ImageInput::open(path);
    REQUIRE(file != nullptr);
    std::vector<float> values(8);
    const OIIO::TypeDesc type(OIIO::TypeDesc::FLOAT, 8);
    return file->spec().getattribute("chromaticities", type, values.data()) ? values
                                                                            : std::vector<float>();
}

}  // namespace

TEST_SUITE("app/colours") {
    TEST_CASE("views and looks of a config show in a PNG, and the film stays as it is") {
        const TestFolder folder;
        const std::string config = colour::write_config(folder.file("colours"));
        render_colours("cornell", folder.file("plain.exr"), {"--stats", folder.file("plain.json")});
        render_colours("cornell",
                       folder.file("ruled.exr"),
                       {"--ocio", config, "--stats", folder.file("ruled.json")});
        const auto hash = [&](const char* name) {
            return nlohmann::json::parse(film::bytes_of(folder.file(name))).at("film_hash");
        };
        CHECK(hash("plain.json") == hash("ruled.json"));
        const film::Picture exr = read(folder.file("plain.exr"));
        CHECK(read(folder.file("ruled.exr")).pixels == exr.pixels);

        render_colours("cornell", folder.file("a.png"), {"--ocio", config});
        CHECK(shows(read(folder.file("a.png")), exr, root));
        render_colours("cornell",
                       folder.file("b.png"),
                       {"--ocio", config, "--display-device", "projector", "--look", "dim"});
        CHECK(shows(read(folder.file("b.png")), exr, swapped_half));
        // Ours are there beside them, with the same bytes.
        render_colours(
            "cornell", folder.file("c.png"), {"--ocio", config, "--view-transform", "filmic"});
        render_colours("cornell", folder.file("d.png"), {"--view-transform", "filmic"});
        CHECK(read(folder.file("c.png")).pixels == read(folder.file("d.png")).pixels);
        // An edit chooses, too.
        render_colours(
            "cornell",
            folder.file("e.png"),
            {"--ocio", config, "--set", "view/display=projector", "--set", "view/look=dim"});
        CHECK(read(folder.file("e.png")).pixels == read(folder.file("b.png")).pixels);
    }

    TEST_CASE("$OCIO is a config for commands without --ocio; merge and denoise know it, too") {
        const TestFolder folder;
        const std::string config = colour::write_config(folder.file("colours"));
        const auto with_variable = [&](const Words& words) {
            const Ended ended = run_weft(ShellScript{"OCIO='" + config + "' exec \"$@\""}, words);
            INFO(ended.err);
            CHECK(ended.exit_code == kExitDone);
        };
        render_colours("cornell", folder.file("film.exr"), {"--keep-film"});
        const film::Picture exr = read(folder.file("film.exr"));
        with_variable(render_words("cornell", folder.file("a.png"), {}));
        CHECK(shows(read(folder.file("a.png")), exr, root));
        with_variable({"merge", folder.file("m.png"), folder.file("film.exr")});
        CHECK(read(folder.file("m.png")).pixels == read(folder.file("a.png")).pixels);
        with_variable(render_words("cornell", folder.file("b.png"), {"--ocio", "none"}));
        render_colours("cornell", folder.file("c.png"), {});
        CHECK(read(folder.file("b.png")).pixels == read(folder.file("c.png")).pixels);
        CHECK(!shows(read(folder.file("c.png")), exr, root));
    }

    TEST_CASE("an EXR names the primaries of the working space, where they are known") {
        const TestFolder folder;
        const auto named = [&](std::string_view text) {
            const std::string config = colour::write_config(folder.file("colours"), text);
            render_colours("cornell", folder.file("a.exr"), {"--ocio", config});
            return chromaticities_of(folder.file("a.exr"));
        };
        const std::vector<float> rec709(colour::kRec709.begin(), colour::kRec709.end());
        CHECK(named(colour::sample_config()) == rec709);
        const std::vector<float> acescg = named(
            colour::with_change(colour::sample_config(), colour::kFromRec709, colour::kFromAcesCg));
        REQUIRE(acescg.size() == 8);
        CHECK(std::fabs(acescg[0] - 0.713F) < 1e-4F);
        CHECK(std::fabs(acescg[3] - 0.83F) < 1e-4F);
        CHECK(named(colour::with_change(colour::sample_config(), "  aces_interchange: aces\n", ""))
                  .empty());
    }

    TEST_CASE(
        "a file rule changes the light of a texture, and a film does not go on with another") {
        const TestFolder folder;
        const std::string config = colour::write_config(folder.file("colours"));
        const std::string ruled = glowing_scene(folder, "halved.png");
        const std::string other = glowing_scene(folder, "plain.png");
        const auto stored = static_cast<float>(128.0 / 255);
        const auto decoded = static_cast<float>(film::srgb_decode(128.0 / 255));
        const auto light_of = [&](const std::string& scene, const Words& more) {
            render_colours(scene, folder.file("a.exr"), more);
            return middle_of(folder.file("a.exr"));
        };
        CHECK(light_of(ruled, {"--ocio", config}) == doctest::Approx(stored / 2).epsilon(1e-3));
        CHECK(light_of(ruled, {}) == doctest::Approx(decoded).epsilon(1e-5));
        CHECK(light_of(other, {"--ocio", config}) == doctest::Approx(decoded).epsilon(1e-5));

        const Words saved = {"--checkpoint=" + folder.file("saved")};
        render_colours(ruled, folder.file("b.exr"), saved);
        const Ended resumed = run_weft(render_words(
            ruled,
            folder.file("b.exr"),
            {"--resume", "--spp", "4", "--ocio", config, "--checkpoint=" + folder.file("saved")}));
        CHECK(resumed.exit_code == kExitScene);
        CHECK(resumed.err.find("textures") != std::string::npos);
    }

    TEST_CASE("each fault is one sentence and a code, and leaves no file") {
        const TestFolder folder;
        const std::string config = colour::write_config(folder.file("colours"));

        struct Fault {
            Words words;
            int exit_code;
            std::string told;
        };

        const std::string broken = folder.file("broken.ocio");
        film::put_bytes(broken, "ocio_profile_version: 2\nroles: {a: [}\n");
        const std::string lost = glowing_scene(folder, "lost.png");
        const std::vector<Fault> faults = {
            {{"--ocio", folder.file("nowhere.ocio")}, kExitScene, "nowhere.ocio"},
            {{"--ocio", folder.file("colours")}, kExitScene, "colours"},
            {{"--ocio", broken}, kExitScene, "line 2"},
            {{"--ocio", config, "--view-transform", "lost"}, kExitScene, "nowhere.cube"},
            {{"--ocio", config, "--view-transform", "around"}, kExitScene, "defined by itself"},
            {{"--ocio", config, "--view-transform", "x"}, kExitUsage, "plain, dimmed, tabled"},
            {{"--ocio", config, "--display-device", "x"}, kExitUsage, "screen or projector"},
            {{"--ocio", config, "--look", "x"}, kExitUsage, "dim, none or as the view"},
            {{"--look", "dim"}, kExitUsage, "expected --ocio FILE or $OCIO"},
            {{"--view-transform", "x"}, kExitUsage, "standard, filmic, aces or raw"},
            {{"--ocio", config, "--set", "view/transform=x"}, kExitUsage, "plain"},
            {{"--ocio", config, "--set", "view/transform=lost"}, kExitScene, "nowhere.cube"}};
        const std::string output = folder.file("out.png");
        for (const Fault& fault : faults) {
            const Ended ended = run_weft(render_words("cornell", output, fault.words));
            INFO(ended.err);
            CHECK(ended.exit_code == fault.exit_code);
            CHECK(ended.err.find(fault.told) != std::string::npos);
            CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
            CHECK(!std::filesystem::exists(output));
        }
        const Ended ended = run_weft(render_words(lost, output, {"--ocio", config}));
        INFO(ended.err);
        CHECK(ended.exit_code == kExitScene);
        CHECK(ended.err.find("nowhere.cube") != std::string::npos);
        CHECK(!std::filesystem::exists(output));
    }
}

}  // namespace weft::app::testing
