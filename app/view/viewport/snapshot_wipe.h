// snapshot_wipe.h — a picture kept to compare with: A on the left of a line that one pulls, the
// picture as it is now on its right.
//
// Interface thread only, while the window's context lives.
#pragma once

#include "app/view/session/view_state.h"
#include "app/view/window/picture_texture.h"

namespace weft::app {

class SnapshotWipe {
public:
    // Keeps these pixels as A.
    void take(const live::LivePicture& picture);

    [[nodiscard]] bool is_empty() const { return kept_.is_empty(); }

    // Whether the mouse is about the line, which then follows it; before others look at the mouse.
    bool use_mouse(ViewState& state, bool is_over);

    // Over the picture as it is now.
    void draw(const ViewState& state) const;

private:
    [[nodiscard]] float line_x(const ViewState& state) const;

    PictureTexture kept_;
    bool is_held_ = false;
};

}  // namespace weft::app
