// panel_heat.h — the cost of each mesh and material: a table to sort and to select from, and the
// overlay's settings.
//
// Counting is off until the person turns it on here, because it slows the render. Interface thread
// only.
#pragma once

#include <vector>

#include "app/view/models/heat_table.h"
#include "app/view/session/heat_count.h"

namespace weft::app {

struct Selection;
struct Session;
struct Ui;

class HeatPanel {
public:
    HeatPanel(Session& session, Selection& selection, Ui& ui)
        : session_(session), selection_(selection), ui_(ui) {}

    void draw(RenderLink& link, HeatCount& heat);

private:
    void follow_heat(const RenderLink& link, const HeatCount& heat);
    void follow_order();
    void draw_line(const HeatCount& heat, const HeatLine& line);
    void draw_table(const HeatCount& heat);

    Session& session_;
    Selection& selection_;
    Ui& ui_;
    HeatInputs listed_;
    std::vector<HeatLine> lines_;
    HeatColumn column_ = HeatColumn::Share;
    bool is_descending_ = true;
    u32 lanes_ = 16;  // of a group
};

}  // namespace weft::app
