// oiio_module.cpp — the module weft-images.so: its entry, and the conversion of types.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "engine/image/module_entry.h"
#include "engine/image/oiio_types.h"

namespace weft::image {

namespace {

using OIIO::TypeDesc;

// In the order of ValueType.
constexpr std::array<TypeDesc::BASETYPE, 12> kTypes = {TypeDesc::UINT8,
                                                       TypeDesc::INT8,
                                                       TypeDesc::UINT16,
                                                       TypeDesc::INT16,
                                                       TypeDesc::UINT32,
                                                       TypeDesc::INT32,
                                                       TypeDesc::UINT64,
                                                       TypeDesc::INT64,
                                                       TypeDesc::HALF,
                                                       TypeDesc::FLOAT,
                                                       TypeDesc::DOUBLE,
                                                       TypeDesc::UNKNOWN};

class OiioCodecs final : public Codecs {
public:
    // A format that the package does not know is an error, not a reason to try all of its readers,
    // some of which call libraries that stand-ins replace.
    OiioCodecs() { OIIO::attribute("try_all_readers", 0); }

    OpenedImage open(const InputConfig& config) override { return open_image(config); }

    std::string encode(const OutputConfig& config, std::span<const EncodedPart> parts) override {
        return encode_image(config, parts);
    }

    [[nodiscard]] u64 encoder_bytes(const std::string& format,
                                    std::span<const EncodedPart> parts) override {
        return encoder_bytes_of(format, parts);
    }

    void limit_threads(u32 threads) override {
        OIIO::attribute("threads", static_cast<int>(threads));
        OIIO::attribute("exr_threads", -1);  // OpenEXR starts no threads
    }
};

}  // namespace

ValueType value_type(OIIO::TypeDesc type) {
    const auto* const found = std::find(kTypes.begin(), kTypes.end(), type.basetype);
    return found == kTypes.end() || type != TypeDesc(*found)
               ? ValueType::Unknown
               : static_cast<ValueType>(found - kTypes.begin());
}

OIIO::TypeDesc oiio_type(ValueType type) {
    return kTypes[static_cast<std::size_t>(type)];
}

std::string told(std::string error) {
    const std::string_view words =
        std::string_view(error).substr(0, error.find_last_not_of(" \n)") + 1);
    // The last two: no thread could be started, and no file mapped or opened.
    for (const std::string_view shortage :
         {"std::bad_alloc", "Resource temporarily unavailable", "Cannot allocate memory"}) {
        if (words.ends_with(shortage)) {
            return kNoMemory;
        }
    }
    return error;
}

Part part_of(const OIIO::ImageSpec& spec) {
    return {.x = spec.x,
            .y = spec.y,
            .width = spec.width,
            .height = spec.height,
            .depth = spec.depth,
            .full_x = spec.full_x,
            .full_y = spec.full_y,
            .full_width = spec.full_width,
            .full_height = spec.full_height,
            .channel_count = spec.nchannels,
            .channel_names = spec.channelnames,
            .type = value_type(spec.format),
            .tile_width = spec.tile_width,
            .tile_height = spec.tile_height,
            .is_deep = spec.deep,
            .has_mixed_types = !spec.channelformats.empty()};
}

OIIO::ImageSpec spec_of(const EncodedPart& encoded) {
    const Part& part = encoded.part;
    OIIO::ImageSpec spec(part.width, part.height, part.channel_count, oiio_type(part.type));
    spec.x = part.x;
    spec.y = part.y;
    spec.full_x = part.full_x;
    spec.full_y = part.full_y;
    spec.full_width = part.full_width;
    spec.full_height = part.full_height;
    if (!part.channel_names.empty()) {
        const auto& names = part.channel_names;
        const auto alpha = std::find(names.begin(), names.end(), "A");
        spec.channelnames = names;
        spec.alpha_channel = alpha == names.end() ? -1 : static_cast<int>(alpha - names.begin());
    }
    for (const auto& [name, value] : encoded.attributes) {
        if (const i32* const number = std::get_if<i32>(&value)) {
            spec.attribute(name, *number);
        } else if (const auto* const numbers = std::get_if<std::vector<float>>(&value)) {
            const int length = numbers->size() == 1 ? 0 : static_cast<int>(numbers->size());
            spec.attribute(name, TypeDesc(TypeDesc::FLOAT, length), numbers->data());
        } else {
            spec.attribute(name, std::get<std::string>(value));
        }
    }
    return spec;
}

}  // namespace weft::image

__attribute__((visibility("default"))) weft::image::Codecs* weft_images_4() {
    static weft::image::OiioCodecs codecs;
    return &codecs;
}
