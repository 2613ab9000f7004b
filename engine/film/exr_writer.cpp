// exr_writer.cpp — a film as EXR: beauty, AOVs, raw sums, and the two hashes in the header.
//
// The pixel hash covers the values that a reader decodes (after rounding to half and lossy
// compression), so it is known only when the file is written: the header first holds a blank of the
// same length, which the writer then overwrites in place.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/film/aov_facts.h"
#include "engine/film/cryptomatte.h"
#include "engine/film/decoding.h"
#include "engine/film/encoding.h"
#include "engine/film/exr_parts.h"
#include "engine/film/film_hash.h"

namespace weft::film {

namespace {

using image::EncodedPart;
using image::ValueType;

constexpr float kLargestHalf = 65504.0F;
// Bytes of the file that are searched at once for the blank. OpenEXR writes its headers
// uncompressed at the start.
constexpr std::size_t kWindowBytes = std::size_t{1} << 20;

// The compression of parts that must keep every bit.
ExrCompression lossless(ExrCompression wanted) {
    switch (wanted) {
        case ExrCompression::Pxr24:
        case ExrCompression::Dwaa:
        case ExrCompression::Dwab:
            return ExrCompression::Zip;
        default:
            return wanted;
    }
}

// A part without its pixels.
EncodedPart part_of_film(const Film& film,
                         std::string_view name,
                         std::vector<std::string> channels,
                         ValueType type,
                         ExrCompression compression) {
    const Region crop = film.crop();
    EncodedPart encoded;
    encoded.part = {.x = static_cast<i32>(crop.x0),
                    .y = static_cast<i32>(crop.y0),
                    .width = static_cast<i32>(crop.width()),
                    .height = static_cast<i32>(crop.height()),
                    .full_width = static_cast<i32>(film.width()),
                    .full_height = static_cast<i32>(film.height()),
                    .channel_count = static_cast<i32>(channels.size()),
                    .channel_names = std::move(channels),
                    .type = type};
    encoded.attributes = {{"oiio:subimagename", std::string(name)},
                          {"compression", exr_compression_name(compression)}};
    return encoded;
}

// The largest half is 65504: nearer to the value than infinity.
void limit_to_half(float* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = std::fmin(std::fmax(values[i], -kLargestHalf), kLargestHalf);
    }
}

EncodedPart beauty_part(const ResolvedFilm& picture, const ImageConfig& config) {
    EncodedPart part = part_of_film(picture.film(),
                                    kBeautyPart,
                                    {"R", "G", "B", "A"},
                                    config.is_half ? ValueType::Half : ValueType::Float,
                                    config.compression);
    part.row_type = ValueType::Float;
    part.fill = [&picture, &config](u32 row, void* values) {
        const std::size_t count = std::size_t{picture.film().crop().width()} * kFilmChannels;
        shown_beauty_row(picture, config, row, static_cast<float*>(values));
        if (config.is_half) {
            limit_to_half(static_cast<float*>(values), count);
        }
    };
    return part;
}

// The film's means beside a denoised beauty.
EncodedPart noisy_part(const ResolvedFilm& picture,
                       const ImageConfig& config,
                       ExrCompression compression) {
    EncodedPart part = part_of_film(picture.film(),
                                    kNoisyPart,
                                    {"noisy.R", "noisy.G", "noisy.B", "noisy.A"},
                                    config.is_half ? ValueType::Half : ValueType::Float,
                                    compression);
    part.row_type = ValueType::Float;
    part.fill = [&picture, is_half = config.is_half](u32 row, void* values) {
        const std::size_t count = std::size_t{picture.film().crop().width()} * kFilmChannels;
        std::copy_n(picture.beauty_row(row), count, static_cast<float*>(values));
        if (is_half) {
            limit_to_half(static_cast<float*>(values), count);
        }
    };
    return part;
}

// Whole numbers: those of sample 0, or numbers of samples.
EncodedPart number_part(const ResolvedFilm& picture, u32 index, ExrCompression compression) {
    const Film& film = picture.film();
    const FilmLayer& layer = film.aovs()[index];
    EncodedPart part = part_of_film(
        film, aov_name(layer.aov), aov_facts(layer.aov).channels, ValueType::U32, compression);
    part.row_type = ValueType::U32;
    part.fill = [&picture, &film, index, aov = layer.aov](u32 row, void* values) {
        const Region crop = film.crop();
        const u32 y = crop.y0 + row;
        u32* value = static_cast<u32*>(values);
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const ResolvedFilm::Place place = picture.shown_pixel(x, y);
            *value++ = aov == Aov::Samples ? film.sample_count(x, y)
                                           : film.number(index, place.x, place.y);
        }
    };
    return part;
}

