// pilot.h — learns where light comes from before a frame, so that its paths are guided.
//
// A pilot renders the same scene and camera in rounds, small and with samples of its own; each
// round is guided by those before. The guide is a pure function of scene, camera and settings: the
// same for all threads, devices, slices and resumes.
#pragma once

#include <functional>
#include <memory>

#include "engine/frame/prepared_scene.h"
#include "engine/frame/render_settings.h"
#include "engine/trace/guide.h"

namespace weft::frame {

// Guiding::Auto guides a frame where a ray is worth at least a third more by it: a guided ray costs
// some fifth more than another one (tests/bench/notebook/shading.md).
inline constexpr double kLeastWorthOfRay = 4.0 / 3;

// What came of a pilot.
enum class PilotVerdict {
    None,            // there was no pilot, or a stop ended it
    Guided,          // the frame's paths are guided
    TooLittleLight,  // the pilot found too little light to make a guide of
    PaysTooLittle,   // Guiding::Auto found that a guided ray is worth too little
};

// As the metadata of pictures and --stats name it.
const char* verdict_name(PilotVerdict verdict);

struct PilotFigures {
    double seconds = 0;
    u64 guide_bytes = 0;
    PilotVerdict verdict = PilotVerdict::None;
    // Of a guided ray, where Guiding::Auto asked: of how many others it does the work. 0: not
    // asked.
    double worth_of_ray = 0;
};

struct Learned {
    std::shared_ptr<const trace::Guide> guide;  // null: paths are not guided
    PilotVerdict verdict = PilotVerdict::None;
    double worth_of_ray = 0;  // as in PilotFigures
};

// Whether the memory limit leaves what the pilot takes at most, but for the guide itself, whose
// cells nobody knows before. Error: kind Memory.
base::Status check_pilot_memory(const trace::SceneTables& tables, const RenderSettings& settings);

// Renders the pilot. `should_stop` is asked about ten times a second; true ends it without a guide.
// Errors: those of a frame; kind Memory where the pilot does not fit into memory.
base::Result<Learned> learn_guide(const PreparedScene& scene,
                                  const scene::Camera& camera,
                                  const RenderSettings& settings,
                                  const std::function<bool()>& should_stop);

}  // namespace weft::frame
