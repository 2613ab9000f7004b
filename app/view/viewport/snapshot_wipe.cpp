#include "app/view/viewport/snapshot_wipe.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/view/session/picture_sight.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr float kWipeReach = 6;  // how near the mouse must be to grab the line

}  // namespace

void SnapshotWipe::take(const live::LivePicture& picture) {
    kept_.upload(picture.width, picture.height, picture.rgba, picture.is_coarse);
}

float SnapshotWipe::line_x(const PictureSight& sight) const {
    return sight.place.x + sight.wipe * sight.place.width;
}

bool SnapshotWipe::use_mouse(PictureSight& sight, bool is_over) {
    if (!sight.is_wipe_on || is_empty()) {
        is_held_ = false;
        return false;
    }
    const ImGuiIO& io = ImGui::GetIO();
    const bool is_near = is_over && std::abs(io.MousePos.x - line_x(sight)) <= kWipeReach;
    if (is_near && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        is_held_ = true;
    }
    const bool was_held = is_held_;
    is_held_ = is_held_ && ImGui::IsMouseDown(ImGuiMouseButton_Left);
    if (was_held) {
        sight.wipe = std::clamp((io.MousePos.x - sight.place.x) / sight.place.width, 0.0F, 1.0F);
    }
    if (is_near || was_held) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    }
    return is_near || was_held;
}

void SnapshotWipe::draw(const PictureSight& sight) const {
    if (!sight.is_wipe_on || is_empty()) {
        return;
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const PicturePlace& place = sight.place;
    const float x = line_x(sight);
    kept_.show_at(place.width * ImGui::GetIO().DisplayFramebufferScale.x /
                  static_cast<float>(kept_.width()));
    list.AddImage(
        kept_.id(), {place.x, place.y}, {x, place.y + place.height}, {0, 0}, {sight.wipe, 1});
    const ImU32 accent = ImGui::ColorConvertFloat4ToU32(kAccent);
    list.AddLine({x, place.y}, {x, place.y + place.height}, accent, 1.5F);
    const float letter = ImGui::GetFontSize();
    const float top = sight.visible().y + letter / 2;
    list.AddText({x - letter, top}, accent, "A");
    list.AddText({x + letter / 2, top}, accent, "B");
}

}  // namespace weft::app
