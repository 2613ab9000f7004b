// progress.h — how a render tells how far it is: a bar on a terminal, plain lines or JSON lines
// otherwise.
//
// Called by the render loop about ten times a second; prints when there is something new to say.
// One thread.
#pragma once

#include <string>

#include "engine/frame/renderer.h"

namespace weft::app {

enum class ProgressStyle { Bar, Lines, Json, None };

// "auto" is a bar on a terminal and lines elsewhere; quiet is none.
ProgressStyle progress_style(const std::string& name, bool is_quiet);

class ProgressPrinter {
public:
    explicit ProgressPrinter(ProgressStyle style) : style_(style) {}

    ~ProgressPrinter();
    ProgressPrinter(const ProgressPrinter&) = delete;
    ProgressPrinter& operator=(const ProgressPrinter&) = delete;

    void show(const frame::FrameProgress& progress);
    // Takes the bar off its line, for a message.
    void clear();

private:
    ProgressStyle style_;
    double next_s_ = 0;
    bool has_bar_ = false;
};

// How the program ended: the last line of progress as JSON.
struct RenderEnd {
    int exit_code = 0;
    u64 samples = 0;  // in the film
    u64 total = 0;    // 0: nothing was to be rendered
    double elapsed_s = 0;
};

std::string end_line(const RenderEnd& end);

// "1:02:03", "4:05", "12 s".
std::string duration_text(double seconds);

}  // namespace weft::app
