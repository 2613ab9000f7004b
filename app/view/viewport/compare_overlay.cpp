#include "app/view/viewport/compare_overlay.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <imgui.h>

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
Pane side_pane(const PictureSight& sight, const CompareState& compare, u32 index) {
    const PicturePlace& place = sight.place;
    const float width = place.width / static_cast<float>(kComparedModes);
    const float left = place.x + width * static_cast<float>(index);
    const float seen = 1.0F / static_cast<float>(kComparedModes);
    const float u0 = clamped(compare.middle - seen / 2, 0, 1 - seen);
    return {left, left + width, u0, u0 + seen};
}

// The position of a line; 0 and kComparedModes are the edges of the picture.
float line_u(const CompareState& compare, u32 index) {
    return index == 0 ? 0.0F : index == kComparedModes ? 1.0F : compare.lines[index - 1];
}

Pane wipe_pane(const PictureSight& sight, const CompareState& compare, u32 index) {
    const float u0 = line_u(compare, index);
    const float u1 = line_u(compare, index + 1);
    return {sight.place.x + u0 * sight.place.width, sight.place.x + u1 * sight.place.width, u0, u1};
}

Pane pane_of(const PictureSight& sight, const CompareState& compare, u32 index) {
    return compare.look == CompareLook::SideBySide ? side_pane(sight, compare, index)
                                                   : wipe_pane(sight, compare, index);
}

std::string title_of(const CompareRun::Variant& variant) {
    const live::LiveStatus& status = variant.status;
    return fmt::format("{}   {} / {}", variant.name, status.samples_done, status.samples_wanted);
}

std::string figures_of(const CompareRun::Variant& variant) {
    return fmt::format("{:.2f} Mrays/s   {:.2f} s", variant.rays_per_s() * 1e-6, variant.elapsed_s);
}

void draw_pane(ViewState& state, u32 index) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const CompareRun::Variant& variant = state.panels.compare.run.variants()[index];
    const Pane pane = pane_of(state.sight, state.panels.compare, index);
    const ImVec2 low(pane.x0, state.sight.place.y);
    const ImVec2 high(pane.x1, state.sight.place.y + state.sight.place.height);
    list.PushClipRect(low, high, true);
    list.AddRectFilled(low, high, kNothing);
    if (const PictureTexture* const picture = compared_picture(state.panels.compare, index)) {
        picture->show_at((pane.x1 - pane.x0) * ImGui::GetIO().DisplayFramebufferScale.x /
                         ((pane.u1 - pane.u0) * static_cast<float>(picture->width())));
        list.AddImage(picture->id(), low, high, {pane.u0, 0}, {pane.u1, 1});
    }
    const std::string title = title_of(variant);
    const std::string figures = variant.error.empty() ? figures_of(variant) : variant.error;
    const float line = ImGui::GetTextLineHeight();
    const PicturePlace sight = state.sight.visible();
    const ImVec2 at(std::max(low.x, sight.x) + line * 0.6F, sight.y + line * 0.6F);
    const float width =
        std::max(ImGui::CalcTextSize(figures.c_str()).x, ImGui::CalcTextSize(title.c_str()).x);
    list.AddRectFilled({at.x - line * 0.3F, at.y - line * 0.2F},
                       {at.x + width + line * 0.3F, at.y + line * 2.3F},
                       kBehindText,
                       3);
    list.AddText(at, ImGui::ColorConvertFloat4ToU32(kAccent), title.c_str());
    list.AddText({at.x, at.y + line}, ImGui::GetColorU32(ImGuiCol_Text), figures.c_str());
    list.PopClipRect();
    state.ui.marks.mark(std::string("Compared/") + variant.name, {low, high});
}

void draw_lines(Ui& ui, PictureSight& sight, CompareState& compare) {
    const ImU32 accent = ImGui::ColorConvertFloat4ToU32(kAccent);
    for (u32 index = 1; index < kComparedModes; ++index) {
        const float x = pane_of(sight, compare, index).x0;
        const ImVec2 low(x, sight.place.y);
        const ImVec2 high(x, sight.place.y + sight.place.height);
        ImGui::GetWindowDrawList()->AddLine(low, high, accent, 1.5F);
        ui.marks.mark(fmt::format("Compared/Line {}", index),
                      {{low.x - kReach, low.y}, {high.x + kReach, high.y}});
    }
}

