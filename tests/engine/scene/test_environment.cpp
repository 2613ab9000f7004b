// test_environment.cpp — pictures as environments: orientation, channels, bad texels, files that
// are no pictures.
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

void write_floats(const std::string& path,
                  int width,
                  int height,
                  int channels,
                  const std::vector<float>& values,
                  const std::vector<std::string>& names = {}) {
    OIIO::ImageSpec spec(width, height, channels, OIIO::TypeDesc::FLOAT);
    if (!names.empty()) {
        spec.channelnames = names;
    }
    const std::unique_ptr<OIIO::ImageOutput> output = OIIO::ImageOutput::create(path);
    REQUIRE(output != nullptr);
    REQUIRE(output->open(path, spec));
    REQUIRE(output->write_image(OIIO::TypeDesc::FLOAT, values.data()));
    REQUIRE(output->close());
}

Environment read_sky(const std::string& path) {
    auto environment = read_environment(path);
    REQUIRE_MESSAGE(environment.is_ok(), environment.error().sentence);
    return std::move(environment.value());
}

// The texel that shaders/bsdf.md section 5 looks up for a direction.
const float* texel_towards(const Environment& sky, double x, double y, double z) {
    const double pi = 3.14159265358979;
    const u32 column =
        static_cast<u32>((0.5 + std::atan2(z, x) / (2 * pi)) * sky.width) % sky.width;
    const u32 row =
        std::min(sky.height - 1, static_cast<u32>((0.5 - std::asin(y) / pi) * sky.height));
    return &sky.pixels[3 * (std::size_t{row} * sky.width + column)];
}

}  // namespace

