#include "app/bar_panels.h"

#include <algorithm>

#include "app/svg.h"

namespace weft::app {

std::string bar_panels(const std::string& title,
                       const std::array<std::string, 2>& panels,
                       const std::vector<BarRow>& rows) {
    constexpr double kWidth = 1000;
    constexpr double kRow = 30;
    constexpr double kTop = 70;
    constexpr double kBar = 290;
    constexpr std::array<double, 2> kLeft = {260, 640};
    std::array<double, 2> most = {1e-9, 1e-9};
    for (const BarRow& row : rows) {
        for (std::size_t k = 0; k < most.size(); ++k) {
            most[k] = std::max(most[k], row.values[k]);
        }
    }
    std::string svg = svg_begin(kWidth, kTop + kRow * static_cast<double>(rows.size()) + 20);
    svg += svg_text(20, 26, "start", title);
    for (std::size_t k = 0; k < panels.size(); ++k) {
        svg += svg_text(kLeft[k], 54, "start", panels[k]);
    }
    double y = kTop;
    for (const BarRow& row : rows) {
        svg += svg_text(20, y + 14, "start", row.name);
        for (std::size_t k = 0; k < panels.size(); ++k) {
            const double length = row.values[k] / most[k] * kBar;
            svg += svg_bar(kLeft[k], y, std::max(length, 0.5), kRow - 10, row.colour);
            svg += svg_text(kLeft[k] + length + 6, y + 14, "start", row.texts[k]);
        }
        y += kRow;
    }
    return svg + svg_end();
}

}  // namespace weft::app
