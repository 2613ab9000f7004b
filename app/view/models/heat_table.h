// heat_table.h — the lines of the heat table: names, order, and the sentence that tells one.
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
    std::string path;  // as edits name it: what a click selects; empty: nothing
    trace::HeatRow row;

    // Share of the lanes issued that had a fibre; 1 where none was issued.
    [[nodiscard]] double occupancy() const;
};

// Rows with names, told apart where those are alike, and paths; those whose mesh or material the
// scene has not are left out.
std::vector<HeatLine> heat_lines(const scene::Scene& scene,
                                 const std::vector<trace::HeatRow>& rows,
                                 trace::HeatGroup group);

// Equal ones stay as they are.
void sort_lines(std::vector<HeatLine>& lines, HeatColumn column, bool is_descending);

// "chair: 38 % of the time at 3/16 occupancy", of lane groups so wide.
std::string heat_sentence(const HeatLine& line, u32 lanes);

}  // namespace weft::app
