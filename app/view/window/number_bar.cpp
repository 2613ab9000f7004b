#include "app/view/window/number_bar.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>
#include <imgui_internal.h>

namespace weft::app {

namespace {

// The value of the last digit that the format shows: ImGui's drag step.
float smallest_shown(const char* format, bool is_whole) {
    return is_whole ? 0.1F : std::pow(0.1F, static_cast<float>(ImParseFormatPrecision(format, 3)));
}

// Draws the frame and the filled part, under the number that ImGui draws next.
void draw_bar(float width, float share) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const ImVec2 high(low.x + width, low.y + ImGui::GetFrameHeight());
    const float rounding = ImGui::GetStyle().FrameRounding;
    const bool is_hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(low,
                       high,
                       ImGui::GetColorU32(is_hovered ? ImGuiCol_FrameBgHovered : ImGuiCol_FrameBg),
                       rounding);
    const float filled = std::floor(width * share);
    if (filled >= 1) {
        const bool reaches_end = filled + rounding >= width;
        list.AddRectFilled(
            low,
            {low.x + filled, high.y},
            ImGui::GetColorU32(ImGuiCol_SliderGrab),
            rounding,
            reaches_end ? ImDrawFlags_RoundCornersAll : ImDrawFlags_RoundCornersLeft);
    }
}

bool bar(const char* id, ImGuiDataType type, void* value, float share, const BarRange& range) {
    const float width = ImGui::CalcItemWidth();
    const bool is_typed = ImGui::TempInputIsActive(ImGui::GetID(id));
    if (!is_typed) {
        draw_bar(width, share);
        for (const ImGuiCol frame :
             {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive}) {
            ImGui::PushStyleColor(frame, ImVec4(0, 0, 0, 0));
        }
    }
    const float speed = (range.high - range.low) / std::max(width, 1.0F);
    const i64 low_count = static_cast<i64>(range.low);
    const i64 high_count = static_cast<i64>(range.high);
    const bool is_whole = type == ImGuiDataType_S64;
    const void* const low = is_whole ? static_cast<const void*>(&low_count) : &range.low;
    const void* const high = is_whole ? static_cast<const void*>(&high_count) : &range.high;
    const bool is_changed = ImGui::DragScalar(
        id,
        type,
        value,
        speed,
        low,
        high,
        range.format,
        range.is_logarithmic ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
    if (!is_typed) {
        ImGui::PopStyleColor(3);
    }
    return is_changed;
}

}  // namespace

float bar_share(float value, float low, float high, bool is_logarithmic, float smallest) {
    float share = (value - low) / (high - low);
    if (is_logarithmic) {
        const float first = std::max(low, smallest);
        share = std::log(std::max(value, first) / first) / std::log(high / first);
    }
    return std::clamp(share, 0.0F, 1.0F);
}

bool bar_number(const char* id, float& value, const BarRange& range) {
    const float smallest = smallest_shown(range.format, false);
    const float share = bar_share(value, range.low, range.high, range.is_logarithmic, smallest);
    return bar(id, ImGuiDataType_Float, &value, share, range);
}

bool bar_count(const char* id, i64& value, const BarRange& range) {
    const float smallest = smallest_shown(range.format, true);
    const float share =
        bar_share(static_cast<float>(value), range.low, range.high, range.is_logarithmic, smallest);
    return bar(id, ImGuiDataType_S64, &value, share, range);
}

}  // namespace weft::app
