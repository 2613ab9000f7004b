// picture_zoom.h — where the picture lies in its part of the window: whole, or enlarged and moved.
//
// Nothing here renders: the picture has the pixels of the camera's frame, however large it is
// shown. Pure; the interface thread's.
#pragma once

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

// What both have in common; nothing wide where that is nothing.
PicturePlace common_part(const PicturePlace& a, const PicturePlace& b);

class PictureZoom {
public:
    // The whole picture as large as fits, from now on.
    void fit() { is_fit_ = true; }

    [[nodiscard]] bool is_fit() const { return is_fit_; }

    // So many window coordinates for each pixel; what is in the middle stays there.
    void set_scale(const PicturePlace& pane, u32 width, u32 height, float scale);
    // The point of the picture at (x, y) stays there.
    void zoom_at(const PicturePlace& pane, u32 width, u32 height, float x, float y, float factor);
    // Moves it by so many window coordinates; what lies in the middle is always of the picture.
    void pan(const PicturePlace& pane, u32 width, u32 height, float dx, float dy);

    // Where a picture of so many pixels lies.
    [[nodiscard]] PicturePlace place(const PicturePlace& pane, u32 width, u32 height) const;

private:
    [[nodiscard]] float scale_in(const PicturePlace& pane, u32 width, u32 height) const;

    bool is_fit_ = true;
    float scale_ = 1;
    float middle_x_ = 0.5F;  // what of the picture is in the middle, as shares of its sides
    float middle_y_ = 0.5F;
};

}  // namespace weft::app
