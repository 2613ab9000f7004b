// edit_material.cpp — the numbers and choices of a material, as a table over its record.
//
// shaders/bsdf.md explains the numbers; edit_texture.cpp has the pictures. Limits are those of the
// importers, so that every value of a file can be written back.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>

#include "engine/math/angle.h"
#include "engine/scene/edit/edit_parts.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::edits {

namespace {

using Record = shaders::MaterialRecord;

// One float of the record, or three in a row.
struct NumberRow {
    const char* name;
    const char* label;
    const char* unit;
    std::size_t offset_bytes;
    EditKind kind;
    double low;  // of the slider
    double high;
    double least;  // accepted by apply_edit()
    double most;
    bool is_logarithmic;
};

constexpr EditKind kOne = EditKind::Number;
constexpr EditKind kRgb = EditKind::Colour;

// clang-format off
constexpr NumberRow kNumbers[] = {
    {"base_color", "Base colour", "", offsetof(Record, base_color), kRgb, 0, 1, 0, 1, false},
    {"alpha", "Alpha", "",
     offsetof(Record, base_color) + 3 * sizeof(float), kOne, 0, 1, 0, 1, false},
    {"alpha_cutoff", "Alpha cutoff", "",
     offsetof(Record, alpha_cutoff), kOne, 0, 1, 0, kHuge, false},
    {"metallic", "Metallic", "", offsetof(Record, metallic), kOne, 0, 1, 0, 1, false},
    {"roughness", "Roughness", "", offsetof(Record, roughness), kOne, 0, 1, 0, 1, false},
    {"ior", "Index of refraction", "", offsetof(Record, ior), kOne, 1, 2.5, 0, 1000, false},
    {"dispersion", "Dispersion", "",
     offsetof(Record, dispersion), kOne, 0, 1, 0, 1000, false},
    {"specular", "Specular", "", offsetof(Record, specular), kOne, 0, 1, 0, 1, false},
    {"specular_color", "Specular colour", "",
     offsetof(Record, specular_color), kRgb, 0, 1, 0, kHuge, false},
    {"emissive", "Emission", "cd/m²",
     offsetof(Record, emissive), kRgb, 0.01, 10000, 0, kHuge, true},
    {"normal_scale", "Normal map scale", "",
     offsetof(Record, normal_scale), kOne, 0, 2, -kHuge, kHuge, false},
    {"transmission", "Transmission", "", offsetof(Record, transmission), kOne, 0, 1, 0, 1, false},
    {"absorption", "Absorption", "1/m",
     offsetof(Record, sigma_a), EditKind::Vector, 0.01, 1000, 0, kHuge, true},
    {"scattering", "Scattering", "1/m",
     offsetof(Record, sigma_s), EditKind::Vector, 0.01, 1000, 0, kHuge, true},
    {"phase_g", "Mean cosine of scattering", "",
     offsetof(Record, phase_g), kOne, -0.95, 0.95, -0.999, 0.999, false},
    {"medium_priority", "Priority of the medium", "",
     offsetof(Record, medium_priority), kOne, -10, 10, -kHuge, kHuge, false},
    {"coat", "Coat", "", offsetof(Record, coat), kOne, 0, 1, 0, 1, false},
    {"coat_roughness", "Coat roughness", "",
     offsetof(Record, coat_roughness), kOne, 0, 1, 0, 1, false},
    {"coat_normal_scale", "Coat normal map scale", "",
     offsetof(Record, coat_normal_scale), kOne, 0, 2, -kHuge, kHuge, false},
    {"sheen_color", "Sheen colour", "", offsetof(Record, sheen_color), kRgb, 0, 1, 0, 1, false},
    {"sheen_roughness", "Sheen roughness", "",
     offsetof(Record, sheen_roughness), kOne, 0, 1, 0, 1, false},
    {"iridescence", "Iridescence", "", offsetof(Record, iridescence), kOne, 0, 1, 0, 1, false},
    {"iridescence_ior", "Film's index of refraction", "",
     offsetof(Record, iridescence_ior), kOne, 1, 2.5, 1, 1000, false},
    {"iridescence_min_nm", "Film thickness at 0", "nm",
     offsetof(Record, iridescence_min_nm), kOne, 0, 1200, 0, kHuge, false},
    {"iridescence_max_nm", "Film thickness at 1", "nm",
     offsetof(Record, iridescence_max_nm), kOne, 0, 1200, 0, kHuge, false},
    {"anisotropy", "Anisotropy", "", offsetof(Record, anisotropy), kOne, 0, 1, 0, 1, false},
};

// clang-format on

// Bits of the record's flags.
struct FlagRow {
    const char* name;
    const char* label;
    u32 bit;
    bool is_negated;
};

constexpr FlagRow kFlags[] = {
    {"solid", "Solid", shaders::kMaterialSolid, false},
    {"boundary", "Boundary without a surface", shaders::kMaterialBoundary, false},
    {"double_sided", "Double sided", shaders::kMaterialSingleSided, true},
    {"unlit", "Unlit", shaders::kMaterialUnlit, false},
    {"specular_glossiness", "Specular-glossiness", shaders::kMaterialSpecGloss, false},
    {"cut_by_planes", "Cut by section planes", shaders::kMaterialWhole, true},
};

const std::array<std::string, 3> kAlphaModes = {"opaque", "mask", "blend"};
constexpr const char* kAlphaMode = "alpha_mode";
constexpr const char* kRotation = "anisotropy_rotation_deg";

template <typename Row, std::size_t N>
const Row* find_row(const Row (&rows)[N], const std::string& name) {
    const Row* const row =
        std::find_if(rows, rows + N, [&](const Row& candidate) { return candidate.name == name; });
    return row == rows + N ? nullptr : row;
}

u32 numbers_of(const NumberRow& row) {
    return row.kind == kOne ? 1 : 3;
}

using Three = std::array<float, 3>;

Three floats_at(const Record& record, const NumberRow& row) {
    Three values{};
    std::memcpy(values.data(),
                reinterpret_cast<const unsigned char*>(&record) + row.offset_bytes,
                numbers_of(row) * sizeof(float));
    return values;
}

// Whether the importers and set_rotation() compute this cosine and sine from the angle.
bool is_rotation(double degrees, float cosine, float sine) {
    const double angle = math::to_radians(degrees);
    return static_cast<float>(shaders::cos_of(angle)) == cosine &&
           static_cast<float>(shaders::sin_of(angle)) == sine;
}

std::string rotation_text(float cosine, float sine) {
    const double c = static_cast<double>(cosine);
    const double s = static_cast<double>(sine);
    // The smaller of the two gives the angle most precisely. Both are rounded, so take the first
    // angle nearby that gives both back.
    double best = s < 0 ? -shaders::acos_of(c) : shaders::acos_of(c);
    if (std::fabs(s) < std::fabs(c)) {
        const double half_turn = s < 0 ? -shaders::kPi : shaders::kPi;
        best = c < 0 ? half_turn - shaders::asin_of(s) : shaders::asin_of(s);
    }
    constexpr int kSteps = 64;
    constexpr double kStep = 1e-9;  // radians; a 64th of what rounding to float does
    for (int k = 0; k <= 2 * kSteps; ++k) {
        const double offset = kStep * ((k % 2 == 0) ? k / 2 : -(k + 1) / 2);
        const double degrees = math::to_degrees(best + offset);
        if (is_rotation(degrees, cosine, sine)) {
            return short_text(degrees,
                              [&](double shorter) { return is_rotation(shorter, cosine, sine); });
        }
    }
    return number_text(math::to_degrees(shaders::atan2_of(s, c)));
}

base::Status set_numbers(const Address& address,
                         const Json& value,
                         const NumberRow& row,
                         Record& record) {
    Three values{};
    WEFT_TRY(read_floats(
        address.path, value, {row.least, row.most}, std::span(values).first(numbers_of(row))));
    if (row.offset_bytes == offsetof(Record, ior) && values[0] != 0 && values[0] < 1) {
        return wrong_value(address.path, value, "0 (a mirror) or a number from 1 to 1000");
    }
    std::memcpy(reinterpret_cast<unsigned char*>(&record) + row.offset_bytes,
                values.data(),
                numbers_of(row) * sizeof(float));
    return base::Done{};
}

base::Status set_flag(const Address& address,
                      const Json& value,
                      const FlagRow& row,
                      Record& record) {
    const base::Result<bool> flag = read_flag(address.path, value);
    WEFT_TRY(flag);
    record.flags =
        flag.value() != row.is_negated ? record.flags | row.bit : record.flags & ~row.bit;
    return base::Done{};
}

base::Status set_alpha_mode(const Address& address, const Json& value, Record& record) {
    const base::Result<u32> mode = read_choice(address.path, value, kAlphaModes);
    WEFT_TRY(mode);
    record.alpha_mode = mode.value();
    return base::Done{};
}

base::Status set_rotation(const Address& address, const Json& value, Record& record) {
    const base::Result<double> degrees = read_number(address.path, value, {-1e6, 1e6});
    WEFT_TRY(degrees);
    const double angle = math::to_radians(degrees.value());
    record.anisotropy_cos = static_cast<float>(shaders::cos_of(angle));
    record.anisotropy_sin = static_cast<float>(shaders::sin_of(angle));
    return base::Done{};
}

base::Status set_field(const Address& address, const Json& value, Record& record) {
    if (const NumberRow* row = find_row(kNumbers, address.field); row != nullptr) {
        return set_numbers(address, value, *row, record);
    }
    if (const FlagRow* row = find_row(kFlags, address.field); row != nullptr) {
        return set_flag(address, value, *row, record);
    }
    if (address.field == kAlphaMode) {
        return set_alpha_mode(address, value, record);
    }
    if (address.field == kRotation) {
        return set_rotation(address, value, record);
    }
    return no_such_field(address, field_names(material_fields()));
}

}  // namespace

