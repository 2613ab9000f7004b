// heat_count.h — the count of what each mesh, material and key costs, and what the person wants to
// see of it.
//
// The Heat panel lists it, and an overlay paints it over the picture. Counting is off until the
// person turns it on. Interface thread only.
#pragma once

#include "app/view/background/heat_watch.h"
#include "app/view/models/heat_picture.h"

namespace weft::app {

struct RenderLink;
struct Ui;

struct HeatCount {
    bool is_on = false;
    bool is_over_picture = true;
    HeatMetric metric = HeatMetric::Time;
    HeatBy by = HeatBy::Mesh;
    HeatWatch watch;
};

// The inputs of a heat picture or list: it is made again when they differ.
struct HeatInputs {
    u32 version = 0;
    HeatMetric metric = HeatMetric::Time;
    HeatBy by = HeatBy::Mesh;
    bool is_made = false;

    friend bool operator==(const HeatInputs&, const HeatInputs&) = default;
};

// Turns counting on or off, from the next frame. Turning it off resumes the previous frame. Rays
// that wait for pages are not counted: with a budget of the tree it is refused in a sentence.
void count_heat(RenderLink& link, Ui& ui, HeatCount& heat, bool is_on);

}  // namespace weft::app
