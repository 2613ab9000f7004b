#include "app/view/models/timeline.h"

#include <algorithm>

namespace weft::app {

namespace {

double begin_of(const base::TracedMark& mark) {
    return static_cast<double>(mark.begin_ns) * 1e-9;
}

double end_of(const base::TracedMark& mark) {
    return static_cast<double>(mark.begin_ns + mark.duration_ns) * 1e-9;
}

// Merges a mark into the last bar of its depth if both fit in one pixel, else adds a bar.
void add_bar(std::vector<TimeBar>& bars,
             std::vector<std::size_t>& last,
             const std::vector<base::TracedMark>& marks,
             const TimeBar& bar) {
    if (last.size() <= bar.depth) {
        last.resize(bar.depth + 1, bars.max_size());
    }
    if (last[bar.depth] < bars.size()) {
        TimeBar& before = bars[last[bar.depth]];
        const bool is_small = bar.x1 - bar.x0 < 1 && before.x1 - before.x0 < 1.5f;
        if (is_small && bar.x1 - before.x0 < 1.5f) {
            before.x1 = std::max(before.x1, bar.x1);
            before.count += 1;
            if (marks[bar.first].duration_ns > marks[before.first].duration_ns) {
                before.first = bar.first;
            }
            return;
        }
    }
    last[bar.depth] = bars.size();
    bars.push_back(bar);
}

}  // namespace

std::vector<TimeBar> time_bars(const std::vector<base::TracedMark>& marks,
                               const TimeWindow& window,
                               float width_px) {
    std::vector<TimeBar> bars;
    std::vector<std::size_t> last;  // last bar of each depth
    std::vector<double> open_until;
    const double scale = static_cast<double>(width_px) / window.length_s;
    for (u32 index = 0; index < marks.size(); ++index) {
        const base::TracedMark& mark = marks[index];
        while (!open_until.empty() && open_until.back() <= begin_of(mark)) {
            open_until.pop_back();
        }
        const u32 depth = static_cast<u32>(open_until.size());
        open_until.push_back(end_of(mark));
        if (end_of(mark) < window.begin_s || begin_of(mark) > window.end_s()) {
            continue;
        }
        const double x0 = std::max(0.0, (begin_of(mark) - window.begin_s) * scale);
        const double x1 =
            std::min(static_cast<double>(width_px), (end_of(mark) - window.begin_s) * scale);
        add_bar(
            bars, last, marks, {static_cast<float>(x0), static_cast<float>(x1), depth, index, 1});
    }
    return bars;
}

void Timeline::set_paused(bool is_paused) {
    if (is_paused && !is_paused_) {
        threads_ = base::read_trace(0);
    }
    is_paused_ = is_paused;
}

void Timeline::update() {
    if (is_paused_) {
        return;
    }
    // A restarted trace is younger than the newest mark of the previous one.
    newest_s_ = std::min(newest_s_, static_cast<double>(base::trace_age_ns()) * 1e-9);
    threads_ =
        base::read_trace(static_cast<u64>(std::max(0.0, newest_s_ - window_.length_s) * 1e9));
    for (const base::TracedThread& thread : threads_) {
        for (const base::TracedMark& mark : thread.marks) {
            newest_s_ = std::max(newest_s_, end_of(mark));
        }
    }
    window_.begin_s = newest_s_ - window_.length_s;
}

void Timeline::zoom(double factor, double share) {
    set_paused(true);
    const double at = window_.begin_s + share * window_.length_s;
    window_.length_s = std::clamp(window_.length_s * factor, kShortest_s, kLongest_s);
    window_.begin_s = at - share * window_.length_s;
}

void Timeline::scroll(double share) {
    set_paused(true);
    window_.begin_s -= share * window_.length_s;
}

void Timeline::set_length(double length_s) {
    const double end_s = window_.end_s();
    window_.length_s = std::clamp(length_s, kShortest_s, kLongest_s);
    window_.begin_s = end_s - window_.length_s;
}

}  // namespace weft::app
