// ray_record.h — rays of a real render, by class: what all variants of a comparison trace.
//
// A PlainTracer renders tiles spread over the picture, and every ray that its paths send is copied
// before it is traced: same samples, same order within a tile as the renderer's. Ambient occlusion
// is not part of a path: its rays start at the recorded first hits, cosine-distributed, a tenth of
// the scene's diagonal long. Recording runs on one thread and always gives the same rays.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "engine/bench/bench_scene.h"
#include "shaders/host/path_view.h"

namespace weft::bench {

enum class RayClass {
    Primary,   // of the camera
    Shadow,    // to a light sample, at any bounce
    Ambient,   // occlusion around first hits
    Diffuse1,  // after the first scattering event, the second, and later ones; at each the
    Diffuse2,  // direction was drawn with a density below kSpecularPdf
    Diffuse3,
    Specular,  // of sharper lobes, and straight passages of camera rays
};

inline constexpr u32 kRayClasses = 7;
inline constexpr std::array<RayClass, kRayClasses> kAllRayClasses = {RayClass::Primary,
                                                                     RayClass::Shadow,
                                                                     RayClass::Ambient,
                                                                     RayClass::Diffuse1,
                                                                     RayClass::Diffuse2,
                                                                     RayClass::Diffuse3,
                                                                     RayClass::Specular};

// Densities per steradian from which a direction counts as specular: three times the most that a
// cosine distribution has.
inline constexpr float kSpecularPdf = 1;

// "primary", "shadow", "ambient", "diffuse1", "diffuse2", "diffuse3", "specular".
std::string_view ray_class_name(RayClass ray_class);

// 0 for primary rays, shadow and ambient ones; 1 to 3 for diffuse ones; 1 for specular ones.
u32 bounce_of(RayClass ray_class);

// Whether rays of the class ask for any hit.
bool is_any_hit(RayClass ray_class);

struct RayRecord {
    std::array<std::vector<shaders::TraceRay>, kRayClasses> rays;  // by class
    u64 seen = 0;                                                  // rays of the paths traced

    [[nodiscard]] const std::vector<shaders::TraceRay>& of(RayClass ray_class) const {
        return rays[static_cast<u32>(ray_class)];
    }

    // Which class each ray of a path was in, as shares of all: what a whole picture is made of.
    std::array<double, kRayClasses> share{};
};

// Renders until every class has `most` rays, or each pixel `samples_per_pixel` samples. Errors:
// memory.
base::Result<RayRecord> record_rays(const BenchScene& scene, u32 most, u32 samples_per_pixel);

}  // namespace weft::bench
