// panel_outliner.h — the tree of the scene: search, fold, select one or several, show, hide, solo,
// rename, collections.
//
// Rows are rebuilt only when the scene's list of things changed, and the list of those that are
// neither folded away nor left out by the search only when one of these changed; only visible rows
// are drawn. Interface thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/view/models/outliner_rows.h"
#include "app/view/panels/rename_field.h"

namespace weft::app {

enum class GizmoTool;
struct CameraMotion;
struct Selection;
struct Session;
struct Ui;

class OutlinerPanel {
public:
    // `tool`: of the handles that a duplicated object shows.
    OutlinerPanel(
        Session& session, Selection& selection, CameraMotion& motion, Ui& ui, GizmoTool& tool)
        : session_(session), selection_(selection), motion_(motion), ui_(ui), tool_(tool) {}

    void draw();

    std::string search;

private:
    void refresh_rows();
    void list_again();
    void follow_selection();
    void begin_wanted_rename();
    void select_row(const OutlinerRow& row);
    void click_row(u32 place, const OutlinerRow& row);
    void open_row(const OutlinerRow& row);
    void draw_context_menu(const OutlinerRow& row);
    void draw_collection_menu(const OutlinerRow& row);
    void draw_eye(const OutlinerRow& row);
    void draw_fold(const OutlinerRow& row);
    void draw_section(u32 index, const OutlinerRow& row);
    void draw_rename(const OutlinerRow& row);
    void draw_row(u32 place, u32 index);
    [[nodiscard]] std::vector<std::string> chosen(const OutlinerRow& row) const;
    [[nodiscard]] bool is_eye_open(const OutlinerRow& row) const;
    [[nodiscard]] bool is_faint(const OutlinerRow& row) const;

    Session& session_;
    Selection& selection_;
    CameraMotion& motion_;
    Ui& ui_;
    GizmoTool& tool_;
    std::shared_ptr<const scene::Scene> scene_;  // scene of `stamp_`
    u64 state_ = ~u64{0};                        // of the document, when `stamp_` was made
    u64 stamp_ = 0;                              // of the scene whose rows are listed
    OutlinerRows rows_;
    Folds folds_;
    std::string searched_;      // that gave `listed_`
    bool is_list_old_ = true;   // `listed_` is of other rows or folds
    std::vector<u32> listed_;   // indices into rows_
    std::vector<u32> counts_;   // of sections: their rows that match the search; by row
    std::string followed_;      // path selected when the list was last drawn
    std::string anchor_;        // path of the last click without shift
    std::vector<bool> hidden_;  // groups that are hidden, or are in hidden ones; of this frame
    RenameField rename_;
};

}  // namespace weft::app
