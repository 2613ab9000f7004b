// heat_stats.h — the heat of a frame as JSON: the part `heat` of --stats.
//
// Pure; any thread. Called by render_stats.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/frame/renderer.h"

namespace weft::app {

// Rows by mesh and by material; the frame has a heat map.
nlohmann::json heat_json(const scene::Scene& scene,
                         const trace::HeatMap& map,
                         const trace::HeatFigures& figures);

}  // namespace weft::app
