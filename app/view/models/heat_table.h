// heat_table.h — the lines of the heat table: names, order, and the sentence for one line.
//
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/model/scene.h"
#include "engine/trace/heat_rows.h"

namespace weft::app {

enum class HeatColumn : u32 { Name, Share, Occupancy, Fibres, Visits, Wasted };

inline constexpr u32 kHeatColumns = 6;

struct HeatLine {
    std::string name;
    std::string path;  // path for edits, selected by a click; empty: nothing
    trace::HeatRow row;

    // Share of the issued lanes that had a fibre; 1 if none was issued.
    [[nodiscard]] double occupancy() const;
};

// The rows with paths and distinct names. Rows whose mesh or material the scene no longer has are
// left out.
std::vector<HeatLine> heat_lines(const scene::Scene& scene,
                                 const std::vector<trace::HeatRow>& rows,
                                 trace::HeatGroup group);

// Stable: equal lines keep their order.
void sort_lines(std::vector<HeatLine>& lines, HeatColumn column, bool is_descending);

// "chair: 38 % of the time at 3/16 occupancy", for lane groups of this width.
std::string heat_sentence(const HeatLine& line, u32 lanes);

}  // namespace weft::app
