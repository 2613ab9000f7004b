// test_picture_input.cpp — the files that open as pictures, and the memory that headers may claim.
#include <cmath>
#include <cstring>
#include <limits>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "engine/scene/files/picture_channels.h"
#include "engine/scene/import.h"
#include "engine/scene/model/texture.h"
#include "tests/engine/scene/hostile_pictures.h"
#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

bool has_word(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void write_plain(const std::string& path, OIIO::ImageSpec spec) {
    const std::unique_ptr<OIIO::ImageOutput> output = OIIO::ImageOutput::create(path);
    REQUIRE(output != nullptr);
    REQUIRE(output->open(path, spec));
    std::vector<float> values(static_cast<std::size_t>(spec.width) *
                              static_cast<std::size_t>(spec.height) *
                              static_cast<std::size_t>(spec.nchannels));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 250) / 255.0f;
    }
    REQUIRE(output->write_image(OIIO::TypeDesc::FLOAT, values.data()));
    REQUIRE(output->close());
}

std::string refusal(const std::string& path) {
    const auto image = decode_image_file(path, TexelMeaning::Color);
    REQUIRE_FALSE(image.is_ok());
    CHECK(image.error().kind == base::ErrorKind::Scene);
    const auto environment = read_environment(path);
    REQUIRE_FALSE(environment.is_ok());
    CHECK(environment.error().kind == base::ErrorKind::Scene);
    return image.error().sentence;
}

using Names = std::vector<std::string>;

struct NamedPart {
    std::string name;
    Names channels;
};

// One pixel. The channels hold 1, 2, 3, …, in the order of the lists.
void write_parts(const std::string& path, const std::vector<NamedPart>& parts) {
    std::vector<OIIO::ImageSpec> specs;
    for (const NamedPart& part : parts) {
        specs.emplace_back(1, 1, static_cast<int>(part.channels.size()), OIIO::TypeDesc::FLOAT);
        specs.back().channelnames = part.channels;
        if (!part.name.empty()) {
            specs.back()["oiio:subimagename"] = part.name;
        }
    }
    const std::unique_ptr<OIIO::ImageOutput> output = OIIO::ImageOutput::create(path);
    REQUIRE(output != nullptr);
    REQUIRE(output->open(path, static_cast<int>(specs.size()), specs.data()));
    float next = 1;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (k > 0) {
            REQUIRE(output->open(path, specs[k], OIIO::ImageOutput::AppendSubimage));
        }
        std::vector<float> values;
        for (std::size_t c = 0; c < parts[k].channels.size(); ++c) {
            values.push_back(next++);
        }
        REQUIRE(output->write_image(OIIO::TypeDesc::FLOAT, values.data()));
    }
    REQUIRE(output->close());
}

// The colours of the one pixel; empty where they are refused with `sentence`.
std::vector<float> colours_of(const std::vector<NamedPart>& parts, std::string& sentence) {
    const Folder folder("channels");
    write_parts(folder.file("a.exr"), parts);
    base::Result<PictureInput> input = open_picture_file(folder.file("a.exr"));
    REQUIRE_MESSAGE(input.is_ok(), input.error().sentence);
    const base::Result<std::vector<i32>> channels = choose_colours(input.value());
    if (!channels.is_ok()) {
        CHECK(channels.error().kind == base::ErrorKind::Scene);
        sentence = channels.error().sentence;
        return {};
    }
    std::vector<float> colours;
    const base::Status read =
        read_picture_channels(input.value(), channels.value(), [&](u32, const float* values) {
            colours.assign(values, values + channels.value().size());
        });
    CHECK(read.is_ok());
    return colours;
}

std::vector<float> colours_of(const std::vector<NamedPart>& parts) {
    std::string sentence;
    std::vector<float> colours = colours_of(parts, sentence);
    CHECK(sentence.empty());
    return colours;
}

std::string refused_colours(const std::vector<NamedPart>& parts) {
    std::string sentence;
    CHECK(colours_of(parts, sentence).empty());
    return sentence;
}

}  // namespace