// The line under the mouse, if any; of two that coincide, the later one if the mouse is to the
// right, so that they can be separated again.
std::optional<u32> line_under(const PictureSight& sight, const CompareState& compare) {
    const float mouse = ImGui::GetIO().MousePos.x;
    std::optional<u32> nearest;
    float least = kReach;
    for (u32 index = 1; index < kComparedModes; ++index) {
        const float away = mouse - pane_of(sight, compare, index).x0;
        if (std::abs(away) < least || (std::abs(away) == least && away > 0)) {
            least = std::abs(away);
            nearest = index - 1;
        }
    }
    return nearest;
}

// Keep the lines in order.
void pull_line(CompareState& compare, u32 line, float u) {
    const float low = line_u(compare, line);
    const float high = line_u(compare, line + 2);
    compare.lines[line] = clamped(u, low, high);
}

void use_mouse(PictureSight& sight, CompareState& compare, bool is_over) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool is_wipe = compare.look == CompareLook::Wipe;
    const std::optional<u32> under = is_wipe && is_over ? line_under(sight, compare) : std::nullopt;
    if (is_over && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        compare.held_line = under;
        compare.is_held = true;
    }
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        compare.held_line.reset();
        compare.is_held = false;
    }
    if (under || compare.held_line) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    }
    if (compare.held_line) {
        pull_line(compare, *compare.held_line, (io.MousePos.x - sight.place.x) / sight.place.width);
    } else if (compare.is_held && !is_wipe) {
        // A drag pans all panes at once; half a strip stays visible at either edge.
        constexpr float kHalf = 0.5F / static_cast<float>(kComparedModes);
        compare.middle =
            clamped(compare.middle - io.MouseDelta.x / sight.place.width, kHalf, 1 - kHalf);
    }
}

}  // namespace

std::optional<ComparedPixel> compared_pixel(const PictureSight& sight,
                                            const CompareState& compare,
                                            float x,
                                            float y) {
    if (!is_compared_large(compare) || !sight.place.holds(x, y)) {
        return std::nullopt;
    }
    u32 mode = 0;
    while (mode + 1 < kComparedModes && x >= pane_of(sight, compare, mode + 1).x0) {
        ++mode;
    }
    const Pane pane = pane_of(sight, compare, mode);
    const float width = pane.x1 - pane.x0;
    const float u = pane.u0 + (width > 0 ? (x - pane.x0) / width : 0) * (pane.u1 - pane.u0);
    const float v = (y - sight.place.y) / sight.place.height;
    const frame::RenderSettings& settings = compare.run.job().settings;
    const auto pixel = [](float share, u32 count) {
        return std::min(static_cast<u32>(share * static_cast<float>(count)), count - 1);
    };
    return ComparedPixel{mode, pixel(u, settings.width), pixel(v, settings.height)};
}

void next_compare_look(ViewState& state) {
    CompareState& compare = state.panels.compare;
    if (!compare.run.has_begun()) {
        state.ui.say("No comparison yet: begin one in the panel Compare below the picture");
        return;
    }
    if (compare.is_outdated) {
        state.ui.say("The view has changed: begin again in the panel Compare");
        return;
    }
    state.session.remembered.has_bottom = true;  // the overlay shows only with its panel
    compare.look = compare.look == CompareLook::Small        ? CompareLook::SideBySide
                   : compare.look == CompareLook::SideBySide ? CompareLook::Wipe
                                                             : CompareLook::Small;
}

const PictureTexture* compared_picture(CompareState& compare, u32 index) {
    const CompareRun::Variant& variant = compare.run.variants()[index];
    if (variant.picture_version == 0) {
        return nullptr;
    }
    if (!compare.textures[index]) {
        compare.textures[index] = std::make_unique<PictureTexture>();
    }
    PictureTexture& texture = *compare.textures[index];
    if (compare.uploaded[index] != variant.picture_version) {
        compare.uploaded[index] = variant.picture_version;
        texture.upload(variant.picture.width, variant.picture.height, variant.picture.rgba, true);
    }
    return &texture;
}

bool use_comparison(ViewState& state, bool is_over) {
    if (!is_compared_large(state.panels.compare)) {
        return false;
    }
    use_mouse(state.sight, state.panels.compare, is_over);
    for (u32 index = 0; index < kComparedModes; ++index) {
        draw_pane(state, index);
    }
    draw_lines(state.ui, state.sight, state.panels.compare);
    return true;
}

}  // namespace weft::app
