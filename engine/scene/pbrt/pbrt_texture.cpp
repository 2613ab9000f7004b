// pbrt_texture.cpp — textures: a factor times a picture or a checkerboard, as slots of materials.
#include <algorithm>
#include <cmath>

#include "engine/scene/pbrt/pbrt_scene.h"
#include "engine/scene/pbrt/pbrt_spectrum.h"

namespace weft::scene::pbrt {

namespace {

using math::Vec3;

// 1 − texel.
void invert(DecodedImage& image) {
    const std::size_t per_texel = image.values_per_texel();
    for (std::size_t k = 0; k < image.bytes.size(); ++k) {
        image.bytes[k] =
            k % per_texel == 3 ? image.bytes[k] : static_cast<u8>(255 - image.bytes[k]);
    }
    for (std::size_t k = 0; k < image.floats.size(); ++k) {
        image.floats[k] = k % per_texel == 3 ? image.floats[k] : 1 - image.floats[k];
    }
}

DecodedImage two_by_two(const Vec3 (&colors)[2]) {
    DecodedImage image;
    image.width = image.height = 2;
    image.is_float = true;
    for (const u32 which : {0U, 1U, 1U, 0U}) {
        const Vec3& color = colors[which];
        image.floats.insert(image.floats.end(), {color.x, color.y, color.z, 1});
    }
    return image;
}

}  // namespace

base::Status PbrtScene::read_mapping(const Parameters& parameters, PictureUse& use) {
    const base::Result<std::string> mapping = parameters.string("mapping", "uv");
    WEFT_TRY(mapping);
    if (mapping.value() != "uv") {
        note(Note::Kind::Replaced,
             "textures mapped by \"" + mapping.value() + "\" are mapped by uv");
    }
    const std::pair<const char*, double*> numbers[] = {{"uscale", &use.scale[0]},
                                                       {"vscale", &use.scale[1]},
                                                       {"udelta", &use.shift[0]},
                                                       {"vdelta", &use.shift[1]}};
    for (const auto& [name, value] : numbers) {
        const base::Result<double> number = parameters.number(name, *value);
        WEFT_TRY(number);
        *value = number.value();
    }
    return base::Done{};
}

base::Result<NamedTexture> PbrtScene::texture_input(const Parameters& parameters,
                                                    std::string_view name,
                                                    Vec3 otherwise) {
    const Parameter* const found = parameters.find(name);
    if (found && found->type == "texture") {
        const std::string wanted = found->strings.empty() ? "" : found->strings[0];
        const auto texture = textures_.find(wanted);
        if (texture == textures_.end()) {
            return error_at(
                found->place,
                "names the texture \"" + wanted + "\"; expected one that was defined before.");
        }
        return texture->second;
    }
    const base::Result<std::optional<Vec3>> color = read_color({parameters, roots_}, name);
    WEFT_TRY(color);
    return NamedTexture{color.value().value_or(otherwise), {}, {}};
}

base::Result<NamedTexture> PbrtScene::make_texture(const std::string& type,
                                                   const Parameters& parameters) {
    if (type == "constant") {
        return texture_input(parameters, "value", Vec3(1));
    }
    if (type == "imagemap" || type == "ptex") {
        NamedTexture texture;
        PictureUse use;
        const Parameter* const file = parameters.find("filename");
        if (type == "ptex" || !file || file->strings.size() != 1) {
            note(Note::Kind::Replaced, "textures \"" + type + "\" without a picture are grey");
            texture.factor = Vec3(0.5F);
            return texture;
        }
        use.name = file->strings[0];
        use.place = file->place;
        WEFT_TRY(read_mapping(parameters, use));
        const base::Result<std::string> wrap = parameters.string("wrap", "repeat");
        WEFT_TRY(wrap);
        use.wrap = wrap.value() == "repeat" ? shaders::Wrap::Repeat : shaders::Wrap::Clamp;
        const base::Result<std::string> encoding = parameters.string("encoding", "sRGB");
        WEFT_TRY(encoding);
        use.is_linear = encoding.value() == "linear";
        const base::Result<bool> is_inverted = parameters.boolean("invert", false);
        WEFT_TRY(is_inverted);
        use.is_inverted = is_inverted.value();
        const base::Result<double> scale = parameters.number("scale", 1);
        WEFT_TRY(scale);
        texture.factor = Vec3(static_cast<float>(scale.value()));
        parameters.expect("filter");
        texture.picture = use;
        return texture;
    }
    if (type == "scale") {
        base::Result<NamedTexture> texture = texture_input(parameters, "tex", Vec3(1));
        WEFT_TRY(texture);
        const base::Result<NamedTexture> by = texture_input(parameters, "scale", Vec3(1));
        WEFT_TRY(by);
        // Where both are pictures, the second counts as its factor.
        if (by.value().picture && !texture.value().picture) {
            NamedTexture other = by.value();
            other.factor *= texture.value().factor;
            return other;
        }
        if (by.value().picture || by.value().checkers) {
            note(Note::Kind::Replaced, "a texture that scales another is taken as its factor");
        }
        texture.value().factor *= by.value().factor;
        return texture;
    }
    if (type == "checkerboard") {
        Checkers checkers;
        const base::Result<NamedTexture> one = texture_input(parameters, "tex1", Vec3(1));
        WEFT_TRY(one);
        const base::Result<NamedTexture> two = texture_input(parameters, "tex2", Vec3(0));
        WEFT_TRY(two);
        checkers.colors[0] = one.value().factor;
        checkers.colors[1] = two.value().factor;
        if (one.value().picture || two.value().picture) {
            note(Note::Kind::Replaced, "pictures in a checkerboard are taken as their factors");
        }
        WEFT_TRY(read_mapping(parameters, checkers.use));
        // A cell is one unit of the mapped uv; the picture has two.
        for (double* const value : {checkers.use.scale, checkers.use.shift}) {
            value[0] /= 2;
            value[1] /= 2;
        }
        NamedTexture texture;
        texture.checkers = checkers;
        return texture;
    }
    if (type == "mix" || type == "directionmix") {
        const base::Result<NamedTexture> one = texture_input(parameters, "tex1", Vec3(0));
        WEFT_TRY(one);
        const base::Result<NamedTexture> two = texture_input(parameters, "tex2", Vec3(1));
        WEFT_TRY(two);
        const base::Result<NamedTexture> amount = texture_input(parameters, "amount", Vec3(0.5F));
        WEFT_TRY(amount);
        const float share = std::clamp(amount.value().factor.x, 0.0F, 1.0F);
        const bool has_pictures = one.value().picture || two.value().picture ||
                                  amount.value().picture || one.value().checkers ||
                                  two.value().checkers;
        if (!has_pictures) {
            return NamedTexture{
                (1 - share) * one.value().factor + share * two.value().factor, {}, {}};
        }
        note(Note::Kind::Replaced, "a mix of pictures is taken as the one that counts more");
        return share < 0.5F ? one.value() : two.value();
    }
    note(Note::Kind::Replaced, "textures \"" + type + "\" are grey");
    parameters.expect_all();
    return NamedTexture{Vec3(0.5F), {}, {}};
}

base::Status PbrtScene::texture(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    const base::Result<std::string> kind = read_string(directive);
    WEFT_TRY(kind);
    const base::Result<std::string> type = read_string(directive);
    WEFT_TRY(type);
    const base::Result<Parameters> parameters = read_parameters("texture");
    WEFT_TRY(parameters);
    const base::Result<NamedTexture> texture = make_texture(type.value(), parameters.value());
    WEFT_TRY(texture);
    note_unused("textures \"" + type.value() + "\"", parameters.value());
    textures_[name.value()] = texture.value();
    return base::Done{};
}

base::Result<u32> PbrtScene::load_picture(const PictureUse& use) {
    const TexelMeaning meaning = use.is_linear ? TexelMeaning::Linear : TexelMeaning::Color;
    const std::string key =
        use.name + (use.is_linear ? " linear" : "") + (use.is_inverted ? " inverted" : "");
    if (const auto found = pictures_.find(key); found != pictures_.end()) {
        return found->second;
    }
    const std::optional<std::string> file = roots_.find(use.name);
    if (!file) {
        return outside_error(use.place.text() + ": a picture", use.name);
    }
    // Count its memory before it is decoded; decoding reports what cannot be read.
    if (const base::Result<PictureSize> size = picture_size(*file); size.is_ok()) {
        size_.add_read(size.value().file_bytes);
        WEFT_TRY(size_.add_made(size.value().chain_bytes, *file));
    }
    base::Result<DecodedImage> image = decode_image_file(*file, meaning);
    if (!image.is_ok()) {
        if (config_.missing_file == MissingFile::Error) {
            return missing_pictures_error(error_of_file(use.place, image.error()), 1);
        }
        if (config_.on_missing) {
            config_.on_missing(*file, image.error().sentence);
        }
        note(Note::Kind::Replaced, image.error().sentence + "; a stand-in is shown");
        const Vec3 magenta(1, 0, 1);
        const bool is_checker = config_.missing_file == MissingFile::Checker;
        const Vec3 colors[2] = {is_checker ? magenta : Vec3(0), Vec3(0)};
        image = two_by_two(colors);
    }
    if (use.is_inverted) {
        invert(image.value());
    }
    const base::Result<u32> texture = append_texture(scene_, image.value(), meaning, *file);
    WEFT_TRY(texture);
    pictures_[key] = texture.value();
    return texture;
}

base::Result<u32> PbrtScene::slot_of(const NamedTexture& texture) {
    shaders::TextureSlot slot{};
    const PictureUse* use = nullptr;
    if (texture.picture) {
        use = &*texture.picture;
        const base::Result<u32> picture = load_picture(*use);
        WEFT_TRY(picture);
        slot.texture = picture.value();
    } else if (texture.checkers) {
        use = &texture.checkers->use;
        const base::Result<u32> board = append_texture(scene_,
                                                       two_by_two(texture.checkers->colors),
                                                       TexelMeaning::Color,
                                                       path_ + ": checkers");
        WEFT_TRY(board);
        slot.texture = board.value();
        slot.is_nearest = 1;
    } else {
        return kNone;
    }
    // Row 0 is the top of the picture, where pbrt's t is 1.
    slot.uv_transform[0] = static_cast<float>(use->scale[0]);
    slot.uv_transform[2] = static_cast<float>(use->shift[0]);
    slot.uv_transform[4] = static_cast<float>(-use->scale[1]);
    slot.uv_transform[5] = static_cast<float>(1 - use->shift[1]);
    slot.wrap_u = slot.wrap_v = static_cast<u32>(use->wrap);
    scene_.slots.push_back(slot);
    return static_cast<u32>(scene_.slots.size() - 1);
}

}  // namespace weft::scene::pbrt
