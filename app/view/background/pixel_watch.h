// pixel_watch.h — what is known of one pixel, asked for on a thread of its own.
//
// A report takes a path of the reference tracer; the interface must not wait for it. One question
// is under way at a time, and it is asked again when the picture has gone on. Owner: interface
// thread.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "app/view/background/background.h"
#include "engine/live/live_render.h"

namespace weft::app {

class PixelWatch {
public:
    // The pixel that is wanted now; another one is asked for as soon as the last answer is there.
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

    // The picture has more samples, or is another.
    void renew() { is_stale_ = true; }

    // Takes an answer and asks what is to be asked, unless `live` is null. Once per frame.
    void poll(const std::shared_ptr<const live::LiveRender>& live) {
        if (std::optional<live::PixelReport> report = question_.poll()) {
            report_ = std::move(report);
            reported_ = asked_;
        }
        if (wanted_ && is_stale_ && !question_.is_running() && live) {
            is_stale_ = false;
            asked_ = *wanted_;
            question_.start([live, at = asked_] { return live->inspect(at.first, at.second); });
        }
    }

    [[nodiscard]] const std::optional<std::pair<u32, u32>>& wanted() const { return wanted_; }

    // The last answer, and the pixel that it is about.
    [[nodiscard]] const std::optional<live::PixelReport>& report() const { return report_; }

    [[nodiscard]] std::pair<u32, u32> reported() const { return reported_; }

    [[nodiscard]] bool is_waiting() const { return question_.is_running(); }

private:
    std::optional<std::pair<u32, u32>> wanted_;
    bool is_stale_ = false;
    std::pair<u32, u32> asked_{};
    std::pair<u32, u32> reported_{};
    std::optional<live::PixelReport> report_;
    Background<live::PixelReport> question_;
};

}  // namespace weft::app
