#include "app/view/viewport/heat_overlay.h"

#include <fmt/format.h>

#include <imgui.h>

#include "app/view/window/theme.h"

namespace weft::app {

namespace {

// Recolours the heat picture if its counters or the choice changed.
void refresh_colours(HeatState& heat) {
    const HeatPaint wanted = {heat.watch.version(), heat.metric, heat.by, true};
    if (heat.painted == wanted || heat.watch.heat().map == nullptr) {
        return;
    }
    heat.painted = wanted;
    const HeatPicture picture = heat_picture(*heat.watch.heat().map,
                                             heat.watch.heat().figures,
                                             heat.watch.places(),
                                             heat.metric,
                                             heat.by);
    heat.most = picture.most;
    if (!picture.rgba.empty()) {
        if (!heat.texture) {
            heat.texture = std::make_unique<PictureTexture>();
        }
        heat.texture->upload(picture.columns, picture.rows, picture.rgba, true);
    }
}

ImU32 opaque(double share) {
    const auto colour = heat_colour(share);
    return IM_COL32(colour[0], colour[1], colour[2], 255);
}

// Draws the scale, in the lower left corner of the picture.
void draw_legend(const HeatState& heat, const PicturePlace& place) {
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
    list.AddText(ImVec2(left, below), text, heat_text(heat.most / 1000, heat.metric).c_str());
    const std::string most = heat_text(heat.most, heat.metric);
    list.AddText(
        ImVec2(left + width - ImGui::CalcTextSize(most.c_str()).x, below), text, most.c_str());
}

}  // namespace

void count_heat(RenderLink& link, HeatState& heat, bool is_on) {
    heat.is_on = is_on;
    link.settings.has_heat = is_on;
    link.effect |= scene::kEffectCamera;  // start another frame with the same tables and BVHs
    if (!is_on) {
        heat.watch.forget();
    }
}

void draw_heat_overlay(ViewState& state) {
    HeatState& heat = state.panels.heat;
    if (!heat.is_on || !state.link.live || state.link.scene == nullptr) {
        return;
    }
    heat.watch.update(*state.link.live,
                      state.link.status,
                      ImGui::GetTime(),
                      state.link.settings.width,
                      state.link.settings.height);
    if (!heat.is_over_picture) {
        return;
    }
    refresh_colours(heat);
    if (heat.texture && heat.watch.heat().map != nullptr) {
        const PicturePlace& place = state.sight.place;
        ImGui::GetWindowDrawList()->AddImage(heat.texture->id(),
                                             ImVec2(place.x, place.y),
                                             ImVec2(place.x + place.width, place.y + place.height));
        draw_legend(heat, state.sight.visible());
        state.ui.marks.mark("Heat/Picture");
    }
}

}  // namespace weft::app
