// pilot.h — learns where light comes from before a frame, so that its paths are guided.
//
// A pilot renders the same scene and camera in rounds, small and with samples of its own; each
// round is guided by those before. The guide is a pure function of scene, camera and settings: the
// same for all threads, devices, slices and resumes.
#pragma once

#include <memory>

#include "engine/frame/prepared_scene.h"
#include "engine/frame/render_settings.h"
#include "engine/trace/guide.h"

namespace weft::frame {

// The guide for a frame; null where the pilot found too little light. Errors: those of a frame.
base::Result<std::shared_ptr<const trace::Guide>> learn_guide(const PreparedScene& scene,
                                                              const scene::Camera& camera,
                                                              const RenderSettings& settings);

}  // namespace weft::frame
