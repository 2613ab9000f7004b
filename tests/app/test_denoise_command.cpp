// test_denoise_command.cpp — `--denoise-command`: words without a shell, the files that the program
// gets, the picture that it gives back, and failures that leave the film's picture.
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "app/command/denoise_command.h"
#include "app/command/shell_word.h"
#include "engine/film/image_file.h"
#include "engine/film/pfm_file.h"
#include "tests/app/small_render.h"
#include "tests/app/verified_film.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

// A render of 40×40 pixels without layers that nobody asked for.
Words denoised_render(const std::string& output, const std::string& command) {
    Words words = {"render",
                   "cornell",
                   "--width",
                   "40",
                   "--spp",
                   "4",
                   "-o",
                   output,
                   "-t",
                   "2",
                   "--progress",
                   "none",
                   "--exr-type",
                   "float",
                   "--denoise-command",
                   command};
    return words;
}

// The parts of an EXR by name.
std::map<std::string, std::vector<float>> parts_of(const std::string& path) {
    std::map<std::string, std::vector<float>> parts;
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    for (int part = 0; input->seek_subimage(part, 0); ++part) {
        const OIIO::ImageSpec spec = input->spec();
        std::vector<float> pixels(static_cast<std::size_t>(spec.image_pixels()) *
                                  static_cast<std::size_t>(spec.nchannels));
        REQUIRE(
            input->read_image(part, 0, 0, spec.nchannels, OIIO::TypeDesc::FLOAT, pixels.data()));
        parts[std::string(spec.get_string_attribute("oiio:subimagename"))] = std::move(pixels);
    }
    return parts;
}

// Whether the colours of RGBA pixels are those of RGB pixels.
bool has_colours(const std::vector<float>& rgba, const std::vector<float>& rgb) {
    bool is_same = rgba.size() / 4 == rgb.size() / 3;
    for (std::size_t pixel = 0; is_same && pixel < rgb.size() / 3; ++pixel) {
        for (std::size_t c = 0; c < 3; ++c) {
            is_same = is_same && rgba[4 * pixel + c] == rgb[3 * pixel + c];
        }
    }
    return is_same;
}

std::string refusal_of(const std::string& command) {
    const base::Result<DenoiseCommand> parsed = parse_denoise_command(command);
    REQUIRE(!parsed.is_ok());
    return parsed.error().sentence;
}

}  // namespace

