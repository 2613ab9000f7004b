// edit_texture.cpp — the texture slots of a material.
//
// A slot takes a picture of the scene by its name and meaning, or reads the file of that name.
// Unused pictures and slots stay in the scene, so that undo finds them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/model/texture.h"

namespace weft::scene::edits {

namespace {

using Record = shaders::MaterialRecord;
using shaders::TextureSlot;

// An index of a slot in the record.
struct TextureRow {
    const char* name;
    const char* label;
    std::size_t offset_bytes;
    TexelMeaning meaning;
};

constexpr TexelMeaning kEncoded = TexelMeaning::Color;
constexpr TexelMeaning kLinear = TexelMeaning::Linear;

// clang-format off
constexpr TextureRow kTextures[] = {
    {"base_color_texture", "Base colour", offsetof(Record, base_color_slot), kEncoded},
    {"metallic_roughness_texture", "Metal and roughness",
     offsetof(Record, metallic_roughness_slot), kLinear},
    {"normal_texture", "Normal map", offsetof(Record, normal_slot), kLinear},
    {"emissive_texture", "Emission", offsetof(Record, emissive_slot), kEncoded},
    {"specular_texture", "Specular", offsetof(Record, specular_slot), kLinear},
    {"specular_color_texture", "Specular colour", offsetof(Record, specular_color_slot), kEncoded},
    {"transmission_texture", "Transmission", offsetof(Record, transmission_slot), kLinear},
    {"coat_texture", "Coat", offsetof(Record, coat_slot), kLinear},
    {"coat_roughness_texture", "Coat roughness",
     offsetof(Record, coat_roughness_slot), kLinear},
    {"coat_normal_texture", "Coat normal map", offsetof(Record, coat_normal_slot), kLinear},
    {"sheen_color_texture", "Sheen colour", offsetof(Record, sheen_color_slot), kEncoded},
    {"sheen_roughness_texture", "Sheen roughness",
     offsetof(Record, sheen_roughness_slot), kLinear},
    {"iridescence_texture", "Iridescence", offsetof(Record, iridescence_slot), kLinear},
    {"iridescence_thickness_texture", "Film thickness",
     offsetof(Record, iridescence_thickness_slot), kLinear},
    {"anisotropy_texture", "Anisotropy",
     offsetof(Record, anisotropy_slot), kLinear},
};
// clang-format on

// In the order of shaders::Wrap.
const std::array<std::string, 3> kWraps = {"repeat", "clamp", "mirror"};

// The row of a name that is_texture_field().
const TextureRow& row_of(const std::string& name) {
    std::size_t i = 0;
    while (i + 1 < std::size(kTextures) && name != kTextures[i].name) {
        ++i;
    }
    return kTextures[i];
}

u32 slot_of(const Record& record, const TextureRow& row) {
    u32 slot = kNone;
    std::memcpy(
        &slot, reinterpret_cast<const unsigned char*>(&record) + row.offset_bytes, sizeof slot);
    return slot;
}

TextureSlot plain_slot() {
    TextureSlot slot{};
    slot.uv_transform[0] = slot.uv_transform[4] = 1.0F;
    return slot;
}

bool is_same(const TextureSlot& a, const TextureSlot& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

// Sets the members beside "file".
base::Status set_reading(const std::string& place, const Json& value, TextureSlot& slot) {
    for (const auto& [name, member] : members(value)) {
        const std::string at = place + "/" + name;
        if (name == "uv_set") {
            const base::Result<double> number = read_number(at, member, {0, 1});
            WEFT_TRY(number);
            slot.uv_set = number.value() >= 0.5 ? 1 : 0;
        } else if (name == "uv_transform") {
            WEFT_TRY(read_floats(at, member, {-kHuge, kHuge}, slot.uv_transform));
        } else if (name == "wrap_u" || name == "wrap_v") {
            const base::Result<u32> wrap = read_choice(at, member, kWraps);
            WEFT_TRY(wrap);
            (name == "wrap_u" ? slot.wrap_u : slot.wrap_v) = wrap.value();
        } else if (name == "nearest") {
            const base::Result<bool> nearest = read_flag(at, member);
            WEFT_TRY(nearest);
            slot.is_nearest = nearest.value() ? 1 : 0;
        } else if (name != "file") {
            return wrong_value(
                at,
                member,
                "no other member than file, uv_set, uv_transform, wrap_u, wrap_v, nearest");
        }
    }
    return base::Done{};
}

struct Found {
    u32 texture;
    u32 effect;
};

base::Result<Found> take_texture(Scene& scene,
                                 const EditContext& context,
                                 const Address& address,
                                 const std::string& file,
                                 TexelMeaning meaning) {
    const std::string path = path_in(context, file);
    for (const std::string& name : {file, path}) {
        if (const std::optional<u32> known = find_texture(std::as_const(scene), name, meaning)) {
            return Found{*known, kEffectShading};
        }
    }
    WEFT_TRY(check_file(context, address.path, path));
    const base::Result<u32> texture = append_file(scene, path, meaning, context.colours.get());
    if (!texture.is_ok()) {
        return base::Error{texture.error().kind, address.path + ": " + texture.error().sentence};
    }
    return Found{texture.value(), kEffectShading | kEffectTextures};
}

// The index of an equal slot, which is appended if there is none.
u32 take_slot(Scene& scene, const TextureSlot& slot) {
    const Arena<TextureSlot>& slots = scene.slots;
    const auto known = std::find_if(slots.begin(), slots.end(), [&](const TextureSlot& candidate) {
        return is_same(candidate, slot);
    });
    if (known != slots.end()) {
        return static_cast<u32>(known - slots.begin());
    }
    scene.slots.push_back(slot);
    return static_cast<u32>(slots.size() - 1);
}

void set_slot(Scene& scene, u32 material, const TextureRow& row, u32 slot) {
    std::memcpy(
        reinterpret_cast<unsigned char*>(&scene.materials[material].record) + row.offset_bytes,
        &slot,
        sizeof slot);
}

}  // namespace

std::vector<EditField> texture_fields() {
    std::vector<EditField> fields;
    for (const TextureRow& row : kTextures) {
        fields.push_back(number_field(row.name, row.label, "", 0, 0));
        fields.back().kind = EditKind::Texture;
        fields.back().meaning = row.meaning;
    }
    return fields;
}

bool is_texture_field(const std::string& name) {
    return row_of(name).name == name;
}

std::string read_texture(const Scene& scene, u32 material, const std::string& field) {
    const u32 index = slot_of(scene.materials[material].record, row_of(field));
    if (index == kNone) {
        return "null";
    }
    const TextureSlot& slot = scene.slots[index];
    const std::string file = quoted(scene.textures[slot.texture].name);
    return "{\"file\": " + file + ", \"uv_set\": " + std::to_string(slot.uv_set) +
           ", \"uv_transform\": " + floats_text(slot.uv_transform) +
           ", \"wrap_u\": " + quoted(kWraps[std::min(slot.wrap_u, 2U)]) +
           ", \"wrap_v\": " + quoted(kWraps[std::min(slot.wrap_v, 2U)]) +
           ", \"nearest\": " + flag_text(slot.is_nearest != 0) + "}";
}

base::Result<u32> apply_texture(Scene& scene,
                                const EditContext& context,
                                u32 material,
                                const Address& address,
                                const Json& value) {
    const TextureRow& row = row_of(address.field);
    if (is_null(value)) {
        set_slot(scene, material, row, kNone);
        return u32{kEffectShading};
    }
    const Json* const named = find(value, "file");
    const Json& file = named ? *named : value;
    if (!is_text(file)) {
        return wrong_value(address.path,
                           value,
                           "the name of a picture in quotes, an object with \"file\", or null");
    }
    // A name alone keeps the other settings of the slot.
    const u32 old = slot_of(std::as_const(scene).materials[material].record, row);
    TextureSlot slot =
        old == kNone || is_object(value) ? plain_slot() : std::as_const(scene).slots[old];
    if (is_object(value)) {
        WEFT_TRY(set_reading(address.path, value, slot));
    }
    const base::Result<Found> found =
        take_texture(scene, context, address, text_of(file), row.meaning);
    WEFT_TRY(found);
    slot.texture = found.value().texture;
    set_slot(scene, material, row, take_slot(scene, slot));
    return found.value().effect;
}

}  // namespace weft::scene::edits
