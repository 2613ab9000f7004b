#include "app/view/viewport/heat_overlay.h"

#include <fmt/format.h>

#include <imgui.h>

#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"
#include "app/view/session/ui.h"

namespace weft::app {

namespace {

ImU32 opaque(double share) {
    const auto colour = heat_colour(share);
    return IM_COL32(colour[0], colour[1], colour[2], 255);
}

// Draws the scale, in the lower left corner of the picture.
void draw_legend(const HeatCount& heat, double hottest, const PicturePlace& place) {
    constexpr int kSteps = 48;
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 size(std::min(line * 15, place.width - line * 1.4F), line * 3.3F);
    const ImVec2 low(place.x + line * 0.7F, place.y + place.height - size.y - line * 0.7F);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(
        low, ImVec2(low.x + size.x, low.y + size.y), IM_COL32(18, 18, 20, 215), line * 0.25F);
    const float left = low.x + line * 0.5F;
    const float width = size.x - line;
    const float top = low.y + line * 1.35F;
    for (int k = 0; k < kSteps; ++k) {
        const float x = left + width * static_cast<float>(k) / kSteps;
        list.AddRectFilled(ImVec2(x, top),
                           ImVec2(x + width / kSteps + 1, top + line * 0.6F),
                           opaque((k + 0.5) / kSteps));
    }
    const ImU32 text = IM_COL32(225, 225, 225, 255);
    const char* const by = heat.by == HeatBy::Key    ? "by key of the tree"
                           : heat.by == HeatBy::Mesh ? "by mesh"
                                                     : "by material";
    list.AddText(ImVec2(left, low.y + line * 0.2F),
                 text,
                 fmt::format("{} {}", heat_metric_name(heat.metric), by).c_str());
    const float below = top + line * 0.75F;
    list.AddText(ImVec2(left, below), text, heat_text(hottest / 1000, heat.metric).c_str());
    const std::string most = heat_text(hottest, heat.metric);
    list.AddText(
        ImVec2(left + width - ImGui::CalcTextSize(most.c_str()).x, below), text, most.c_str());
}

}  // namespace

// Recolours the heat picture if its counters or the choice changed.
void HeatOverlay::refresh_colours(const HeatCount& heat) {
    const HeatInputs wanted = {heat.watch.version(), heat.metric, heat.by, true};
    if (painted_ == wanted || heat.watch.heat().map == nullptr) {
        return;
    }
    painted_ = wanted;
    const HeatPicture picture = heat_picture(*heat.watch.heat().map,
                                             heat.watch.heat().figures,
                                             heat.watch.places(),
                                             heat.metric,
                                             heat.by);
    most_ = picture.most;
    if (!picture.rgba.empty()) {
        texture_.upload(picture.columns, picture.rows, picture.rgba, true);
    }
}

void HeatOverlay::draw(const RenderLink& link, HeatCount& heat, const PictureSight& sight, Ui& ui) {
    if (!heat.is_on || !link.live || link.scene == nullptr) {
        return;
    }
    heat.watch.update(
        *link.live, link.status, ImGui::GetTime(), link.settings.width, link.settings.height);
    if (!heat.is_over_picture) {
        return;
    }
    refresh_colours(heat);
    if (!texture_.is_empty() && heat.watch.heat().map != nullptr) {
        const PicturePlace& place = sight.place;
        ImGui::GetWindowDrawList()->AddImage(texture_.id(),
                                             ImVec2(place.x, place.y),
                                             ImVec2(place.x + place.width, place.y + place.height));
        draw_legend(heat, most_, sight.visible());
        ui.marks.mark("Heat/Picture");
    }
}

}  // namespace weft::app
