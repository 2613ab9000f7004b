#include "app/command/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "app/command/exit_code.h"
#include "app/command/messages.h"

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

void ProgressPrinter::show(const frame::FrameProgress& progress) {
    if (style_ == ProgressStyle::None || progress.elapsed_s < next_s_) {
        return;
    }
    const double done = static_cast<double>(progress.samples_done);
    const double share = done / static_cast<double>(std::max<u64>(1, progress.samples_total));
    const double rendered = static_cast<double>(progress.samples_done - progress.samples_found);
    const double rate = progress.elapsed_s > 0 ? rendered / progress.elapsed_s : 0;
    const double left_s =
        rate > 0 ? static_cast<double>(progress.samples_total - progress.samples_done) / rate : 0;
    // Estimate the remaining time only after enough samples for a reliable rate.
    const std::string to_go =
        share > 0.01 && progress.elapsed_s > 0.5 ? duration_text(left_s) : "?";
    if (style_ == ProgressStyle::Bar) {
        next_s_ = progress.elapsed_s + 0.1;
        const auto filled = static_cast<std::size_t>(share * 30);
        put_on_stderr(fmt::format("\r[{}{}] {:5.1f} %  {:.2f} Msamples/s  {} to go \x1b[K",
                                  std::string(filled, '#'),
                                  std::string(30 - filled, '.'),
                                  share * 100,
                                  rate * 1e-6,
                                  to_go));
        has_bar_ = true;
    } else if (style_ == ProgressStyle::Json) {
        next_s_ = progress.elapsed_s + 0.5;
        put_on_stderr(fmt::format(
            "{{\"samples\":{},\"total\":{},\"elapsed_s\":{:.3f},\"samples_per_second\":{:.0f}}}\n",
            progress.samples_done,
            progress.samples_total,
            progress.elapsed_s,
            rate));
    } else {
        next_s_ = progress.elapsed_s + (progress.elapsed_s < 10 ? 2 : 10);
        put_on_stderr(fmt::format("{:5.1f} %  {} samples  {:.2f} Msamples/s  {} to go\n",
                                  share * 100,
                                  progress.samples_done,
                                  rate * 1e-6,
                                  to_go));
    }
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
        "{{\"end\":\"{}\",\"exit_code\":{},\"samples\":{},\"total\":{},\"elapsed_s\":{:.3f}}}\n",
        reason_of(end),
        end.exit_code,
        end.samples,
        end.total,
        end.elapsed_s);
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
