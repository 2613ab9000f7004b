// grouped_lights.h — which light group everything in a scene that shines belongs to.
//
// A light is known by its name, an emissive triangle by the name of its node or of its material,
// the environment by the word "environment"; a name that an edit gave counts, and not the file's.
// Called where tables of a scene are made, and where a command line is checked against a scene.
// Pure; any thread.
#pragma once

#include <vector>

#include "engine/film/light_groups.h"
#include "engine/scene/model/scene.h"
#include "engine/trace/scene_tables.h"
#include "scheduler/base/result.h"

namespace weft::frame {

// Each belongs to the first group with a pattern that matches one of its names; what none matches
// has the number after the last one. Empty without groups.
trace::GroupedLights grouped_lights(const scene::Scene& scene, const film::LightGroups& groups);

// An error of kind Scene names a pattern that no light, node or material of the scene matches.
base::Status check_light_groups(const scene::Scene& scene, const film::LightGroups& groups);

// A note of kind Replaced for each group to which nothing that emits light and is not among the
// hidden names belongs: its layer is black.
std::vector<scene::Note> dark_light_groups(const scene::Scene& scene,
                                           const film::LightGroups& groups,
                                           const std::vector<std::string>& hidden);

}  // namespace weft::frame
