// light_tables.h — everything that shines, as records with their probabilities of being chosen
// (shaders/bsdf.md section 5).
//
// Order: punctual lights, triangles of visible emissive instances by (instance, primitive), the
// environment last. A light without power keeps its index and has probability 0. Unlit surfaces are
// no lights: rays find them. Called once by make_scene_tables; triangles are made in threads of
// `work`.
#pragma once

#include "engine/trace/scene_tables.h"
#include "engine/trace/table_work.h"

namespace weft::trace {

// Fills tables.lights and first_light of the instances, and the light fields of tables.view.
// Expects all else in the view to be there already. `environment_luminance` is the mean over the
// sphere, cd/m².
void add_lights(const scene::Scene& scene,
                const TablesConfig& config,
                double environment_luminance,
                TableWork& work,
                SceneTables& tables);

}  // namespace weft::trace
