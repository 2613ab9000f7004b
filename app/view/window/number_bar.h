// number_bar.h — a number in a bounded range, over a bar that shows its place in the range.
//
// A drag changes the number by the whole range over the width of the bar (Shift: ten times faster,
// Alt: a hundred times slower); a click alone changes nothing; a double-click or Ctrl+click opens a
// text field, which accepts values beyond the range. Call within an ImGui window; interface thread
// only.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::app {

struct BarRange {
    float low = 0;
    float high = 1;               // above `low`
    const char* format = "%.3f";  // of printf; for bar_count() with %lld
    bool is_logarithmic = false;  // low ≥ 0
};

// The number's place along the bar, 0 to 1. Pure. `smallest`: the value at the left end of a
// logarithmic bar that begins at zero.
float bar_share(float value, float low, float high, bool is_logarithmic, float smallest);

// True: the value changed in this frame.
bool bar_number(const char* id, float& value, const BarRange& range);
// Holds all values of a u32, and those below 0 that somebody types.
bool bar_count(const char* id, i64& value, const BarRange& range);

}  // namespace weft::app
