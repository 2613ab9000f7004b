// picture_sight.h — where the picture lies in the window, and how snapshot A is shown beside it.
//
// The viewport sets the places each frame. Interface thread only.
#pragma once

#include "app/view/models/picture_zoom.h"

namespace weft::app {

struct PictureSight {
    PictureZoom zoom;
    PicturePlace place;               // of the whole picture
    PicturePlace pane;                // the part of the window for it
    bool is_snapshot_wanted = false;  // the next frame keeps its picture as A
    bool is_wipe_on = false;          // A left of the line, the picture right of it
    float wipe = 0.5F;                // where the line is, of the picture's width

    // The part of the picture that is in sight.
    [[nodiscard]] PicturePlace visible() const { return common_part(place, pane); }
};

}  // namespace weft::app
