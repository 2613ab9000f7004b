// mitsuba_texture.cpp — textures: a factor times a picture or a checkerboard, as slots of
// materials.
//
// Mitsuba's uvs count v from the top row of a picture, as slots do.
#include <algorithm>
#include <cmath>

#include "engine/scene/mitsuba/mitsuba_scene.h"

namespace weft::scene::mitsuba {

namespace {

using math::Vec3;

// Textures within each other.
constexpr std::size_t kMostTextures = 16;

}  // namespace

base::Result<TextureInput> MitsubaScene::input_of(const Fields& fields,
                                                  std::string_view name,
                                                  const Vec3& otherwise,
                                                  ColorUse use) {
    const base::Result<const Element*> found = field_of(fields, name);
    WEFT_TRY(found);
    if (!found.value()) {
        TextureInput input;
        input.factor = otherwise;
        return input;
    }
    return texture_of(*found.value(), use, 0);
}

base::Result<TextureInput> MitsubaScene::texture_of(const Element& element,
                                                    ColorUse use,
                                                    std::size_t depth) {
    if (depth >= kMostTextures) {
        return error_at(element.place,
                        element.text() + " lies within more than " + std::to_string(kMostTextures) +
                            " textures; expected fewer.");
    }
    if (is_color(element)) {
        const base::Result<Vec3> color = color_of(element, use, document_);
        WEFT_TRY(color);
        TextureInput input;
        input.factor = color.value();
        return input;
    }
    const Fields fields(element);
    if (element.type() == "bitmap") {
        return bitmap(fields);
    }
    if (element.type() == "checkerboard") {
        return checkerboard(fields, depth);
    }
    // Version 0.x has a texture that scales another.
    const base::Result<const Element*> inner = child_of(element, "texture");
    WEFT_TRY(inner);
    if (element.type() == "scale" && inner.value()) {
        base::Result<TextureInput> input = texture_of(*inner.value(), use, depth + 1);
        WEFT_TRY(input);
        const base::Result<double> scale = fields.number("scale", 1);
        WEFT_TRY(scale);
        input.value().factor *= static_cast<float>(scale.value());
        return input;
    }
    note(Note::Kind::Replaced,
         "textures \"" + (element.type().empty() ? element.tag : element.type()) + "\" are grey");
    TextureInput grey;
    grey.factor = Vec3(0.5F);
    return grey;
}

base::Status MitsubaScene::read_mapping(const Fields& fields, PictureUse& use) {
    const base::Result<math::DAffine> mapped = fields.transform("to_uv");
    WEFT_TRY(mapped);
    const math::DAffine& m = mapped.value();
    // Names of version 0.x: scales, then offsets.
    const std::array<const char*, 4> names = {"uscale", "vscale", "uoffset", "voffset"};
    std::array<double, 4> old = {1, 1, 0, 0};
    for (std::size_t k = 0; k < names.size(); ++k) {
        const base::Result<double> number = fields.number(names[k], old[k]);
        WEFT_TRY(number);
        old[k] = number.value();
    }
    const double row_u[3] = {old[0] * m[0], old[0] * m[1], old[0] * m[3] + old[2]};
    const double row_v[3] = {old[1] * m[4], old[1] * m[5], old[1] * m[7] + old[3]};
    for (std::size_t k = 0; k < 3; ++k) {
        use.transform[k] = static_cast<float>(std::clamp(row_u[k], -1e6, 1e6));
        use.transform[3 + k] = static_cast<float>(std::clamp(row_v[k], -1e6, 1e6));
    }
    return base::Done{};
}

base::Result<TextureInput> MitsubaScene::bitmap(const Fields& fields) {
    TextureInput input;
    PictureUse use;
    const base::Result<std::string> name = fields.string("filename", "");
    WEFT_TRY(name);
    if (name.value().empty()) {
        return error_at(fields.object().place, "is a bitmap without a filename; expected one.");
    }
    const std::optional<std::string> file = document_.find_file(name.value());
    if (!file) {
        return outside_error(fields.object().place.text() + ": a picture", name.value());
    }
    use.picture = {*file, fields.object().place.text()};
    const base::Result<bool> is_raw = fields.boolean("raw", false);
    WEFT_TRY(is_raw);
    const base::Result<double> gamma = fields.number("gamma", 0);
    WEFT_TRY(gamma);
    use.picture.is_linear = is_raw.value() || gamma.value() == 1;
    const base::Result<std::string> filter = fields.string("filter_type", "bilinear");
    WEFT_TRY(filter);
    use.is_nearest = filter.value() == "nearest";
    const base::Result<std::string> wrap = fields.string("wrap_mode", "repeat");
    WEFT_TRY(wrap);
    use.wrap = wrap.value() == "clamp"    ? shaders::Wrap::Clamp
               : wrap.value() == "mirror" ? shaders::Wrap::Mirror
                                          : shaders::Wrap::Repeat;
    WEFT_TRY(read_mapping(fields, use));
    for (const char* const quiet : {"format", "accel", "max_anisotropy", "cache"}) {
        fields.expect(quiet);
    }
    note_unused("textures \"bitmap\"", fields);
    input.picture = use;
    return input;
}

base::Result<TextureInput> MitsubaScene::checkerboard(const Fields& fields, std::size_t depth) {
    TextureInput input;
    std::array<Vec3, 2> colors = {Vec3(0.4F), Vec3(0.2F)};
    for (std::size_t k = 0; k < 2; ++k) {
        const base::Result<const Element*> found = field_of(fields, k == 0 ? "color0" : "color1");
        WEFT_TRY(found);
        if (!found.value()) {
            continue;
        }
        const base::Result<TextureInput> color =
            texture_of(*found.value(), ColorUse::Reflected, depth + 1);
        WEFT_TRY(color);
        if (!color.value().is_plain()) {
            note(Note::Kind::Replaced, "pictures in a checkerboard are taken as their factors");
        }
        colors[k] = color.value().factor;
    }
    WEFT_TRY(read_mapping(fields, input.checkers_use));
    input.checkers_use.is_nearest = true;
    note_unused("textures \"checkerboard\"", fields);
    input.checkers = colors;
    return input;
}

u32 MitsubaScene::append_slot(u32 texture, const PictureUse& use) {
    shaders::TextureSlot slot{};
    slot.texture = texture;
    std::copy(std::begin(use.transform), std::end(use.transform), slot.uv_transform);
    slot.wrap_u = slot.wrap_v = static_cast<u32>(use.wrap);
    slot.is_nearest = use.is_nearest ? 1 : 0;
    scene_.slots.push_back(slot);
    return static_cast<u32>(scene_.slots.size() - 1);
}

base::Result<u32> MitsubaScene::slot_of(const TextureInput& input, TexelMeaning meaning) {
    if (input.picture) {
        const base::Result<u32> texture = pictures_.load(input.picture->picture, meaning);
        WEFT_TRY(texture);
        return append_slot(texture.value(), *input.picture);
    }
    if (input.checkers) {
        const base::Result<u32> texture =
            pictures_.append_checkers(within_one(input.factor * (*input.checkers)[0]),
                                      within_one(input.factor * (*input.checkers)[1]));
        WEFT_TRY(texture);
        return append_slot(texture.value(), input.checkers_use);
    }
    return kNone;
}

}  // namespace weft::scene::mitsuba
