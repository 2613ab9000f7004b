// snapshot_wipe.h — snapshot A left of a line that the mouse drags, the current picture right of
// it.
//
// Interface thread only, while the window's context lives.
#pragma once

#include "app/view/window/picture_texture.h"
#include "engine/live/shown_picture.h"

namespace weft::app {

struct PictureSight;

class SnapshotWipe {
public:
    // Keeps these pixels as snapshot A.
    void take(const live::LivePicture& picture);

    [[nodiscard]] bool is_empty() const { return kept_.is_empty(); }

    // Whether the mouse is on the line or drags it. Call before other code uses the mouse.
    bool use_mouse(PictureSight& sight, bool is_over);

    // Draws A over the current picture.
    void draw(const PictureSight& sight) const;

private:
    [[nodiscard]] float line_x(const PictureSight& sight) const;

    PictureTexture kept_;
    bool is_held_ = false;
};

}  // namespace weft::app
