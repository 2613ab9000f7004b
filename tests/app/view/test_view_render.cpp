// test_view_render.cpp — render settings in the real program: changes of samples and layers keep
// the rendered samples.
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "scheduler/base/ids.h"
#include "tests/app/verified_film.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {
namespace {

// Types a text into a field of the panel.
std::string typed(const std::string& field, const std::string& text) {
    return "hold ctrl\nclick \"" + field + "\"\nlet ctrl\nkey ctrl+A\ntype " + text +
           "\nkey enter\nwait frames 3\nwait done\n";
}

std::string samples(u32 count) {
    return typed("Render/Samples", std::to_string(count));
}

std::string layer(const std::string& name) {
    return "click Panel/View\nclick View/Layer\nclick \"View/Layer " + name +
           "\"\nwait frames 3\nwait done\n";
}

std::string command(const std::string& name) {
    return "key ctrl+shift+C\nclipboard @" + name + "\n";
}

// kSmall with another sample count.
Arguments small(const std::string& spp) {
    Arguments arguments = kSmall;
    arguments.back() = spp;
    return arguments;
}

// The parts of an EXR, and the samples per pixel in its header.
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

// The compression, name and type of each channel of an EXR, a line each.
std::string channels_of(const std::string& path) {
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    std::string text;
    for (int part = 0; input->seek_subimage(part, 0); ++part) {
        const OIIO::ImageSpec& spec = input->spec();
        for (int channel = 0; channel < spec.nchannels; ++channel) {
            text += std::string(spec.get_string_attribute("compression")) + ' ' +
                    spec.channelnames[static_cast<std::size_t>(channel)] + ' ' +
                    spec.channelformat(channel).c_str() + '\n';
        }
    }
    return text;
}

std::string content_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return content.str();
}

nlohmann::json render_figures(const Desk& desk) {
    std::ifstream stream(desk.file("stats.json"));
    return nlohmann::json::parse(stream).at("render");
}

}  // namespace

