// live_job.h — what a live render is asked to show, and whether two of them are the same picture.
//
// Plain data; any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/frame/render_settings.h"
#include "engine/scene/edit/edit_effect.h"
#include "engine/scene/model/scene.h"

namespace weft::live {

// What is to be seen. Width, height, crop (a region render), samples, planes, mode and devices are
// in the settings; their thread count is LiveRender's.
struct LiveJob {
    std::shared_ptr<const scene::Scene> scene;  // must not change: an edit makes a new one
    scene::Camera camera;
    frame::RenderSettings settings;
    std::vector<std::string> hidden;  // nodes that are not drawn
    u32 effect = scene::kEffectAll;   // what differs from the job before
};

// Whether nothing that would be seen differs, but for the number of samples and for AOVs that
// `made` has and `wanted` does not need. Scenes are compared by what they hold; their arenas by
// where they are, so that copies that share them are the same and others are not.
bool is_same_picture(const LiveJob& made, const LiveJob& wanted);

// The job that renders all layers of `job` and no light: its AOVs are those of `job` with --aov.
LiveJob layers_of(LiveJob job);

}  // namespace weft::live
