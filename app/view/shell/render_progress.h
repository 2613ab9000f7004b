// render_progress.h — the progress of the render in the status line: a bar of samples, time spent
// and time left.
//
// The texts are pure; only the interface thread draws.
#pragma once

#include <string>

namespace weft::app {

struct RenderLink;
struct Ui;

// The parts of the line; if room is short, they are dropped in this order.
struct ProgressLine {
    std::string size;     // of the picture
    std::string noise;    // that is left, of the mean block of pixels
    std::string filter;   // "denoised: quality": what made the picture that is shown
    std::string bias;     // "biased"; what biases the picture is in `bias_reason`
    std::string times;    // spent and left
    std::string state;    // "rendering"
    std::string samples;  // on the bar; of a display without light its name
    std::string bias_reason;
    float share = 0;  // filled part of the bar
    float width = 0;  // of the whole line, in window coordinates
};

// At most `most` wide, unless the samples alone are wider.
ProgressLine progress_line(const RenderLink& link, float most);

void draw_progress(Ui& ui, const ProgressLine& line);

}  // namespace weft::app
