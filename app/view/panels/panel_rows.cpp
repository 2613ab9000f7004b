#include "app/view/panels/panel_rows.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include <imgui.h>

#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

// Draws a tip; its last line, the name for the command line, is small and faint.
void tell_tip(std::string_view tip) {
    if (tip.empty() || !ImGui::IsItemHovered()) {
        return;
    }
    const std::string_view sentence = tip.substr(0, tip.find(kSetLine));
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 22);
    ImGui::TextUnformatted(sentence.data(), sentence.data() + sentence.size());
    if (sentence.size() < tip.size()) {
        ImGui::SetWindowFontScale(0.85F);
        ImGui::TextDisabled("%s", std::string(tip.substr(sentence.size() + 1)).c_str());
        ImGui::SetWindowFontScale(1);
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

// Draws a label in its colour, wrapped.
void draw_label(std::string_view label, std::string_view tip) {
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, kFaint);
    draw_lines(std::string(label));
    ImGui::PopStyleColor();
    tell_tip(tip);
}

// Whether the whole label fits beside its widget.
bool fits_beside(std::string_view label) {
    constexpr float kGap = 6;
    return ImGui::CalcTextSize(label.data(), label.data() + label.size()).x <= label_width() - kGap;
}

void push_flat() {
    ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
}

}  // namespace

float reset_width() {
    return ImGui::GetFrameHeight();
}

float label_width() {
    const float letter = ImGui::GetFontSize();
    return std::clamp(ImGui::GetContentRegionAvail().x * 0.42F, letter * 5, letter * 14);
}

void begin_row(std::string_view label, std::string_view tip) {
    const float start = ImGui::GetCursorPosX();
    const float width = label_width();
    const bool is_beside = fits_beside(label);
    draw_label(label, tip);
    if (is_beside) {
        ImGui::SameLine();
        ImGui::SetCursorPosX(start + width);
    }
    ImGui::SetNextItemWidth(-reset_width() - 2);
}

bool begin_numbers(
    std::string_view label, std::string_view tip, u32 count, const char* sample, float beside) {
    constexpr float kLeastMargin = 1;
    const ImGuiStyle& style = ImGui::GetStyle();
    const auto numbers = static_cast<float>(count);
    const float all = ImGui::GetContentRegionAvail().x;
    const float bare = numbers * ImGui::CalcTextSize(sample).x +
                       std::max(numbers - 1, 0.0F) * style.ItemInnerSpacing.x + beside;
    const float margins = 2 * numbers * style.FramePadding.x;
    const float least = bare + 2 * numbers * kLeastMargin;
    const bool is_beside = least <= all - reset_width() - 2 - label_width() && fits_beside(label);
    const float room = all - reset_width() - 2 - (is_beside ? label_width() : 0);
    if (is_beside) {
        begin_row(label, tip);
    } else {
        draw_label(label, tip);
        ImGui::SetNextItemWidth(-reset_width() - 2);
    }
    const bool has_margins = bare + margins <= room;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        {has_margins ? style.FramePadding.x : kLeastMargin, style.FramePadding.y});
    return least <= room;
}

bool drag_numbers(std::span<float> values,
                  float speed,
                  float low,
                  float high,
                  const char* format,
                  bool is_side_by_side) {
    if (is_side_by_side) {
        return ImGui::DragScalarN("##value",
                                  ImGuiDataType_Float,
                                  values.data(),
                                  static_cast<int>(values.size()),
                                  speed,
                                  &low,
                                  &high,
                                  format);
    }
    bool is_changed = false;
    ImGui::BeginGroup();
    for (std::size_t k = 0; k < values.size(); ++k) {
        ImGui::PushID(static_cast<int>(k));
        ImGui::SetNextItemWidth(-reset_width() - 2);
        is_changed =
            ImGui::DragFloat("##value", &values[k], speed, low, high, format) || is_changed;
        ImGui::PopID();
    }
    ImGui::EndGroup();
    return is_changed;
}

std::string NumberLook::format(const std::string& unit) const {
    return "%." + std::to_string(behind) + 'f' + unit;
}

std::string NumberLook::widest() const {
    return '-' + std::string(whole, '8') + '.' + std::string(behind, '8');
}

NumberLook look_of(float size) {
    const float known = size > 0 && std::isfinite(size) ? size : 10;
    const auto power = static_cast<i32>(std::ceil(std::log10(known)));
    const i32 behind = power >= 1 ? std::clamp(6 - power, 0, 3) : std::min(4 - power, 7);
    return {static_cast<u32>(std::max(power + 1, 2)), static_cast<u32>(behind), known / 500};
}

NumberLook look_of_places(const Session& session) {
    const math::Vec3 sides = session.bounds.high - session.bounds.low;
    return look_of(std::max({sides.x, sides.y, sides.z}));
}

int begin_choice(std::string_view label, std::string_view tip, const char* widest) {
    const float margin = ImGui::GetStyle().FramePadding.x;
    const float all = ImGui::GetContentRegionAvail().x;
    const float text = ImGui::CalcTextSize(widest).x + 2;
    const float whole = text + 2 * margin + ImGui::GetFrameHeight();
    const bool is_beside = whole <= all - reset_width() - 2 - label_width() && fits_beside(label);
    const bool has_arrow = is_beside || whole <= all;
    if (is_beside) {
        begin_row(label, tip);
    } else {
        draw_label(label, tip);
        ImGui::SetNextItemWidth(std::min(all, std::max(whole, all - reset_width() - 2)));
    }
    const bool has_margins = has_arrow || text + 2 * margin <= all;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        {has_margins ? margin : 1, ImGui::GetStyle().FramePadding.y});
    return has_arrow ? ImGuiComboFlags_None : ImGuiComboFlags_NoArrowButton;
}

