// pbrt_texture.cpp — textures: a factor times a picture or a checkerboard, as slots of materials.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/scene/pbrt/pbrt_scene.h"
#include "engine/scene/pbrt/pbrt_spectrum.h"

namespace weft::scene::pbrt {

using math::Vec3;

namespace {

// "gamma X" with an X of 1.
bool is_gamma_one(const std::string& encoding) {
    double gamma = 0;
    const char* const end = encoding.data() + encoding.size();
    return encoding.starts_with("gamma ") &&
           std::from_chars(encoding.data() + 6, end, gamma).ec == std::errc() && gamma == 1;
}

}  // namespace

Vec3 mean_of(const NamedTexture& texture) {
    return texture.checkers
               ? texture.factor * (texture.checkers->colors[0] + texture.checkers->colors[1]) * 0.5F
               : texture.factor;
}

PictureName picture_of(const NamedTexture& texture) {
    PictureName picture = texture.picture->picture;
    if (is_in_picture(texture)) {
        picture.factor *= texture.factor;
    }
    return picture;
}

bool is_in_picture(const NamedTexture& texture) {
    const Vec3& factor = texture.factor;
    return texture.picture && !texture.picture->picture.is_inverted &&
           std::max({factor.x, factor.y, factor.z}) > 1;
}

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
                                                    Vec3 otherwise,
                                                    TextureKind kind) {
    const Parameter* const found = parameters.find(name);
    if (found && found->type == "texture") {
        const std::string wanted = found->strings.empty() ? "" : found->strings[0];
        const TextureKind other =
            kind == TextureKind::Float ? TextureKind::Spectrum : TextureKind::Float;
        auto texture = textures_.find({kind, wanted});
        texture = texture == textures_.end() ? textures_.find({other, wanted}) : texture;
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

base::Result<NamedTexture> PbrtScene::make_texture(TextureKind kind,
                                                   const std::string& type,
                                                   const Parameters& parameters) {
    if (type == "constant") {
        return texture_input(parameters, "value", Vec3(1), kind);
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
        use.picture = {file->strings[0], file->place.text()};
        WEFT_TRY(read_mapping(parameters, use));
        const base::Result<std::string> wrap = parameters.string("wrap", "repeat");
        WEFT_TRY(wrap);
        use.wrap = wrap.value() == "repeat" ? shaders::Wrap::Repeat : shaders::Wrap::Clamp;
        if (wrap.value() == "black") {
            note(Note::Kind::Replaced, "textures that are black outside repeat their edge there");
        }
        const base::Result<std::string> encoding = parameters.string("encoding", "sRGB");
        WEFT_TRY(encoding);
        use.picture.is_linear = encoding.value() == "linear" || is_gamma_one(encoding.value());
        if (encoding.value().starts_with("gamma") && !use.picture.is_linear) {
            note(Note::Kind::Replaced, "pictures of another gamma are read as sRGB");
        }
        const base::Result<bool> is_inverted = parameters.boolean("invert", false);
        WEFT_TRY(is_inverted);
        use.picture.is_inverted = is_inverted.value();
        const base::Result<double> scale = parameters.number("scale", 1);
        WEFT_TRY(scale);
        // The scale comes before the inversion.
        const Vec3 factor(static_cast<float>(scale.value()));
        (use.picture.is_inverted ? use.picture.factor : texture.factor) = factor;
        parameters.expect("filter");
        texture.picture = use;
        return texture;
    }
    if (type == "scale") {
        base::Result<NamedTexture> texture = texture_input(parameters, "tex", Vec3(1), kind);
        WEFT_TRY(texture);
        const base::Result<NamedTexture> by =
            texture_input(parameters, "scale", Vec3(1), TextureKind::Float);
        WEFT_TRY(by);
        // Where both are pictures, the second counts as its factor.
        if (by.value().picture && !texture.value().picture && !texture.value().checkers) {
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
        const base::Result<NamedTexture> one = texture_input(parameters, "tex1", Vec3(1), kind);
        WEFT_TRY(one);
        const base::Result<NamedTexture> two = texture_input(parameters, "tex2", Vec3(0), kind);
        WEFT_TRY(two);
        checkers.colors[0] = mean_of(one.value());
        checkers.colors[1] = mean_of(two.value());
        if (one.value().picture || two.value().picture) {
            note(Note::Kind::Replaced, "pictures in a checkerboard are taken as their factors");
        }
        if (one.value().checkers || two.value().checkers) {
            note(Note::Kind::Replaced, "a checkerboard in another is taken as its mean");
        }
        WEFT_TRY(read_mapping(parameters, checkers.use));
        checkers.use.is_nearest = true;
        checkers.use.is_upright = false;
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
        const base::Result<NamedTexture> one = texture_input(parameters, "tex1", Vec3(0), kind);
        WEFT_TRY(one);
        const base::Result<NamedTexture> two = texture_input(parameters, "tex2", Vec3(1), kind);
        WEFT_TRY(two);
        const base::Result<NamedTexture> amount =
            texture_input(parameters, "amount", Vec3(0.5F), TextureKind::Float);
        WEFT_TRY(amount);
        const bool are_plain = !one.value().picture && !two.value().picture &&
                               !one.value().checkers && !two.value().checkers;
        const auto mixed = [&](float by) {
            const float share = std::clamp(by, 0.0F, 1.0F);
            return (1 - share) * one.value().factor + share * two.value().factor;
        };
        if (are_plain && amount.value().checkers) {
            NamedTexture texture = amount.value();
            for (Vec3& color : texture.checkers->colors) {
                color = mixed(texture.factor.x * color.x);
            }
            texture.factor = Vec3(1);
            return texture;
        }
        const float share = mean_of(amount.value()).x;
        if (are_plain && !amount.value().picture) {
            return NamedTexture{mixed(share), {}, {}};
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
    const base::Result<std::string> kind_name = read_string(directive);
    WEFT_TRY(kind_name);
    const base::Result<std::string> type = read_string(directive);
    WEFT_TRY(type);
    const base::Result<Parameters> parameters = read_parameters("texture");
    WEFT_TRY(parameters);
    const TextureKind kind =
        kind_name.value() == "float" ? TextureKind::Float : TextureKind::Spectrum;
    const base::Result<NamedTexture> texture = make_texture(kind, type.value(), parameters.value());
    WEFT_TRY(texture);
    note_unused("textures \"" + type.value() + "\"", parameters.value());
    textures_[{kind, name.value()}] = texture.value();
    return base::Done{};
}

u32 PbrtScene::append_slot(u32 texture, const PictureUse& use) {
    shaders::TextureSlot slot{};
    slot.texture = texture;
    slot.uv_transform[0] = static_cast<float>(use.scale[0]);
    slot.uv_transform[2] = static_cast<float>(use.shift[0]);
    slot.uv_transform[4] = static_cast<float>(use.is_upright ? -use.scale[1] : use.scale[1]);
    slot.uv_transform[5] = static_cast<float>(use.is_upright ? 1 - use.shift[1] : use.shift[1]);
    slot.wrap_u = slot.wrap_v = static_cast<u32>(use.wrap);
    slot.is_nearest = use.is_nearest ? 1 : 0;
    scene_.slots.push_back(slot);
    return static_cast<u32>(scene_.slots.size() - 1);
}

base::Result<u32> PbrtScene::slot_of(const NamedTexture& texture) {
    if (texture.picture) {
        const base::Result<u32> picture = pictures_.load(picture_of(texture), TexelMeaning::Color);
        WEFT_TRY(picture);
        return append_slot(picture.value(), *texture.picture);
    }
    if (texture.checkers) {
        const base::Result<u32> board =
            pictures_.append_checkers(within_one(texture.factor * texture.checkers->colors[0]),
                                      within_one(texture.factor * texture.checkers->colors[1]));
        WEFT_TRY(board);
        return append_slot(board.value(), texture.checkers->use);
    }
    return kNone;
}

}  // namespace weft::scene::pbrt
