// missing_pictures.h — the list of pictures that a scene names and that could not be read, over the
// picture, with a button to say where they are.
//
// Interface thread only.
#pragma once

#include "app/view/session/view_state.h"

namespace weft::app {

// At the lower edge of this part of the window, while pictures are missing and nobody has closed
// the list.
void draw_missing(Session& session, Ui& ui, PanelState& panels, const PicturePlace& place);

}  // namespace weft::app
