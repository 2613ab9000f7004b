// test_view_render.cpp — what hands do with the settings of a render in the real program: samples
// and layers change and what was rendered stays.
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "tests/app/view/desk.h"

namespace weft::app::testing {
namespace {

// Types a number of samples into the panel.
std::string samples(u32 count) {
    return "hold ctrl\nclick Render/Samples\nlet ctrl\nkey ctrl+A\ntype " + std::to_string(count) +
           "\nkey enter\nwait frames 3\nwait done\n";
}

std::string layer(const std::string& name) {
    return "click Panel/View\nclick View/Layer\nclick \"View/Layer " + name +
           "\"\nwait frames 3\nwait done\n";
}

std::string command(const std::string& name) {
    return "key ctrl+shift+C\nclipboard @" + name + "\n";
}

// kSmall with another number of samples.
Arguments small(const std::string& samples) {
    Arguments arguments = kSmall;
    arguments.back() = samples;
    return arguments;
}

// How many parts an EXR has, and how many samples per pixel it says it has.
struct Saved {
    int parts = 0;
    std::string samples;
};

Saved saved_of(const std::string& path) {
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    Saved saved{0, std::string(input->spec().get_string_attribute("weft:samples_per_pixel"))};
    while (input->seek_subimage(saved.parts, 0)) {
        ++saved.parts;
    }
    return saved;
}

nlohmann::json render_figures(const Desk& desk) {
    std::ifstream stream(desk.file("stats.json"));
    return nlohmann::json::parse(stream).at("render");
}

}  // namespace

TEST_SUITE("app/view/render") {
    TEST_CASE("samples that are raised and lowered and layers that are looked at restart nothing") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\n" + layer("normal") + command("normal.sh") + "save @normal.exr\n" +
                layer("Beauty") + command("beauty.sh") + "save @beauty.exr\nclick Panel/Render\n" +
                samples(11) + "hash @eleven\n" + samples(2) + command("lowered.sh") +
                "save @lowered.exr\n" + samples(13) + "hash @thirteen\nquit\n",
            with(kSmall, {"--stats", desk.file("stats.json")}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(render_figures(desk).at("frames_begun") == 1);
        CHECK(render_figures(desk).at("samples_per_pixel") == 13);
        CHECK(desk.line_of("normal.sh").find("--aov normal") != std::string::npos);
        CHECK(desk.line_of("beauty.sh").find("--aov") == std::string::npos);
        CHECK(saved_of(desk.file("normal.exr")).parts == 2);
        CHECK(saved_of(desk.file("beauty.exr")).parts == 1);
        CHECK(desk.line_of("eleven") == desk.rendered_hash(small("11")));
        CHECK(desk.line_of("thirteen") == desk.rendered_hash(small("13")));
        // Two samples were asked for and eleven were there.
        CHECK(desk.line_of("lowered.sh").find("--spp 11") != std::string::npos);
        CHECK(saved_of(desk.file("lowered.exr")).samples == "11");
        CHECK(lines_of(run_weft({"verify", desk.file("lowered.exr")}).out).back() ==
              desk.line_of("eleven"));
    }
}

}  // namespace weft::app::testing