void same_line_if_fits(float width) {
    const float end = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width <= end) {
        ImGui::SameLine();
    }
}

void end_numbers() {
    ImGui::PopStyleVar();
}

void take_keyboard(Ui& ui) {
    if (std::exchange(ui.keyboard.is_field_wanted, false)) {
        ImGui::SetKeyboardFocusHere();
    }
}

void mark_row(Ui& ui, std::string_view panel, std::string_view label) {
    ui.marks.mark(std::string(panel) + '/' + std::string(label));
}

std::size_t choice_buttons(Ui& ui,
                           std::string_view panel,
                           std::span<const char* const> titles,
                           std::size_t now) {
    constexpr float kGap = 3;
    const auto count = static_cast<float>(titles.size());
    float widest = 0;
    for (const char* const title : titles) {
        widest = std::max(widest, ImGui::CalcTextSize(title).x + 4);
    }
    float end = ImGui::GetContentRegionAvail().x;
    float in_line = count;
    if (count * (widest + kGap) - kGap > end) {
        ImGui::NewLine();  // below the label, wrapped as needed
        end = ImGui::GetContentRegionAvail().x;
        in_line = std::clamp(std::floor((end + kGap) / (widest + kGap)), 1.0F, count);
    }
    const float room = end - reset_width() - 2;
    // The buttons may extend to the end of the row, since these rows have no reset button.
    const float width = std::min(std::max((room - kGap * (in_line - 1)) / in_line, widest),
                                 (end - kGap * (in_line - 1)) / in_line);
    std::size_t chosen = now;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(1, ImGui::GetStyle().FramePadding.y));
    for (std::size_t k = 0; k < titles.size(); ++k) {
        if (k % static_cast<std::size_t>(in_line) != 0) {
            ImGui::SameLine(0, kGap);
        }
        ImGui::PushStyleColor(
            ImGuiCol_Button,
            ImGui::GetStyleColorVec4(k == now ? ImGuiCol_HeaderActive : ImGuiCol_Button));
        if (ImGui::Button(titles[k], ImVec2(width, 0))) {
            chosen = k;
        }
        ImGui::PopStyleColor();
        mark_row(ui, panel, titles[k]);
    }
    ImGui::PopStyleVar();
    return chosen;
}

bool begin_part(Ui& ui, std::string_view panel, const char* title, bool opens) {
    ImGui::PushStyleColor(ImGuiCol_Header, ImVec4(0.175F, 0.175F, 0.18F, 1));
    ImGui::PushStyleColor(ImGuiCol_HeaderHovered, ImVec4(0.225F, 0.225F, 0.23F, 1));
    ImGui::PushStyleColor(ImGuiCol_HeaderActive, ImVec4(0.26F, 0.26F, 0.265F, 1));
    ImGui::SetNextItemOpen(opens, ImGuiCond_Once);
    const bool is_open = ImGui::CollapsingHeader(title);
    ImGui::PopStyleColor(3);
    mark_row(ui, panel, title);
    return is_open;
}

bool sign_button(const char* id, const char* sign, std::string_view tip) {
    push_flat();
    ImGui::PushID(id);
    const bool is_clicked = ImGui::Button(sign, ImVec2(reset_width(), 0));
    ImGui::PopID();
    ImGui::PopStyleColor();
    tell_tip(tip);
    return is_clicked;
}

bool eye_button(const char* id, bool is_open) {
    const float side = ImGui::GetFontSize();
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const bool is_clicked = ImGui::InvisibleButton(id, ImVec2(side * 1.3F, side));
    const float grey = ImGui::IsItemHovered() ? 1.0F : is_open ? 0.75F : 0.38F;
    const ImU32 colour = ImGui::GetColorU32(ImVec4(grey, grey, grey, 1));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 middle(low.x + side * 0.6F, low.y + side * 0.5F);
    const float reach = side * 0.48F;
    const ImVec2 left(middle.x - reach, middle.y);
    const ImVec2 right(middle.x + reach, middle.y);
    // Two lids and a pupil; one lid when it is closed.
    const float lid = is_open ? reach * 0.95F : -reach * 0.7F;
    list.AddBezierQuadratic(left, ImVec2(middle.x, middle.y - lid), right, colour, 1.3F);
    if (is_open) {
        list.AddBezierQuadratic(left, ImVec2(middle.x, middle.y + lid), right, colour, 1.3F);
        list.AddCircleFilled(middle, side * 0.15F, colour);
    }
    return is_clicked;
}

void faint_text(std::string_view text) {
    ImGui::PushStyleColor(ImGuiCol_Text, kFaint);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void tell_row(std::string_view label, std::string_view value, std::string_view tip) {
    const std::string text(value);
    const float all = ImGui::GetContentRegionAvail().x;
    if (ImGui::CalcTextSize(text.c_str()).x <= all - label_width() && fits_beside(label)) {
        begin_row(label, tip);
        ImGui::TextUnformatted(text.c_str());
    } else {
        draw_label(label, tip);
        draw_lines(text);
    }
}

void draw_lines(const std::string& text) {
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::BeginGroup();
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) {
        const std::string longer = line.empty() ? word : line + ' ' + word;
        if (!line.empty() && ImGui::CalcTextSize(longer.c_str()).x > room) {
            ImGui::TextUnformatted(line.c_str());
            line = word;
        } else {
            line = longer;
        }
    }
    ImGui::TextUnformatted(line.c_str());
    ImGui::EndGroup();
}

}  // namespace weft::app
