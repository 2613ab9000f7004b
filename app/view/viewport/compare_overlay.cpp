#include "app/view/viewport/compare_overlay.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/session/picture_sight.h"
#include "app/view/session/ui.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr float kReach = 6;  // how near the mouse must be to grab a line
constexpr ImU32 kBehindText = IM_COL32(16, 17, 20, 190);
constexpr ImU32 kNothing = IM_COL32(30, 31, 34, 255);

// A part of the picture's place, and the range of the compared picture that it shows.
struct Pane {
    float x0;
    float x1;
    float u0;
    float u1;
};

float clamped(float value, float low, float high) {
    return std::max(low, std::min(value, high));
}

// A strip of the picture, at the scale of the whole picture.
Pane side_pane(const PicturePlace& place, const PaneLines& lines, u32 index) {
    const float width = place.width / static_cast<float>(kComparedModes);
    const float left = place.x + width * static_cast<float>(index);
    const float seen = 1.0F / static_cast<float>(kComparedModes);
    const float u0 = clamped(lines.middle - seen / 2, 0, 1 - seen);
    return {left, left + width, u0, u0 + seen};
}

// The position of a line; 0 and kComparedModes are the edges of the picture.
float line_u(const PaneLines& lines, u32 index) {
    return index == 0 ? 0.0F : index == kComparedModes ? 1.0F : lines.wipe[index - 1];
}

Pane wipe_pane(const PicturePlace& place, const PaneLines& lines, u32 index) {
    const float u0 = line_u(lines, index);
    const float u1 = line_u(lines, index + 1);
    return {place.x + u0 * place.width, place.x + u1 * place.width, u0, u1};
}

Pane pane_of(CompareLook look, const PicturePlace& place, const PaneLines& lines, u32 index) {
    return look == CompareLook::SideBySide ? side_pane(place, lines, index)
                                           : wipe_pane(place, lines, index);
}

std::string title_of(const CompareRun::Variant& variant) {
    const live::LiveStatus& status = variant.status;
    return fmt::format("{}   {} / {}", variant.name, status.samples_done, status.samples_wanted);
}

std::string figures_of(const CompareRun::Variant& variant) {
    return fmt::format("{:.2f} Mrays/s   {:.2f} s", variant.rays_per_s() * 1e-6, variant.elapsed_s);
}

// The line under the mouse, if any; of two that coincide, the later one if the mouse is to the
// right, so that they can be separated again.
std::optional<u32> line_under(const PicturePlace& place, const PaneLines& lines) {
    const float mouse = ImGui::GetIO().MousePos.x;
    std::optional<u32> nearest;
    float least = kReach;
    for (u32 index = 1; index < kComparedModes; ++index) {
        const float away = mouse - wipe_pane(place, lines, index).x0;
        if (std::abs(away) < least || (std::abs(away) == least && away > 0)) {
            least = std::abs(away);
            nearest = index - 1;
        }
    }
    return nearest;
}

// Keep the lines in order.
void pull_line(PaneLines& lines, u32 line, float u) {
    const float low = line_u(lines, line);
    const float high = line_u(lines, line + 2);
    lines.wipe[line] = clamped(u, low, high);
}

}  // namespace

void CompareOverlay::draw_pane(u32 index) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const CompareRun::Variant& variant = comparison_.run.variants()[index];
    const Pane pane = pane_of(comparison_.look, sight_.place, lines_, index);
    const ImVec2 low(pane.x0, sight_.place.y);
    const ImVec2 high(pane.x1, sight_.place.y + sight_.place.height);
    list.PushClipRect(low, high, true);
    list.AddRectFilled(low, high, kNothing);
    if (const PictureTexture* const picture = compared_picture(comparison_, index)) {
        picture->show_at((pane.x1 - pane.x0) * ImGui::GetIO().DisplayFramebufferScale.x /
                         ((pane.u1 - pane.u0) * static_cast<float>(picture->width())));
        list.AddImage(picture->id(), low, high, {pane.u0, 0}, {pane.u1, 1});
    }
    const std::string title = title_of(variant);
    const std::string figures = variant.error.empty() ? figures_of(variant) : variant.error;
    const float line = ImGui::GetTextLineHeight();
    const PicturePlace seen = sight_.visible();
    const ImVec2 at(std::max(low.x, seen.x) + line * 0.6F, seen.y + line * 0.6F);
    const float width =
        std::max(ImGui::CalcTextSize(figures.c_str()).x, ImGui::CalcTextSize(title.c_str()).x);
    list.AddRectFilled({at.x - line * 0.3F, at.y - line * 0.2F},
                       {at.x + width + line * 0.3F, at.y + line * 2.3F},
                       kBehindText,
                       3);
    list.AddText(at, ImGui::ColorConvertFloat4ToU32(kAccent), title.c_str());
    list.AddText({at.x, at.y + line}, ImGui::GetColorU32(ImGuiCol_Text), figures.c_str());
    list.PopClipRect();
    ui_.marks.mark(std::string("Compared/") + variant.name, {low, high});
}