std::vector<EditField> material_fields() {
    std::vector<EditField> fields;
    for (const NumberRow& row : kNumbers) {
        EditField field = number_field(row.name, row.label, row.unit, row.low, row.high);
        field.kind = row.kind;
        field.count = numbers_of(row);
        field.least = row.least;
        field.most = row.most;
        field.is_logarithmic = row.is_logarithmic;
        fields.push_back(field);
    }
    EditField rotation = number_field(kRotation, "Anisotropy rotation", "°", -180, 180);
    rotation.least = -1e6;
    rotation.most = 1e6;
    fields.push_back(rotation);
    EditField mode = number_field(kAlphaMode, "Alpha mode", "", 0, 0);
    mode.kind = EditKind::Choice;
    mode.choices.assign(kAlphaModes.begin(), kAlphaModes.end());
    fields.push_back(mode);
    for (const FlagRow& row : kFlags) {
        fields.push_back(number_field(row.name, row.label, "", 0, 1));
        fields.back().kind = EditKind::Flag;
    }
    const std::vector<EditField> textures = texture_fields();
    fields.insert(fields.end(), textures.begin(), textures.end());
    return fields;
}

base::Result<u32> read_material_path(const Scene& scene,
                                     const EditContext& context,
                                     const std::string& place,
                                     const Json& value) {
    const base::Result<std::string> text = read_text(place, value);
    WEFT_TRY(text);
    const base::Result<Address> material = parse_path(text.value());
    const bool is_object = material.is_ok() && material.value().family == "materials" &&
                           material.value().field.empty();
    const std::optional<u32> index =
        is_object ? material_at(scene, context, material.value()) : std::nullopt;
    return index ? base::Result<u32>(*index)
                 : wrong_value(place, value, "the path of a material of the scene");
}

