#include "app/view/models/heat_picture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace weft::app {

namespace {

constexpr double kDecades = 3;  // of the colour scale

struct Stop {
    double at;
    std::array<double, 4> colour;
};

constexpr std::array kStops = {Stop{0.00, {20, 24, 70, 110}},
                               Stop{0.35, {104, 28, 129, 165}},
                               Stop{0.65, {222, 73, 84, 195}},
                               Stop{0.85, {251, 155, 62, 215}},
                               Stop{1.00, {252, 250, 150, 230}}};

double value_of_key(const trace::HeatFigures& figures,
                    std::span<const u32> path,
                    HeatMetric metric) {
    for (std::size_t k = path.size(); k-- > 0;) {
        const trace::Heat heat = figures.of_key(path[k]);
        if (heat.packets > 0) {
            return heat_value(heat, metric);
        }
    }
    return 0;
}

// One value per object: the sum over all objects that share its mesh or material.
std::vector<double> values_of_objects(const trace::HeatMap& map,
                                      const trace::HeatFigures& figures,
                                      HeatMetric metric,
                                      HeatBy by) {
    const auto index_of = [by](const trace::HeatObject& object) {
        return by == HeatBy::Mesh ? object.mesh : object.material;
    };
    std::vector<double> of_index;
    const std::size_t count = std::min(map.objects.size(), figures.objects.size());
    for (std::size_t k = 0; k < count; ++k) {
        const u32 index = index_of(map.objects[k]);
        of_index.resize(std::max<std::size_t>(of_index.size(), index + 1));
        of_index[index] += heat_value(trace::sum_of(figures.objects[k]), metric);
    }
    std::vector<double> values(count);
    for (std::size_t k = 0; k < count; ++k) {
        values[k] = of_index[index_of(map.objects[k])];
    }
    return values;
}

}  // namespace

const char* heat_metric_name(HeatMetric metric) {
    switch (metric) {
        case HeatMetric::Time:
            return "Time";
        case HeatMetric::Visits:
            return "Visits";
        case HeatMetric::Wasted:
            return "Waste";
        case HeatMetric::Fibres:
            return "Fibres";
    }
    return "";
}

std::string heat_text(double value, HeatMetric metric) {
    if (metric == HeatMetric::Time) {
        return value >= 1      ? fmt::format("{:.2f} s", value)
               : value >= 1e-3 ? fmt::format("{:.1f} ms", value * 1e3)
                               : fmt::format("{:.1f} µs", value * 1e6);
    }
    return value >= 1e9   ? fmt::format("{:.1f} G", value * 1e-9)
           : value >= 1e6 ? fmt::format("{:.1f} M", value * 1e-6)
           : value >= 1e3 ? fmt::format("{:.1f} k", value * 1e-3)
                          : fmt::format("{:.0f}", value);
}

double heat_value(const trace::Heat& heat, HeatMetric metric) {
    switch (metric) {
        case HeatMetric::Time:
            return static_cast<double>(heat.time_ns) * 1e-9;
        case HeatMetric::Visits:
            return static_cast<double>(heat.visits);
        case HeatMetric::Wasted:
            return static_cast<double>(heat.lanes_wasted());
        case HeatMetric::Fibres:
            return static_cast<double>(heat.fibres);
    }
    return 0;
}

std::array<u8, 4> heat_colour(double share) {
    const double at = std::clamp(share, 0.0, 1.0);
    std::size_t right = 1;
    while (right + 1 < kStops.size() && kStops[right].at < at) {
        ++right;
    }
    const Stop& a = kStops[right - 1];
    const Stop& b = kStops[right];
    const double t = (at - a.at) / (b.at - a.at);
    std::array<u8, 4> colour{};
    for (std::size_t c = 0; c < 4; ++c) {
        colour[c] = static_cast<u8>(std::lround(a.colour[c] + t * (b.colour[c] - a.colour[c])));
    }
    return colour;
}

HeatPicture heat_picture(const trace::HeatMap& map,
                         const trace::HeatFigures& figures,
                         const frame::HeatPlaces& places,
                         HeatMetric metric,
                         HeatBy by) {
    HeatPicture picture = {.columns = places.columns, .rows = places.rows, .rgba = {}, .most = 0};
    const std::vector<double> of_object =
        by == HeatBy::Key ? std::vector<double>{} : values_of_objects(map, figures, metric, by);
    std::vector<double> values(places.object.size());
    for (std::size_t point = 0; point < values.size(); ++point) {
        const u32 object = places.object[point];
        if (object == kNone) {
            continue;
        }
        values[point] = by == HeatBy::Key ? value_of_key(figures, places.path_of(point), metric)
                        : object < of_object.size() ? of_object[object]
                                                    : 0;
        picture.most = std::max(picture.most, values[point]);
    }
    picture.rgba.resize(4 * values.size());
    for (std::size_t point = 0; point < values.size(); ++point) {
        if (values[point] > 0) {
            const double share = 1 + std::log10(values[point] / picture.most) / kDecades;
            const std::array<u8, 4> colour = heat_colour(share);
            std::copy(
                colour.begin(), colour.end(), picture.rgba.begin() + static_cast<i64>(4 * point));
        }
    }
    return picture;
}

}  // namespace weft::app
