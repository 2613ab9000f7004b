#include "engine/frame/hidden_lights.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

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

std::vector<bool> hidden_lights(const scene::Scene& scene, const std::vector<std::string>& hidden) {
    std::vector<std::string> names;
    std::copy_if(hidden.begin(), hidden.end(), std::back_inserter(names), [&](const auto& name) {
        return is_hidden_light(scene, name);
    });
    const std::vector<bool> is_group_hidden = scene::hidden_groups(scene.groups, hidden);
    std::vector<bool> is_hidden;
    for (const scene::Light& light : scene.lights) {
        is_hidden.push_back(scene::is_in(is_group_hidden, light.group) ||
                            std::find(names.begin(), names.end(), kLights + light.name) !=
                                names.end());
    }
    return is_hidden;
}

std::vector<bool> hidden_instances(const scene::Scene& scene,
                                   const std::vector<std::string>& hidden) {
    const std::vector<bool> is_group_hidden = scene::hidden_groups(scene.groups, hidden);
    std::set<std::string_view> names;  // of all nodes that bear one
    std::set<std::pair<std::string_view, u32>> single_nodes;
    for (const std::string& name : hidden) {
        names.insert(name);
        if (const std::optional<scene::NodePlace> node = scene::hidden_node(name)) {
            single_nodes.emplace(node->node, node->place);
        }
    }
    std::vector<bool> is_hidden;
    for (const scene::Instance& instance : scene.instances) {
        is_hidden.push_back(scene::is_in(is_group_hidden, instance.group) ||
                            names.contains(instance.node) ||
                            single_nodes.contains({instance.node, instance.place}));
    }
    return is_hidden;
}

trace::SceneTables make_lit_tables(const scene::Scene& scene,
                                   const std::vector<std::string>& hidden,
                                   const trace::TablesConfig& config) {
    const std::vector<bool> is_hidden = hidden_lights(scene, hidden);
    if (std::find(is_hidden.begin(), is_hidden.end(), true) == is_hidden.end()) {
        return trace::make_scene_tables(scene, config);
    }
    scene::Scene lit = scene;  // shares its arenas, which the tables point into
    for (std::size_t k = 0; k < is_hidden.size(); ++k) {
        if (is_hidden[k]) {
            lit.lights[k].intensity = {0, 0, 0};  // no sample ever chooses it
        }
    }
    return trace::make_scene_tables(lit, config);
}

}  // namespace weft::frame
