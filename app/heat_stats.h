// heat_stats.h — a frame's heat map as JSON: the member `heat` of --stats.
//
// Pure; any thread. Called by render_stats.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/frame/renderer.h"

namespace weft::app {

// Returns one row per mesh and one per material. The frame must have been rendered with a heat map.
nlohmann::json heat_json(const scene::Scene& scene,
                         const trace::HeatMap& map,
                         const trace::HeatFigures& figures);

}  // namespace weft::app