TEST_SUITE("engine/scene/picture_input") {
    TEST_CASE("a file is opened by the reader of its content whatever its suffix says") {
        const Folder folder("content");
        write_plain(folder.file("a.tif"), OIIO::ImageSpec(3, 2, 3, OIIO::TypeDesc::UINT8));
        std::filesystem::rename(folder.file("a.tif"), folder.file("a.png"));
        const auto image = decode_image_file(folder.file("a.png"), TexelMeaning::Linear);
        REQUIRE_MESSAGE(image.is_ok(), image.error().sentence);
        CHECK(image.value().width == 3);
        CHECK(image.value().bytes[5] == 4);
    }

    TEST_CASE("every format that artists use is read and no other one") {
        const Folder folder("formats");
        for (const char* name :
             {"a.png", "a.jpg", "a.tga", "a.bmp", "a.tif", "a.exr", "a.hdr", "a.webp"}) {
            CAPTURE(name);
            write_plain(folder.file(name), OIIO::ImageSpec(16, 16, 3, OIIO::TypeDesc::UINT8));
            const auto image = decode_image_file(folder.file(name), TexelMeaning::Color);
            REQUIRE_MESSAGE(image.is_ok(), image.error().sentence);
            CHECK(image.value().width == 16);
        }
        for (const char* name : {"a.dpx", "a.ppm", "a.sgi"}) {
            CAPTURE(name);
            write_plain(folder.file(name), OIIO::ImageSpec(16, 16, 3, OIIO::TypeDesc::UINT8));
            CHECK(has_word(refusal(folder.file(name)), "PNG, JPEG, WebP"));
        }
        const std::string playlist = folder.file("secret.png");
        write_plain(playlist, OIIO::ImageSpec(16, 16, 3, OIIO::TypeDesc::UINT8));
        for (const char* name : {"a.avi", "a.m3u8", "a.mp4", "a.tga"}) {
            CAPTURE(name);
            const std::string sentence = refusal(
                folder.write(name, "#EXTM3U\n#EXTINF:1,\n" + playlist + "\n#EXT-X-ENDLIST\n"));
            CHECK(has_word(sentence, "not a picture that can be read"));
        }
    }

    TEST_CASE("a tiled picture has the texels of the same picture in rows") {
        const Folder folder("tiles");
        OIIO::ImageSpec spec(70, 50, 3, OIIO::TypeDesc::UINT8);
        write_plain(folder.file("rows.tif"), spec);
        spec.tile_width = spec.tile_height = 32;
        write_plain(folder.file("tiles.tif"), spec);
        const auto rows = decode_image_file(folder.file("rows.tif"), TexelMeaning::Color);
        const auto tiles = decode_image_file(folder.file("tiles.tif"), TexelMeaning::Color);
        REQUIRE(rows.is_ok());
        REQUIRE_MESSAGE(tiles.is_ok(), tiles.error().sentence);
        CHECK(rows.value().bytes == tiles.value().bytes);
    }

    TEST_CASE("a header with few bytes behind it is refused before any allocation") {
        const Folder folder("claims");
        CHECK(has_word(refusal(folder.write("a.hdr", hdr_header(16000, 16000))), "256 bytes"));
        CHECK(
            has_word(refusal(folder.write("a.png", plain_png(16384, 16384, 8, 6).substr(0, 9999))),
                     "256 bytes"));
        CHECK(has_word(refusal(folder.write("b.hdr", hdr_header(3000, 20))), "not a picture"));
    }

    TEST_CASE("a grey picture of one bit takes a byte per texel and a third more for its mips") {
        const std::string bytes = plain_png(1024, 512, 1);
        CHECK(bytes.size() < 1000);
        const std::span<const u8> file(reinterpret_cast<const u8*>(bytes.data()), bytes.size());
        const auto image = decode_image_memory(file, "grey", TexelMeaning::Color);
        REQUIRE_MESSAGE(image.is_ok(), image.error().sentence);
        CHECK(image.value().bytes.size() == 1024 * 512);
        CHECK(image.value().floats.empty());
        const MipChain chain = build_mip_chain(image.value(), TexelMeaning::Color);
        CHECK(chain.words.size() * 4 < std::size_t{1024} * 512 * 134 / 100);
        CHECK(mip_chain_bytes(image.value()) == chain.words.size() * 4);
    }

    TEST_CASE("texels that are not finite are clamped and counted once") {
        const Folder folder("infinite");
        const float infinity = std::numeric_limits<float>::infinity();
        const std::vector<float> values = {
            infinity, 1, 2, -infinity, std::nanf(""), 3, 4, 5, 6, 7, 8, 9};
        OIIO::ImageSpec spec(2, 2, 3, OIIO::TypeDesc::FLOAT);
        const std::unique_ptr<OIIO::ImageOutput> output = OIIO::ImageOutput::create("a.exr");
        REQUIRE(output->open(folder.file("a.exr"), spec));
        REQUIRE(output->write_image(OIIO::TypeDesc::FLOAT, values.data()));
        REQUIRE(output->close());
        const auto image = decode_image_file(folder.file("a.exr"), TexelMeaning::Linear);
        REQUIRE(image.is_ok());
        CHECK(image.value().repaired_texels == 2);
        CHECK(image.value().texel(0) == std::array<float, 4>{65504, 1, 2, 1});
        CHECK(image.value().texel(1) == std::array<float, 4>{-65504, 0, 3, 1});
        Scene scene;
        REQUIRE(append_file(scene, folder.file("a.exr"), TexelMeaning::Linear).is_ok());
        REQUIRE(scene.notes.size() == 1);
        CHECK(has_word(scene.notes[0].sentence, "2 texels"));
    }

    TEST_CASE("a texture is turned and scaled as the header of its Radiance file says") {
        const Folder folder("radiance");
        const std::string bytes("\x80\x40\x20\x82\x40\x80\x20\x82", 8);
        const auto image = decode_image_file(
            folder.write("a.hdr",
                         "#?RADIANCE\nEXPOSURE=4\nFORMAT=32-bit_rle_rgbe\n\n+Y 2 +X 1\n" + bytes),
            TexelMeaning::Color);
        REQUIRE_MESSAGE(image.is_ok(), image.error().sentence);
        CHECK(image.value().texel(0) == std::array<float, 4>{0.25f, 0.5f, 0.125f, 1});
        CHECK(image.value().texel(1) == std::array<float, 4>{0.5f, 0.25f, 0.125f, 1});
    }

    TEST_CASE("the colours of an EXR are chosen by the names of its channels") {
        using Values = std::vector<float>;
        // Without a layer, in any order and beside any other one.
        CHECK(colours_of({{"", {"B", "A", "G", "R"}}}) == Values{4, 3, 1, 2});
        CHECK(colours_of({{"", {"AA.R", "AA.G", "AA.B", "R", "G", "B", "Z"}}}) == Values{4, 5, 6});
        CHECK(colours_of({{"", {"Combined.R", "Combined.G", "Combined.B", "r", "g", "b"}}}) ==
              Values{4, 5, 6});
        CHECK(colours_of({{"", {"blue", "green", "red", "alpha"}}}) == Values{3, 2, 1, 4});
        // Layers: the one that is the picture, else the only one.
        for (const char* main : {"View Layer.Combined.", "beauty.", "RGBA."}) {
            const std::string name = main;
            CHECK(colours_of({{"",
                               {"A.O.R",
                                "A.O.G",
                                "A.O.B",
                                name + "R",
                                name + "G",
                                name + "B",
                                name + "A",
                                "V.Depth.Z"}}}) == Values{4, 5, 6, 7});
        }
        CHECK(colours_of({{"", {"only.R", "only.G", "only.B", "N.X", "N.Y", "N.Z"}}}) ==
              Values{1, 2, 3});
        // Parts: by their names, where the channels have no layer.
        CHECK(colours_of({{"albedo", {"R", "G", "B"}}, {"Beauty", {"R", "G", "B", "A"}}}) ==
              Values{4, 5, 6, 7});
        CHECK(colours_of({{"rgba", {"R", "G", "B"}},
                          {"noisy", {"noisy.R", "noisy.G", "noisy.B"}}}) == Values{1, 2, 3});
        CHECK(colours_of({{"depth", {"Z"}}, {"any", {"R", "G", "B"}}}) == Values{2, 3, 4});
        // Grey, and vectors.
        CHECK(colours_of({{"", {"A", "Y"}}}) == Values{2, 1});
        CHECK(colours_of({{"", {"V.Depth.Z"}}}) == Values{1});
        CHECK(colours_of({{"", {"N.X", "N.Y", "N.Z"}}}) == Values{1, 2, 3});
    }

    TEST_CASE("an EXR whose colours are unclear is refused with the names of its layers") {
        const Names two = {"Day.Combined.R",
                           "Day.Combined.G",
                           "Day.Combined.B",
                           "Dusk.Combined.R",
                           "Dusk.Combined.G",
                           "Dusk.Combined.B"};
        CHECK(
            has_word(refused_colours({{"", two}}),
                     "a.exr: holds 2 layers that may be the picture (Day.Combined, Dusk.Combined); "
                     "expected R, G and B without a layer, or one layer called Combined"));
        CHECK(has_word(refused_colours({{"ao", {"R", "G", "B"}}, {"light", {"R", "G", "B"}}}),
                       "(ao, light)"));
        CHECK(has_word(refused_colours({{"", {"R", "G"}}}),
                       "has no colours among its channels (R, G); expected R, G and B, or Y"));
        CHECK(has_word(refused_colours({{"", {"BY", "RY", "Y"}}}), "luminance and chroma"));
    }
}
