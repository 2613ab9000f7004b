// picture_zoom.h — the picture's place in its pane: fitted, or enlarged and moved.
//
// Nothing here renders: sizes are those of the camera's frame, however large it is shown and
// however many pixels of it are rendered. Pure; interface thread.
#pragma once

#include <array>

#include "scheduler/base/ids.h"

namespace weft::app {

// A rectangle of the window, in window coordinates.
struct PicturePlace {
    float x = 0;
    float y = 0;
    float width = 0;
    float height = 0;

    [[nodiscard]] bool holds(float at_x, float at_y) const {
        return at_x >= x && at_y >= y && at_x < x + width && at_y < y + height;
    }
};

// The intersection; of zero size if they do not overlap.
PicturePlace common_part(const PicturePlace& a, const PicturePlace& b);

// The size at which a frame is rendered: its own, or with a `pixel_side` above 0 as many pixels as
// the whole picture has in the pane, each so many pixels of the window wide and high. The pane is
// in pixels of the window.
std::array<u32, 2> rendered_size(const PicturePlace& pane,
                                 std::array<u32, 2> frame,
                                 u32 pixel_side);

class PictureZoom {
public:
    // Shows the whole picture as large as fits, also after the pane changes.
    void fit() { is_fit_ = true; }

    [[nodiscard]] bool is_fit() const { return is_fit_; }

    // Sets the window coordinates per pixel; the centre stays.
    void set_scale(const PicturePlace& pane, u32 width, u32 height, float scale);
    // Zooms about (x, y): the point of the picture there stays.
    void zoom_at(const PicturePlace& pane, u32 width, u32 height, float x, float y, float factor);
    // Moves the picture by window coordinates; the centre of the pane always shows the picture.
    void pan(const PicturePlace& pane, u32 width, u32 height, float dx, float dy);

    // The place of a picture of this many pixels.
    [[nodiscard]] PicturePlace place(const PicturePlace& pane, u32 width, u32 height) const;

private:
    [[nodiscard]] float scale_in(const PicturePlace& pane, u32 width, u32 height) const;

    bool is_fit_ = true;
    float scale_ = 1;
    float middle_x_ = 0.5F;  // point of the picture in the centre, as shares of its sides
    float middle_y_ = 0.5F;
};

}  // namespace weft::app
