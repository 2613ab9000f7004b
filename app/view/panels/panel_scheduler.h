// panel_scheduler.h — the scheduler's work during a render: lanes, packets, queues, devices.
//
// Rates over the last second (scheduler_history.h), sampled ten times a second while the panel is
// visible. Interface thread only.
#pragma once

#include "app/view/models/scheduler_history.h"

namespace weft::app {

struct RenderLink;
struct Ui;

class SchedulerPanel {
public:
    SchedulerPanel(const RenderLink& link, Ui& ui) : link_(link), ui_(ui) {}

    void draw();

private:
    void refresh();

    const RenderLink& link_;
    Ui& ui_;
    double refreshed_s_ = -1;
    frame::FrameFigures figures_;
    SchedulerHistory history_;
};

}  // namespace weft::app