base::Result<std::string> read_material(const Scene& scene,
                                        const EditContext& context,
                                        const Address& address) {
    const std::optional<u32> index = material_at(scene, context, address);
    if (!index) {
        return no_such_object(scene, address);
    }
    if (address.field.empty()) {
        return read_whole_material(scene, context, address);
    }
    if (is_texture_field(address.field)) {
        return read_texture(scene, *index, address.field);
    }
    const Record& record = scene.materials[*index].record;
    if (const NumberRow* row = find_row(kNumbers, address.field); row != nullptr) {
        const Three values = floats_at(record, *row);
        return floats_text(std::span(values).first(numbers_of(*row)));
    }
    if (const FlagRow* row = find_row(kFlags, address.field); row != nullptr) {
        return flag_text(((record.flags & row->bit) != 0) != row->is_negated);
    }
    if (address.field == kAlphaMode) {
        return quoted(kAlphaModes[std::min(record.alpha_mode, 2U)]);
    }
    if (address.field == kRotation) {
        return rotation_text(record.anisotropy_cos, record.anisotropy_sin);
    }
    return no_such_field(address, field_names(material_fields()));
}

base::Result<u32> set_material_field(Scene& scene,
                                     const EditContext& context,
                                     u32 material,
                                     const Address& address,
                                     const Json& value) {
    if (is_texture_field(address.field)) {
        return apply_texture(scene, context, material, address, value);
    }
    WEFT_TRY(set_field(address, value, scene.materials[material].record));
    return u32{kEffectShading};
}

namespace {

bool has_material(const Scene& scene, const EditContext& context, const Address& address) {
    return material_at(scene, context, address).has_value();
}

std::vector<EditField> all_fields_of_material(const EditContext& /*context*/) {
    return material_fields();
}

base::Result<u32> apply_material(Scene& scene,
                                 EditContext& context,
                                 const Address& address,
                                 const Json& value) {
    if (address.field.empty()) {
        return apply_whole_material(scene, context, address, value);
    }
    const std::optional<u32> index = material_at(scene, context, address);
    return index ? set_material_field(scene, context, *index, address, value)
                 : no_such_object(scene, address);
}

base::Result<Edit> inverse_of_material(const Scene& scene,
                                       const EditContext& context,
                                       const Address& address,
                                       const std::string& text) {
    if (!address.field.empty()) {
        return present_value(address.path, read_material(scene, context, address));
    }
    const auto value = parse_value(address.path, text);
    WEFT_TRY(value);
    return inverse_of_whole_material(scene, context, address, *value.value());
}

}  // namespace

constinit const Family kMaterialFamily = {"materials",
                                          has_material,
                                          all_fields_of_material,
                                          read_material,
                                          apply_material,
                                          inverse_of_material};

}  // namespace weft::scene::edits
