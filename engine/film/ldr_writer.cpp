// ldr_writer.cpp — flat pictures: PNG and JPEG (8 bits, after exposure and view transform), HDR and
// TIFF (linear floats).
//
// They hold the crop alone, at its own size. Each file names its colour space once: PNG has the
// sRGB chunk (with gAMA and cHRM, for readers that know only those) and JPEG the Exif colour space,
// so that no viewer corrects twice; `raw`, and a view of a colour config, whose display may be any,
// are written without any tag.
#include <cmath>
#include <cstring>

#include "engine/film/display.h"
#include "engine/film/encoding.h"
#include "engine/film/exr_parts.h"

namespace weft::film {

namespace {

using image::EncodedPart;
using image::ValueType;

// The differences between the flat formats.
struct FlatFormat {
    const char* encoder;
    bool is_display;  // 8 bits after the view transform; false: linear floats
    bool can_hold_alpha;
};

FlatFormat flat_format(FileFormat format) {
    switch (format) {
        case FileFormat::Png:
            return {"png", true, true};
        case FileFormat::Jpeg:
            return {"jpeg", true, false};
        case FileFormat::Hdr:
            return {"hdr", false, false};
        case FileFormat::Tiff:
            return {"tiff", false, true};
        case FileFormat::Exr:
            return {"openexr", false, true};
    }
    UNREACHABLE("every format is in the switch");
}

// A part without its pixels, whose rows are of the type of the format.
EncodedPart flat_part(const FlatFormat& format, u32 width, u32 height, u32 channels) {
    EncodedPart encoded;
    image::Part& part = encoded.part;
    part.width = part.full_width = static_cast<i32>(width);
    part.height = part.full_height = static_cast<i32>(height);
    part.channel_count = static_cast<i32>(channels);
    part.type = encoded.row_type = format.is_display ? ValueType::U8 : ValueType::Float;
    encoded.attributes.emplace_back("Software", "Weft");
    if (format.is_display) {
        const bool is_jpeg = std::string_view(format.encoder) == "jpeg";
        // The encoder must not multiply or divide by alpha: ours is straight already.
        encoded.attributes.emplace_back("oiio:UnassociatedAlpha", 1);
        encoded.attributes.emplace_back("Compression", is_jpeg ? "jpeg:95" : "zip");
        if (is_jpeg) {
            encoded.attributes.emplace_back("jpeg:subsampling", "4:4:4");
        }
    } else {
        encoded.attributes.emplace_back("oiio:ColorSpace", "Linear");
        encoded.attributes.emplace_back("compression", "zip");
    }
    if (std::string_view(format.encoder) == "openexr") {
        encoded.attributes.push_back(chromaticities(colour::kRec709));
    }
    return encoded;
}

using FillRow = std::function<void(u32 row, void* values)>;

FillRow shown_rows(const ResolvedFilm& picture, const ImageConfig& config) {
    if (config.denoised) {
        return [&picture, &config](u32 row, void* bytes) {
            std::vector<float> rgba(std::size_t{picture.film().crop().width()} * kFilmChannels);
            shown_beauty_row(picture, config, row, rgba.data());
            u8* byte = static_cast<u8*>(bytes);
            for (std::size_t at = 0; at < rgba.size(); at += kFilmChannels) {
                display_pixel({rgba[at], rgba[at + 1], rgba[at + 2], rgba[at + 3]},
                              picture.config().display,
                              byte);
                byte += picture.shown_channels();
            }
        };
    }
    return [&picture](u32 row, void* bytes) {
        const std::size_t size =
            std::size_t{picture.film().crop().width()} * picture.shown_channels();
        std::memcpy(bytes, picture.shown_row(row), size);
    };
}

// The first `channels` of RGBA; `is_clamped` for formats without a sign.
FillRow linear_rows(const ResolvedFilm& picture,
                    const ImageConfig& config,
                    u32 channels,
                    bool is_clamped) {
    return [&picture, &config, channels, is_clamped](u32 row, void* values) {
        std::vector<float> rgba(std::size_t{picture.film().crop().width()} * kFilmChannels);
        shown_beauty_row(picture, config, row, rgba.data());
        const float* mean = rgba.data();
        auto* value = static_cast<float*>(values);
        for (u32 x = 0; x < picture.film().crop().width(); ++x, mean += kFilmChannels) {
            for (u32 c = 0; c < channels; ++c) {
                *value++ = is_clamped ? std::fmax(mean[c], 0.0F) : mean[c];
            }
        }
    };
}

base::Status write_flat_part(const std::string& path,
                             const FlatFormat& format,
                             const EncodedPart& part) {
    base::Result<WholeFile> file = WholeFile::open(path);
    WEFT_TRY(file);
    WEFT_TRY(encode(file.value(), format.encoder, {&part, 1}));
    if (std::string_view(format.encoder) == "openexr") {
        const base::Result<std::string> hash = stored_pixel_hash(file.value().temporary_path());
        if (!hash.is_ok()) {
            return not_read_back(file.value(), hash.error());
        }
    }
    return file.value().commit();
}

// `pixels` are whole rows from the top.
base::Status write_flat_pixels(const std::string& path,
                               const FlatFormat& format,
                               EncodedPart part,
                               const void* pixels) {
    const std::size_t row_bytes = static_cast<std::size_t>(part.part.width) *
                                  static_cast<std::size_t>(part.part.channel_count) *
                                  image::size_bytes(part.row_type);
    part.fill = [pixels, row_bytes](u32 y, void* row) {
        std::memcpy(row, static_cast<const u8*>(pixels) + row_bytes * y, row_bytes);
    };
    return write_flat_part(path, format, part);
}

Picture in_three_channels(const Picture& grey) {
    Picture picture = grey;
    picture.channels = 3;
    picture.pixels.clear();
    for (const float value : grey.pixels) {
        picture.pixels.insert(picture.pixels.end(), 3, value);
    }
    return picture;
}

}  // namespace

base::Result<u64> flat_writer_bytes(const std::string& path,
                                    const ResolvedFilm& picture,
                                    const ImageConfig& config) {
    const base::Result<image::Codecs*> codecs = image::codecs();
    WEFT_TRY(codecs);
    const base::Result<FileFormat> named = format_of(path);
    WEFT_TRY(named);
    const FlatFormat format = flat_format(named.value());
    const u32 channels = config.has_alpha && format.can_hold_alpha ? 4 : 3;
    const Region crop = picture.film().crop();
    const EncodedPart part = flat_part(format, crop.width(), crop.height(), channels);
    const u64 row_bytes = u64{crop.width()} * kFilmChannels * sizeof(float);
    return codecs.value()->encoder_bytes(format.encoder, {&part, 1}) + row_bytes;
}

base::Status write_flat(const std::string& path,
                        const ResolvedFilm& picture,
                        const ImageConfig& config) {
    const base::Result<FileFormat> named = format_of(path);
    WEFT_TRY(named);
    const FlatFormat format = flat_format(named.value());
    const u32 channels = config.has_alpha && format.can_hold_alpha ? 4 : 3;
    const Region crop = picture.film().crop();
    EncodedPart part = flat_part(format, crop.width(), crop.height(), channels);
    for (const auto& [name, value] : config.metadata) {
        part.attributes.emplace_back("weft:" + name, value);
    }
    if (!format.is_display) {
        // RGBE has no sign.
        const bool is_clamped = named.value() == FileFormat::Hdr;
        part.fill = linear_rows(picture, config, channels, is_clamped);
        return write_flat_part(path, format, part);
    }
    if (config.config_view == nullptr && config.view != ViewTransform::Raw) {
        part.attributes.emplace_back("oiio:ColorSpace", "sRGB");
    }
    part.fill = shown_rows(picture, config);
    return write_flat_part(path, format, part);
}

base::Status write_picture(const std::string& path, const Picture& picture) {
    const base::Result<FileFormat> named = format_of(path);
    WEFT_TRY(named);
    // RGBE has no grey format.
    if (named.value() == FileFormat::Hdr && picture.channels == 1) {
        return write_picture(path, in_three_channels(picture));
    }
    const FlatFormat format = flat_format(named.value());
    EncodedPart part = flat_part(format, picture.width, picture.height, picture.channels);
    if (!format.is_display) {
        return write_flat_pixels(path, format, std::move(part), picture.pixels.data());
    }
    part.attributes.emplace_back("oiio:ColorSpace", "sRGB");
    std::vector<u8> bytes(picture.pixels.size());
    std::transform(picture.pixels.begin(), picture.pixels.end(), bytes.begin(), to_byte);
    return write_flat_pixels(path, format, std::move(part), bytes.data());
}

}  // namespace weft::film
