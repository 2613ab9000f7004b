#include "engine/frame/hidden_lights.h"

#include <algorithm>
#include <iterator>

#include "engine/scene/model/scene_tree.h"

namespace weft::frame {

namespace {

constexpr const char* kLights = "lights/";

// True for the name of a light that no node bears.
bool is_hidden_light(const scene::Scene& scene, const std::string& name) {
    return is_light_name(name) &&
           std::none_of(scene.instances.begin(),
                        scene.instances.end(),
                        [&](const scene::Instance& instance) { return instance.node == name; });
}

}  // namespace

bool is_light_name(const std::string& name) {
    return name.starts_with(kLights);
}

trace::SceneTables make_lit_tables(const scene::Scene& scene,
                                   const std::vector<std::string>& hidden,
                                   const trace::TablesConfig& config) {
    std::vector<std::string> lights;
    std::copy_if(hidden.begin(), hidden.end(), std::back_inserter(lights), [&](const auto& name) {
        return is_hidden_light(scene, name);
    });
    const std::vector<bool> is_group_hidden = scene::hidden_groups(scene.groups, hidden);
    if (lights.empty() && is_group_hidden.empty()) {
        return trace::make_scene_tables(scene, config);
    }
    scene::Scene lit = scene;  // shares its arenas, which the tables point into
    for (scene::Light& light : lit.lights) {
        if (scene::is_in(is_group_hidden, light.group) ||
            std::find(lights.begin(), lights.end(), kLights + light.name) != lights.end()) {
            light.intensity = {0, 0, 0};  // no sample ever chooses it
        }
    }
    return trace::make_scene_tables(lit, config);
}

}  // namespace weft::frame