// Positions, depths, texture coordinates, noise and what denoising reads need more than the 11 bits
// of half; other light is as the beauty.
EncodedPart aov_part(const ResolvedFilm& picture,
                     u32 index,
                     const ImageConfig& config,
                     ExrCompression compression) {
    const Film& film = picture.film();
    const FilmLayer& layer = film.aovs()[index];
    if (layer.channels == 0) {
        return number_part(picture, index, compression);
    }
    const bool is_half = config.is_half && (layer.aov == Aov::Albedo || layer.aov == Aov::Normal ||
                                            (is_light_aov(layer.aov) && layer.aov != Aov::Direct));
    const std::string name = part_name_of(layer.aov, config);
    EncodedPart part = part_of_film(film,
                                    name,
                                    aov_facts(layer.aov, name).channels,
                                    is_half ? ValueType::Half : ValueType::Float,
                                    compression);
    part.row_type = ValueType::Float;
    part.fill = [&picture, index, is_half, channels = aov_values(layer.aov)](u32 row,
                                                                             void* values) {
        const std::size_t count = std::size_t{picture.film().crop().width()} * channels;
        std::copy_n(picture.aov_row(index, row), count, static_cast<float*>(values));
        if (is_half) {
            limit_to_half(static_cast<float*>(values), count);
        }
    };
    return part;
}

// Two ranks of a layer of mattes: bits of ids must stay as they are.
EncodedPart matte_part(const ResolvedFilm& picture,
                       u32 index,
                       const std::string& name,
                       u32 number,
                       ExrCompression compression) {
    const Film& film = picture.film();
    std::vector<std::string> channels;
    for (const char* channel : {".R", ".G", ".B", ".A"}) {
        channels.push_back(name + channel);
    }
    EncodedPart part = part_of_film(film, name, std::move(channels), ValueType::Float, compression);
    part.row_type = ValueType::Float;
    part.fill = [&picture, &film, index, number](u32 row, void* values) {
        const Region crop = film.crop();
        const u32 y = crop.y0 + row;
        float* value = static_cast<float*>(values);
        std::vector<MatteCount> list;
        for (u32 x = crop.x0; x < crop.x1; ++x, value += 4) {
            const ResolvedFilm::Place place = picture.shown_pixel(x, y);
            film.matte_list(index, place.x, place.y, list);
            matte_ranks(list, film.sample_count(place.x, place.y), number, value);
        }
    };
    return part;
}

EncodedPart raw_part(const Film& film, ExrCompression compression) {
    EncodedPart part = part_of_film(film, kFilmPart, film_channels(), ValueType::U32, compression);
    part.row_type = ValueType::U32;
    part.fill = [&film](u32 row, void* values) {
        film.raw_row(film.crop().y0 + row, static_cast<u32*>(values));
    };
    return part;
}

EncodedPart raw_aov_part(const Film& film, u32 layer, ExrCompression compression) {
    const Aov aov = film.aovs()[layer].aov;
    const u32 channels = aov_film_channel_count(film, layer);
    EncodedPart part = part_of_film(
        film, aov_film_part(aov), aov_film_channels(aov, channels), ValueType::U32, compression);
    part.row_type = ValueType::U32;
    part.fill = [&film, layer, channels](u32 row, void* values) {
        const std::size_t words = std::size_t{film.crop().width()} * channels;
        film.raw_aov_row(layer, film.crop().y0 + row, {static_cast<u32*>(values), words});
    };
    return part;
}

// The indices of the film's AOVs that the file holds.
std::vector<u32> layers_of(const Film& film, const ImageConfig& config) {
    std::vector<u32> layers;
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        if (!config.layers ||
            std::find(config.layers->begin(), config.layers->end(), film.aovs()[layer].aov) !=
                config.layers->end()) {
            layers.push_back(layer);
        }
    }
    return layers;
}