TEST_SUITE("app/view/render") {
    TEST_CASE("parts of the light and light groups are layers and the film keeps its hash") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view("wait done\n" + layer("transmission") + layer("light_lamp") +
                                          "expect \"View/Layer\"\nhash @group\n" + layer("Beauty") +
                                          "hash @beauty\nquit\n",
                                      with(kSmall, {"--light-groups", "lamp=light"}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("group") == desk.rendered_hash(kSmall));
        CHECK(desk.line_of("beauty") == desk.rendered_hash(kSmall));
    }

    TEST_CASE("a PNG saved after the film was made transparent has the alpha that render gives") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nclick Panel/Render\nwait frames 3\nclick \"Render/Transparent film\"\n"
            "wait frames 3\nwait done\nsave @clear.png\nwait saved\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const Ended rendered = run_weft(
            with({"render"}, with(kSmall, {"--film-transparent", "-o", desk.file("want.png")})));
        REQUIRE(rendered.exit_code == 0);
        const auto saved = film::read_picture(desk.file("clear.png"));
        const auto wanted = film::read_picture(desk.file("want.png"));
        REQUIRE(saved.is_ok());
        REQUIRE(wanted.is_ok());
        CHECK(saved.value().channels == 4);
        CHECK(saved.value().pixels == wanted.value().pixels);
    }

    TEST_CASE("the copied command writes the layers and the kind of file that are saved") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended =
            desk.view("wait done\n" + command("line") + "save @saved.exr\nwait saved\nquit\n",
                      with(kSmall,
                           {"--light-groups",
                            "lamp=light",
                            "--aov",
                            "direct,crypto_object",
                            "--exr-type",
                            "float",
                            "--exr-compression",
                            "piz",
                            "--keep-film",
                            "--cryptomatte-ranks",
                            "4"}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const std::string line = desk.line_of("line");
        REQUIRE_MESSAGE(desk.run_line(line) == 0, line);
        CHECK(verified_film_hash(desk.file("picture.exr")) ==
              verified_film_hash(desk.file("saved.exr")));
        CHECK(channels_of(desk.file("picture.exr")) == channels_of(desk.file("saved.exr")));
        CHECK(channels_of(desk.file("saved.exr")).find("piz light_lamp.R float") !=
              std::string::npos);
    }

    TEST_CASE("changing the sample count and viewing layers restarts nothing") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\n" + layer("normal") + command("normal.sh") + "save @normal.exr\n" +
                layer("Beauty") + layer("depth") + layer("Beauty") + command("beauty.sh") +
                "click Panel/Render\n" + samples(11) +
                "expect \"Status/11 / 11 samples\"\nexpect Status/Times\nhash @eleven\n" +
                samples(2) + command("lowered.sh") + "save @lowered.exr\n" + samples(13) +
                "hash @thirteen\nquit\n",
            with(kSmall, {"--stats", desk.file("stats.json")}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(render_figures(desk).at("frames_begun") == 1);
        CHECK(render_figures(desk).at("samples_per_pixel") == 13);
        CHECK(desk.line_of("normal.sh").find("--aov") == std::string::npos);
        CHECK(desk.line_of("beauty.sh") == desk.line_of("normal.sh"));
        CHECK(saved_of(desk.file("normal.exr")).parts == 1);
        CHECK(verified_film_hash(desk.file("normal.exr")) == desk.rendered_hash(kSmall));
        CHECK(desk.line_of("eleven") == desk.rendered_hash(small("11")));
        CHECK(desk.line_of("thirteen") == desk.rendered_hash(small("13")));
        // Two samples were requested after eleven were rendered.
        CHECK(desk.line_of("lowered.sh").find("--spp 11") != std::string::npos);
        CHECK(saved_of(desk.file("lowered.exr")).samples == "11");
        CHECK(verified_film_hash(desk.file("lowered.exr")) == desk.line_of("eleven"));
    }

    TEST_CASE("the status line says which filter made the picture and the key brings it back") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string script =
            "wait done\nexpect \"Status/denoised: quality\"\nclick Panel/View\n"
            "click View/fast\nexpect \"Status/denoised: fast\"\nclick View/off\n"
            "wait frames 5\nrefuse \"Status/denoised: fast\"\nkey D\n"
            "expect \"Status/denoised: fast\"\nclick View/quality\n"
            "expect \"Status/denoised: quality\"\nquit\n";
        const Ended ended = desk.view(script, kSmall);
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
    }

    TEST_CASE("denoising changes the window and neither the film nor its file") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nwait frames 3\nexpect Status/Noise\nhash @on\nscreenshot @on.png\nkey D\n"
            "wait frames 3\nhash @off\nscreenshot @off.png\nsave @off.exr\nkey D\nsave @on.exr\n" +
                layer("noise") + "screenshot @noise.png\n" + layer("Beauty") +
                command("render.sh") + "quit\n",
            with(kSmall, {"--stats", desk.file("stats.json")}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("on") == desk.rendered_hash(kSmall));
        CHECK(desk.line_of("off") == desk.line_of("on"));
        const std::string noisy = content_of(desk.file("off.png"));
        CHECK(noisy.size() > 1000);
        CHECK(content_of(desk.file("on.png")) != noisy);
        CHECK(content_of(desk.file("noise.png")) != noisy);
        for (const char* const saved : {"on.exr", "off.exr"}) {
            CHECK(verified_film_hash(desk.file(saved)) == desk.line_of("on"));
        }
        CHECK(desk.line_of("render.sh").find("denoise") == std::string::npos);
        CHECK(render_figures(desk).at("frames_begun") == 1);
    }

    TEST_CASE("regularised paths bias the picture and the window says so") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments biased = with(kSmall, {"--regularize", "0.25"});
        const Ended ended = desk.view(
            "wait done\nclick Panel/Render\nexpect Render/Regularize\nexpect Status/Bias\n"
            "hash @hash\nsave @saved.exr\nwait saved\n" +
                command("render.sh") + "quit\n",
            biased);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("hash") == desk.rendered_hash(biased));
        CHECK(desk.line_of("render.sh").find("--regularize 0.25") != std::string::npos);
        CHECK(run_weft({"verify", desk.file("saved.exr")})
                  .out.find("biased: paths regularised to roughness 0.25\n") != std::string::npos);
    }

    TEST_CASE("displays without light are remembered and the frame goes on where it was") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments arguments = with(kSmall, {"--stats", desk.file("stats.json")});
        const Ended first = desk.view(
            "wait done\nscreenshot @rendered.png\nkey Z\nwait done\nexpect Status/solid\n"
            "screenshot @solid.png\nhash @solid\nclick View\nclick View/Wireframe\nwait done\n"
            "expect Status/wireframe\nscreenshot @wireframe.png\nsave @saved.exr\nwait saved\n"
            "key shift+Z\nwait done\nexpect \"Status/4 / 4 samples\"\nhash @after\nkey Z\n"
            "wait done\nquit\n",
            arguments);
        CHECK(first.err == "");
        REQUIRE(first.exit_code == 0);
        const std::string hash = desk.rendered_hash(kSmall);
        CHECK(desk.line_of("solid") == hash);
        CHECK(desk.line_of("after") == hash);
        CHECK(verified_film_hash(desk.file("saved.exr")) == hash);
        CHECK(render_figures(desk).at("frames_begun") == 1);
        CHECK(content_of(desk.file("solid.png")) != content_of(desk.file("rendered.png")));
        CHECK(content_of(desk.file("solid.png")) != content_of(desk.file("wireframe.png")));
        const Ended second = desk.view(
            "wait scene\nwait done\nexpect Status/solid\nclick Panel/View\nwait frames 3\n"
            "click View/rendered\nwait done\nhash @light\nquit\n",
            arguments);
        CHECK(second.err == "");
        REQUIRE(second.exit_code == 0);
        CHECK(desk.line_of("light") == hash);
        CHECK(render_figures(desk).at("frames_begun") == 1);
    }

    TEST_CASE("the window's pixels may be rendered instead of the frame's which files have") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments arguments = with(kSmall, {"--stats", desk.file("stats.json")});
        const Ended first = desk.view(
            "resize 1000 700\nwait done\nclick View\nclick \"View/Half the window's pixels\"\n"
            "wait frames 5\nwait done\nnames @names\n" +
                command("half.sh") + "quit\n",
            arguments);
        CHECK(first.err == "");
        REQUIRE(first.exit_code == 0);
        const Place shown = desk.places_of("names").at("Picture/Frame");
        CHECK(render_figures(desk).at("width") == std::lround((shown.x1 - shown.x0) / 2));
        CHECK(render_figures(desk).at("height") == std::lround((shown.y1 - shown.y0) / 2));
        CHECK(desk.line_of("half.sh").find("--width 120 --height 90") != std::string::npos);
        // It is remembered, and no file has these pixels.
        const Ended refused = desk.view("wait scene\nwait done\nsave @refused.exr\n", kSmall);
        CHECK(refused.exit_code == 1);
        CHECK(refused.err.find("expected the 120 × 90 pixels of the frame") != std::string::npos);
        CHECK(content_of(desk.file("refused.exr")).empty());
        const Ended second = desk.view(
            "resize 900 650\nwait scene\nwait done\nclick Panel/View\nwait frames 3\n"
            "click View/frame\nwait frames 5\nwait done\nsave @saved.exr\nquit\n",
            arguments);
        CHECK(second.err == "");
        REQUIRE(second.exit_code == 0);
        CHECK(render_figures(desk).at("width") == 120);
        CHECK(verified_film_hash(desk.file("saved.exr")) == desk.rendered_hash(kSmall));
    }

    TEST_CASE("layers chosen for the file are saved and in the command") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nclick Panel/Render\nclick \"Render/Saved layers\"\n"
            "click \"Render/Saved layer normal\"\nclick \"Render/Saved layer depth\"\n"
            "click \"Render/Saved layer normal\"\nkey escape\nwait frames 3\nwait done\n" +
                command("line.sh") + "save @saved.exr\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("line.sh").find("--aov depth ") != std::string::npos);
        CHECK(saved_of(desk.file("saved.exr")).parts == 2);
        CHECK(verified_film_hash(desk.file("saved.exr")) == desk.rendered_hash(kSmall));
    }

    TEST_CASE("panels and the window's size keep the picture and its content") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments plain = {"cornell", "--spp", "1", "--set", "frame/percent=10"};
        const Ended ended = desk.view(
            "resize 1000 700\nwait done\nnames @before\nkey B\nkey N\nresize 700 900\n"
            "wait frames 5\nnames @after\nhash @hash\nkey shift+0\nwait frames 3\nnames @pixels\n"
            "mouse 30% 60%\nhold ctrl\nscroll 6\nlet ctrl\nwait frames 3\nnames @large\n"
            "key 0\nwait frames 3\nnames @fit\nwait done\nsave @saved.exr\nquit\n",
            with(plain, {"--stats", desk.file("stats.json")}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(render_figures(desk).at("frames_begun") == 1);
        CHECK(desk.line_of("hash") == desk.rendered_hash(plain));
        const auto frame_of = [&](const std::string& names) {
            return desk.places_of(names).at("Picture/Frame");
        };
        const auto aspect = [](const Place& place) {
            return (place.x1 - place.x0) / (place.y1 - place.y0);
        };
        const double wanted = render_figures(desk).at("width").get<double>() /
                              render_figures(desk).at("height").get<double>();
        for (const char* const names : {"before", "after", "pixels", "large", "fit"}) {
            CHECK(static_cast<double>(aspect(frame_of(names))) ==
                  doctest::Approx(wanted).epsilon(0.02));
        }
        CHECK(frame_of("pixels").x1 - frame_of("pixels").x0 == render_figures(desk).at("width"));
        CHECK(frame_of("large").x1 - frame_of("large").x0 >
              2 * (frame_of("pixels").x1 - frame_of("pixels").x0));
        CHECK(frame_of("fit").x0 == frame_of("after").x0);
    }

    TEST_CASE("the frame is a step of undo and saved and used by render") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nclick Panel/Render\nwait frames 3\n" + typed("Render/Percentage", "50") +
                "expect \"Render/60 × 45 pixels\"\nclick Render/Aspect\n"
                "click \"Render/9 : 16\"\nwait frames 3\nwait done\n"
                "expect \"Render/45 × 80 pixels\"\nhash @portrait\n" +
                command("line.sh") +
                "click File\nclick \"File/Save edits as ...\"\nwait frames 5\n"
                "click \"Save edits as/Path\"\nkey ctrl+A\ntype @frame.json\n"
                "click \"Save edits as/Choose\"\nwait frames 3\nkey ctrl+Z\nwait frames 3\n"
                "expect \"Render/60 × 45 pixels\"\nkey ctrl+Z\nwait frames 3\n"
                "expect \"Render/120 × 90 pixels\"\nwait done\nhash @undone\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("undone") == desk.rendered_hash(kSmall));
        CHECK(desk.line_of("line.sh").find("--width 45 --height 80") != std::string::npos);
        CHECK(desk.line_of("line.sh").find("frame/") == std::string::npos);
        const std::string portrait =
            desk.rendered_hash({"cornell", "--spp", "4", "--edits", desk.file("frame.json")});
        CHECK(desk.line_of("portrait") == portrait);
        CHECK(portrait ==
              desk.rendered_hash({"cornell", "--width", "45", "--height", "80", "--spp", "4"}));
        // Edits come after the size on the command line.
        const Ended again = desk.view("wait done\nhash @again\nquit\n",
                                      with(kSmall, {"--edits", desk.file("frame.json")}));
        CHECK(again.err == "");
        REQUIRE(again.exit_code == 0);
        CHECK(desk.line_of("again") == portrait);
    }

    TEST_CASE("clicks and regions follow the picture at every zoom") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "resize 900 500\nwait done\nmouse 50% 60%\nhold ctrl\nscroll 3\nlet ctrl\n"
            "wait frames 3\nclick 50% 70%\nexpect \"Selected/nodes/short box\"\nkey escape\n"
            "key R\ndrag 40% 50% 60% 70% left\nwait done\nhash @region\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("region") ==
              desk.rendered_hash(with(kSmall, {"--pixelbounds", "48,72,45,63"})));
    }
}

}  // namespace weft::app::testing
