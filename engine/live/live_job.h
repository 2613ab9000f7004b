// live_job.h — a request for a live render, and whether two of them give the same picture.
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

// A scene, seen by a camera. The settings have width, height, crop (a region render), samples, clip
// planes, mode and devices; LiveRender sets their thread count.
struct LiveJob {
    std::shared_ptr<const scene::Scene> scene;  // never changes: an edit makes a new one
    scene::Camera camera;
    frame::RenderSettings settings;
    std::vector<std::string> hidden;  // nodes and lights that are not drawn
    u32 effect = scene::kEffectAll;   // the differences from the job before
};

// Whether a frame of `made` serves for `wanted`: the pictures are the same, apart from the number
// of samples and from AOVs that only `made` has. Compares scenes by their contents, but arenas by
// their addresses, so that copies of a scene that share arenas are equal.
bool is_same_picture(const LiveJob& made, const LiveJob& wanted);

// Whether a picture of `made` tells something of the light in one of `wanted`: both have the same
// size and the same light transport.
bool is_comparable(const LiveJob& made, const LiveJob& wanted);

// Whether lights, materials, textures and environment are the same, and nothing is hidden in one
// alone: what differs is where things are, the camera among them.
bool is_lit_alike(const LiveJob& made, const LiveJob& wanted);

// The same job with the layers that the viewer shows and denoises with, beside those asked for.
LiveJob with_layers(LiveJob job);

// The same with the layers that the quality filter makes the most of, beside those for the fast
// one, if the films still fit (layers_fit). A job without the latter stays as it is.
LiveJob with_quality_layers(LiveJob job);

// Whether the films of a job with all layers, of which there are two, take a small part of the
// memory that this process may have.
bool layers_fit(const frame::RenderSettings& settings);

// The job that renders all layers of `job` without light: its AOVs have the values that --aov
// gives.
LiveJob layers_of(LiveJob job);

}  // namespace weft::live
