// ldr_writer.cpp — flat pictures: PNG and JPEG (8 bits, after exposure and view transform), HDR and
// TIFF (linear floats).
//
// They hold the crop alone, at its own size. Each file names its colour space once: PNG has the
// sRGB chunk (with gAMA and cHRM, for readers that know only those) and JPEG the Exif colour space,
// so that no viewer corrects twice; `raw` is written without any tag.
#include <cmath>
#include <cstring>

#include <OpenImageIO/imageio.h>

#include "engine/film/display.h"
#include "engine/film/exr_parts.h"
#include "engine/film/oiio_output-inl.h"

namespace weft::film {

namespace {

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

OIIO::ImageSpec flat_spec(const FlatFormat& format, u32 width, u32 height, u32 channels) {
    OIIO::ImageSpec spec(static_cast<int>(width),
                         static_cast<int>(height),
                         static_cast<int>(channels),
                         format.is_display ? OIIO::TypeDesc::UINT8 : OIIO::TypeDesc::FLOAT);
    spec.attribute("Software", "Weft");
    if (format.is_display) {
        // The encoder must not multiply or divide by alpha: ours is straight already.
        spec.attribute("oiio:UnassociatedAlpha", 1);
        spec.attribute("Compression",
                       std::string_view(format.encoder) == "jpeg" ? "jpeg:95" : "zip");
        spec.attribute("jpeg:subsampling", "4:4:4");
    } else {
        spec.attribute("oiio:ColorSpace", "Linear");
        spec.attribute("compression", "zip");
    }
    return spec;
}

using FillRow = std::function<void(u32 row, void* values)>;

FillRow shown_rows(const ResolvedFilm& picture) {
    return [&picture](u32 row, void* bytes) {
        const std::size_t size =
            std::size_t{picture.film().crop().width()} * picture.shown_channels();
        std::memcpy(bytes, picture.shown_row(row), size);
    };
}

// The first `channels` of RGBA; `is_clamped` for formats without a sign.
FillRow linear_rows(const ResolvedFilm& picture, u32 channels, bool is_clamped) {
    return [&picture, channels, is_clamped](u32 row, void* values) {
        const float* mean = picture.beauty_row(row);
        auto* value = static_cast<float*>(values);
        for (u32 x = 0; x < picture.film().crop().width(); ++x, mean += kFilmChannels) {
            for (u32 c = 0; c < channels; ++c) {
                *value++ = is_clamped ? std::fmax(mean[c], 0.0F) : mean[c];
            }
        }
    };
}

// Rows of values of the format's type.
base::Status write_flat_rows(const std::string& path,
                             const FlatFormat& format,
                             OIIO::ImageSpec spec,
                             const FillRow& fill) {
    base::Result<WholeFile> file = WholeFile::open(path);
    WEFT_TRY(file);
    EncodedPart part;
    part.spec = std::move(spec);
    part.row_type = part.spec.format;
    part.fill = fill;
    const base::Status encoded = encode(file.value(), format.encoder, {part});
    return encoded.is_ok() ? file.value().commit() : encoded;
}

// `pixels` are whole rows from the top.
base::Status write_flat_pixels(const std::string& path,
                               const FlatFormat& format,
                               const OIIO::ImageSpec& spec,
                               const void* pixels) {
    const std::size_t row_bytes = spec.scanline_bytes();
    return write_flat_rows(path, format, spec, [pixels, row_bytes](u32 y, void* row) {
        std::memcpy(row, static_cast<const u8*>(pixels) + row_bytes * y, row_bytes);
    });
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

base::Status write_flat(const std::string& path,
                        const ResolvedFilm& picture,
                        const ImageConfig& config) {
    const base::Result<FileFormat> named = format_of(path);
    WEFT_TRY(named);
    const FlatFormat format = flat_format(named.value());
    const u32 channels = config.has_alpha && format.can_hold_alpha ? 4 : 3;
    const Region crop = picture.film().crop();
    OIIO::ImageSpec spec = flat_spec(format, crop.width(), crop.height(), channels);
    for (const auto& [name, value] : config.metadata) {
        spec.attribute("weft:" + name, value);
    }
    if (!format.is_display) {
        // RGBE has no sign.
        const bool is_clamped = named.value() == FileFormat::Hdr;
        return write_flat_rows(
            path, format, std::move(spec), linear_rows(picture, channels, is_clamped));
    }
    if (config.view != ViewTransform::Raw) {
        spec.attribute("oiio:ColorSpace", "sRGB");
    }
    return write_flat_rows(path, format, std::move(spec), shown_rows(picture));
}

base::Status write_picture(const std::string& path, const Picture& picture) {
    const base::Result<FileFormat> named = format_of(path);
    WEFT_TRY(named);
    // RGBE has no grey format.
    if (named.value() == FileFormat::Hdr && picture.channels == 1) {
        return write_picture(path, in_three_channels(picture));
    }
    const FlatFormat format = flat_format(named.value());
    OIIO::ImageSpec spec = flat_spec(format, picture.width, picture.height, picture.channels);
    if (!format.is_display) {
        return write_flat_pixels(path, format, spec, picture.pixels.data());
    }
    spec.attribute("oiio:ColorSpace", "sRGB");
    std::vector<u8> bytes(picture.pixels.size());
    std::transform(picture.pixels.begin(), picture.pixels.end(), bytes.begin(), to_byte);
    return write_flat_pixels(path, format, spec, bytes.data());
}

}  // namespace weft::film
