// small_live.h — a quick job for live renders: many materials, few pixels.
#pragma once

#include <memory>

#include "engine/live/live_render.h"
#include "tests/engine/frame/rich_scene.h"

namespace weft::tests {

inline frame::RenderSettings small_settings() {
    frame::RenderSettings settings;
    settings.width = 96;
    settings.height = 64;
    settings.samples_per_pixel = 4;
    settings.thread_count = 2;
    settings.integrator.path_count = 512;
    settings.integrator.trace_batch = 512;
    return settings;
}

inline std::shared_ptr<const scene::Scene> shared_scene() {
    static const auto kScene = std::make_shared<const scene::Scene>(rich_scene());
    return kScene;
}

inline live::LiveJob small_job() {
    live::LiveJob job;
    job.scene = shared_scene();
    job.camera = job.scene->cameras.front();
    job.settings = small_settings();
    return job;
}

}  // namespace weft::tests
