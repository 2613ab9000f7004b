#include "app/command/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/standard_output.h"

namespace weft::app {

ProgressStyle progress_style(std::optional<ProgressStyle> wanted, bool is_quiet) {
    if (is_quiet) {
        return ProgressStyle::None;
    }
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    return wanted.value_or(is_terminal ? ProgressStyle::Bar : ProgressStyle::Lines);
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<u64>(seconds + 0.5);
    if (whole < 60) {
        return fmt::format("{} s", whole);
    }
    if (whole < 3600) {
        return fmt::format("{}:{:02}", whole / 60, whole % 60);
    }
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

namespace {

std::string to_go_text(std::optional<double> left_s) {
    return left_s ? duration_text(*left_s) : "?";
}

}  // namespace

void ProgressPrinter::show(const frame::FrameProgress& progress) {
    if (style_ == ProgressStyle::None) {
        return;
    }
    if (!to_go_) {
        to_go_.emplace(TimeToGo::Work{
            .found = progress.samples_found, .total = progress.samples_total, .limit_s = limit_s_});
    }
    to_go_->add(progress.samples_done, progress.elapsed_s);
    if (progress.elapsed_s < next_s_) {
        return;
    }
    const Shown shown = {
        .share = static_cast<double>(progress.samples_done) /
                 static_cast<double>(std::max<u64>(1, progress.samples_total)),
        .rate = progress.elapsed_s > 0
                    ? static_cast<double>(progress.samples_done - progress.samples_found) /
                          progress.elapsed_s
                    : 0,
        .left_s = to_go_->left_s()};
    next_s_ = progress.elapsed_s + print(progress, shown);
}

double ProgressPrinter::print(const frame::FrameProgress& progress, const Shown& shown) {
    const double percent = shown.share * 100;
    const std::string to_go = to_go_text(shown.left_s);
    if (style_ == ProgressStyle::Bar) {
        const auto filled = static_cast<std::size_t>(shown.share * 30);
        put_on_stderr(fmt::format("\r[{}{}] {:5.1f} %  {:.2f} Msamples/s  {} to go \x1b[K",
                                  std::string(filled, '#'),
                                  std::string(30 - filled, '.'),
                                  percent,
                                  shown.rate * 1e-6,
                                  to_go));
        has_bar_ = true;
        return 0.1;
    }
    if (style_ == ProgressStyle::Json) {
        put_on_stderr(fmt::format(
            "{{\"schema\":{},\"samples\":{},\"found\":{},\"total\":{},\"elapsed_s\":{:.3f},"
            "\"samples_per_second\":{:.0f},\"to_go_s\":{}}}\n",
            kLineSchema,
            progress.samples_done,
            progress.samples_found,
            progress.samples_total,
            progress.elapsed_s,
            shown.rate,
            shown.left_s ? fmt::format("{:.1f}", *shown.left_s) : "null"));
        return 0.5;
    }
    const std::string line = fmt::format(
        "{} samples  {:.2f} Msamples/s  {} to go", progress.samples_done, shown.rate * 1e-6, to_go);
    if (style_ == ProgressStyle::OpenJd) {
        print_openjd(shown.share, line);
        return 1;
    }
    put_on_stderr(fmt::format("{:5.1f} %  {}\n", percent, line));
    return progress.elapsed_s < 10 ? 2 : 10;
}

// Readers of these messages know one task, whose progress never falls: that of all frames.
void ProgressPrinter::print_openjd(double share, const std::string& state) const {
    const std::string frame =
        frame_count_ > 1 ? fmt::format("frame {} of {}: ", frame_place_ + 1, frame_count_) : "";
    put_on_stdout(fmt::format("openjd_progress: {:.1f}\nopenjd_status: {}{}\n",
                              (frame_place_ + share) / frame_count_ * 100,
                              frame,
                              state));
}

namespace {

const char* reason_of(const RenderEnd& end) {
    if (end.exit_code == kExitDone) {
        return end.samples >= end.total ? "done" : "time limit";
    }
    return end.exit_code == kExitSignal ? "signal" : "failed";
}

}  // namespace

std::string end_line(const RenderEnd& end) {
    return fmt::format(
        "{{\"schema\":{},\"end\":\"{}\",\"exit_code\":{},\"samples\":{},\"total\":{},"
        "\"elapsed_s\":{:.3f}}}\n",
        kLineSchema,
        reason_of(end),
        end.exit_code,
        end.samples,
        end.total,
        end.elapsed_s);
}

void say_end(ProgressStyle style, const RenderEnd& end) {
    if (style == ProgressStyle::Json) {
        put_on_stderr(end_line(end));
    } else if (style == ProgressStyle::OpenJd && end.exit_code == kExitDone) {
        put_on_stdout(fmt::format("openjd_progress: 100\nopenjd_status: {} of {} samples, {}\n",
                                  end.samples,
                                  end.total,
                                  reason_of(end)));
    } else if (end.exit_code == kExitSignal) {
        say_failed("ended by a signal");
    }
}

void ProgressPrinter::clear() {
    if (has_bar_) {
        put_on_stderr("\r\x1b[K");
    }
}

ProgressPrinter::~ProgressPrinter() {
    clear();
}

}  // namespace weft::app
