#include "app/view/window/theme.h"

#include <array>
#include <filesystem>
#include <string>

#include "scheduler/base/installation.h"

namespace weft::app {

namespace {

// In the program's shared folder; without it ImGui's own font is used.
constexpr const char* kFont = "assets/fonts/DejaVuSans.ttf";

// Latin, Greek, Cyrillic, punctuation, currencies, arrows and mathematical signs, for names of
// objects and files and for units.
constexpr std::array<ImWchar, 11> kLetters = {
    0x0020, 0x052F, 0x1E00, 0x1EFF, 0x2010, 0x2044, 0x20A0, 0x20BF, 0x2190, 0x25FF, 0};

void add_font(float scale, float pixel_scale) {
    ImGuiIO& io = ImGui::GetIO();
    const std::string file = base::shared_path(kFont);
    std::error_code error;
    if (std::filesystem::exists(file, error)) {
        io.Fonts->AddFontFromFileTTF(
            file.c_str(), kTextSize * scale * pixel_scale, nullptr, kLetters.data());
        io.FontGlobalScale = 1 / pixel_scale;
        return;
    }
    ImFontConfig config;
    config.SizePixels = 13 * scale * pixel_scale;
    io.Fonts->AddFontDefault(&config);
    io.FontGlobalScale = 1 / pixel_scale;
}

ImVec4 grey(float value, float alpha = 1) {
    return {value, value, value * 1.02F, alpha};
}

ImVec4 accent(float alpha) {
    return {kAccent.x, kAccent.y, kAccent.z, alpha};
}

void set_colours(ImGuiStyle& style) {
    ImGui::StyleColorsDark(&style);
    const auto set = [&](ImGuiCol which, const ImVec4& colour) { style.Colors[which] = colour; };
    set(ImGuiCol_Text, grey(0.88F));
    set(ImGuiCol_TextDisabled, kFaint);
    set(ImGuiCol_WindowBg, grey(0.135F));
    set(ImGuiCol_ChildBg, grey(0, 0));
    set(ImGuiCol_PopupBg, grey(0.155F, 0.98F));
    set(ImGuiCol_MenuBarBg, grey(0.105F));
    set(ImGuiCol_Border, grey(0.24F));
    set(ImGuiCol_FrameBg, grey(0.205F));
    set(ImGuiCol_FrameBgHovered, grey(0.255F));
    set(ImGuiCol_FrameBgActive, grey(0.23F));
    set(ImGuiCol_TitleBg, grey(0.105F));
    set(ImGuiCol_TitleBgActive, grey(0.105F));
    set(ImGuiCol_ScrollbarBg, grey(0.12F, 0.6F));
    set(ImGuiCol_ScrollbarGrab, grey(0.30F));
    set(ImGuiCol_ScrollbarGrabHovered, grey(0.38F));
    set(ImGuiCol_ScrollbarGrabActive, grey(0.45F));
    set(ImGuiCol_CheckMark, kAccent);
    set(ImGuiCol_SliderGrab, accent(0.33F));  // the filled part of a bar, below its number
    set(ImGuiCol_Button, grey(0.225F));
    set(ImGuiCol_ButtonHovered, grey(0.29F));
    set(ImGuiCol_ButtonActive, accent(0.55F));
    set(ImGuiCol_Header, accent(0.22F));
    set(ImGuiCol_HeaderHovered, accent(0.32F));
    set(ImGuiCol_HeaderActive, accent(0.45F));
    set(ImGuiCol_Separator, grey(0.22F));
    set(ImGuiCol_SeparatorHovered, accent(0.6F));
    set(ImGuiCol_SeparatorActive, kAccent);
    set(ImGuiCol_Tab, grey(0.135F));
    set(ImGuiCol_TabHovered, accent(0.40F));
    set(ImGuiCol_TabActive, grey(0.225F));
    set(ImGuiCol_TabUnfocused, grey(0.135F));
    set(ImGuiCol_TabUnfocusedActive, grey(0.225F));
    set(ImGuiCol_PlotHistogram, kAccent);
    set(ImGuiCol_TextSelectedBg, accent(0.35F));
    set(ImGuiCol_NavHighlight, kAccent);
    set(ImGuiCol_TableHeaderBg, grey(0.17F));
    set(ImGuiCol_TableRowBgAlt, grey(1, 0.025F));
    set(ImGuiCol_ModalWindowDimBg, grey(0, 0.45F));
}

}  // namespace

void apply_theme(float interface_scale, float pixel_scale) {
    ImGui::GetIO().Fonts->Clear();
    add_font(interface_scale, pixel_scale);
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    set_colours(style);
    style.WindowPadding = ImVec2(10, 8);
    style.FramePadding = ImVec2(7, 4);
    style.ItemSpacing = ImVec2(8, 5);
    style.ItemInnerSpacing = ImVec2(6, 4);
    style.IndentSpacing = 16;
    style.ScrollbarSize = 11;
    style.WindowBorderSize = 0;
    style.PopupBorderSize = 1;
    style.FrameRounding = 3;
    style.TabRounding = 3;
    style.PopupRounding = 4;
    style.ScrollbarRounding = 4;
    style.WindowTitleAlign = ImVec2(0.02F, 0.5F);
    style.ScaleAllSizes(interface_scale);
}

float interface_scale() {
    return ImGui::GetFontSize() / kTextSize;
}

}  // namespace weft::app
