// edit_environment.cpp — the map around the scene, its turn and its strength.
//
// Maps that were replaced stay in the context, so that going back reads no file and finds those
// that were made in code; their pixels are shared.
#include <algorithm>
#include <array>

#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/import.h"
#include "engine/scene/model/sky.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::edits {

namespace {

// The name that --environment-color gives a constant map, too.
constexpr const char* kConstant = "constant";
constexpr double kHuge = 1.1e30;
constexpr double kRadiansPerDegree = shaders::kPi / 180;

bool is_constant(const Environment& environment) {
    return environment.width == 1 && environment.height == 1 && environment.name == kConstant;
}

// The map called `file`: remembered, made in code, or read.
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
    WEFT_TRY(check_file(context, place, path));
    base::Result<Environment> map = read_environment(path);
    return map.is_ok() ? std::move(map)
                       : base::Error{map.error().kind, place + ": " + map.error().sentence};
}

// Strength and turn stay as they are. An empty map is black.
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

base::Result<u32> set_file(Scene& scene,
                           EditContext& context,
                           const Address& address,
                           const Json& value) {
    if (value.is_null()) {
        replace_map(scene, context, {});
        return u32{kEffectEnvironment};
    }
    const base::Result<std::string> file = read_text(address.path, value);
    if (!file.is_ok()) {
        return wrong_value(
            address.path, value, "the name of a lat-long picture in quotes, or null");
    }
    base::Result<Environment> map = find_map(scene, context, address.path, file.value());
    WEFT_TRY(map);
    replace_map(scene, context, std::move(map.value()));
    return u32{kEffectEnvironment};
}

base::Result<u32> set_color(Scene& scene,
                            EditContext& context,
                            const Address& address,
                            const Json& value) {
    std::array<float, 3> color{};
    WEFT_TRY(read_floats(address.path, value, {0, kHuge}, color));
    Environment map;
    map.name = kConstant;
    map.width = 1;
    map.height = 1;
    map.pixels.assign(color.begin(), color.end());
    replace_map(scene, context, std::move(map));
    return u32{kEffectEnvironment};
}

}  // namespace

std::vector<EditField> environment_fields() {
    EditField file = number_field("file", "Map", "", 0, 0);
    file.kind = EditKind::File;
    EditField color = number_field("color", "Colour", "cd/m²", 0, 1);
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
    return {file, color, rotation, strength};
}

base::Result<std::string> read_environment_value(const Scene& scene, const Address& address) {
    const Environment& environment = scene.environment;
    const bool is_empty = environment.width == 0;
    if (address.field == "file") {
        return is_empty || is_constant(environment) ? "null" : quoted(environment.name);
    }
    if (address.field == "color") {
        return is_constant(environment)
                   ? floats_text({environment.pixels.data(), environment.pixels.size()})
                   : std::string("null");
    }
    if (address.field == "rotation_deg") {
        return short_text(
            static_cast<double>(environment.rotation_rad) / kRadiansPerDegree, [&](double degrees) {
                return static_cast<float>(degrees * kRadiansPerDegree) == environment.rotation_rad;
            });
    }
    if (address.field == "strength") {
        return float_text(environment.strength);
    }
    return no_such_field(address, field_names(environment_fields()));
}

Edit environment_map_edit(const Scene& scene) {
    const Environment& environment = scene.environment;
    if (is_constant(environment)) {
        return {"environment/color",
                floats_text({environment.pixels.data(), environment.pixels.size()})};
    }
    return {"environment/file", environment.width == 0 ? "null" : quoted(environment.name)};
}

base::Result<u32> apply_environment(Scene& scene,
                                    EditContext& context,
                                    const Address& address,
                                    const Json& value) {
    if (address.field == "file") {
        return set_file(scene, context, address, value);
    }
    if (address.field == "color") {
        return set_color(scene, context, address, value);
    }
    if (address.field == "rotation_deg") {
        const base::Result<double> degrees = read_number(address.path, value, {-1e6, 1e6});
        WEFT_TRY(degrees);
        scene.environment.rotation_rad = static_cast<float>(degrees.value() * kRadiansPerDegree);
        return u32{kEffectEnvironment};
    }
    if (address.field == "strength") {
        float strength = 0;
        WEFT_TRY(read_floats(address.path, value, {0, kHuge}, {&strength, 1}));
        scene.environment.strength = strength;
        return u32{kEffectEnvironment};
    }
    return no_such_field(address, field_names(environment_fields()));
}

}  // namespace weft::scene::edits
