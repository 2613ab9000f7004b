// action_lists.h — all actions with a menu entry and a key, in lists by the parts that they use.
//
// The parts must outlive the actions. Interface thread only.
#pragma once

#include <vector>

#include "app/view/shell/actions.h"

namespace weft::app {

class InspectorPanel;
class NodeHandles;
enum class GizmoTool;
struct CameraMotion;
struct Comparison;
struct HeatCount;
struct PictureSight;
struct RenderLink;
struct Selection;
struct ViewState;

using Actions = std::vector<Action>;

Actions file_actions(Session& session, RenderLink& link, Ui& ui);

// Changes of the scene, the handles that make them, what is selected and what is hidden.
struct EditParts {
    Session& session;
    Selection& selection;
    CameraMotion& motion;
    Ui& ui;
    GizmoTool& tool;
};

Actions edit_actions(const EditParts& parts);

// Where the camera is and where it looks.
struct CameraParts {
    Session& session;
    RenderLink& link;
    Selection& selection;
    CameraMotion& motion;
    Ui& ui;
    NodeHandles& handles;
};

Actions camera_actions(const CameraParts& parts);

// What is rendered, and the end of every mode.
struct RenderParts {
    RenderLink& link;
    Selection& selection;
    CameraMotion& motion;
    Ui& ui;
    Comparison& comparison;
};

Actions render_actions(const RenderParts& parts);

// How the picture is shown.
struct PictureParts {
    Session& session;
    RenderLink& link;
    PictureSight& sight;
    Ui& ui;
    InspectorPanel& inspector;
};

Actions picture_actions(const PictureParts& parts);

// The panels, the size of the interface, the keyboard.
Actions interface_actions(Session& session, Ui& ui);

// What is measured, over the picture.
struct MeasureParts {
    Session& session;
    RenderLink& link;
    Ui& ui;
    HeatCount& heat;
    Comparison& comparison;
};

Actions measure_actions(const MeasureParts& parts);

// All of them, in the order of the menus.
Actions all_actions(ViewState& state);

}  // namespace weft::app
