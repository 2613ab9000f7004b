// comparison.h — compares the current view in three modes that render in turns.
//
// The picture pauses while a comparison runs. The Compare panel calls this, and so does all code
// that changes the view. Interface thread only.
#pragma once

#include "app/view/session/view_state.h"

namespace weft::app {

// Starts a comparison of the current view.
void begin_comparison(ViewState& state);

// Ends it; the picture resumes, unless the person paused it.
void stop_comparison(RenderLink& link, CompareState& compare);

// Chooses the mode that renders next. Call once per turn.
void step_comparison(ViewState& state);

// Ends a running comparison because the view changed. `is_forgotten` also drops its pictures, since
// their scene is closed.
void end_comparison(RenderLink& link, Ui& ui, CompareState& compare, bool is_forgotten);

// Whether the compared pictures lie over the picture.
bool is_compared_large(const CompareState& compare);

}  // namespace weft::app
