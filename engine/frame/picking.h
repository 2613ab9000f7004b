// picking.h — the surface at a point of the picture, found by tracing one ray, and what is seen in
// a part of it.
//
// For clicks, boxes and the focus of a lens. The ray goes through the middle of the lens and of the
// filter; alpha is decided as for sample 0 of pixel 0. Any thread; takes about a millisecond, most
// of it for the memory of one small cluster.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/film/film.h"
#include "engine/frame/render_units.h"

namespace weft::frame {

struct Picked {
    std::shared_ptr<const scene::Scene>
        scene{};  // that the instance is of; LiveRender::pick() alone
    u32 instance = 0;
    u32 primitive = 0;
    float distance_m = 0;
    float focus_m = 0;      // along the camera's forward axis: what a lens is focused to
    math::Vec3 position{};  // in the world
};

// Through (u, v) of the full picture as below, without lens and filter.
shaders::TraceRay ray_through(const shaders::CameraRecord& camera, float u, float v);

// The surface at (u, v) of the full picture: (0, 0) is its top left corner, (1, 1) the opposite
// one. Nothing where the ray hits no surface.
std::optional<Picked> surface_at(const UnitScene& scene,
                                 const shaders::CameraRecord& camera,
                                 float u,
                                 float v);

// The instances at the middles of the pixels of a part of a picture of this size, as surface_at()
// finds them: ascending, each once. About a microsecond per pixel. Empty where there is no memory.
std::vector<u32> instances_in(const UnitScene& scene,
                              const shaders::CameraRecord& camera,
                              const film::Region& part,
                              u32 width,
                              u32 height);

}  // namespace weft::frame
