// render_progress.h — how far the picture is, for the status line: samples as a bar, the time spent
// and the time to go.
//
// Texts are pure; drawing is the interface thread's.
#pragma once

#include <optional>
#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Seconds of rendering until all samples are there, at the pace so far; none before there is one,
// and where nothing is left.
std::optional<double> time_to_go_s(const live::LiveStatus& status);

// What the line says, in the order in which it is left out where there is little room.
struct ProgressLine {
    std::string size;     // of the picture
    std::string times;    // spent, to go
    std::string state;    // "rendering"
    std::string samples;  // on the bar
    float share = 0;      // of the bar that is full
    float width = 0;      // of all of it, in window coordinates
};

// At most `most` wide, unless the samples alone are wider.
ProgressLine progress_line(const RenderLink& link, float most);

void draw_progress(Ui& ui, const ProgressLine& line);

}  // namespace weft::app
