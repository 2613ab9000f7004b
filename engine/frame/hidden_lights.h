// hidden_lights.h — finds the lights among hidden names, and makes tables of a scene without their
// light.
//
// A list of hidden names holds lights as lights/NAME, one name for all that bear it, nodes one by
// one or by a bare name for all of them, and groups with what is in them (scene_tree.h). Called
// where tables of a scene are made. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/model/scene.h"
#include "engine/trace/scene_tables.h"

namespace weft::frame {

// True for a name that begins with lights/; a node may bear it all the same.
bool is_light_name(const std::string& name);

// By light, and by instance: whether it is among the hidden names, by itself or in a group.
std::vector<bool> hidden_lights(const scene::Scene& scene, const std::vector<std::string>& hidden);
std::vector<bool> hidden_instances(const scene::Scene& scene,
                                   const std::vector<std::string>& hidden);

// Tables of the scene with the hidden lights switched off. Hidden lights stay in the list, so that
// no light changes its index. The tables point into `scene`.
trace::SceneTables make_lit_tables(const scene::Scene& scene,
                                   const std::vector<std::string>& hidden,
                                   const trace::TablesConfig& config);

}  // namespace weft::frame
