// number_bar.h — a number in a bounded range: a bar that shows where in the range it lies.
//
// A drag moves the number from where it is, by the whole range over the width of the bar (Shift ten
// times faster, Alt a hundred times slower); a click alone changes nothing; a double-click, or Ctrl
// and a click, types a number, which may lie beyond the range. Within an ImGui window; interface
// thread only.
#pragma once

namespace weft::app {

struct BarRange {
    float low = 0;
    float high = 1;               // above `low`
    const char* format = "%.3f";  // of printf; for bar_count() of an int
    bool is_logarithmic = false;  // low ≥ 0
};

// How far along the bar the number lies, 0 to 1. Pure. `smallest`: what a logarithmic bar that
// begins at zero shows as its left end.
float bar_share(float value, float low, float high, bool is_logarithmic, float smallest);

// True: changed in this frame.
bool bar_number(const char* id, float& value, const BarRange& range);
bool bar_count(const char* id, int& value, const BarRange& range);

}  // namespace weft::app
