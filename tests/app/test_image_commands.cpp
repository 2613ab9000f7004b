// test_image_commands.cpp — calls the functions of compare and verify: output lines, errors and
// exit codes.
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "app/compare_command.h"
#include "app/verify_command.h"
#include "engine/film/image_file.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app {

namespace {

using film::TestFolder;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

// Writes a film as an EXR with raw sums.
std::string written(const TestFolder& folder, const std::string& name, const film::Film& film) {
    film::ImageConfig config;
    config.keep_film = name.ends_with(".exr");
    const std::string path = folder.file(name);
    REQUIRE(film::write_image(path, film, config).is_ok());
    return path;
}

CompareOptions pair_of(const std::string& first, const std::string& second) {
    CompareOptions options;
    options.first = first;
    options.second = second;
    return options;
}

}  // namespace

TEST_SUITE("app/image_commands") {
    TEST_CASE("compare prints every metric as one name and one value per line") {
        const TestFolder folder;
        const std::string path = written(folder, "a.exr", film::ramp_film(40, 30, {0, 0, 40, 30}));
        std::string text;
        REQUIRE(compare_files(pair_of(path, path), text).is_ok());
        CHECK(text == "rmse 0\nrelmse 0\npsnr inf\nflip 0\n");
        CHECK(run_compare(pair_of(path, path)) == kExitDone);
    }

    TEST_CASE("an eight-bit file of a film is close to its EXR and one metric prints one line") {
        const TestFolder folder;
        film::Film film(40, 30, {0, 0, 40, 30}, {});
        for (u32 y = 0; y < 30; ++y) {
            for (u32 x = 0; x < 40; ++x) {
                film.add_sample(x,
                                y,
                                {static_cast<float>(x) / 40,
                                 static_cast<float>(y) / 30,
                                 static_cast<float>(x + y) / 70,
                                 1});
            }
        }
        CompareOptions options =
            pair_of(written(folder, "a.png", film), written(folder, "a.exr", film));
        options.metric = film::Metric::Psnr;
        std::string text;
        REQUIRE(compare_files(options, text).is_ok());
        REQUIRE(lines_of(text).size() == 1);
        // Rounding to steps of 1/255 has a mean square error of (1/255)^2 / 12: 58.9 dB.
        CHECK(std::stod(text.substr(5)) > 57);
        CHECK(std::stod(text.substr(5)) < 61);
    }

    TEST_CASE("the second picture is the reference of relmse") {
        const TestFolder folder;
        film::Film dark(4, 4, {0, 0, 4, 4}, {});
        film::Film grey(4, 4, {0, 0, 4, 4}, {});
        for (u32 i = 0; i < 16; ++i) {
            dark.add_sample(i % 4, i / 4, {0, 0, 0, 1});
            grey.add_sample(i % 4, i / 4, {0.5F, 0.5F, 0.5F, 1});
        }
        CompareOptions options =
            pair_of(written(folder, "grey.exr", grey), written(folder, "dark.exr", dark));
        options.metric = film::Metric::RelMse;
        std::string text;
        REQUIRE(compare_files(options, text).is_ok());
        CHECK(text == "relmse 25\n");
    }

    TEST_CASE("a value that is not finite is named with its picture and pixel") {
        const TestFolder folder;
        film::Picture picture;
        picture.width = 3;
        picture.height = 2;
        picture.channels = 3;
        picture.pixels.assign(18, 0.5F);
        const std::string whole = folder.file("whole.tif");
        REQUIRE(film::write_picture(whole, picture).is_ok());
        picture.pixels[16] = std::numeric_limits<float>::quiet_NaN();
        const std::string none = folder.file("none.tif");
        REQUIRE(film::write_picture(none, picture).is_ok());
        picture.pixels[3] = std::numeric_limits<float>::infinity();
        const std::string endless = folder.file("endless.tif");
        REQUIRE(film::write_picture(endless, picture).is_ok());
        for (const std::optional<film::Metric> metric :
             {std::optional<film::Metric>(), std::optional(film::Metric::Flip)}) {
            CompareOptions options = pair_of(whole, none);
            options.metric = metric;
            std::string text;
            base::Status status = compare_files(options, text);
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().sentence ==
                  none + ": the pixel (2, 1) holds nan; expected finite values");
            CHECK(text.empty());
            CHECK(run_compare(options) == kExitScene);
            options.first = endless;
            options.second = whole;
            status = compare_files(options, text);
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().sentence ==
                  endless + ": the pixel (1, 0) holds inf; expected finite values");
        }
    }

    TEST_CASE("the difference picture holds colours as PNG and errors as EXR") {
        const TestFolder folder;
        film::Film changed = film::ramp_film(40, 30, {0, 0, 40, 30});
        const std::string reference = written(folder, "a.exr", changed);
        changed.add_sample(7, 5, {30, 0, 0, 1});
        CompareOptions options = pair_of(written(folder, "b.exr", changed), reference);
        options.metric = film::Metric::Rmse;
        for (const char* name : {"difference.png", "difference.exr"}) {
            options.output = folder.file(name);
            CHECK(run_compare(options) == kExitDone);
        }
        const base::Result<film::Picture> coloured =
            film::read_picture(folder.file("difference.png"));
        REQUIRE(coloured.is_ok());
        CHECK(coloured.value().channels == 3);
        CHECK(coloured.value().at(7, 5, 0) > coloured.value().at(8, 5, 0));
        const base::Result<film::Picture> numbers =
            film::read_picture(folder.file("difference.exr"));
        REQUIRE(numbers.is_ok());
        CHECK(numbers.value().channels == 1);
        CHECK(numbers.value().at(8, 5, 0) == 0.0F);
        CHECK(numbers.value().at(7, 5, 0) > 1.0F);
        for (const char* name : {"difference.hdr", "difference.jpg", "difference.tif"}) {
            options.output = folder.file(name);
            CHECK(run_compare(options) == kExitDone);
            CHECK(film::read_picture(options.output).is_ok());
        }
    }

    TEST_CASE("compare ends with a different exit code for each kind of failure") {
        const TestFolder folder;
        const std::string path = written(folder, "a.exr", film::ramp_film(40, 30, {0, 0, 40, 30}));
        const std::string small =
            written(folder, "small.exr", film::ramp_film(30, 40, {0, 0, 30, 40}));
        film::put_bytes(folder.file("text.png"), "no picture");
        CHECK(run_compare(pair_of(folder.file("missing.exr"), path)) == kExitScene);
        CHECK(run_compare(pair_of(path, folder.file("missing.exr"))) == kExitScene);
        CHECK(run_compare(pair_of(path, folder.file("text.png"))) == kExitScene);
        CHECK(run_compare(pair_of(path, small)) == kExitScene);
        CompareOptions options = pair_of(path, path);
        options.output = folder.file("missing/difference.png");
        CHECK(run_compare(options) == kExitOutput);
        options.output = folder.file("difference.gif");
        CHECK(run_compare(options) == kExitUsage);
        options = pair_of(path, path);
        options.metric = film::Metric::Rmse;
        options.is_hdr = true;
        CHECK(run_compare(options) == kExitUsage);
    }

    TEST_CASE("verify accepts an intact file and its last line is the film hash alone") {
        const TestFolder folder;
        const film::Film film = film::ramp_film(40, 30, {2, 2, 38, 28}, {film::Aov::Albedo});
        const std::string path = written(folder, "a.exr", film);
        CHECK(run_verify(path) == kExitDone);
        const base::Result<film::VerifyReport> report = film::verify_image(path);
        REQUIRE(report.is_ok());
        const std::vector<std::string> lines = lines_of(verify_text(report.value()));
        REQUIRE(lines.size() == 3);
        CHECK(lines[0].find("pixel_hash: ") == 0);
        CHECK(lines[1].find("film_hash: ") == 0);
        CHECK(lines[2] == film.film_hash());
    }

    TEST_CASE("verify ends with 1 for a damaged file and with 3 for a foreign one") {
        const TestFolder folder;
        const film::Film film = film::ramp_film(40, 30, {0, 0, 40, 30});
        const std::string path = folder.file("damaged.exr");
        film::ImageConfig config;
        config.compression = film::ExrCompression::None;
        REQUIRE(film::write_image(path, film, config).is_ok());
        CHECK(run_verify(path) == kExitDone);
        std::string bytes = film::bytes_of(path);
        bytes[bytes.size() * 3 / 4] = static_cast<char>(bytes[bytes.size() * 3 / 4] ^ 1);
        film::put_bytes(path, bytes);
        CHECK(run_verify(path) == kExitRender);
        // Cut the file in the middle: the header is intact, half of the pixels are missing.
        film::put_bytes(path, bytes.substr(0, bytes.size() / 2));
        CHECK(run_verify(path) == kExitRender);
        CHECK(run_verify(folder.file("missing.exr")) == kExitScene);
        film::put_bytes(folder.file("text.exr"), "no picture");
        CHECK(run_verify(folder.file("text.exr")) == kExitScene);
        CHECK(run_verify(written(folder, "a.png", film)) == kExitScene);
    }
}

}  // namespace weft::app
