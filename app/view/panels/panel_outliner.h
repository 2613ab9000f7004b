// panel_outliner.h — all objects of the scene: search, show, hide, solo, select.
//
// Rows are rebuilt only when the scene's list of objects changed; only visible rows are drawn.
// Interface thread only.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "app/view/models/outliner_rows.h"

namespace weft::app {

enum class GizmoTool;
struct Selection;
struct Session;
struct Ui;

class OutlinerPanel {
public:
    // `tool`: of the handles that a duplicated object shows.
    OutlinerPanel(Session& session, Selection& selection, Ui& ui, GizmoTool& tool)
        : session_(session), selection_(selection), ui_(ui), tool_(tool) {}

    void draw();

    // Shows only this node; shows all nodes and switches all lights on. One step of undo each.
    void solo(const std::string& node);
    void show_all();

    std::string search;

private:
    void refresh_rows();
    void search_again();
    void show_lights(bool continues);
    void show_row(const OutlinerRow& row, bool is_shown);
    void select_row(OutlinerGroup group, const OutlinerRow& row);
    void draw_context_menu(OutlinerGroup group, const OutlinerRow& row);
    void draw_eye(OutlinerGroup group, const OutlinerRow& row);
    void draw_row(OutlinerGroup group, const OutlinerRow& row);
    void draw_group(OutlinerGroup group);
    void follow_selection(u32 group);
    template <typename Test>
    bool show_where(bool is_shown, const Test& test);

    Session& session_;
    Selection& selection_;
    Ui& ui_;
    GizmoTool& tool_;
    std::shared_ptr<const scene::Scene> scene_;  // scene of `stamp_`
    u64 stamp_ = 0;                              // of the scene whose rows are listed
    OutlinerRows rows_;
    std::string searched_ = "\n";  // search that gave `found_`
    std::string followed_;         // path selected when the list was last drawn
    std::array<std::vector<u32>, kOutlinerGroups> found_;
};

}  // namespace weft::app
