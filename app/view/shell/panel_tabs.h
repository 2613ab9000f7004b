// panel_tabs.h — the sides of the window: the names of their panels, and the open one below them.
//
// Interface thread only.
#pragma once

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::app {

struct Ui;

enum class PanelSide { Left, Right, Bottom };

struct Panel {
    const char* name;  // on its tab; a script clicks on "Panel/NAME"
    PanelSide side;
    std::function<void()> draw;
};

class PanelTabs {
public:
    explicit PanelTabs(std::vector<Panel> panels) : panels_(std::move(panels)) {}

    [[nodiscard]] bool has(PanelSide side) const;

    // Fills the current ImGui window with the names of this side's panels and the open one.
    void draw(Ui& ui, PanelSide side);

private:
    const Panel* draw_names(Ui& ui, PanelSide side);
    [[nodiscard]] u32 line_count(PanelSide side, float margin, float gap, float end) const;

    std::vector<Panel> panels_;
    std::array<u32, 3> open_{};  // open panel of each side
};

}  // namespace weft::app
