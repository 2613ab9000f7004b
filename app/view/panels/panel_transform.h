// panel_transform.h — the transform of the selected node in numbers, and the choice of handles.
//
// Interface thread only.
#pragma once

#include <map>
#include <string>

#include "app/view/models/placement.h"

namespace weft::app {

enum class GizmoTool;
struct SelectedNode;
struct Selection;
struct Session;
struct Ui;

// The last shown numbers of a node and their matrix, so that angles do not jump to equivalent ones.
struct ShownPlacement {
    math::Affine matrix{};
    Placement placement;
};

class TransformPanel {
public:
    TransformPanel(Session& session, const Selection& selection, Ui& ui, GizmoTool& tool)
        : session_(session), selection_(selection), ui_(ui), tool_(tool) {}

    void draw();

    // Forgets the numbers of the scene before.
    void forget() { shown_.clear(); }

    // The numbers shown for a node, by path; it was drawn before.
    [[nodiscard]] const Placement& shown(const std::string& path) const {
        return shown_.at(path).placement;
    }

private:
    ShownPlacement& shown_placement(const SelectedNode& node);
    void draw_tools();

    Session& session_;
    const Selection& selection_;
    Ui& ui_;
    GizmoTool& tool_;
    std::map<std::string, ShownPlacement> shown_;  // by path, for all nodes shown so far
};

}  // namespace weft::app
