// timeline.h — the visible part of a trace, and its bars.
//
// The model of the timeline panel, without a window: it follows the newest marks until it is paused
// or zoomed, and merges thousands of marks into at most as many bars as the panel has pixels. One
// per window, interface thread only. Times are seconds since the trace began.
#pragma once

#include <vector>

#include "scheduler/base/trace_log.h"

namespace weft::app {

// The interval of the trace between the panel's left and right edge.
struct TimeWindow {
    double begin_s = 0;
    double length_s = 0.1;

    [[nodiscard]] double end_s() const { return begin_s + length_s; }
};

// One mark, or several marks too short to be distinguished.
struct TimeBar {
    float x0 = 0;  // pixels from the left edge
    float x1 = 0;
    u32 depth = 0;  // number of enclosing marks
    u32 first = 0;  // index of its longest mark in the thread
    u32 count = 1;  // number of marks in it
};

// The bars of one thread's marks (as read_trace() gives them) in a panel this many pixels wide. At
// most two per pixel and depth.
std::vector<TimeBar> time_bars(const std::vector<base::TracedMark>& marks,
                               const TimeWindow& window,
                               float width_px);

class Timeline {
public:
    static constexpr double kShortest_s = 2e-6;
    static constexpr double kLongest_s = 20;

    [[nodiscard]] const TimeWindow& window() const { return window_; }

    [[nodiscard]] const std::vector<base::TracedThread>& threads() const { return threads_; }

    [[nodiscard]] bool is_paused() const { return is_paused_; }

    // While not paused, the right edge is the end of the newest mark, so that the last work stays
    // visible when nothing more runs. Pausing reads the whole trace, for scrolling.
    void set_paused(bool is_paused);

    // Reads the newest marks, unless paused.
    void update();

    // `factor` below 1 zooms in; the moment at `share` of the width stays in place. Pauses.
    void zoom(double factor, double share);
    // Scrolls by a share of the width; positive shows earlier moments. Pauses.
    void scroll(double share);
    // Sets the length of the interval; the right edge stays.
    void set_length(double length_s);

private:
    TimeWindow window_;
    bool is_paused_ = false;
    double newest_s_ = 0;  // end of the newest mark that update() has seen
    std::vector<base::TracedThread> threads_;
};

}  // namespace weft::app
