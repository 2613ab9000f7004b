#include "engine/frame/hidden_lamps.h"

#include <algorithm>
#include <iterator>

namespace weft::frame {

namespace {

constexpr const char* kLamps = "lights/";

}  // namespace

bool is_hidden_lamp(const scene::Scene& scene, const std::string& name) {
    return name.starts_with(kLamps) &&
           std::none_of(scene.instances.begin(),
                        scene.instances.end(),
                        [&](const scene::Instance& instance) { return instance.node == name; });
}

trace::SceneTables make_lit_tables(const scene::Scene& scene,
                                   const std::vector<std::string>& hidden,
                                   const trace::TablesConfig& config) {
    std::vector<std::string> lamps;
    std::copy_if(hidden.begin(), hidden.end(), std::back_inserter(lamps), [&](const auto& name) {
        return is_hidden_lamp(scene, name);
    });
    if (lamps.empty()) {
        return trace::make_scene_tables(scene, config);
    }
    scene::Scene lit = scene;  // shares its arenas, which the tables point into
    for (scene::Light& light : lit.lights) {
        if (std::find(lamps.begin(), lamps.end(), kLamps + light.name) != lamps.end()) {
            light.intensity = {0, 0, 0};  // no sample ever chooses it
        }
    }
    return trace::make_scene_tables(lit, config);
}

}  // namespace weft::frame
