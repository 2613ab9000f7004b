// timeline.h — which part of a trace is looked at, and the bars that show it.
//
// The model behind the timeline panel, without a window: it follows the newest marks until it is
// paused or zoomed, and thousands of marks become no more bars than the panel has pixels. One per
// window, interface thread only. Times are seconds since the trace began.
#pragma once

#include <vector>

#include "scheduler/base/trace_log.h"

namespace weft::app {

// What of the trace lies between the panel's left and right edge.
struct TimeWindow {
    double begin_s = 0;
    double length_s = 0.1;

    [[nodiscard]] double end_s() const { return begin_s + length_s; }
};

// One bar, or several marks too short to be told apart.
struct TimeBar {
    float x0 = 0;  // pixels from the left edge
    float x1 = 0;
    u32 depth = 0;  // marks around it
    u32 first = 0;  // its mark in the thread, the longest of those in it
    u32 count = 1;  // marks in it
};

// The bars of one thread's marks (as read_trace() gives them) in a panel so many pixels wide. Never
// more than two per pixel and depth.
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

    // While it is not paused the right edge is the end of the newest mark: what was done last stays
    // in sight when nothing more is done. Pausing reads the whole trace, to go about in.
    void set_paused(bool is_paused);

    // Reads the newest marks; nothing changes while it is paused.
    void update();

    // `factor` below 1 shows less; the moment at `share` of the width stays where it is. Pauses.
    void zoom(double factor, double share);
    // By a share of the width: to the right, earlier moments come in. Pauses.
    void scroll(double share);
    // So much of the trace is shown, up to the same right edge.
    void set_length(double length_s);

    // Time that one thread spent in marks of a name between the edges, marks within it included, as
    // a share of the window.
    [[nodiscard]] double busy_share(const base::TracedThread& thread, const char* name) const;

private:
    TimeWindow window_;
    bool is_paused_ = false;
    double newest_s_ = 0;  // end of the newest mark that update() has seen
    std::vector<base::TracedThread> threads_;
};

}  // namespace weft::app