void CompareOverlay::draw_lines() {
    const ImU32 accent = ImGui::ColorConvertFloat4ToU32(kAccent);
    for (u32 index = 1; index < kComparedModes; ++index) {
        const float x = pane_of(comparison_.look, sight_.place, lines_, index).x0;
        const ImVec2 low(x, sight_.place.y);
        const ImVec2 high(x, sight_.place.y + sight_.place.height);
        ImGui::GetWindowDrawList()->AddLine(low, high, accent, 1.5F);
        ui_.marks.mark(fmt::format("Compared/Line {}", index),
                       {{low.x - kReach, low.y}, {high.x + kReach, high.y}});
    }
}

void CompareOverlay::use_mouse(bool is_over) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool is_wipe = comparison_.look == CompareLook::Wipe;
    const std::optional<u32> under =
        is_wipe && is_over ? line_under(sight_.place, lines_) : std::nullopt;
    if (is_over && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        held_line_ = under;
        is_held_ = true;
    }
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        held_line_.reset();
        is_held_ = false;
    }
    if (under || held_line_) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    }
    if (held_line_) {
        pull_line(lines_, *held_line_, (io.MousePos.x - sight_.place.x) / sight_.place.width);
    } else if (is_held_ && !is_wipe) {
        // A drag pans all panes at once; half a strip stays visible at either edge.
        constexpr float kHalf = 0.5F / static_cast<float>(kComparedModes);
        lines_.middle =
            clamped(lines_.middle - io.MouseDelta.x / sight_.place.width, kHalf, 1 - kHalf);
    }
}

std::optional<ComparedPixel> CompareOverlay::pixel_at(float x, float y) const {
    const PicturePlace& place = sight_.place;
    if (!comparison_.is_large() || !place.holds(x, y)) {
        return std::nullopt;
    }
    const auto pane_at = [&](u32 mode) { return pane_of(comparison_.look, place, lines_, mode); };
    u32 mode = 0;
    while (mode + 1 < kComparedModes && x >= pane_at(mode + 1).x0) {
        ++mode;
    }
    const Pane pane = pane_at(mode);
    const float width = pane.x1 - pane.x0;
    const float u = pane.u0 + (width > 0 ? (x - pane.x0) / width : 0) * (pane.u1 - pane.u0);
    const float v = (y - place.y) / place.height;
    const frame::RenderSettings& settings = comparison_.run.job().settings;
    const auto pixel = [](float share, u32 count) {
        return std::min(static_cast<u32>(share * static_cast<float>(count)), count - 1);
    };
    return ComparedPixel{mode, pixel(u, settings.width), pixel(v, settings.height)};
}

bool CompareOverlay::use(bool is_over) {
    if (!comparison_.is_large()) {
        return false;
    }
    use_mouse(is_over);
    for (u32 index = 0; index < kComparedModes; ++index) {
        draw_pane(index);
    }
    draw_lines();
    return true;
}

bool next_compare_look(Ui& ui, Comparison& comparison) {
    if (!comparison.run.has_begun()) {
        ui.say("No comparison yet: begin one in the panel Compare below the picture");
        return false;
    }
    if (comparison.is_outdated) {
        ui.say("The view has changed: begin again in the panel Compare");
        return false;
    }
    comparison.look = comparison.look == CompareLook::Small        ? CompareLook::SideBySide
                      : comparison.look == CompareLook::SideBySide ? CompareLook::Wipe
                                                                   : CompareLook::Small;
    return true;
}

}  // namespace weft::app
