// row_icons.h — a small drawing for each kind of row in the outliner.
//
// Interface thread only, within an ImGui window.
#pragma once

#include <imgui.h>

#include "app/view/models/outliner_rows.h"

namespace weft::app {

// Draws the sign of a kind at the cursor, in a square of the text's height, and takes its room.
void draw_row_icon(RowKind kind, ImU32 colour);

// "Group", "Object", ... for tips.
const char* kind_word(RowKind kind);

}  // namespace weft::app
