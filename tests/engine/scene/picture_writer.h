// picture_writer.h — writes small pictures for tests through OpenImageIO, with straight alpha.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "scheduler/base/ids.h"

namespace weft::scene::testing {

// RGBA in, 8 or 16 bit by T, `channels` of it written.
template <typename T>
void write_picture(const std::string& path,
                   int width,
                   int height,
                   const std::vector<T>& pixels,
                   int channels = 4) {
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

}  // namespace weft::scene::testing
