#include "engine/film/layer_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "engine/film/decoding.h"
#include "engine/film/exr_parts.h"
#include "engine/film/film_file.h"

namespace weft::film {

namespace {

using Names = std::vector<std::string>;

constexpr const char* kExpectedLayers =
    "an EXR with the colour and the layers albedo, normal and depth";
constexpr u64 kMostLayerSide = 16384;

base::Error wrong_layer(const std::string& path, const char* layer, const std::string& what) {
    return {base::ErrorKind::Scene, fmt::format("{}: layer {}: {}", path, layer, what)};
}

// The places of the channels in the current part; empty if one is missing.
std::vector<std::size_t> places_of(const image::Part& part, const Names& channels) {
    std::vector<std::size_t> places;
    for (const std::string& channel : channels) {
        const auto found = std::find(part.channel_names.begin(), part.channel_names.end(), channel);
        if (found == part.channel_names.end()) {
            return {};
        }
        places.push_back(static_cast<std::size_t>(found - part.channel_names.begin()));
    }
    return places;
}

// Makes the first part with all of the channels the current one.
std::vector<std::size_t> seek_channels(image::ImageReader& input, const Names& channels) {
    for (u32 part = 0; seek_part(input, part); ++part) {
        std::vector<std::size_t> places = places_of(input.part(), channels);
        if (!places.empty()) {
            return places;
        }
    }
    return {};
}

base::Result<Picture> decode_layer(const std::string& path,
                                   const char* layer,
                                   image::ImageReader& input,
                                   const std::vector<std::size_t>& places) {
    const image::Part& part = input.part();
    if (!is_of_sane_size(part) || static_cast<u64>(part.width) > kMostLayerSide ||
        static_cast<u64>(part.height) > kMostLayerSide) {
        return wrong_layer(path, layer, "too large; expected sides of at most 16384");
    }
    const base::Result<base::MemoryClaim> decoder = claim_decoder(path, input);
    WEFT_TRY(decoder);
    Picture picture{part.x,
                    part.y,
                    static_cast<u32>(part.width),
                    static_cast<u32>(part.height),
                    static_cast<u32>(places.size()),
                    {}};
    const u64 values = u64{picture.width} * picture.height * picture.channels;
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(values * sizeof(float), path + ": its layers");
    WEFT_TRY(claim);
    picture.pixels.resize(values);
    const auto stride = static_cast<std::size_t>(part.channel_count);
    float* to = picture.pixels.data();
    const bool is_decoded = decode_rows(input, image::ValueType::Float, [&](u32, const u8* row) {
        for (std::size_t x = 0; x < picture.width; ++x) {
            for (const std::size_t place : places) {
                std::memcpy(to++, row + (x * stride + place) * sizeof(float), sizeof(float));
            }
        }
    });
    if (!is_decoded) {
        return wrong_layer(path, layer, "cannot be decoded (" + input.error() + ")");
    }
    return picture;
}

base::Result<Picture> read_layer(const std::string& path,
                                 const char* layer,
                                 image::ImageReader& input,
                                 const std::vector<Names>& alternatives) {
    for (const Names& channels : alternatives) {
        const std::vector<std::size_t> places = seek_channels(input, channels);
        if (!places.empty()) {
            return decode_layer(path, layer, input, places);
        }
    }
    return wrong_layer(path, layer, "missing; expected albedo, normal and depth");
}

void add_alpha(Picture& picture) {
    std::vector<float> pixels;
    pixels.reserve(picture.pixels.size() / 3 * 4);
    for (std::size_t k = 0; k < picture.pixels.size(); k += 3) {
        pixels.insert(pixels.end(), &picture.pixels[k], &picture.pixels[k] + 3);
        pixels.push_back(1);
    }
    picture.pixels = std::move(pixels);
    picture.channels = 4;
}

base::Result<StoredLayers> decode_stored_layers(const std::string& path) {
    base::Result<std::unique_ptr<image::ImageReader>> opened = open_exr(path, kExpectedLayers);
    WEFT_TRY(opened);
    image::ImageReader& input = *opened.value();
    StoredLayers layers;
    const std::string samples = input.text("weft:samples_per_pixel");
    std::from_chars(samples.data(), samples.data() + samples.size(), layers.samples_per_pixel);
    const auto read = [&](const char* layer, const std::vector<Names>& names, Picture& picture) {
        base::Result<Picture> found = read_layer(path, layer, input, names);
        if (found.is_ok()) {
            picture = std::move(found.value());
        }
        return found.is_ok() ? base::Status(base::Done{}) : base::Status(found.error());
    };
    WEFT_TRY(
        read("rgba",
             {{"noisy.R", "noisy.G", "noisy.B", "noisy.A"}, {"R", "G", "B", "A"}, {"R", "G", "B"}},
             layers.colour));
    layers.full_width = static_cast<u32>(std::max(input.part().full_width, 1));
    layers.full_height = static_cast<u32>(std::max(input.part().full_height, 1));
    if (layers.colour.channels == 3) {
        add_alpha(layers.colour);
    }
    WEFT_TRY(read("albedo", {{"albedo.R", "albedo.G", "albedo.B"}}, layers.albedo));
    WEFT_TRY(read("normal", {{"normal.X", "normal.Y", "normal.Z"}}, layers.normal));
    WEFT_TRY(read("depth", {{"depth.Z"}}, layers.depth));
    std::replace_if(
        layers.depth.pixels.begin(),
        layers.depth.pixels.end(),
        [](float value) { return std::isinf(value); },
        0.0F);
    for (const auto& [name, picture] : {std::pair{"albedo", &layers.albedo},
                                        {"normal", &layers.normal},
                                        {"depth", &layers.depth}}) {
        const Picture& colour = layers.colour;
        if (picture->width != colour.width || picture->height != colour.height ||
            picture->x0 != colour.x0 || picture->y0 != colour.y0) {
            return wrong_layer(path, name, "covers other pixels than the colour");
        }
    }
    return layers;
}

}  // namespace

bool is_plain_exr(const std::string& path) {
    if (is_film_file(path)) {
        return false;
    }
    const base::Result<std::string> record = stated_attribute(path, kRecordName);
    return record.is_ok() && record.value().empty();
}

base::Result<StoredLayers> read_stored_layers(const std::string& path) {
    return guarded(path, [&] { return decode_stored_layers(path); });
}

}  // namespace weft::film
