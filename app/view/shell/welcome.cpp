#include "app/view/shell/welcome.h"

#include <algorithm>

#include <imgui.h>

#include "app/view/models/picture_zoom.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/session/choose_files.h"
#include "app/view/session/render_link.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_scene.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr std::size_t kRecentShown = 5;

// Draws buttons in as many lines as they need; returns the clicked one, else an empty text.
std::string buttons(Ui& ui, const std::vector<std::string>& names) {
    std::string clicked;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (k > 0) {
            same_line_if_fits(ImGui::CalcTextSize(names[k].c_str()).x +
                              2 * ImGui::GetStyle().FramePadding.x);
        }
        if (ImGui::Button(names[k].c_str())) {
            clicked = names[k];
        }
        ui.marks.mark("Welcome/" + names[k]);
    }
    return clicked;
}

std::string recent_links(Session& session, Ui& ui) {
    std::string clicked;
    const std::vector<std::string>& recent = session.remembered.recent;
    for (std::size_t k = 0; k < std::min(recent.size(), kRecentShown); ++k) {
        if (ImGui::Selectable(recent[k].c_str())) {
            clicked = recent[k];
        }
        ui.marks.mark("Welcome/Recent " + recent[k]);
    }
    return clicked;
}

}  // namespace

void WelcomeWindow::draw(Session& session,
                         const RenderLink& link,
                         Ui& ui,
                         const PicturePlace& place) {
    if (session.document.is_open() || session.loader.is_loading() || session.loader.is_ending()) {
        return;
    }
    if (!examples_) {
        examples_ = example_scenes();
    }
    const float letter = ImGui::GetFontSize();
    ImGui::SetNextWindowPos(
        {place.x + place.width / 2, place.y + place.height / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    const float width = std::min(34 * letter, place.width * 0.94F);
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, place.height * 0.94F});
    ImGui::Begin("welcome",
                 nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
    if (ImGui::Button("Open a scene ...")) {
        choose_scene(session, ui);
    }
    ui.marks.mark("Welcome/Open");
    same_line_if_fits(ImGui::CalcTextSize("Ctrl+O").x);
    ImGui::TextDisabled("Ctrl+O");
    ImGui::TextWrapped("or drop a file here: glTF, GLB, pbrt, Mitsuba, OBJ, PLY, STL, FBX, ...");
    std::string wanted;
    if (!session.remembered.recent.empty()) {
        ImGui::Spacing();
        ImGui::TextDisabled("Recent");
        wanted = recent_links(session, ui);
    }
    ImGui::Spacing();
    ImGui::TextDisabled("Examples");
    const std::string example = buttons(ui, *examples_);
    wanted = example.empty() ? wanted : example;
    ImGui::End();
    if (!wanted.empty()) {
        open_scene(session, link, {wanted});
    }
}

}  // namespace weft::app
