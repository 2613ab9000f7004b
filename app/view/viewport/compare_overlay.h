// compare_overlay.h — keyed, unkeyed and embree large over the picture: three panes side by side,
// or one picture separated by two lines that the mouse drags.
//
// Shows the comparison of the panel below (comparison.h), with rays per second and time of each
// mode. While it lies over the picture, it takes the mouse: the compared view does not move.
// Interface thread only.
#pragma once

#include <array>
#include <optional>

#include "app/view/session/comparison.h"

namespace weft::app {

struct PictureSight;

// Where the panes are divided.
struct PaneLines {
    float middle = 0.5F;  // centre of the strips, as a share of the picture's width
    std::array<float, kComparedModes - 1> wipe{1.0F / 3, 2.0F / 3};  // ascending
};

// The pixel of a mode's picture at a point of the window, while the overlay shows.
struct ComparedPixel {
    u32 mode = 0;
    u32 x = 0;
    u32 y = 0;
};

class CompareOverlay {
public:
    CompareOverlay(Comparison& comparison, const PictureSight& sight, Ui& ui)
        : comparison_(comparison), sight_(sight), ui_(ui) {}

    // Draws the overlay if it is on; true: it used the mouse. `is_over`: the mouse is over the
    // picture.
    bool use(bool is_over);

    [[nodiscard]] std::optional<ComparedPixel> pixel_at(float x, float y) const;

private:
    void use_mouse(bool is_over);
    void draw_pane(u32 index);
    void draw_lines();

    Comparison& comparison_;
    const PictureSight& sight_;
    Ui& ui_;
    PaneLines lines_;
    bool is_held_ = false;          // the mouse went down on the picture
    std::optional<u32> held_line_;  // and on this line
};

// Cycles through: panel only, side by side, wipe. False, with a message: there is nothing to show.
bool next_compare_look(Ui& ui, Comparison& comparison);

}  // namespace weft::app