void add_metadata(std::vector<image::Attribute>& attributes,
                  const Film& film,
                  const ImageConfig& config) {
    for (const auto& [name, value] : config.metadata) {
        attributes.emplace_back("weft:" + name, value);
    }
    attributes.emplace_back("Software", "Weft");
    attributes.emplace_back(kFilmHashName, film.film_hash());
    for (const u32 layer : layers_of(film, config)) {
        attributes.emplace_back(
            std::string(kFilmHashName) + "." + part_name_of(film.aovs()[layer].aov, config),
            film.aov_hash(layer));
    }
    const MatteNames names = shown_names(film, config.matte_names);
    for (const u32 layer : layers_of(film, config)) {
        if (is_matte_aov(film.aovs()[layer].aov)) {
            for (auto& [name, value] : matte_metadata(film.aovs()[layer].aov, names)) {
                attributes.emplace_back(name, std::move(value));
            }
        }
    }
    if (config.keep_film && config.record) {
        FilmRecord stored = *config.record;
        stored.names = names;
        const std::string record = text_of(stored);
        attributes.emplace_back(kRecordName, record);
        attributes.emplace_back(kRecordHashName, record_hash(record, film));
    }
    attributes.emplace_back(kPixelHashName, std::string(kHashDigits, '0'));
}

// All parts, without metadata.
std::vector<EncodedPart> parts_of(const ResolvedFilm& picture, const ImageConfig& config) {
    const Film& film = picture.film();
    const ExrCompression compression = lossless(config.compression);
    std::vector<EncodedPart> parts;
    parts.push_back(beauty_part(picture, config));
    if (config.denoised) {
        parts.push_back(noisy_part(picture, config, compression));
    }
    for (const u32 layer : layers_of(film, config)) {
        const Aov aov = film.aovs()[layer].aov;
        if (is_matte_aov(aov)) {
            const std::vector<std::string> names = matte_parts(aov, config.matte_ranks);
            for (u32 number = 0; number < names.size(); ++number) {
                parts.push_back(matte_part(picture, layer, names[number], number, compression));
            }
            continue;
        }
        parts.push_back(aov_part(picture, layer, config, compression));
    }
    if (config.keep_film) {
        parts.push_back(raw_part(film, compression));
        for (const u32 layer : layers_of(film, config)) {
            parts.push_back(raw_aov_part(film, layer, compression));
        }
    }
    for (EncodedPart& part : parts) {
        if (config.primaries) {
            part.attributes.push_back(chromaticities(*config.primaries));
        }
        if (config.pixel_aspect != 1) {
            part.attributes.emplace_back("PixelAspectRatio",
                                         std::vector<float>{config.pixel_aspect});
        }
    }
    return parts;
}

// Error: a row of pixels shows more names than readers allow channels for.
base::Status check_matte_rows(const std::string& path,
                              const Film& film,
                              const ImageConfig& config) {
    for (const u32 layer : layers_of(film, config)) {
        const u32 channels = aov_film_channel_count(film, layer);
        if (channels > kMostMatteChannels) {
            return base::Error{
                base::ErrorKind::Output,
                path + ": the sums of a row of " + aov_name(film.aovs()[layer].aov) + " need " +
                    std::to_string(channels) + " words per pixel; expected at most " +
                    std::to_string(kMostMatteChannels) + " (a checkpoint holds any number)"};
        }
    }
    return base::Done{};
}

// Tells of the pixels whose light half floats do not hold. Layers of light are no brighter than it.
void tell_cut_pixels(const ResolvedFilm& picture, const ImageConfig& config) {
    const Region crop = picture.film().crop();
    std::vector<float> rgba(std::size_t{crop.width()} * kFilmChannels);
    u64 pixels = 0;
    for (u32 row = 0; row < crop.height(); ++row) {
        shown_beauty_row(picture, config, row, rgba.data());
        for (std::size_t at = 0; at < rgba.size(); at += kFilmChannels) {
            const auto* pixel = rgba.data() + at;
            pixels += std::any_of(
                pixel, pixel + 3, [](float value) { return std::fabs(value) > kLargestHalf; });
        }
    }
    if (pixels > 0) {
        config.on_cut(pixels);
    }
}

