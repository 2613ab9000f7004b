// panel_compare.cpp — keyed, unkeyed and embree side by side: picture, rays per second and time.
//
// The view that is open, rendered by each mode in turns (compare_run.h) while the picture above
// rests. Interface thread.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/compare_overlay.h"
#include "app/view/panel_rows.h"
#include "app/view/panels.h"
#include "app/view/theme.h"

namespace weft::app {

namespace {

void begin_comparison(ViewState& state) {
    CompareState& compare = state.panels.compare;
    state.live->set_paused(true);
    compare.run.begin({.scene = state.scene,
                       .camera = state.camera,
                       .settings = state.settings,
                       .hidden = state.hidden},
                      state.view,
                      compare.samples,
                      state.options.threads);
    compare.uploaded = {};
}

// The picture above goes on, unless the person paused it.
void stop_comparison(ViewState& state) {
    state.panels.compare.run.stop();
    state.live->set_paused(state.is_paused);
}

// Whether the three lie over the picture, too, and how.
void draw_looks(ViewState& state) {
    constexpr std::array<const char*, 3> kTitles = {"Small", "Side by side", "Wipe"};
    CompareState& compare = state.panels.compare;
    for (std::size_t k = 0; k < kTitles.size(); ++k) {
        if (ImGui::RadioButton(kTitles[k], compare.look == static_cast<CompareLook>(k))) {
            compare.look = static_cast<CompareLook>(k);
        }
        state.marks.mark(std::string("Compare/") + kTitles[k]);
        if (k + 1 < kTitles.size()) {
            ImGui::SameLine();
        }
    }
}

void draw_buttons(ViewState& state) {
    CompareState& compare = state.panels.compare;
    if (compare.run.is_running()) {
        if (ImGui::Button("Stop")) {
            stop_comparison(state);
        }
        state.marks.mark("Compare/Stop");
    } else {
        if (ImGui::Button("Compare")) {
            begin_comparison(state);
        }
        state.marks.mark("Compare/Compare");
        ImGui::SameLine();
        if (ImGui::Button("Forget")) {
            compare.run.forget();
        }
        state.marks.mark("Compare/Forget");
    }
    ImGui::SameLine();
    int samples = static_cast<int>(compare.samples);
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 9);
    if (ImGui::SliderInt("##samples", &samples, 1, 256, "%d samples each")) {
        compare.samples = static_cast<u32>(std::clamp(samples, 1, 4096));
    }
    state.marks.mark("Compare/Samples");
    ImGui::SameLine();
    draw_looks(state);
    const std::optional<bool> is_same = compare.run.are_bits_same();
    if (!is_same) {
        ImGui::TextDisabled(
            "in turns, one at a time on the whole machine; this view, these settings");
        return;
    }
    ImGui::TextColored(*is_same ? kAccent : kWarning,
                       *is_same ? "keyed and unkeyed: the same film, bit by bit"
                                : "keyed and unkeyed differ: this must not be");
    state.marks.mark(*is_same ? "Compare/Same" : "Compare/Different");
}

const char* word_of(const CompareRun& run, u32 index) {
    const CompareRun::Arm& arm = run.arms()[index];
    if (arm.is_done()) {
        return "done";
    }
    if (run.turn() != index) {
        return run.is_running() ? "waits" : "stopped";
    }
    return arm.status.state == frame::LiveState::Preparing ? "prepares" : "renders";
}

void draw_arm(ViewState& state, u32 index, float picture_height) {
    CompareState& compare = state.panels.compare;
    const CompareRun::Arm& arm = compare.run.arms()[index];
    ImGui::TextUnformatted(arm.name);
    ImGui::SameLine();
    ImGui::TextDisabled("%s", word_of(compare.run, index));
    if (!arm.error.empty()) {
        faint_text(arm.error);
        return;
    }
    ImGui::TextUnformatted(fmt::format("{:.2f} Mrays/s   {:.2f} s   {} / {} samples",
                                       arm.rays_per_s() * 1e-6,
                                       arm.elapsed_s,
                                       arm.status.samples_done,
                                       arm.status.samples_wanted)
                               .c_str());
    ImGui::TextDisabled("%s", arm.film_hash.c_str());
    state.marks.mark(fmt::format("Compare/{} {}", arm.name, word_of(compare.run, index)));
    const PictureTexture* const picture = compared_picture(state, index);
    if (picture == nullptr) {
        return;
    }
    const float aspect =
        static_cast<float>(arm.picture.width) / static_cast<float>(arm.picture.height);
    const float width =
        std::min(ImGui::GetContentRegionAvail().x, std::max(picture_height, 40.0F) * aspect);
    ImGui::Image(picture->id(), ImVec2(width, width / aspect));
}

}  // namespace

void step_comparison(ViewState& state) {
    CompareState& compare = state.panels.compare;
    if (!compare.run.is_running()) {
        return;
    }
    compare.run.step(ImGui::GetTime());
    if (!compare.run.is_running()) {
        stop_comparison(state);
    }
}

void end_comparison(ViewState& state, bool is_forgotten) {
    CompareRun& run = state.panels.compare.run;
    if (run.is_running()) {
        stop_comparison(state);
        state.say("The comparison has ended: the view is another one now");
    }
    if (is_forgotten) {
        run.forget();
    }
}

void draw_compare(ViewState& state) {
    draw_buttons(state);
    CompareState& compare = state.panels.compare;
    if (compare.run.arms()[0].live == nullptr) {
        faint_text(
            "Renders this view with keyed packets, with fibre groups in order of arrival, and with "
            "Embree's traversal. Each has tables and a tree of its own meanwhile.");
        return;
    }
    const float height =
        ImGui::GetContentRegionAvail().y - 4 * ImGui::GetTextLineHeightWithSpacing();
    if (!ImGui::BeginTable("arms", kComparedModes, ImGuiTableFlags_BordersInnerV)) {
        return;
    }
    for (u32 index = 0; index < kComparedModes; ++index) {
        ImGui::TableNextColumn();
        draw_arm(state, index, height);
    }
    ImGui::EndTable();
}

}  // namespace weft::app
