// bar_panels.h — a chart of two figures: horizontal bars in two panels, a row of both for each
// contender.
//
// An SVG file. Pure; any thread.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace weft::app {

struct BarRow {
    std::string name;
    const char* colour = "";
    std::array<double, 2> values{};  // at least 0; the largest of a panel fills it
    std::array<std::string, 2> texts{};
};

std::string bar_panels(const std::string& title,
                       const std::array<std::string, 2>& panels,
                       const std::vector<BarRow>& rows);

}  // namespace weft::app