TEST_SUITE("engine/scene/environment") {
    TEST_CASE("the top row is up and the middle column lies towards plus X") {
        const Folder folder("sky");
        for (const std::string name : {"sky.exr", "sky.hdr"}) {
            CAPTURE(name);
            // 8 × 4; red counts columns, green rows (whole numbers are exact in both formats).
            std::vector<float> values;
            for (int row = 0; row < 4; ++row) {
                for (int column = 0; column < 8; ++column) {
                    values.insert(values.end(),
                                  {static_cast<float>(column), static_cast<float>(row), 8.0f});
                }
            }
            write_floats(folder.file(name), 8, 4, 3, values);
            const Environment sky = read_sky(folder.file(name));
            CHECK(sky.width == 8);
            CHECK(sky.height == 4);
            CHECK(texel_towards(sky, 0, 1, 0)[1] == 0);
            CHECK(texel_towards(sky, 0, -1, 0)[1] == 3);
            CHECK(texel_towards(sky, 0.999, 0.01, 0.04)[0] == 4);    // +X: just right of the middle
            CHECK(texel_towards(sky, 0.04, 0.01, 0.999)[0] == 5);    // +Z: three quarters along
            CHECK(texel_towards(sky, 0.04, 0.01, -0.999)[0] == 2);   // −Z: one quarter along
            CHECK(texel_towards(sky, -0.999, 0.01, -0.04)[0] == 0);  // −X: the seam
            CHECK(sky.repaired_texels == 0);
        }
    }

    TEST_CASE("the resolution line and the EXPOSURE lines of a Radiance file are obeyed") {
        const Folder folder("radiance");
        // Two by two; the stored values are 1, 2, 4 and 8 in turn, in red alone.
        const auto sky_of = [&](const std::string& lines, const std::string& resolution) {
            std::string bytes =
                "#?RADIANCE\n" + lines + "FORMAT=32-bit_rle_rgbe\n\n" + resolution + "\n";
            for (const char exponent : {'\x81', '\x82', '\x83', '\x84'}) {
                bytes += {'\x80', '\0', '\0', exponent};
            }
            const Environment sky = read_sky(folder.write("a.hdr", bytes));
            return std::vector<float>{sky.pixels[0], sky.pixels[3], sky.pixels[6], sky.pixels[9]};
        };
        using Values = std::vector<float>;
        CHECK(sky_of("", "-Y 2 +X 2") == Values{1, 2, 4, 8});
        CHECK(sky_of("", "-Y 2 -X 2") == Values{2, 1, 8, 4});
        CHECK(sky_of("", "+Y 2 +X 2") == Values{4, 8, 1, 2});
        CHECK(sky_of("", "+Y 2 -X 2") == Values{8, 4, 2, 1});
        CHECK(sky_of("EXPOSURE=2\n", "-Y 2 +X 2") == Values{0.5f, 1, 2, 4});
        CHECK(sky_of("EXPOSURE=2\nVIEW= a\nEXPOSURE= 8\n", "+Y 2 +X 2") ==
              Values{0.25f, 0.5f, 0.0625f, 0.125f});
        for (const std::string& text :
             {std::string("FORMAT=32-bit_rle_rgbe\n\n+X 2 -Y 2\n"),
              std::string("EXPOSURE=0\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 2\n")}) {
            const auto environment = read_environment(
                folder.write("b.hdr", "#?RADIANCE\n" + text + std::string(16, '\x80')));
            REQUIRE_FALSE(environment.is_ok());
            CHECK(environment.error().kind == base::ErrorKind::Scene);
            CHECK(environment.error().sentence.find(
                      text[0] == 'E' ? "its EXPOSURE is no number above 0" : "stored by columns") !=
                  std::string::npos);
        }
    }

    TEST_CASE("negative texels become black and infinite ones bright and a note counts them") {
        const Folder folder("bad");
        const float infinity = std::numeric_limits<float>::infinity();
        write_floats(folder.file("bad.exr"),
                     2,
                     2,
                     3,
                     {1, 2, 3, -1, 2, 3, std::nanf(""), 1, 1, 1, infinity, -0.0f});
        Scene scene;
        scene.environment = read_sky(folder.file("bad.exr"));
        CHECK(scene.environment.repaired_texels == 3);
        CHECK(scene.environment.pixels ==
              std::vector<float>{1, 2, 3, 0, 2, 3, 0, 1, 1, 1, 65504, 0});
        complete_scene(scene);
        CHECK(has_note(scene, Note::Kind::Repaired, "3 texels"));
    }

    TEST_CASE("grey fills all three colours and alpha is left out") {
        const Folder folder("grey");
        write_floats(folder.file("grey.exr"), 3, 1, 1, {0.25f, 0.5f, 4}, {"Y"});
        CHECK(read_sky(folder.file("grey.exr")).pixels ==
              std::vector<float>{0.25f, 0.25f, 0.25f, 0.5f, 0.5f, 0.5f, 4, 4, 4});
        write_floats(folder.file("rgba.exr"), 1, 1, 4, {1, 2, 3, 0.5f}, {"R", "G", "B", "A"});
        CHECK(read_sky(folder.file("rgba.exr")).pixels == std::vector<float>{1, 2, 3});
    }

    TEST_CASE("the layer Combined of a file with others is the sky, and unclear ones are refused") {
        const Folder folder("layers");
        const std::string path = folder.file("layers.exr");
        std::vector<std::string> names = {"V.AO.R", "V.AO.G", "V.AO.B"};
        for (const char* letter : {"R", "G", "B", "A"}) {
            names.push_back(std::string("V.Combined.") + letter);
        }
        write_floats(path, 1, 1, 7, {0.25f, 0.25f, 0.25f, 2, 3, 4, 1}, names);
        CHECK(read_sky(path).pixels == std::vector<float>{2, 3, 4});
        names = {"a.R", "a.G", "a.B", "b.R", "b.G", "b.B"};
        write_floats(path, 1, 1, 6, {1, 1, 1, 2, 2, 2}, names);
        const auto environment = read_environment(path);
        REQUIRE_FALSE(environment.is_ok());
        CHECK(environment.error().kind == base::ErrorKind::Scene);
        CHECK(environment.error().sentence.find("(a, b)") != std::string::npos);
    }

    TEST_CASE("an 8-bit picture is read through the sRGB curve") {
        const Folder folder("ldr");
        write_picture<u8>(folder.file("sky.png"), 1, 1, {255, 188, 0, 255}, 3);
        // Three channels of four are written: the row is 255, 188, 0.
        const Environment sky = read_sky(folder.file("sky.png"));
        CHECK(sky.pixels[0] == doctest::Approx(1));
        CHECK(sky.pixels[1] == doctest::Approx(0.5028864).epsilon(1e-4));
        CHECK(sky.pixels[2] == 0);
    }

    TEST_CASE("a map of more texels than kernels can name is refused before it is read") {
        const Folder folder("large");
        const std::string path =
            folder.write("large.hdr", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 16385 +X 32768\n");
        const auto environment = read_environment(path);
        REQUIRE_FALSE(environment.is_ok());
        CHECK(environment.error().kind == base::ErrorKind::Scene);
        CHECK(environment.error().sentence ==
              path +
                  ": has 32768 × 16385 pixels; expected at most 536870912, such as 32768 × "
                  "16384.");
    }

    TEST_CASE("a file that is no picture is one sentence") {
        const Folder folder("none");
        for (const std::string& path : {folder.file("gone.hdr"),
                                        folder.write("text.exr", "hello"),
                                        folder.write("empty.hdr", "")}) {
            CAPTURE(path);
            const auto environment = read_environment(path);
            REQUIRE_FALSE(environment.is_ok());
            CHECK(environment.error().kind == base::ErrorKind::Scene);
            CHECK(environment.error().sentence.find(path) == 0);
            CHECK(environment.error().sentence.find('\n') == std::string::npos);
        }
    }
}