// Replaces the blank after the attribute's name, type and length. False where there is none.
bool put_pixel_hash(WholeFile& file, const std::string& hash) {
    std::string before(kPixelHashName);
    before.push_back('\0');
    before += "string";
    before.push_back('\0');
    before += {static_cast<char>(kHashDigits), '\0', '\0', '\0'};
    const std::string blank = before + std::string(kHashDigits, '0');
    // Look window by window: a manifest of many names stands before it. Windows overlap by a blank.
    std::string window(kWindowBytes, '\0');
    for (i64 at = 0;; at += static_cast<i64>(kWindowBytes - blank.size())) {
        const std::size_t count = file.read_at(window.data(), kWindowBytes, at);
        const std::size_t found = std::string_view(window).substr(0, count).find(blank);
        if (found != std::string::npos) {
            const i64 place = at + static_cast<i64>(found + before.size());
            return file.write_at(hash.data(), hash.size(), place) == hash.size();
        }
        if (count < kWindowBytes) {
            return false;
        }
    }
}

}  // namespace

image::Attribute chromaticities(const colour::Primaries& primaries) {
    return {"chromaticities", std::vector<float>(primaries.begin(), primaries.end())};
}

const char* exr_compression_name(ExrCompression compression) {
    constexpr std::array<const char*, kExrCompressions.size()> kNames = {
        "none", "rle", "zip", "zips", "piz", "pxr24", "dwaa", "dwab"};
    return kNames[static_cast<std::size_t>(compression)];
}

base::Result<u64> exr_writer_bytes(const ResolvedFilm& picture, const ImageConfig& config) {
    const base::Result<image::Codecs*> codecs = image::codecs();
    WEFT_TRY(codecs);
    // The strip of decode_rows() and two rows to compare, the latter of the widest part.
    constexpr u64 kDecodedBytes = u64{6} << 20;
    const std::vector<EncodedPart> parts = parts_of(picture, config);
    u64 row_bytes = 0;
    for (const EncodedPart& part : parts) {
        row_bytes = std::max(row_bytes,
                             static_cast<u64>(part.part.width) *
                                 static_cast<u64>(part.part.channel_count) * sizeof(float));
    }
    return codecs.value()->encoder_bytes("openexr", parts) + kWindowBytes + kDecodedBytes +
           3 * row_bytes;
}

base::Status write_exr(const std::string& path,
                       const ResolvedFilm& picture,
                       const ImageConfig& config) {
    base::Result<WholeFile> opened = WholeFile::open(path);
    WEFT_TRY(opened);
    WholeFile& file = opened.value();
    if (config.keep_film) {
        WEFT_TRY(check_matte_rows(path, picture.film(), config));
    }
    std::vector<EncodedPart> parts = parts_of(picture, config);
    add_metadata(parts[0].attributes, picture.film(), config);
    WEFT_TRY(encode(file, "openexr", parts));
    const base::Result<std::string> hash = stored_pixel_hash(file.temporary_path());
    if (!hash.is_ok()) {
        return not_read_back(file, hash.error());
    }
    const base::Error no_hash{base::ErrorKind::Output, "the header lacks the pixel hash"};
    const base::Result<bool> is_put =
        guarded(path, [&]() -> base::Result<bool> { return put_pixel_hash(file, hash.value()); });
    WEFT_TRY(file.state());
    if (!is_put.is_ok() || !is_put.value()) {
        return not_read_back(file, is_put.is_ok() ? no_hash : is_put.error());
    }
    if (config.keep_film) {
        const base::Status kept = check_stored_film(
            file.temporary_path(), picture.film(), layers_of(picture.film(), config));
        if (!kept.is_ok()) {
            return not_read_back(file, kept.error());
        }
    }
    const base::Result<std::string> stated =
        stated_attribute(file.temporary_path(), kPixelHashName);
    if (!stated.is_ok() || stated.value() != hash.value()) {
        return not_read_back(file, stated.is_ok() ? no_hash : stated.error());
    }
    WEFT_TRY(file.commit());
    if (config.is_half && config.on_cut) {
        tell_cut_pixels(picture, config);
    }
    return base::Done{};
}

}  // namespace weft::film
