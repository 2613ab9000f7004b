// film_origin.h — names everything that changes a sample, so that only films of one picture are
// added up or continued (engine/film/film_record.h).
//
// Which samples a seed gives; scene, camera and settings, each after all edits; large parts of the
// scene as hashes. Threads, devices, scheduling, numbers of samples and the output are left out,
// for they change no sample. Reads all of the scene: some 2 GB/s. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/frame/bias.h"
#include "engine/scene/model/scene.h"

namespace weft::frame {

// The name of the class of instruction sets that compute the same bits as `isa`.
std::string arithmetic_class(shaders::Isa isa);

// The entry that holds what groups of lights a film has (film::parse_light_groups); none without.
inline constexpr const char* kLightGroupsOrigin = "list of light groups";

// The entry of the camera's lens, and what it says: whether there is none, and the width of a pixel
// over its height.
inline constexpr const char* kLensOrigin = "lens";
bool is_orthographic(std::string_view lens);
float pixel_aspect(std::string_view lens);

OriginEntries film_origin(const scene::Scene& scene,
                          const scene::Camera& camera,
                          const RenderSettings& settings,
                          const std::vector<std::string>& hidden,
                          shaders::Isa isa);

}  // namespace weft::frame