TEST_SUITE("app/denoise_command") {
    TEST_CASE("a line is split into words as a shell splits it, and nothing is expanded") {
        using Split = std::vector<std::string>;
        CHECK(shell_words("a  b\tc\n") == Split{"a", "b", "c"});
        CHECK(shell_words("'a b' \"c 'd'\" e\\ f g'h'\"i\"") ==
              Split{"a b", "c 'd'", "e f", "ghi"});
        CHECK(shell_words("\"a\\\"b\" '\\' ''") == Split{"a\"b", "\\", ""});
        CHECK(shell_words("$HOME `x` *;|&>y") == Split{"$HOME", "`x`", "*;|&>y"});
        CHECK(shell_words("") == Split{});
        for (const char* open : {"'a", "\"a", "a\\"}) {
            CHECK(!shell_words(open));
        }
    }

    TEST_CASE("a command that cannot work is refused before any sample") {
        CHECK(refusal_of("").find("found \"\"") != std::string::npos);
        CHECK(refusal_of("sh '{color} {output}").find("closed quotes") != std::string::npos);
        CHECK(refusal_of("no-such-program {color} {output}").find("not in $PATH") !=
              std::string::npos);
        CHECK(refusal_of("./no/such {color} {output}").find("is no file") != std::string::npos);
        CHECK(refusal_of("sh {color} {output} {depth}").find("found {depth}") != std::string::npos);
        CHECK(refusal_of("sh {color}").find("{output}") != std::string::npos);
        CHECK(refusal_of("sh {output}").find("{color}") != std::string::npos);
        const base::Result<DenoiseCommand> parsed =
            parse_denoise_command("sh -in={color.pfm},{normal} {output.exr}");
        REQUIRE(parsed.is_ok());
        const std::vector<Placeholder> found = parsed.value().placeholders();
        REQUIRE(found.size() == 3);
        CHECK(found[0].is_pfm);
        CHECK(!found[1].is_pfm);
        CHECK(found[2].file == "output");
        CHECK(parsed.value().layers() == std::vector<film::Aov>{film::Aov::Normal});
        const TestFolder folder;
        const Ended ended =
            check_ends(denoised_render(folder.file("a.exr"), "sh {color}"), kExitUsage);
        CHECK(says(ended, "--denoise-command: expected a word with {output}"));
        CHECK(folder.files().empty());
    }

    TEST_CASE("a PFM keeps every float and damaged ones are refused") {
        const TestFolder folder;
        film::Picture picture;
        picture.width = 3;
        picture.height = 2;
        picture.channels = 3;
        for (u32 k = 0; k < 18; ++k) {
            picture.pixels.push_back(
                std::ldexp(1.0F / static_cast<float>(k + 3), 20 - 3 * static_cast<int>(k)));
        }
        const std::string path = folder.file("a.pfm");
        REQUIRE(film::write_pfm(path, picture).is_ok());
        const base::Result<film::Picture> back = film::read_pfm(path);
        REQUIRE(back.is_ok());
        CHECK(back.value().pixels == picture.pixels);
        const std::string bytes = film::bytes_of(path);
        CHECK(bytes.starts_with("PF\n3 2\n-1.0\n"));
        // The first row of the file is the lowest of the picture.
        float first = 0;
        std::memcpy(&first, bytes.data() + 12, sizeof first);
        CHECK(first == picture.at(0, 1, 0));
        for (const std::string& damaged : {bytes.substr(0, bytes.size() - 1),
                                           bytes + "x",
                                           std::string("P6") + bytes.substr(2),
                                           std::string("PF\n3 2\n1.0\n") + bytes.substr(12),
                                           std::string("PF\n4000000000 2\n-1.0\n"),
                                           std::string("PF\n-3 2\n-1.0\n"),
                                           std::string()}) {
            film::put_bytes(path, damaged);
            CHECK(!film::read_pfm(path).is_ok());
        }
    }

    TEST_CASE("the picture is what the program wrote and the layer noisy keeps the film's") {
        const TestFolder folder;
        const std::string plain = folder.file("plain.exr");
        Words words = denoised_render(plain, "");
        words.resize(words.size() - 2);
        check_ends(words, kExitDone);
        const std::vector<float> beauty = parts_of(plain).at("rgba");
        // The same colours, through either kind of file.
        const std::string picture = folder.file("a.exr");
        for (const char* command : {"cp {color} {output}", "cp {color.pfm} {output.pfm}"}) {
            check_ends(denoised_render(picture, command), kExitDone);
            const auto parts = parts_of(picture);
            CHECK(parts.size() == 2);
            CHECK(parts.at("rgba") == beauty);
            CHECK(parts.at("noisy") == beauty);
            CHECK(is_verified(picture));
        }
        // A layer as the picture.
        for (const char* layer : {"albedo", "normal"}) {
            const std::string command = std::string(
                                            "sh -c 'test -s \"$0\" && cp \"$1\" \"$2\"' "
                                            "{color} {") +
                                        layer + "} {output}";
            check_ends(denoised_render(picture, command), kExitDone);
            const auto parts = parts_of(picture);
            CHECK(has_colours(parts.at("rgba"), parts.at(layer)));
            CHECK(parts.at("noisy") == beauty);
        }
        // Files of 8 bits show the denoised colours.
        const std::string shown = folder.file("a.png");
        const std::string same = folder.file("b.png");
        check_ends(denoised_render(shown, "cp {color} {output}"), kExitDone);
        Words direct = denoised_render(same, "");
        direct.resize(direct.size() - 2);
        check_ends(direct, kExitDone);
        const auto pixels_of = [](const std::string& path) {
            const base::Result<film::Picture> read = film::read_picture(path);
            REQUIRE(read.is_ok());
            return read.value().pixels;
        };
        CHECK(pixels_of(shown) == pixels_of(same));
        check_ends(denoised_render(shown, "sh -c 'cp \"$1\" \"$2\"' sh {albedo} {output} {color}"),
                   kExitDone);
        CHECK(pixels_of(shown) != pixels_of(same));
    }

    TEST_CASE("a failure is one sentence and leaves the film's picture") {
        const TestFolder folder;
        const std::string temporary = folder.file("temporary");
        std::filesystem::create_directory(temporary);
        setenv("TMPDIR", temporary.c_str(), 1);
        const std::string picture = folder.file("a.exr");
        const std::string other = folder.file("other.exr");
        check_ends({"render", "cornell", "--width", "8", "--spp", "1", "-o", other}, kExitDone);
        const std::string not_finite = folder.file("nan.pfm");
        film::Picture nan;
        nan.width = nan.height = 40;
        nan.channels = 3;
        nan.pixels.assign(4800, 0.5F);
        nan.pixels[3 * 41] = std::nanf("");
        REQUIRE(film::write_pfm(not_finite, nan).is_ok());
        for (const auto& [command, sentence] : std::vector<std::pair<std::string, std::string>>{
                 {"sh -c 'echo error: no licence; exit 7' {color} {output}", "error: no licence"},
                 {"true {color} {output}", "wrote no {output}"},
                 {"cp " + other + " {output} --target-directory={color}", "cp"},
                 {"sh -c 'cp \"$0\" \"$1\"' " + other + " {output} {color}", "8x8 pixels"},
                 {"sh -c 'cp \"$0\" \"$1\"' " + not_finite + " {output.pfm} {color}",
                  "not finite at pixel 1,1"},
                 {"sh -c 'echo no > \"$0\"' {output} {color}", "cannot be read"}}) {
            CAPTURE(command);
            std::filesystem::remove(picture);
            const Ended ended = check_ends(denoised_render(picture, command), kExitRender);
            CHECK(says(ended, sentence));
            CHECK(says(ended, picture + " is not denoised"));
            const auto parts = parts_of(picture);
            CHECK(parts.size() == 1);
        }
        // Nothing is left of the files that the programs got.
        CHECK(std::filesystem::is_empty(temporary));
        unsetenv("TMPDIR");
    }

    TEST_CASE("a signal ends a program that hangs and the film's picture is written") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        WeftProcess process(denoised_render(picture, "sh -c 'exec sleep 1000' {color} {output}"));
        REQUIRE(process.wait_until([](const std::string& err) {
            return err.find("denoising with") != std::string::npos;
        }));
        process.send(SIGINT);
        const Ended ended = process.wait();
        CHECK(ended.exit_code == kExitSignal);
        CHECK(parts_of(picture).size() == 1);
    }
}

}  // namespace weft::app::testing
