#include "app/view/panels/panel_timeline.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/session/choose_files.h"
#include "app/view/session/ui.h"
#include "app/view/window/theme.h"
#include "scheduler/base/trace_log.h"

namespace weft::app {

namespace {

constexpr float kNameWidth = 96;

// A colour from the name, the same in every session.
ImU32 colour_of(const char* name) {
    u32 hash = 2166136261U;
    for (const char* letter = name; *letter != '\0'; ++letter) {
        hash = (hash ^ static_cast<unsigned char>(*letter)) * 16777619U;
    }
    const float hue = static_cast<float>((hash >> 8) % 360) / 360;
    ImVec4 colour(0, 0, 0, 1);
    ImGui::ColorConvertHSVtoRGB(
        hue, 0.45F, std::strcmp(name, "park") == 0 ? 0.30F : 0.82F, colour.x, colour.y, colour.z);
    return ImGui::GetColorU32(colour);
}

std::string readable_time(double seconds) {
    return seconds < 1e-3 ? fmt::format("{:.1f} µs", seconds * 1e6)
           : seconds < 1  ? fmt::format("{:.2f} ms", seconds * 1e3)
                          : fmt::format("{:.2f} s", seconds);
}

void tell_mark(const base::TracedMark& mark, u32 count) {
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(mark.name);
    ImGui::TextDisabled("%s", readable_time(static_cast<double>(mark.duration_ns) * 1e-9).c_str());
    for (const base::TracedNumber& number : mark.numbers) {
        if (number.name != nullptr) {
            ImGui::TextDisabled(
                "%s %llu", number.name, static_cast<unsigned long long>(number.value));
        }
    }
    if (count > 1) {
        ImGui::TextDisabled("the longest of %u marks", count);
    }
    ImGui::EndTooltip();
}

// Draws one thread: its name, and its bars with nested marks below one another.
void draw_thread(const base::TracedThread& thread,
                 const std::vector<TimeBar>& bars,
                 float left,
                 float width) {
    const float height = ImGui::GetTextLineHeight();
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddText(low, ImGui::GetColorU32(kFaint), thread.name.c_str());
    list.AddRectFilled(
        ImVec2(left, low.y), ImVec2(left + width, low.y + height), IM_COL32(255, 255, 255, 8));
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const TimeBar* under_mouse = nullptr;
    for (const TimeBar& bar : bars) {
        const float inset = std::min(static_cast<float>(bar.depth) * 3, height * 0.5F);
        const ImVec2 a(left + bar.x0, low.y + inset);
        const ImVec2 b(left + std::max(bar.x1, bar.x0 + 1), low.y + height);
        const char* const name = thread.marks[bar.first].name;
        list.AddRectFilled(a, b, colour_of(name), 1);
        if (b.x - a.x > ImGui::CalcTextSize(name).x + 6) {
            list.AddText(ImVec2(a.x + 3, low.y - 1), IM_COL32(20, 20, 20, 255), name);
        }
        if (mouse.x >= a.x && mouse.x <= b.x && mouse.y >= a.y && mouse.y <= b.y) {
            under_mouse = &bar;
        }
    }
    if (under_mouse != nullptr && ImGui::IsWindowHovered()) {
        tell_mark(thread.marks[under_mouse->first], under_mouse->count);
    }
    ImGui::Dummy(ImVec2(width, height + 2));
}

void use_mouse(Timeline& timeline, float left, float width) {
    if (!ImGui::IsWindowHovered()) {
        return;
    }
    const ImGuiIO& io = ImGui::GetIO();
    const double share = static_cast<double>((io.MousePos.x - left) / width);
    if (io.MouseWheel != 0 && share >= 0 && share <= 1) {
        timeline.zoom(io.MouseWheel > 0 ? 0.8 : 1.25, share);
    }
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2) && io.MouseDelta.x != 0) {
        timeline.scroll(static_cast<double>(io.MouseDelta.x / width));
    }
}

}  // namespace

void TimelinePanel::draw_buttons() {
    if (ImGui::Button(is_recording ? "Stop" : "Record")) {
        is_recording = !is_recording;
        if (is_recording) {
            base::start_trace();
            timeline.set_paused(false);
        } else {
            base::stop_trace();
            timeline.set_paused(true);
        }
    }
    ui_.marks.mark("Timeline/Record");
    const ImGuiStyle& style = ImGui::GetStyle();
    const auto width = [&style](const char* title) {
        return ImGui::CalcTextSize(title).x + 2 * style.FramePadding.x;
    };
    same_line_if_fits(ImGui::GetFrameHeight() + style.ItemInnerSpacing.x + width("Pause"));
    bool is_paused = timeline.is_paused();
    if (ImGui::Checkbox("Pause", &is_paused)) {
        timeline.set_paused(is_paused || !is_recording);
    }
    ui_.marks.mark("Timeline/Pause");
    for (const auto& [title, seconds] :
         {std::pair{"1 s", 1.0}, std::pair{"100 ms", 0.1}, std::pair{"10 ms", 0.01}}) {
        same_line_if_fits(width(title));
        if (ImGui::Button(title)) {
            timeline.set_length(seconds);
        }
        ui_.marks.mark(std::string("Timeline/") + title);
    }
    same_line_if_fits(width("Export for Perfetto"));
    if (ImGui::Button("Export for Perfetto")) {
        choose_trace(session_, ui_);
    }
    ui_.marks.mark("Timeline/Export");
    const base::TraceFigures figures = base::trace_figures();
    const std::string told = fmt::format("{}   {} marks{}",
                                         readable_time(timeline.window().length_s),
                                         figures.marks,
                                         figures.lost > 0 ? ", older ones overwritten" : "");
    same_line_if_fits(ImGui::CalcTextSize(told.c_str()).x);
    ImGui::TextDisabled("%s", told.c_str());
}

void TimelinePanel::draw() {
    draw_buttons();
    if (is_recording) {
        timeline.update();
    }
    // If the buttons leave room for few rows, the panel scrolls.
    const float least = 4 * ImGui::GetTextLineHeightWithSpacing();
    ImGui::BeginChild("threads",
                      ImVec2(0, std::max(ImGui::GetContentRegionAvail().y, least)),
                      false,
                      ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoMove);
    const float left = ImGui::GetCursorScreenPos().x + kNameWidth;
    const float width = std::max(50.0F, ImGui::GetContentRegionAvail().x - kNameWidth);
    for (const base::TracedThread& thread : timeline.threads()) {
        const std::vector<TimeBar> bars = time_bars(thread.marks, timeline.window(), width);
        if (!bars.empty()) {  // threads of earlier renderers, and of those kept for undo, have no
                              // bars
            draw_thread(thread, bars, left, width);
            ui_.marks.mark("Timeline/" + thread.name);
        }
    }
    use_mouse(timeline, left, width);
    ImGui::EndChild();
}

}  // namespace weft::app
