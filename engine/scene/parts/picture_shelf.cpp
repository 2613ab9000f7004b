#include "engine/scene/parts/picture_shelf.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/scene/parts/plain_material.h"

namespace weft::scene {

namespace {

// Colours times the factor, cut to 1.
void scale(DecodedImage& image, const math::Vec3& factor, TexelMeaning meaning) {
    const float* const curve = srgb_to_linear_table();
    const auto scaled = [&](float value, std::size_t channel) {
        return std::min(value * factor[static_cast<glm::length_t>(channel)], 1.0F);
    };
    const std::size_t per_texel = image.values_per_texel();
    for (std::size_t k = 0; k < image.bytes.size(); ++k) {
        if (const std::size_t channel = k % per_texel; channel != 3) {
            image.bytes[k] =
                meaning == TexelMeaning::Color
                    ? srgb_code(scaled(curve[image.bytes[k]], channel))
                    : static_cast<u8>(
                          255 * scaled(static_cast<float>(image.bytes[k]) / 255, channel) + 0.5F);
        }
    }
    for (std::size_t k = 0; k < image.floats.size(); ++k) {
        if (const std::size_t channel = k % per_texel; channel != 3) {
            image.floats[k] = scaled(image.floats[k], channel);
        }
    }
}

// 1 − texel, in linear light.
void invert(DecodedImage& image, TexelMeaning meaning) {
    const float* const curve = srgb_to_linear_table();
    const std::size_t per_texel = image.values_per_texel();
    for (std::size_t k = 0; k < image.bytes.size(); ++k) {
        if (k % per_texel != 3) {
            const u8 code = image.bytes[k];
            image.bytes[k] = meaning == TexelMeaning::Color ? srgb_code(1 - curve[code])
                                                            : static_cast<u8>(255 - code);
        }
    }
    for (std::size_t k = 0; k < image.floats.size(); ++k) {
        image.floats[k] = k % per_texel == 3 ? image.floats[k] : 1 - image.floats[k];
    }
}

// Colours as they look below a boundary.
void put_below(DecodedImage& image, double index, TexelMeaning meaning) {
    const auto below = [&](float value) { return below_boundary(math::Vec3(value), index).x; };
    std::array<u8, 256> codes{};
    const float* const curve = srgb_to_linear_table();
    for (std::size_t code = 0; code < codes.size(); ++code) {
        codes[code] = meaning == TexelMeaning::Color
                          ? srgb_code(below(curve[code]))
                          : static_cast<u8>(255 * below(static_cast<float>(code) / 255) + 0.5F);
    }
    const std::size_t per_texel = image.values_per_texel();
    for (std::size_t k = 0; k < image.bytes.size(); ++k) {
        image.bytes[k] = k % per_texel == 3 ? image.bytes[k] : codes[image.bytes[k]];
    }
    for (std::size_t k = 0; k < image.floats.size(); ++k) {
        image.floats[k] = k % per_texel == 3 ? image.floats[k] : below(image.floats[k]);
    }
}

float through(Curve curve, float value) {
    const float within = std::clamp(value, 0.0F, 1.0F);
    switch (curve) {
        case Curve::Plain:
            return within;
        case Curve::Root:
            return std::sqrt(within);
        case Curve::FourthRoot:
            return std::sqrt(std::sqrt(within));
    }
    return within;
}

void put_channel(DecodedImage& target, const ChannelUse& use, const DecodedImage& from) {
    // 8-bit numbers went through the sRGB curve as colours do, unless the scene says otherwise.
    const bool is_encoded = !from.is_float && !use.picture.is_linear;
    const auto number = [&](float value) { return is_encoded ? srgb_to_linear(value) : value; };
    for (u32 y = 0; y < target.height; ++y) {
        const u64 from_y = u64{y} * from.height / target.height;
        for (u32 x = 0; x < target.width; ++x) {
            const u64 from_x = u64{x} * from.width / target.width;
            const std::array<float, 4> texel = from.texel(from_y * from.width + from_x);
            const float mean = from.is_grey
                                   ? number(texel[0])
                                   : (number(texel[0]) + number(texel[1]) + number(texel[2])) / 3;
            const float value = through(use.curve, mean);
            const std::size_t at = 4 * (std::size_t{y} * target.width + x) + use.channel;
            if (target.is_float) {
                target.floats[at] = value;
            } else {
                target.bytes[at] = static_cast<u8>(value * 255.0F + 0.5F);
            }
        }
    }
}

std::string key_of(const PictureName& picture) {
    const math::Vec3& factor = picture.factor;
    return picture.path + (picture.is_inverted ? " inverted" : "") +
           (factor == math::Vec3(1)
                ? ""
                : " times " + std::to_string(factor.x) + " " + std::to_string(factor.y) + " " +
                      std::to_string(factor.z)) +
           (picture.is_linear ? " linear" : "") +
           (picture.boundary_index > 0 ? " below " + std::to_string(picture.boundary_index) : "");
}

}  // namespace

u8 srgb_code(float linear) {
    const float* const table = srgb_to_linear_table();
    const float* const above = std::lower_bound(table, table + 255, linear);
    const bool is_below = above > table && linear - above[-1] < *above - linear;
    return static_cast<u8>(above - table - (is_below ? 1 : 0));
}

DecodedImage checkers(const math::Vec3& one, const math::Vec3& other) {
    DecodedImage image;
    image.width = image.height = 2;
    image.is_float = true;
    image.floats = {one.x,
                    one.y,
                    one.z,
                    1,
                    other.x,
                    other.y,
                    other.z,
                    1,
                    other.x,
                    other.y,
                    other.z,
                    1,
                    one.x,
                    one.y,
                    one.z,
                    1};
    return image;
}

base::Result<u32> PictureShelf::load(const PictureName& picture, TexelMeaning meaning) {
    const TexelMeaning read_as = picture.is_linear ? TexelMeaning::Linear : meaning;
    const std::string key = key_of(picture);
    if (const auto found = known_.find({key, read_as}); found != known_.end()) {
        return found->second;
    }
    const base::Result<DecodedImage> image = decode(picture, read_as, config_.colours.get());
    WEFT_TRY(image);
    return append(key, roots_.find(picture.path).value_or(key), image.value(), read_as);
}

base::Result<u32> PictureShelf::load(const std::optional<PictureName>& color,
                                     const std::vector<ChannelUse>& channels,
                                     TexelMeaning meaning) {
    const TexelMeaning read_as = color && color->is_linear ? TexelMeaning::Linear : meaning;
    std::string key = color ? key_of(*color) : "white";
    for (const ChannelUse& use : channels) {
        key += " with channel " + std::to_string(use.channel) + " of " + key_of(use.picture) +
               (use.curve == Curve::Plain  ? ""
                : use.curve == Curve::Root ? " root"
                                           : " fourth root");
    }
    if (const auto found = known_.find({key, read_as}); found != known_.end()) {
        return found->second;
    }
    std::optional<DecodedImage> whole;
    if (color) {
        base::Result<DecodedImage> image = decode(*color, read_as, config_.colours.get());
        WEFT_TRY(image);
        image = with_all_channels(std::move(image.value()));
        WEFT_TRY(image);
        whole = std::move(image.value());
    }
    for (const ChannelUse& use : channels) {
        const base::Result<DecodedImage> numbers =
            decode(use.picture,
                   use.picture.is_linear ? TexelMeaning::Linear : TexelMeaning::Color,
                   nullptr);
        WEFT_TRY(numbers);
        if (!whole) {
            base::Result<DecodedImage> white = white_like(numbers.value());
            WEFT_TRY(white);
            whole = std::move(white.value());
        }
        put_channel(*whole, use, numbers.value());
    }
    return append(key, key, *whole, read_as);
}

base::Result<u32> PictureShelf::append_checkers(const math::Vec3& one, const math::Vec3& other) {
    return append_texture(
        scene_, checkers(one, other), TexelMeaning::Color, scene_file_ + ": checkers");
}

base::Result<u32> PictureShelf::append(const std::string& key,
                                       const std::string& name,
                                       const DecodedImage& image,
                                       TexelMeaning meaning) {
    if (image.repaired_texels > 0) {
        scene_.notes.push_back(
            {Note::Kind::Repaired,
             scene_file_ + ": " + repaired_texels_sentence(name, image.repaired_texels)});
    }
    const base::Result<u32> texture = append_texture(scene_, image, meaning, name);
    WEFT_TRY(texture);
    known_[{key, meaning}] = texture.value();
    return texture;
}

base::Result<DecodedImage> PictureShelf::decode(const PictureName& picture,
                                                TexelMeaning meaning,
                                                const colour::ColourConfig* maybe_colours) {
    const std::optional<std::string> file = roots_.find(picture.path);
    if (!file) {
        return outside_error(picture.place + ": a picture", picture.path);
    }
    // Count its memory before it is decoded; decoding reports what cannot be read.
    if (const base::Result<PictureSize> size = picture_size(*file, meaning, maybe_colours);
        size.is_ok()) {
        size_.add_read(size.value().file_bytes);
        WEFT_TRY(size_.add_made(size.value().chain_bytes, *file));
    }
    base::Result<DecodedImage> image = decode_image_file(*file, meaning, maybe_colours);
    if (!image.is_ok()) {
        base::Error error = image.error();
        if (config_.missing_file == MissingFile::Error) {
            error.sentence = picture.place + ": " + error.sentence;
            return missing_pictures_error(error, 1);
        }
        if (config_.on_missing) {
            config_.on_missing(*file, error.sentence);
        }
        scene_.notes.push_back(
            {Note::Kind::Replaced, scene_file_ + ": " + error.sentence + "; a stand-in is shown"});
        const math::Vec3 magenta(1, 0, 1);
        const bool is_checker = config_.missing_file == MissingFile::Checker;
        image = checkers(is_checker ? magenta : math::Vec3(0), math::Vec3(0));
    }
    if (picture.factor != math::Vec3(1)) {
        scale(image.value(), picture.factor, meaning);
    }
    if (picture.is_inverted) {
        invert(image.value(), meaning);
    }
    if (picture.boundary_index > 0) {
        put_below(image.value(), picture.boundary_index, meaning);
    }
    return image;
}

}  // namespace weft::scene
