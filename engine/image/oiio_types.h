// oiio_types.h — types of codecs.h as types of OpenImageIO and back. For the module alone.
#pragma once

#include <OpenImageIO/imageio.h>

#include "engine/image/codecs.h"

namespace weft::image {

ValueType value_type(OIIO::TypeDesc type);
OIIO::TypeDesc oiio_type(ValueType type);

Part part_of(const OIIO::ImageSpec& spec);
OIIO::ImageSpec spec_of(const EncodedPart& encoded);

// A text of the package, which reports exceptions of the libraries behind it after words of its
// own; kNoMemory where they tell of a shortage.
std::string told(std::string error);

// These are defined beside their classes; they catch what the package throws.
OpenedImage open_image(const InputConfig& config);
std::string encode_image(const OutputConfig& config, std::span<const EncodedPart> parts);
u64 encoder_bytes_of(const std::string& format, std::span<const EncodedPart> parts);

}  // namespace weft::image
