// missing_pictures.h — the list over the picture of the pictures that could not be read, with a
// button to name their folder.
//
// Interface thread only.
#pragma once

#include "app/view/session/view_state.h"

namespace weft::app {

// Draws the list at the lower edge of this part of the window, while pictures are missing and the
// person has not closed it.
void draw_missing(Session& session, Ui& ui, PanelState& panels, const PicturePlace& place);

}  // namespace weft::app
