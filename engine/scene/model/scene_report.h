// scene_report.h — the text of `weft info`: what is in a scene and what was repaired, replaced or
// ignored on import.
//
// Reads the finished scene only. Long lists are cut and end with the number of the remaining
// lines. Any thread.
#pragma once

#include <string>

#include "engine/scene/model/scene.h"

namespace weft::scene {

std::string scene_report(const Scene& scene);

// The words for one material: "metal", "solid glass", "coat", "alpha mask", …, in a fixed order,
// comma-separated.
std::string material_features(const Material& material);

// The camera's name in the file, which is followed by #2 where it is the second of the name: what
// --camera takes.
std::string numbered_name(const Scene& scene, u32 camera);

}  // namespace weft::scene
