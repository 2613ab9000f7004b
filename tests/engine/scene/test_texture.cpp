// test_texture.cpp — pictures keep their stored values, and mips are means in linear light.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "engine/scene/model/texture.h"
#include "shaders/surface/texel_layout.h"
#include "tests/engine/scene/gltf_writer.h"
#include "tests/engine/scene/picture_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// 4×4 lossless WebP, every pixel (200, 120, 40, 128) straight.
const std::vector<u8> kWebp = {0x52, 0x49, 0x46, 0x46, 0x1e, 0x00, 0x00, 0x00, 0x57, 0x45,
                               0x42, 0x50, 0x56, 0x50, 0x38, 0x4c, 0x11, 0x00, 0x00, 0x00,
                               0x2f, 0x03, 0xc0, 0x00, 0x10, 0x07, 0x50, 0xbc, 0x22, 0x17,
                               0xa5, 0x80, 0x81, 0x88, 0xe8, 0x7f, 0x00, 0x00};

double srgb(double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

// A texel of a texture's level.
std::array<float, 4> texel(const Scene& scene, u32 texture, u32 level, u32 x, u32 y) {
    const shaders::TextureRecord& record = scene.textures[texture].record;
    const auto format = static_cast<shaders::TexelFormat>(record.format);
    return shaders::texel_of(scene.texels.data() + record.mip_offset[level],
                             shaders::texel_index(x, y, std::max(1u, record.width >> level)),
                             format,
                             srgb_to_linear_table());
}

}  // namespace

