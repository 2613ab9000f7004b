// heat_watch.h — the frame's newest heat counters, and which keys lie where in the picture.
//
// The counters are read four times a second while they change. Finding the keys under the picture
// takes rays, so a thread of its own traces them once per view; until it is done, the keys of the
// previous view stay. Owner: the interface thread.
#pragma once

#include <optional>
#include <utility>

#include "app/view/background/background.h"
#include "engine/live/live_render.h"

namespace weft::app {

class HeatWatch {
public:
    static constexpr double kEvery_s = 0.25;
    static constexpr u32 kPixelsPerPoint = 4;  // side of the square of pixels per point

    // Call once per frame while heat is counted; the renderer must outlive the rays started here.
    void update(const live::LiveRender& live,
                const live::LiveStatus& status,
                double now_s,
                u32 width,
                u32 height) {
        take_places();
        if (!asking_.is_running() && asked_job_ != status.prepared_job &&
            status.prepared_job != 0) {
            asked_job_ = status.prepared_job;
            asking_.start([&live, width, height] {
                return live.heat_places((width + kPixelsPerPoint - 1) / kPixelsPerPoint,
                                        (height + kPixelsPerPoint - 1) / kPixelsPerPoint);
            });
        }
        const bool is_done = status.state == live::LiveState::Done;
        const bool is_settled = is_done && settled_job_ == status.prepared_job;
        if (!is_settled && now_s - taken_s_ >= kEvery_s) {
            taken_s_ = now_s;
            heat_ = live.heat();
            settled_job_ = is_done ? status.prepared_job : 0;
            ++version_;
        }
        is_waiting_ = asking_.is_running() || (is_done && settled_job_ != status.prepared_job);
    }

    // True while a result is pending though nothing renders.
    [[nodiscard]] bool is_waiting() const { return is_waiting_; }

    [[nodiscard]] const live::LiveHeat& heat() const { return heat_; }

    [[nodiscard]] const frame::HeatPlaces& places() const { return places_; }

    // Rises with each change of the counters or the places.
    [[nodiscard]] u32 version() const { return version_; }

    // Drops all results; heat is no longer counted.
    void forget() {
        heat_ = {};
        asked_job_ = 0;
        settled_job_ = 0;
        is_waiting_ = false;
        ++version_;
    }

private:
    void take_places() {
        if (std::optional<frame::HeatPlaces> places = asking_.poll()) {
            places_ = std::move(*places);
            // Ask again if the frame that counts heat was not yet prepared.
            asked_job_ = places_.object.empty() ? 0 : asked_job_;
            ++version_;
        }
    }

    live::LiveHeat heat_;
    frame::HeatPlaces places_;
    Background<frame::HeatPlaces> asking_;
    u64 asked_job_ = 0;
    u64 settled_job_ = 0;
    double taken_s_ = -1;
    u32 version_ = 0;
    bool is_waiting_ = false;
};

}  // namespace weft::app
