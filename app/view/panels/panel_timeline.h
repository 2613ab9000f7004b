// panel_timeline.h — what each thread ran when, from the trace marks: pause, zoom, export.
//
// A trace runs while the panel records; the wheel zooms about the mouse, a drag scrolls, and both
// pause. Interface thread only.
#pragma once

#include "app/view/models/timeline.h"

namespace weft::app {

struct Session;
struct Ui;

class TimelinePanel {
public:
    TimelinePanel(const Session& session, Ui& ui) : session_(session), ui_(ui) {}

    void draw();

    Timeline timeline;
    bool is_recording = false;

private:
    void draw_buttons();

    const Session& session_;
    Ui& ui_;
};

}  // namespace weft::app
