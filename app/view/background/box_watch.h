// box_watch.h — the objects that are seen in a part of the picture, found on a thread of its own.
//
// Owner: the interface thread.
#pragma once

#include <optional>

#include "app/view/background/background.h"
#include "engine/live/live_render.h"

namespace weft::app {

class BoxWatch {
public:
    // Looks for the objects; drops a former search. `adds`: they join the selection.
    void start(const live::LiveRender& live, const film::Region& part, bool adds) {
        adds_ = adds;
        seeing_.start([&live, part] { return live.instances_in(part); });
    }

    // The objects, once.
    [[nodiscard]] std::optional<live::SeenInstances> poll() { return seeing_.poll(); }

    [[nodiscard]] bool adds() const { return adds_; }

    [[nodiscard]] bool is_waiting() const { return seeing_.is_running(); }

private:
    Background<live::SeenInstances> seeing_;
    bool adds_ = false;
};

}  // namespace weft::app
