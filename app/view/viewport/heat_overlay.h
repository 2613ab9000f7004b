// heat_overlay.h — heat drawn over the picture, with its legend.
//
// Interface thread only, while the window's context lives.
#pragma once

#include "app/view/session/heat_count.h"
#include "app/view/window/picture_texture.h"

namespace weft::app {

struct PictureSight;
struct Ui;

class HeatOverlay {
public:
    // Reads the renderer's heat counters, and draws the overlay if it is on. Call once per frame.
    void draw(const RenderLink& link, HeatCount& heat, const PictureSight& sight, Ui& ui);

private:
    void refresh_colours(const HeatCount& heat);

    HeatInputs painted_;
    double most_ = 0;  // value of the hottest colour
    PictureTexture texture_;
};

}  // namespace weft::app
