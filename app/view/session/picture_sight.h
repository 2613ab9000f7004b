// picture_sight.h — the picture's place in the window, and the wipe with snapshot A.
//
// The viewport sets the places each frame. Interface thread only.
#pragma once

#include "app/view/models/picture_zoom.h"

namespace weft::app {

struct PictureSight {
    PictureZoom zoom;
    PicturePlace place;               // of the whole picture
    PicturePlace pane;                // part of the window for the picture
    bool is_snapshot_wanted = false;  // the next frame keeps its picture as A
    bool is_wipe_on = false;          // A left of the line, the current picture right of it
    float wipe = 0.5F;                // place of the line, as a share of the picture's width

    // The visible part of the picture.
    [[nodiscard]] PicturePlace visible() const { return common_part(place, pane); }
};

}  // namespace weft::app
