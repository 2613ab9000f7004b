#include "engine/trace/heat_rows.h"

#include <algorithm>
#include <map>

namespace weft::trace {

std::vector<HeatRow> heat_rows(const HeatMap& map, const HeatFigures& figures, HeatGroup group) {
    std::map<u32, HeatRow> by_index;
    u64 time_ns = 0;
    for (u32 k = 0; k < figures.objects.size(); ++k) {
        const Heat sum = sum_of(figures.objects[k]);
        if (sum == Heat{}) {
            continue;
        }
        HeatRow of;
        if (k < map.objects.size()) {
            const HeatObject& object = map.objects[k];
            of.index = group == HeatGroup::Mesh ? object.mesh : object.material;
            of.instance = object.instance;
        }
        HeatRow& row = by_index.try_emplace(of.index, of).first->second;
        for (u32 kind = 0; kind < kHeatKinds; ++kind) {
            row.kinds[kind].add(figures.objects[k][kind]);
        }
        row.sum.add(sum);
        time_ns += sum.time_ns;
    }
    std::vector<HeatRow> rows;
    for (auto& [index, row] : by_index) {
        row.share =
            time_ns == 0 ? 0 : static_cast<double>(row.sum.time_ns) / static_cast<double>(time_ns);
        rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const HeatRow& a, const HeatRow& b) {
        return a.sum.time_ns > b.sum.time_ns;
    });
    return rows;
}

}  // namespace weft::trace
