// panel_compare.cpp — keyed, unkeyed and embree side by side: picture, rays per second and time.
//
// Each mode renders the current view in turns (compare_run.h) while the picture above pauses.
// Interface thread.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/comparison.h"
#include "app/view/session/ui.h"
#include "app/view/window/number_bar.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr float kNarrowest = 9;  // width of one mode's column, in letter heights

// Chooses whether and how the three pictures also lie over the main picture.
void draw_looks(Ui& ui, Comparison& comparison) {
    constexpr std::array<const char*, 3> kTitles = {"Small", "Side by side", "Wipe"};
    const float round = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x;
    if (round + ImGui::CalcTextSize(kTitles[1]).x > ImGui::GetContentRegionAvail().x) {
        begin_row("Shown");
        comparison.look = static_cast<CompareLook>(
            choice_buttons(ui, "Compare", kTitles, static_cast<std::size_t>(comparison.look)));
        return;
    }
    for (std::size_t k = 0; k < kTitles.size(); ++k) {
        same_line_if_fits(round + ImGui::CalcTextSize(kTitles[k]).x);
        if (ImGui::RadioButton(kTitles[k], comparison.look == static_cast<CompareLook>(k))) {
            comparison.look = static_cast<CompareLook>(k);
        }
        ui.marks.mark(std::string("Compare/") + kTitles[k]);
    }
}

float button_width(const char* title) {
    return ImGui::CalcTextSize(title).x + 2 * ImGui::GetStyle().FramePadding.x;
}

void draw_samples(Ui& ui, Comparison& comparison) {
    const float usual = ImGui::GetFontSize() * 9;
    same_line_if_fits(usual);
    const float width = std::min(usual, ImGui::GetContentRegionAvail().x);
    const bool is_narrow = button_width("888 samples each") > width;
    i64 samples = comparison.samples;
    ImGui::SetNextItemWidth(width);
    if (bar_count("##samples", samples, {1, 256, is_narrow ? "%lld each" : "%lld samples each"})) {
        comparison.samples = static_cast<u32>(std::clamp(samples, i64{1}, i64{4096}));
    }
    ui.marks.mark("Compare/Samples");
}

void draw_buttons(const Session& session, RenderLink& link, Comparison& comparison, Ui& ui) {
    if (comparison.run.is_running()) {
        if (ImGui::Button("Stop")) {
            stop_comparison(link, comparison);
        }
        ui.marks.mark("Compare/Stop");
    } else {
        if (ImGui::Button("Compare")) {
            begin_comparison(session, link, ui, comparison);
        }
        ui.marks.mark("Compare/Compare");
        same_line_if_fits(button_width("Forget"));
        if (ImGui::Button("Forget")) {
            comparison.run.forget();
        }
        ui.marks.mark("Compare/Forget");
    }
    draw_samples(ui, comparison);
    draw_looks(ui, comparison);
    const std::optional<bool> is_same = comparison.run.are_bits_same();
    if (!is_same) {
        faint_text("in turns, one at a time on the whole machine; this view, these settings");
        return;
    }
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(*is_same ? kAccent : kWarning,
                       *is_same ? "keyed and unkeyed: the same film, bit by bit"
                                : "keyed and unkeyed differ: this is a defect of Weft");
    ImGui::PopTextWrapPos();
    ui.marks.mark(*is_same ? "Compare/Same" : "Compare/Different");
}

const char* word_of(const CompareRun& run, u32 index) {
    const CompareRun::Variant& variant = run.variants()[index];
    if (variant.is_done()) {
        return "done";
    }
    if (run.turn() != index) {
        return run.is_running() ? "waits" : "stopped";
    }
    return variant.status.state == live::LiveState::Preparing ? "prepares" : "renders";
}

void draw_arm(Ui& ui, Comparison& comparison, u32 index, float picture_height) {
    const CompareRun::Variant& variant = comparison.run.variants()[index];
    ImGui::TextUnformatted(variant.name);
    ImGui::SameLine();
    ImGui::TextDisabled("%s", word_of(comparison.run, index));
    if (!variant.error.empty()) {
        faint_text(variant.error);
        return;
    }
    ImGui::TextWrapped("%s",
                       fmt::format("{:.2f} Mrays/s   {:.2f} s   {} / {} samples",
                                   variant.rays_per_s() * 1e-6,
                                   variant.elapsed_s,
                                   variant.status.samples_done,
                                   variant.status.samples_wanted)
                           .c_str());
    faint_text(variant.film_hash);
    ui.marks.mark(fmt::format("Compare/{} {}", variant.name, word_of(comparison.run, index)));
    const PictureTexture* const picture = compared_picture(comparison, index);
    if (picture == nullptr) {
        return;
    }
    const float aspect =
        static_cast<float>(variant.picture.width) / static_cast<float>(variant.picture.height);
    const float width =
        std::min(ImGui::GetContentRegionAvail().x, std::max(picture_height, 40.0F) * aspect);
    ImGui::Image(picture->id(), ImVec2(width, width / aspect));
}

}  // namespace

void draw_compare(const Session& session, RenderLink& link, Comparison& comparison, Ui& ui) {
    draw_buttons(session, link, comparison, ui);
    if (comparison.is_outdated) {
        faint_text("These pictures show an earlier view.");
        ui.marks.mark("Compare/Outdated");
    }
    if (!comparison.run.has_begun()) {
        faint_text(
            "Renders this view with keyed packets, with fibre groups in order of arrival, and with "
            "Embree's traversal. Each has tables and a tree of its own meanwhile.");
        return;
    }
    const float height =
        ImGui::GetContentRegionAvail().y - 4 * ImGui::GetTextLineHeightWithSpacing();
    // Stack the modes if three columns are too narrow for a line of figures.
    const bool has_columns =
        ImGui::GetContentRegionAvail().x >= kComparedModes * kNarrowest * ImGui::GetFontSize();
    const int columns = has_columns ? static_cast<int>(kComparedModes) : 1;
    if (!ImGui::BeginTable("variants", columns, ImGuiTableFlags_BordersInnerV)) {
        return;
    }
    for (u32 index = 0; index < kComparedModes; ++index) {
        ImGui::TableNextColumn();
        draw_arm(ui, comparison, index, height);
    }
    ImGui::EndTable();
}

}  // namespace weft::app
