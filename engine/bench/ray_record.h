// ray_record.h — rays of a real render, by class: the input of all variants of a comparison.
//
// A PlainTracer renders tiles spread over the picture, and the record copies every ray of its paths
// before it is traced: the same samples as the renderer's, in the same order within a tile. Ambient
// occlusion is not part of a path: its rays start at the recorded first hits, cosine-distributed, a
// tenth of the scene's diagonal long. Recording runs on one thread and always gives the same rays.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "engine/bench/bench_scene.h"
#include "shaders/host/path_view.h"

namespace weft::bench {

enum class RayClass {
    Primary,   // from the camera
    Shadow,    // to a light sample, at any bounce
    Ambient,   // occlusion around first hits
    Diffuse1,  // after the first, the second and later scattering events, where the pdf of the
    Diffuse2,  // direction is below kSpecularPdf
    Diffuse3,
    Specular,  // from sharper lobes, and camera rays that pass straight through
};

inline constexpr u32 kRayClasses = 7;
inline constexpr std::array<RayClass, kRayClasses> kAllRayClasses = {RayClass::Primary,
                                                                     RayClass::Shadow,
                                                                     RayClass::Ambient,
                                                                     RayClass::Diffuse1,
                                                                     RayClass::Diffuse2,
                                                                     RayClass::Diffuse3,
                                                                     RayClass::Specular};

// From this pdf per steradian on a direction counts as specular: three times the maximum of a
// cosine distribution.
inline constexpr float kSpecularPdf = 1;

// "primary", "shadow", "ambient", "diffuse1", "diffuse2", "diffuse3", "specular".
std::string_view ray_class_name(RayClass ray_class);

// 0 for primary, shadow and ambient rays; 1 to 3 for diffuse rays; 1 for specular rays.
u32 bounce_of(RayClass ray_class);

// Whether rays of the class need any hit instead of the closest.
bool is_any_hit(RayClass ray_class);

struct RayRecord {
    std::array<std::vector<shaders::TraceRay>, kRayClasses> rays;  // by class
    u64 seen = 0;                                                  // rays of all traced paths

    [[nodiscard]] const std::vector<shaders::TraceRay>& of(RayClass ray_class) const {
        return rays[static_cast<u32>(ray_class)];
    }

    // The share of each class in all rays of a picture.
    std::array<double, kRayClasses> share{};
};

// Renders until every class has `most` rays, or each pixel `samples_per_pixel` samples. Errors:
// memory.
base::Result<RayRecord> record_rays(const BenchScene& scene, u32 most, u32 samples_per_pixel);

}  // namespace weft::bench
