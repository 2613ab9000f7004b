// heat_picture.h — heat as colours over the picture: by BVH key, by mesh or by material.
//
// Pure; any thread. Cold is dark blue and transparent, hot is yellow. The scale is logarithmic and
// spans three decades below the maximum, since a few keys do most of the work.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/frame/heat_places.h"
#include "engine/trace/heat_rows.h"

namespace weft::app {

enum class HeatMetric { Time, Visits, Wasted, Fibres };
enum class HeatBy { Key, Mesh, Material };

inline constexpr std::array kHeatMetrics = {
    HeatMetric::Time, HeatMetric::Visits, HeatMetric::Wasted, HeatMetric::Fibres};

// "Time", "Visits", ...
const char* heat_metric_name(HeatMetric metric);

// "12.3 ms" for seconds, "4.5 M" for counts.
std::string heat_text(double value, HeatMetric metric);

double heat_value(const trace::Heat& heat, HeatMetric metric);

// RGBA for a share from 0 (cold) to 1; alpha is the opacity over the picture.
std::array<u8, 4> heat_colour(double share);

struct HeatPicture {
    u32 columns = 0;
    u32 rows = 0;
    std::vector<u8> rgba;
    double most = 0;  // value of the hottest point, drawn as 1
};

// A point has the heat of the deepest key above its triangle that has any, or the heat of its mesh
// or material.
HeatPicture heat_picture(const trace::HeatMap& map,
                         const trace::HeatFigures& figures,
                         const frame::HeatPlaces& places,
                         HeatMetric metric,
                         HeatBy by);

}  // namespace weft::app
