// pixel_watch.h — a report on one pixel, made on its own thread.
//
// A report traces a path with the reference tracer; the interface must not wait for it. One report
// runs at a time; it is requested again when the picture has more samples. Owner: interface thread.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "app/view/background/background.h"
#include "engine/live/live_render.h"

namespace weft::app {

class PixelWatch {
public:
    // Chooses the pixel; its report is requested as soon as the running one is done.
    void watch(u32 x, u32 y) {
        if (wanted_ != std::pair(x, y)) {
            wanted_ = {x, y};
            is_stale_ = true;
        }
    }

    void forget() {
        wanted_.reset();
        report_.reset();
    }

    // Marks the report stale: the picture has more samples, or is another picture.
    void renew() { is_stale_ = true; }

    // Takes a finished report and requests the next, unless `live` is null. Call once per frame.
    void poll(const std::shared_ptr<const live::LiveRender>& live) {
        if (std::optional<live::PixelReport> report = question_.poll()) {
            report_ = std::move(report);
        }
        if (wanted_ && is_stale_ && !question_.is_running() && live) {
            is_stale_ = false;
            question_.start([live, at = *wanted_] { return live->inspect(at.first, at.second); });
        }
    }

    [[nodiscard]] const std::optional<std::pair<u32, u32>>& wanted() const { return wanted_; }

    // The last report.
    [[nodiscard]] const std::optional<live::PixelReport>& report() const { return report_; }

    [[nodiscard]] bool is_waiting() const { return question_.is_running(); }

private:
    std::optional<std::pair<u32, u32>> wanted_;
    bool is_stale_ = false;
    std::optional<live::PixelReport> report_;
    Background<live::PixelReport> question_;
};

}  // namespace weft::app
