// view_state.h — all parts of the state of one window, and the panels and handles that use them.
//
// The loop (viewer.h) owns it. Only shell/ knows it: it hands each action, panel and handle the
// parts that it uses. Members refer to those before them, so they are destroyed first. Interface
// thread only.
#pragma once

#include "app/view/background/box_watch.h"
#include "app/view/handles/gizmo_drawing.h"
#include "app/view/handles/light_handles.h"
#include "app/view/panels/panel_heat.h"
#include "app/view/panels/panel_inspector.h"
#include "app/view/panels/panel_material.h"
#include "app/view/panels/panel_outliner.h"
#include "app/view/panels/panel_scheduler.h"
#include "app/view/panels/panel_textures.h"
#include "app/view/panels/panel_timeline.h"
#include "app/view/panels/panel_transform.h"
#include "app/view/session/camera_motion.h"
#include "app/view/session/comparison.h"
#include "app/view/session/heat_count.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/shell/dropped_files.h"
#include "app/view/shell/missing_pictures.h"
#include "app/view/shell/welcome.h"
#include "app/view/viewport/camera_mouse.h"
#include "app/view/viewport/compare_overlay.h"
#include "app/view/viewport/heat_overlay.h"
#include "app/view/viewport/picture_press.h"
#include "app/view/viewport/viewport.h"

namespace weft::app {

struct ViewState {
    Session session;
    RenderLink link;
    Selection selection;
    CameraMotion motion;
    PictureSight sight;
    Ui ui;
    Comparison comparison;
    HeatCount heat;

    // Over the picture.
    NodeHandles node_handles{session, selection, sight, ui};
    LightHandles light_handles{session, selection, sight, ui};
    CompareOverlay compare_overlay{comparison, sight, ui};
    HeatOverlay heat_overlay;
    Viewport viewport;
    CameraMouse camera_mouse{session, link, motion, sight};
    PicturePress press{link, motion, sight, ui};
    BoxWatch box;
    WelcomeWindow welcome;
    MissingWindow missing;
    DroppedFiles dropped{session, link, selection, ui};

    // Beside and below it.
    PictureRows picture_rows{session, ui};
    OutlinerPanel outliner{session, selection, motion, ui, node_handles.gizmo.tool};
    TransformPanel transform{session, selection, ui, node_handles.gizmo.tool};
    MaterialPanel material{session, selection, ui, picture_rows};
    InspectorPanel inspector{{link, sight, comparison, compare_overlay}, ui};
    SchedulerPanel scheduler{link, ui};
    TimelinePanel timeline{session, ui};
    HeatPanel heat_panel{session, selection, ui};
};

}  // namespace weft::app
