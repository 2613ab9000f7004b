// light_tables.h — all lights as records with their choice probabilities (shaders/bsdf.md section
// 5).
//
// Order: punctual lights, triangles of visible emissive instances by (instance, primitive), the
// environment last. A light without power keeps its index and has probability 0. Unlit surfaces are
// no lights: only rays find them. Called once by make_scene_tables; threads of `work` compute
// triangles.
#pragma once

#include "engine/trace/scene_tables.h"
#include "engine/trace/table_work.h"

namespace weft::trace {

// Fills tables.lights, first_light of the instances, and the light fields of tables.view. Requires
// the rest of the view, and the environment's cells and moments.
void add_lights(const scene::Scene& scene,
                const TablesConfig& config,
                TableWork& work,
                SceneTables& tables);

}  // namespace weft::trace
