// render_progress.h — the progress of the render in the status line: a bar of samples, time spent
// and time left.
//
// The texts are pure; only the interface thread draws.
#pragma once

#include <optional>
#include <string>

#include "engine/live/live_status.h"

namespace weft::app {

struct RenderLink;
struct Ui;

// Estimated seconds until all samples are done, at the pace so far; none before a pace is known,
// and when nothing is left.
std::optional<double> time_to_go_s(const live::LiveStatus& status);

// The parts of the line; if room is short, they are dropped in this order.
struct ProgressLine {
    std::string size;     // of the picture
    std::string times;    // spent and left
    std::string state;    // "rendering"
    std::string samples;  // on the bar
    float share = 0;      // filled part of the bar
    float width = 0;      // of the whole line, in window coordinates
};

// At most `most` wide, unless the samples alone are wider.
ProgressLine progress_line(const RenderLink& link, float most);

void draw_progress(Ui& ui, const ProgressLine& line);

}  // namespace weft::app
