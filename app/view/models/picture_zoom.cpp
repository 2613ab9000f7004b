#include "app/view/models/picture_zoom.h"

#include <algorithm>
#include <cmath>

namespace weft::app {

namespace {

constexpr float kLeastScale = 1.0F / 64;
constexpr float kMostScale = 64;

}  // namespace

PicturePlace common_part(const PicturePlace& a, const PicturePlace& b) {
    const float x0 = std::max(a.x, b.x);
    const float y0 = std::max(a.y, b.y);
    const float x1 = std::min(a.x + a.width, b.x + b.width);
    const float y1 = std::min(a.y + a.height, b.y + b.height);
    return {x0, y0, std::max(x1 - x0, 0.0F), std::max(y1 - y0, 0.0F)};
}

std::array<u32, 2> rendered_size(const PicturePlace& pane,
                                 std::array<u32, 2> frame,
                                 u32 pixel_side) {
    if (pixel_side == 0 || pane.width < 1 || pane.height < 1) {
        return frame;
    }
    const PicturePlace shown = PictureZoom().place(pane, frame[0], frame[1]);
    const auto pixels = [pixel_side](float window) {
        return static_cast<u32>(std::max(1.0F, window / static_cast<float>(pixel_side) + 0.5F));
    };
    return {pixels(shown.width), pixels(shown.height)};
}

float PictureZoom::scale_in(const PicturePlace& pane, u32 width, u32 height) const {
    return is_fit_ ? std::min(pane.width / static_cast<float>(width),
                              pane.height / static_cast<float>(height))
                   : scale_;
}

PicturePlace PictureZoom::place(const PicturePlace& pane, u32 width, u32 height) const {
    const float scale = scale_in(pane, width, height);
    const float shown_x = std::floor(static_cast<float>(width) * scale);
    const float shown_y = std::floor(static_cast<float>(height) * scale);
    const float middle_x = is_fit_ ? 0.5F : middle_x_;
    const float middle_y = is_fit_ ? 0.5F : middle_y_;
    return {std::floor(pane.x + pane.width / 2 - middle_x * shown_x),
            std::floor(pane.y + pane.height / 2 - middle_y * shown_y),
            std::max(shown_x, 1.0F),
            std::max(shown_y, 1.0F)};
}

void PictureZoom::set_scale(const PicturePlace& pane, u32 width, u32 height, float scale) {
    const float factor = scale / scale_in(pane, width, height);
    zoom_at(pane, width, height, pane.x + pane.width / 2, pane.y + pane.height / 2, factor);
}

void PictureZoom::zoom_at(
    const PicturePlace& pane, u32 width, u32 height, float x, float y, float factor) {
    const PicturePlace before = place(pane, width, height);
    const float u = (x - before.x) / before.width;
    const float v = (y - before.y) / before.height;
    scale_ = std::clamp(scale_in(pane, width, height) * factor, kLeastScale, kMostScale);
    is_fit_ = false;
    const float shown_x = static_cast<float>(width) * scale_;
    const float shown_y = static_cast<float>(height) * scale_;
    middle_x_ = std::clamp(u + (pane.x + pane.width / 2 - x) / shown_x, 0.0F, 1.0F);
    middle_y_ = std::clamp(v + (pane.y + pane.height / 2 - y) / shown_y, 0.0F, 1.0F);
}

void PictureZoom::pan(const PicturePlace& pane, u32 width, u32 height, float dx, float dy) {
    const PicturePlace before = place(pane, width, height);
    if (is_fit_) {
        set_scale(pane, width, height, scale_in(pane, width, height));
    }
    middle_x_ = std::clamp(middle_x_ - dx / before.width, 0.0F, 1.0F);
    middle_y_ = std::clamp(middle_y_ - dy / before.height, 0.0F, 1.0F);
}

}  // namespace weft::app
