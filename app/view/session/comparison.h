// comparison.h — renders the view that is open in three modes in turns, beside the picture.
//
// The picture rests while a comparison runs. Called by the panel Compare and by whatever changes
// the view. Interface thread only.
#pragma once

#include "app/view/session/view_state.h"

namespace weft::app {

// Begins to compare what is seen now.
void begin_comparison(ViewState& state);

// Ends it; the picture goes on, unless the person paused it.
void stop_comparison(RenderLink& link, CompareState& compare);

// Once per turn: chooses the mode that renders next, while modes are compared.
void step_comparison(ViewState& state);

// Ends a comparison that runs, since the view is another one. `is_forgotten`: drops its pictures,
// too, since they are of a scene that is closed.
void end_comparison(RenderLink& link, Ui& ui, CompareState& compare, bool is_forgotten);

// Whether the pictures of a comparison lie over the picture.
bool is_compared_large(const CompareState& compare);

}  // namespace weft::app
