// view_state.h — all parts of the state of one window.
//
// The loop (shell/viewer.h) owns it. Actions and panels get all of it from their tables; other
// functions take only the parts that they use. Interface thread only.
#pragma once

#include "app/view/session/camera_motion.h"
#include "app/view/session/panel_state.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"

namespace weft::app {

struct ViewState {
    Session session;
    RenderLink link;
    Selection selection;
    CameraMotion motion;
    PictureSight sight;
    Ui ui;
    PanelState
        panels;  // declared after `link`: the panels' requests end before the renderer is destroyed
};

}  // namespace weft::app
