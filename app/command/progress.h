// progress.h — prints a render's progress: a bar on a terminal, else plain lines, JSON lines, or
// the messages of Open Job Description. app/README.md documents the fields.
//
// The render loop calls show() about ten times a second; the printer limits its own output rate.
// One thread.
#pragma once

#include <optional>
#include <string>

#include "app/command/render_options.h"
#include "app/command/time_to_go.h"
#include "engine/frame/renderer.h"

namespace weft::app {

// Returns the style of --progress. Without a wanted style, selects a bar on a terminal and lines
// elsewhere. Quiet selects None.
ProgressStyle progress_style(std::optional<ProgressStyle> wanted, bool is_quiet);

class ProgressPrinter {
public:
    // `limit_s`: seconds after which this run ends; infinite: none. `frame_place` of `frame_count`:
    // which of the frames of the command the samples are of.
    ProgressPrinter(ProgressStyle style, double limit_s, u32 frame_place, u32 frame_count)
        : style_(style), limit_s_(limit_s), frame_place_(frame_place), frame_count_(frame_count) {}

    ~ProgressPrinter();
    ProgressPrinter(const ProgressPrinter&) = delete;
    ProgressPrinter& operator=(const ProgressPrinter&) = delete;

    void show(const frame::FrameProgress& progress);
    // Erases the bar, so that a message can take its line.
    void clear();

private:
    struct Shown {
        double share = 0;  // of all samples
        double rate = 0;   // samples per second of this run
        std::optional<double> left_s;
    };

    void print_openjd(double share, const std::string& state) const;
    // Returns the seconds to the next line.
    double print(const frame::FrameProgress& progress, const Shown& shown);

    ProgressStyle style_;
    double limit_s_;
    u32 frame_place_;
    u32 frame_count_;
    std::optional<TimeToGo> to_go_;  // since the first progress
    double next_s_ = 0;
    bool has_bar_ = false;
};

// How the program ended. With JSON progress, end_line() of it is the last line on stderr.
struct RenderEnd {
    int exit_code = 0;
    u64 samples = 0;  // in the film
    u64 total = 0;    // that the options asked for; 0: the render never started
    double elapsed_s = 0;
};

std::string end_line(const RenderEnd& end);

// Prints how the program ended, in the styles that programs read.
void say_end(ProgressStyle style, const RenderEnd& end);

// Returns "1:02:03", "4:05" or "12 s".
std::string duration_text(double seconds);

}  // namespace weft::app
