#include "engine/frame/grouped_lights.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "engine/frame/hidden_lights.h"

namespace weft::frame {

namespace {

constexpr std::string_view kEnvironment = "environment";

u32 group_of(const film::LightGroups& groups, std::initializer_list<std::string_view> names) {
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const film::LightGroup& group) {
            return std::any_of(
                group.patterns.begin(), group.patterns.end(), [&](const std::string& pattern) {
                    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
                        return film::is_match(pattern, name);
                    });
                });
        });
    return static_cast<u32>(found - groups.begin());
}

bool is_bright(const float* rgb) {
    return rgb[0] > 0 || rgb[1] > 0 || rgb[2] > 0;
}

// By its factors alone: a picture may still darken all of it.
bool emits(const shaders::MaterialRecord& material) {
    return (material.flags & shaders::kMaterialUnlit) != 0 || is_bright(material.emissive);
}

bool emits(const scene::Environment& environment) {
    const scene::Arena<float>& pixels = environment.pixels;
    return environment.strength > 0 &&
           std::any_of(pixels.begin(), pixels.end(), [](float value) { return value > 0; });
}

// The first few names, for a sentence.
std::string some_of(const std::set<std::string_view>& names) {
    constexpr std::size_t kShown = 5;
    std::string text;
    std::size_t shown = 0;
    for (const std::string_view name : names) {
        if (!name.empty() && shown++ < kShown) {
            text += (text.empty() ? "" : ", ") + std::string(name);
        }
    }
    return text;
}

}  // namespace

trace::GroupedLights grouped_lights(const scene::Scene& scene, const film::LightGroups& groups) {
    trace::GroupedLights grouped;
    if (groups.empty()) {
        return grouped;
    }
    for (const scene::Instance& instance : scene.instances) {
        const scene::Material& material = scene.materials[instance.material];
        grouped.of_instance.push_back(
            group_of(groups, {scene::present_name(scene, instance), material.name}));
    }
    for (const scene::Light& light : scene.lights) {
        grouped.of_light.push_back(group_of(groups, {scene::present_name(light)}));
    }
    grouped.of_environment = group_of(groups, {kEnvironment});
    return grouped;
}

base::Status check_light_groups(const scene::Scene& scene, const film::LightGroups& groups) {
    if (groups.empty()) {
        return base::Done{};
    }
    std::set<std::string_view> names = {kEnvironment};
    for (const scene::Instance& instance : scene.instances) {
        names.insert(scene::present_name(scene, instance));
    }
    for (const scene::Material& material : scene.materials) {
        names.insert(material.name);
    }
    for (const scene::Light& light : scene.lights) {
        names.insert(scene::present_name(light));
    }
    for (const film::LightGroup& group : groups) {
        for (const std::string& pattern : group.patterns) {
            if (std::none_of(names.begin(), names.end(), [&](std::string_view name) {
                    return film::is_match(pattern, name);
                })) {
                return base::Error{
                    base::ErrorKind::Scene,
                    fmt::format("--light-groups: no light, node or material of the scene is named "
                                "{} (group {}); expected one of its {} names, such as {}",
                                pattern,
                                group.name,
                                names.size(),
                                some_of(names))};
            }
        }
    }
    return base::Done{};
}

std::vector<scene::Note> dark_light_groups(const scene::Scene& scene,
                                           const film::LightGroups& groups,
                                           const std::vector<std::string>& hidden) {
    if (groups.empty()) {
        return {};
    }
    const trace::GroupedLights grouped = grouped_lights(scene, groups);
    const std::vector<bool> is_light_hidden = hidden_lights(scene, hidden);
    const std::vector<bool> is_instance_hidden = hidden_instances(scene, hidden);
    std::vector<bool> is_lit(groups.size() + 1, false);  // the last one: of what no group has
    for (std::size_t k = 0; k < grouped.of_instance.size(); ++k) {
        const u32 material = scene.instances[k].material;
        is_lit[grouped.of_instance[k]] =
            is_lit[grouped.of_instance[k]] ||
            (!is_instance_hidden[k] && emits(scene.materials[material].record));
    }
    for (std::size_t k = 0; k < grouped.of_light.size(); ++k) {
        is_lit[grouped.of_light[k]] =
            is_lit[grouped.of_light[k]] ||
            (!is_light_hidden[k] && is_bright(&scene.lights[k].intensity.x));
    }
    is_lit[grouped.of_environment] = is_lit[grouped.of_environment] || emits(scene.environment);
    std::vector<scene::Note> notes;
    for (std::size_t k = 0; k < groups.size(); ++k) {
        if (!is_lit[k]) {
            notes.push_back(
                {scene::Note::Kind::Replaced,
                 fmt::format("--light-groups: nothing in the group {} ({}) emits light, so its "
                             "layer is black",
                             groups[k].name,
                             fmt::join(groups[k].patterns, ","))});
        }
    }
    return notes;
}

}  // namespace weft::frame
