// picture_metadata.h — what the header of a picture says about the frame that it shows.
//
// Pure; any thread, while the frame is held or finished.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/frame/renderer.h"

namespace weft::frame {

// Names and values of samples, camera and bias (ImageConfig::metadata); the same for every program
// that writes pictures. `settings` are those that the picture was asked for with.
std::vector<std::pair<std::string, std::string>> picture_metadata(const Renderer& frame,
                                                                  const scene::Camera& camera,
                                                                  const RenderSettings& settings);

}  // namespace weft::frame
