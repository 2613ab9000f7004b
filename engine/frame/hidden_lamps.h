// hidden_lamps.h — which of the hidden names are lamps, and the scene without their light.
//
// A list of hidden names has nodes by their names and lamps as lights/NAME; both go by the name
// alone. Called where tables of a scene are made. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/model/scene.h"
#include "engine/trace/scene_tables.h"

namespace weft::frame {

// Whether a hidden name means lamps: it begins with lights/ and no node bears it.
bool is_hidden_lamp(const scene::Scene& scene, const std::string& name);

// Tables of the scene with the hidden lamps switched off: they keep their places among the lights,
// so that the others keep theirs. The tables point into `scene`.
trace::SceneTables make_lit_tables(const scene::Scene& scene,
                                   const std::vector<std::string>& hidden,
                                   const trace::TablesConfig& config);

}  // namespace weft::frame
