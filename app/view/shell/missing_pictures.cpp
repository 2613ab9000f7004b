#include "app/view/shell/missing_pictures.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/models/picture_zoom.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/session/choose_files.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr std::size_t kMostRows = 6;  // further rows are reached by scrolling

using Missing = std::vector<MissingPicture>;

void draw_list(Ui& ui, const Missing& missing) {
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const auto rows = static_cast<float>(std::min(missing.size(), kMostRows));
    ImGui::BeginChild("missing rows", ImVec2(0, rows * line));
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(missing.size()));
    while (clipper.Step()) {
        for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
            const MissingPicture& picture = missing[static_cast<std::size_t>(row)];
            const std::string name = std::filesystem::path(picture.name).filename().string();
            ImGui::TextUnformatted(name.c_str());
            ui.marks.mark("Missing/" + name);
            if (ImGui::IsItemHovered()) {
                ImGui::SetTooltip("%s", picture.why.c_str());
            }
        }
    }
    clipper.End();
    ImGui::EndChild();
}

}  // namespace

void MissingWindow::draw(Session& session, Ui& ui, const PicturePlace& place) {
    if (!session.document.is_open() || session.loader.is_loading()) {
        return;
    }
    const Missing& missing = session.missing;
    if (missing.empty() || is_closed_) {
        return;
    }
    const float letter = ImGui::GetFontSize();
    const float width = std::min(30 * letter, place.width * 0.94F);
    ImGui::SetNextWindowPos({place.x + place.width / 2, place.y + place.height - letter / 2},
                            ImGuiCond_Always,
                            {0.5F, 1});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, place.height * 0.9F});
    ImGui::Begin("missing",
                 nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
    ImGui::PushStyleColor(ImGuiCol_Text, kWarning);
    ImGui::TextWrapped(
        "%s",
        fmt::format(
            "{} of this scene cannot be read; {} stands in for {}.",
            missing.size() == 1 ? "A picture" : fmt::format("{} pictures", missing.size()),
            session.options.missing_file == scene::MissingFile::Black ? "black" : "a checker",
            missing.size() == 1 ? "it" : "each")
            .c_str());
    ImGui::PopStyleColor();
    draw_list(ui, missing);
    if (ImGui::Button("Look in a folder ...")) {
        choose_missing_folder(session, ui);
    }
    ui.marks.mark("Missing/Look in a folder");
    same_line_if_fits(ImGui::CalcTextSize("Close").x + 2 * ImGui::GetStyle().FramePadding.x);
    if (ImGui::Button("Close")) {
        is_closed_ = true;
    }
    ui.marks.mark("Missing/Close");
    ImGui::End();
}

}  // namespace weft::app
