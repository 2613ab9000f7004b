// edit_environment.cpp — the environment map, its rotation and its strength.
//
// Replaced maps stay in the context, so that undo reads no file and also finds maps made in code;
// their pixels are shared.
#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "engine/math/angle.h"
#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/files/installed_maps.h"
#include "engine/scene/import.h"
#include "engine/scene/model/sky.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::edits {

namespace {

// The name of a constant map, here and with --environment-color.
constexpr const char* kConstant = "constant";
constexpr const char* kFile = "file";
constexpr const char* kColor = "color";

bool is_constant(const Environment& environment) {
    return environment.width == 1 && environment.height == 1 && environment.name == kConstant;
}

// The map called `file`: kept in the context, made in code, installed, or read.
base::Result<Environment> find_map(const Scene& scene,
                                   const EditContext& context,
                                   const std::string& place,
                                   const std::string& file) {
    const std::string path = path_in(context, file);
    for (const Environment& known : context.environments) {
        if (known.name == file || known.name == path) {
            return known;
        }
    }
    if (scene.environment.name == file || scene.environment.name == path) {
        return scene.environment;
    }
    for (Environment (*make)() : {soft_environment, clear_sky}) {
        Environment made = make();
        if (made.name == file) {
            return made;
        }
    }
    // A file of that name wins over an installed map, which any edit may open and which keeps its
    // name, so that saved edits find it on another machine.
    std::error_code problem;
    const std::string installed =
        std::filesystem::exists(path, problem) ? std::string() : installed_map(file);
    if (installed.empty()) {
        WEFT_TRY(check_file(context, place, path));
    }
    base::Result<Environment> map =
        read_environment(installed.empty() ? path : installed, context.colours.get());
    if (!map.is_ok()) {
        return base::Error{map.error().kind, place + ": " + map.error().sentence};
    }
    if (!installed.empty()) {
        map.value().name = file;
    }
    return map;
}

// Keeps strength and rotation. An empty map is black.
void replace_map(Scene& scene, EditContext& context, Environment map) {
    const std::string& old = scene.environment.name;
    const bool is_known = std::any_of(context.environments.begin(),
                                      context.environments.end(),
                                      [&](const Environment& known) { return known.name == old; });
    if (!is_known && scene.environment.width > 0 && !is_constant(scene.environment)) {
        context.environments.push_back(scene.environment);
    }
    map.strength = scene.environment.strength;
    map.rotation_rad = scene.environment.rotation_rad;
    scene.environment = std::move(map);
}

base::Status set_file(Scene& scene,
                      EditContext& context,
                      const std::string& place,
                      const Json& value) {
    if (is_null(value)) {
        replace_map(scene, context, {});
        return base::Done{};
    }
    const base::Result<std::string> file = read_text(place, value);
    if (!file.is_ok()) {
        return wrong_value(place, value, "the name of a lat-long picture in quotes, or null");
    }
    base::Result<Environment> map = find_map(scene, context, place, file.value());
    WEFT_TRY(map);
    replace_map(scene, context, std::move(map.value()));
    return base::Done{};
}

base::Status set_color(Scene& scene,
                       EditContext& context,
                       const std::string& place,
                       const Json& value) {
    std::array<float, 3> color{};
    WEFT_TRY(read_floats(place, value, {0, kHuge}, color));
    Environment map;
    map.name = kConstant;
    map.width = 1;
    map.height = 1;
    map.pixels.assign(color.begin(), color.end());
    replace_map(scene, context, std::move(map));
    return base::Done{};
}

base::Status set_rotation(Scene& scene,
                          EditContext& /*context*/,
                          const std::string& place,
                          const Json& value) {
    const base::Result<double> degrees = read_number(place, value, {-1e6, 1e6});
    WEFT_TRY(degrees);
    scene.environment.rotation_rad = static_cast<float>(math::to_radians(degrees.value()));
    return base::Done{};
}

base::Status set_strength(Scene& scene,
                          EditContext& /*context*/,
                          const std::string& place,
                          const Json& value) {
    return read_floats(place, value, {0, kHuge}, {&scene.environment.strength, 1});
}

std::string file_text(const Environment& environment) {
    return environment.width == 0 || is_constant(environment) ? "null" : quoted(environment.name);
}

std::string color_text(const Environment& environment) {
    return is_constant(environment)
               ? floats_text({environment.pixels.data(), environment.pixels.size()})
               : "null";
}

std::string rotation_text(const Environment& environment) {
    return short_text(
        math::to_degrees(static_cast<double>(environment.rotation_rad)), [&](double degrees) {
            return static_cast<float>(math::to_radians(degrees)) == environment.rotation_rad;
        });
}

std::string strength_text(const Environment& environment) {
    return float_text(environment.strength);
}

// Setting a map needs the scene and the context, so rows of environments have their own type.
struct EnvironmentRow {
    EditField field;
    std::string (*read)(const Environment& environment);
    base::Status (*set)(Scene& scene,
                        EditContext& context,
                        const std::string& place,
                        const Json& value);
};

std::span<const EnvironmentRow> environment_rows() {
    static const std::vector<EnvironmentRow> rows = [] {
        EditField file = number_field(kFile, "Map", "", 0, 0);
        file.kind = EditKind::File;
        EditField color = number_field(kColor, "Colour", "cd/m²", 0, 1);
        color.kind = EditKind::Colour;
        color.count = 3;
        color.most = kHuge;
        EditField rotation = number_field("rotation_deg", "Rotation", "°", -180, 180);
        rotation.least = -1e6;
        rotation.most = 1e6;
        EditField strength = number_field("strength", "Strength", "", 0.001, 1000);
        strength.is_logarithmic = true;
        strength.least = 0;
        strength.most = kHuge;
        return std::vector<EnvironmentRow>{{file, file_text, set_file},
                                           {color, color_text, set_color},
                                           {rotation, rotation_text, set_rotation},
                                           {strength, strength_text, set_strength}};
    }();
    return rows;
}

std::vector<EditField> environment_fields(const EditContext& /*context*/) {
    return fields_of(environment_rows());
}

base::Result<std::string> read_environment(const Scene& scene,
                                           const EditContext& /*context*/,
                                           const Address& address) {
    const base::Result<const EnvironmentRow*> row = row_at(environment_rows(), address);
    WEFT_TRY(row);
    return row.value()->read(scene.environment);
}

base::Result<u32> apply_environment(Scene& scene,
                                    EditContext& context,
                                    const Address& address,
                                    const Json& value) {
    const base::Result<const EnvironmentRow*> row = row_at(environment_rows(), address);
    WEFT_TRY(row);
    WEFT_TRY(row.value()->set(scene, context, address.path, value));
    return u32{kEffectEnvironment};
}

// A map is undone by the map that was there, which may be a file or a colour.
base::Result<Edit> inverse_of_environment(const Scene& scene,
                                          const EditContext& context,
                                          const Address& address,
                                          const std::string& /*text*/) {
    if (address.field != kFile && address.field != kColor) {
        return present_value(address.path, read_environment(scene, context, address));
    }
    return is_constant(scene.environment) ? Edit{"environment/color", color_text(scene.environment)}
                                          : Edit{"environment/file", file_text(scene.environment)};
}

}  // namespace

constinit const Family kEnvironmentFamily = {"environment",
                                             nullptr,
                                             environment_fields,
                                             read_environment,
                                             apply_environment,
                                             inverse_of_environment};

}  // namespace weft::scene::edits
