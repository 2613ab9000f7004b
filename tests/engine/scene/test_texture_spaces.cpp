// test_texture_spaces.cpp — pictures of colours go through the colour space that a file rule gives
// them; numbers and all other files stay as they are.
#include <cmath>

#include <doctest/doctest.h>

#include "engine/colour/colour_config.h"
#include "engine/scene/import.h"
#include "engine/scene/model/texture.h"
#include "tests/engine/colour/sample_config.h"
#include "tests/engine/scene/gltf_writer.h"
#include "tests/engine/scene/picture_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

const std::vector<u8> kPixels = {255, 128, 64, 0, 200, 100, 50, 128, 0, 0, 0, 255, 10, 20, 30, 40};

std::string picture(const std::string& name) {
    const std::string path = scratch_path(name);
    write_picture(path, 2, 2, kPixels);
    return path;
}

std::shared_ptr<const colour::ColourConfig> sample() {
    const auto config =
        colour::ColourConfig::read(colour::write_config(scratch_path("texture_colours")));
    REQUIRE(config.is_ok());
    return config.value();
}

bool are_equal(const DecodedImage& a, const DecodedImage& b) {
    return a.is_float == b.is_float && a.is_grey == b.is_grey && a.bytes == b.bytes &&
           a.floats == b.floats;
}

}  // namespace

TEST_SUITE("engine/scene/texture_spaces") {
    TEST_CASE("a rule decides what the bytes of a colour slot mean, and alpha stays") {
        const auto config = sample();
        const auto image =
            decode_image_file(picture("halved.png"), TexelMeaning::Color, config.get());
        REQUIRE(image.is_ok());
        REQUIRE(image.value().is_float);
        REQUIRE(image.value().floats.size() == kPixels.size());
        for (std::size_t k = 0; k < kPixels.size(); ++k) {
            const float stored = static_cast<float>(kPixels[k]) / 255;
            const float expected = k % 4 == 3 ? stored : stored / 2;
            // Halves have 11 bits.
            CHECK(std::fabs(image.value().floats[k] - expected) <= expected / 2048);
        }
        const MipChain chain = build_mip_chain(image.value(), TexelMeaning::Color);
        CHECK(chain.record.format == static_cast<u32>(shaders::TexelFormat::Half));
        CHECK(picture_size(picture("halved.png"), TexelMeaning::Color, config.get())
                  .value()
                  .chain_bytes == mip_chain_bytes(image.value()));
    }

    TEST_CASE("numbers, files without a rule and the sRGB curve stay as without a config") {
        const auto config = sample();
        for (const auto& [name, meaning] : {std::pair("halved.png", TexelMeaning::Linear),
                                            std::pair("plain.png", TexelMeaning::Color),
                                            std::pair("coded.png", TexelMeaning::Color),
                                            std::pair("lost.png", TexelMeaning::Linear)}) {
            const std::string path = picture(name);
            const auto ruled = decode_image_file(path, meaning, config.get());
            REQUIRE(ruled.is_ok());
            CHECK(are_equal(ruled.value(), decode_image_file(path, meaning).value()));
        }
    }

    TEST_CASE("a rule whose table is missing is an error of the picture") {
        const auto config = sample();
        const std::string path = picture("lost.png");
        const auto image = decode_image_file(path, TexelMeaning::Color, config.get());
        REQUIRE(!image.is_ok());
        CHECK(image.error().kind == base::ErrorKind::Scene);
        CHECK(image.error().sentence.starts_with(path + ": a file rule of " + config->path()));
        CHECK(!read_environment(path, config.get()).is_ok());
    }

    TEST_CASE("an environment goes through its rule, too") {
        const auto config = sample();
        const auto map = read_environment(picture("halved_sky.png"), config.get());
        REQUIRE(map.is_ok());
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t c = 0; c < 3; ++c) {
                CHECK(map.value().pixels[3 * i + c] ==
                      doctest::Approx(static_cast<float>(kPixels[4 * i + c]) / 510).epsilon(1e-5));
            }
        }
        const std::string plain = picture("plain_sky.png");
        const auto as_usual = read_environment(plain);
        const auto ruled = read_environment(plain, config.get());
        for (std::size_t k = 0; k < 12; ++k) {
            CHECK(ruled.value().pixels[k] == as_usual.value().pixels[k]);
        }
    }
}
