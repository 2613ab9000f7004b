// heat_rows.h — heat summed by mesh or by material: the rows of a table.
//
// Pure; any thread. Called by the viewer and for --stats.
#pragma once

#include <vector>

#include "engine/trace/heat.h"

namespace weft::trace {

enum class HeatGroup { Mesh, Material };

struct HeatRow {
    u32 index = kNone;     // of the mesh or material; kNone: keys above several objects
    u32 instance = kNone;  // an instance that has it
    HeatByKind kinds{};
    Heat sum{};        // of all kinds
    double share = 0;  // of the time of all rows
};

// A row for each mesh or material with heat, sorted by falling time. The rows add up to the
// figures.
std::vector<HeatRow> heat_rows(const HeatMap& map, const HeatFigures& figures, HeatGroup group);

}  // namespace weft::trace
