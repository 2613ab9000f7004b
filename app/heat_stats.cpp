#include "app/heat_stats.h"

#include <nlohmann/json.hpp>

#include "engine/trace/heat_rows.h"

namespace weft::app {

namespace {

using nlohmann::json;

json heat_of(const trace::Heat& heat) {
    const double issued = static_cast<double>(std::max<u64>(heat.lanes_issued, 1));
    return {{"packets", heat.packets},
            {"fibres", heat.fibres},
            {"node_visits", heat.visits},
            {"lanes_issued", heat.lanes_issued},
            {"lanes_active", heat.lanes_active},
            {"occupancy", static_cast<double>(heat.lanes_active) / issued},
            {"time_s", static_cast<double>(heat.time_ns) * 1e-9}};
}

template <typename Named>
json rows_json(const std::vector<trace::HeatRow>& rows, const Named& named) {
    json all = json::array();
    for (const trace::HeatRow& row : rows) {
        json one = heat_of(row.sum);
        one["name"] = row.index == kNone ? "" : named[row.index].name;
        one["index"] = row.index == kNone ? json(nullptr) : json(row.index);
        one["share"] = row.share;
        one["closest"] = heat_of(row.kinds[static_cast<u32>(trace::HeatKind::Closest)]);
        one["shadow"] = heat_of(row.kinds[static_cast<u32>(trace::HeatKind::Shadow)]);
        one["shade"] = heat_of(row.kinds[static_cast<u32>(trace::HeatKind::Shade)]);
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace

json heat_json(const scene::Scene& scene,
               const trace::HeatMap& map,
               const trace::HeatFigures& figures) {
    return {{"keys", figures.keys.size()},
            {"meshes", rows_json(heat_rows(map, figures, trace::HeatGroup::Mesh), scene.meshes)},
            {"materials",
             rows_json(heat_rows(map, figures, trace::HeatGroup::Material), scene.materials)}};
}

}  // namespace weft::app
