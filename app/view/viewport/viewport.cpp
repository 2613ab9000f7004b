#include "app/view/viewport/viewport.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/view/session/camera_motion.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"
#include "app/view/session/ui.h"
#include "app/view/viewport/picture_region.h"
#include "app/view/viewport/pivot.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr float kZoomPerStep = 1.2F;
const ImVec4 kAttention{0.55F, 0.80F, 1.0F, 0.7F};

// Screen pixels per picture pixel.
float shown_scale(const PicturePlace& place, u32 width) {
    return place.width * ImGui::GetIO().DisplayFramebufferScale.x / static_cast<float>(width);
}

// Enlarges and moves the picture by Ctrl and the wheel or the middle button, without rendering.
void use_zoom(const RenderLink& link, PictureSight& sight, bool is_over) {
    const ImGuiIO& io = ImGui::GetIO();
    const auto [width, height] = link.frame;
    if (!io.KeyCtrl) {
        return;
    }
    if (is_over && io.MouseWheel != 0) {
        const float factor = std::pow(kZoomPerStep, io.MouseWheel);
        sight.zoom.zoom_at(sight.pane, width, height, io.MousePos.x, io.MousePos.y, factor);
    }
    if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Middle) &&
        (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        sight.zoom.pan(sight.pane, width, height, io.MouseDelta.x, io.MouseDelta.y);
    }
    sight.place = sight.zoom.place(sight.pane, width, height);
}

}  // namespace

bool Viewport::take_picture(const Session& session, const RenderLink& link, CameraMotion& motion) {
    if (link.live == nullptr || !link.live->take_picture(picture_)) {
        return false;
    }
    const film::Region& part = picture_.region;
    const bool is_whole = part.x0 == 0 && part.y0 == 0 && part.x1 == picture_.full_width &&
                          part.y1 == picture_.full_height;
    (is_whole ? whole_ : region_)
        .upload(picture_.width, picture_.height, picture_.rgba, picture_.is_coarse);
    has_region_ = !is_whole;
    if (motion.is_pivot_stale && picture_.job == link.job && link.scene != nullptr) {
        take_pivot(session, motion, surface_ahead(link));
        motion.is_pivot_stale = false;  // also if no surface is there
    }
    return true;
}

void Viewport::keep_snapshot(const RenderLink& link, PictureSight& sight, Ui& ui) {
    if (!std::exchange(sight.is_snapshot_wanted, false)) {
        return;
    }
    if (whole_.is_empty() || has_region_) {
        ui.say_while("A snapshot holds the whole picture: end the region first (Esc)",
                     [&link] { return link.settings.crop.has_value(); });
        return;
    }
    snapshot_.take(picture_);
    sight.is_wipe_on = true;
    ui.say_while("Snapshot A is kept: drag the line to compare",
                 [&sight] { return sight.is_wipe_on; });
}

void Viewport::draw(const RenderLink& link, const PictureSight& sight) const {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const PicturePlace& place = sight.place;
    if (!whole_.is_empty()) {
        list.AddRect({place.x - 1, place.y - 1},
                     {place.x + place.width + 1, place.y + place.height + 1},
                     ImGui::GetColorU32(ImGuiCol_Border));
        whole_.show_at(shown_scale(place, whole_.width()));
        list.AddImage(
            whole_.id(), {place.x, place.y}, {place.x + place.width, place.y + place.height});
    }
    if (has_region_) {
        const MarkedPlace part =
            place_of(place, picture_.region, picture_.full_width, picture_.full_height);
        region_.show_at(shown_scale(place, picture_.full_width));
        list.AddImage(region_.id(), part.low, part.high);
    }
    if (link.settings.crop) {
        draw_region(link, sight, *link.settings.crop, kAccent);
    }
    if (link.attended) {
        draw_region(link, sight, *link.attended, kAttention);
    }
}

bool Viewport::place(const RenderLink& link, PictureSight& sight, Ui& ui) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImVec2 size = ImGui::GetContentRegionAvail();
    size = {std::max(size.x, 1.0F), std::max(size.y, 1.0F)};
    sight.pane = {low.x, low.y, size.x, size.y};
    sight.place = sight.zoom.place(sight.pane, link.frame[0], link.frame[1]);
    // The invisible button makes ImGui give the viewport the drags that start here.
    ImGui::InvisibleButton("picture",
                           size,
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                               ImGuiButtonFlags_MouseButtonMiddle);
    ui.marks.mark("Picture");
    if (link.attended) {
        ui.marks.mark("Picture/attended", place_of(link, sight, *link.attended));
    }
    const bool is_over = ImGui::IsItemHovered();
    ui.marks.mark("Picture/Frame",
                  {{sight.place.x, sight.place.y},
                   {sight.place.x + sight.place.width, sight.place.y + sight.place.height}});
    use_zoom(link, sight, is_over);
    return is_over;
}

}  // namespace weft::app