TEST_SUITE("engine/scene/texture") {
    TEST_CASE("the sRGB table is the standard curve") {
        for (u32 i = 0; i < 256; ++i) {
            CHECK(static_cast<double>(srgb_to_linear_table()[i]) ==
                  doctest::Approx(srgb(i / 255.0)).epsilon(1e-6));
        }
        CHECK(srgb_to_linear_table()[0] == 0);
        CHECK(srgb_to_linear_table()[255] == 1);
    }

    TEST_CASE(
        "an 8-bit PNG arrives with straight alpha whatever its gamma and orientation chunks say") {
        const std::vector<u8> pixels = {
            200, 100, 50, 0, 128, 128, 255, 1, 10, 20, 30, 128, 255, 0, 255, 255};
        const std::string path = scratch_path("straight8.png");
        write_picture(path, 2, 2, pixels);
        for (const TexelMeaning meaning : {TexelMeaning::Color, TexelMeaning::Linear}) {
            const auto image = decode_image_file(path, meaning);
            REQUIRE(image.is_ok());
            CHECK(!image.value().is_float);
            CHECK(image.value().bytes == pixels);
            const auto again = decode_image_memory(bytes_of_file(path), "memory", meaning);
            REQUIRE(again.is_ok());
            CHECK(again.value().bytes == pixels);
        }
    }

    TEST_CASE("a 16-bit PNG becomes floats and only colour goes through the curve") {
        const std::vector<u16> pixels = {0, 32768, 65535, 0, 1000, 40000, 20000, 32768};
        const std::string path = scratch_path("straight16.png");
        write_picture(path, 2, 1, pixels);
        const auto linear = decode_image_file(path, TexelMeaning::Linear);
        const auto color = decode_image_file(path, TexelMeaning::Color);
        REQUIRE(linear.is_ok());
        REQUIRE(color.is_ok());
        REQUIRE(linear.value().is_float);
        for (std::size_t i = 0; i < pixels.size(); ++i) {
            const double stored = pixels[i] / 65535.0;
            CHECK(static_cast<double>(linear.value().floats[i]) == doctest::Approx(stored));
            CHECK(static_cast<double>(color.value().floats[i]) ==
                  doctest::Approx(i % 4 == 3 ? stored : srgb(stored)).epsilon(1e-5));
        }
    }

    TEST_CASE("grey pictures stay grey and RGB ones are filled up to opaque RGBA") {
        const std::string grey = scratch_path("grey.png");
        write_picture<u8>(grey, 2, 1, {7, 200}, 1);
        const auto image = decode_image_file(grey, TexelMeaning::Linear);
        REQUIRE(image.is_ok());
        CHECK(image.value().bytes == std::vector<u8>{7, 200});
        CHECK(with_all_channels(image.value()).value().bytes ==
              std::vector<u8>{7, 7, 7, 255, 200, 200, 200, 255});
        const std::string rgb = scratch_path("rgb.png");
        write_picture<u8>(rgb, 1, 1, {1, 2, 3}, 3);
        CHECK(decode_image_file(rgb, TexelMeaning::Linear).value().bytes ==
              std::vector<u8>{1, 2, 3, 255});
    }

    TEST_CASE("a WebP with alpha arrives straight") {
        const auto image = decode_image_memory(kWebp, "picture", TexelMeaning::Color);
        REQUIRE(image.is_ok());
        REQUIRE(image.value().width == 4);
        const std::vector<u8> first(image.value().bytes.begin(), image.value().bytes.begin() + 4);
        // The reader rounds once when it premultiplies alpha: half a step of 255/128.
        CHECK(std::abs(first[0] - 200) <= 1);
        CHECK(std::abs(first[1] - 120) <= 1);
        CHECK(std::abs(first[2] - 40) <= 1);
        CHECK(first[3] == 128);
    }

    TEST_CASE("bytes that are no picture and pictures that end early are refused by name") {
        const auto none =
            decode_image_memory(std::vector<u8>{1, 2, 3, 4}, "scrap", TexelMeaning::Color);
        REQUIRE(!none.is_ok());
        CHECK(contains(none.error().sentence, "scrap"));
        const std::string path = scratch_path("whole.png");
        write_picture<u8>(path, 64, 64, std::vector<u8>(64 * 64 * 4, 77));
        std::vector<u8> bytes = bytes_of_file(path);
        for (const std::size_t kept : {std::size_t{8}, std::size_t{20}, std::size_t{40}}) {
            CHECK(!decode_image_memory(std::span(bytes).first(kept), "cut", TexelMeaning::Color)
                       .is_ok());
        }
        CHECK(!decode_image_file(scratch_path("nowhere.png"), TexelMeaning::Color).is_ok());
    }

    TEST_CASE("the mips of a linear picture are means and reach one texel") {
        DecodedImage image;
        image.width = 4;
        image.height = 2;
        for (u32 i = 0; i < 8; ++i) {
            image.bytes.insert(image.bytes.end(),
                               {static_cast<u8>(i * 20), 0, 255, static_cast<u8>(i)});
        }
        Scene scene;
        const u32 index = append_texture(scene, image, TexelMeaning::Linear, "ramp").value();
        const shaders::TextureRecord& record = scene.textures[index].record;
        CHECK(record.mip_count == 3);
        CHECK(record.format == static_cast<u32>(shaders::TexelFormat::Linear8));
        CHECK(scene.texels.size() == 3 * 16);
        for (u32 i = 0; i < 8; ++i) {
            CHECK(texel(scene, index, 0, i % 4, i / 4)[0] == static_cast<float>(i * 20) / 255.0f);
        }
        // Texels 0, 1, 4, 5: red (0 + 20 + 80 + 100) / 4 = 50.
        CHECK((scene.texels[record.mip_offset[1]] & 255) == 50);
        CHECK((scene.texels[record.mip_offset[2]] & 255) == 70);
        CHECK((scene.texels[record.mip_offset[2]] >> 16 & 255) == 255);
    }

    TEST_CASE("a grey picture has in each level the texels of the same picture in colour") {
        for (const bool is_float : {false, true}) {
            for (const TexelMeaning meaning : {TexelMeaning::Color, TexelMeaning::Linear}) {
                DecodedImage grey;
                grey.width = 13;
                grey.height = 7;
                grey.is_grey = true;
                grey.is_float = is_float;
                for (u32 i = 0; i < grey.width * grey.height; ++i) {
                    is_float ? grey.floats.push_back(static_cast<float>(i) * 0.25f)
                             : grey.bytes.push_back(static_cast<u8>(i * 71));
                }
                Scene scene;
                const u32 one = append_texture(scene, grey, meaning, "grey").value();
                const auto wide = with_all_channels(grey);
                REQUIRE(wide.is_ok());
                const u32 four = append_texture(scene, wide.value(), meaning, "wide").value();
                REQUIRE(scene.textures[one].record.mip_count == 4);
                CHECK(scene.textures[one].record.format != scene.textures[four].record.format);
                for (u32 level = 0; level < 4; ++level) {
                    for (u32 y = 0; y < std::max(1U, grey.height >> level); ++y) {
                        for (u32 x = 0; x < std::max(1U, grey.width >> level); ++x) {
                            CHECK(texel(scene, one, level, x, y) ==
                                  texel(scene, four, level, x, y));
                        }
                    }
                }
            }
        }
    }

    TEST_CASE("the mean of black and white in sRGB is the code of half the light") {
        DecodedImage image;
        image.width = 2;
        image.height = 1;
        image.bytes = {0, 0, 0, 0, 255, 255, 255, 255};
        Scene scene;
        const u32 index = append_texture(scene, image, TexelMeaning::Color, "edge").value();
        const u32 word = scene.texels[scene.textures[index].record.mip_offset[1]];
        CHECK((word & 255) == 188);
        CHECK((word >> 24) == 128);  // alpha is linear
    }

    TEST_CASE("odd sizes give every texel the same weight") {
        DecodedImage image;
        image.width = 3;
        image.height = 5;
        image.is_float = true;
        double sum = 0;
        for (u32 i = 0; i < 15; ++i) {
            const auto value = static_cast<float>(i * i) * 0.1f;
            image.floats.insert(image.floats.end(), {value, 1, 0, 1});
            sum += static_cast<double>(value);
        }
        Scene scene;
        const u32 index = append_texture(scene, image, TexelMeaning::Linear, "odd").value();
        const shaders::TextureRecord& record = scene.textures[index].record;
        REQUIRE(record.mip_count == 3);
        CHECK(record.format == static_cast<u32>(shaders::TexelFormat::Float));
        CHECK(static_cast<double>(texel(scene, index, 2, 0, 0)[0]) ==
              doctest::Approx(sum / 15).epsilon(1e-5));
        CHECK(static_cast<double>(texel(scene, index, 2, 0, 0)[1]) == doctest::Approx(1));
    }

    TEST_CASE("floats that all are finite halves are kept as halves") {
        DecodedImage image;
        image.width = 6;
        image.height = 5;
        image.is_float = true;
        for (u32 i = 0; i < 30; ++i) {
            image.floats.insert(image.floats.end(),
                                {static_cast<float>(i) * 0.25f, -2, 0x1p-24f, 65504});
        }
        Scene scene;
        const u32 index = append_texture(scene, image, TexelMeaning::Linear, "halves").value();
        CHECK(scene.textures[index].record.format == static_cast<u32>(shaders::TexelFormat::Half));
        for (u32 i = 0; i < 30; ++i) {
            CHECK(texel(scene, index, 0, i % 6, i / 6) ==
                  std::array<float, 4>{static_cast<float>(i) * 0.25f, -2, 0x1p-24f, 65504});
        }
        CHECK(texel(scene, index, 2, 0, 0)[0] == doctest::Approx(14.5 * 0.25).epsilon(1e-3));
        for (const float odd : {0.1f, 70000.0f, std::numeric_limits<float>::infinity()}) {
            image.floats[17] = odd;
            const u32 other = append_texture(scene, image, TexelMeaning::Linear, "floats").value();
            CHECK(scene.textures[other].record.format ==
                  static_cast<u32>(shaders::TexelFormat::Float));
        }
    }
}
