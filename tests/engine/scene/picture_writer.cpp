#include "tests/engine/scene/picture_writer.h"

#include <memory>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

namespace weft::scene::testing {

template <typename T>
void write_picture(
    const std::string& path, int width, int height, const std::vector<T>& pixels, int channels) {
    const OIIO::TypeDesc type = sizeof(T) == 1 ? OIIO::TypeDesc::UINT8 : OIIO::TypeDesc::UINT16;
    OIIO::ImageSpec spec(width, height, channels, type);
    spec["oiio:UnassociatedAlpha"] = 1;
    spec["oiio:Gamma"] = 1.0f;  // a gamma chunk that must not matter
    spec["Orientation"] = 3;    // nor an orientation
    const std::unique_ptr<OIIO::ImageOutput> output = OIIO::ImageOutput::create(path);
    REQUIRE(output != nullptr);
    REQUIRE(output->open(path, spec));
    REQUIRE(output->write_image(type, pixels.data()));
    REQUIRE(output->close());
}

template void write_picture(const std::string&, int, int, const std::vector<u8>&, int);
template void write_picture(const std::string&, int, int, const std::vector<u16>&, int);

void write_floats(const std::string& path,
                  u32 width,
                  u32 height,
                  const std::vector<float>& pixels) {
    const OIIO::ImageSpec spec(
        static_cast<int>(width), static_cast<int>(height), 3, OIIO::TypeDesc::FLOAT);
    const std::unique_ptr<OIIO::ImageOutput> output = OIIO::ImageOutput::create(path);
    REQUIRE(output != nullptr);
    REQUIRE(output->open(path, spec));
    REQUIRE(output->write_image(OIIO::TypeDesc::FLOAT, pixels.data()));
    REQUIRE(output->close());
}

}  // namespace weft::scene::testing
