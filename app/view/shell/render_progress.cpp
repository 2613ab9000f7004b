#include "app/view/shell/render_progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include <imgui.h>

#include "app/command/progress.h"
#include "app/view/session/render_link.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_settings.h"
#include "app/view/window/theme.h"
#include "engine/frame/bias.h"

namespace weft::app {

namespace {

constexpr float kGap = 14;

const char* state_word(live::LiveState state) {
    switch (state) {
        case live::LiveState::Idle:
            return "no scene";
        case live::LiveState::Preparing:
            return "preparing";
        case live::LiveState::Rendering:
            return "rendering";
        case live::LiveState::Paused:
            return "paused";
        case live::LiveState::Done:
            return "done";
        case live::LiveState::Failed:
            return "failed";
    }
    return "";
}

float text_width(const std::string& text) {
    return text.empty() ? 0 : ImGui::CalcTextSize(text.c_str()).x + kGap;
}

float bar_width(const std::string& samples) {
    return samples.empty() ? 0 : ImGui::CalcTextSize(samples.c_str()).x + kGap;
}

std::string times_text(const RenderLink& link) {
    const std::optional<double> left_s = link.pace.left_s();
    const std::string spent = duration_text(link.status.elapsed_s);
    return left_s ? fmt::format("{} spent, {} to go", spent, duration_text(*left_s)) : spent;
}

void draw_bar(Ui& ui, const ProgressLine& line) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const ImVec2 size(bar_width(line.samples), ImGui::GetTextLineHeight());
    const ImVec2 high(low.x + size.x, low.y + size.y);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(low, high, ImGui::GetColorU32(ImGuiCol_FrameBg), 2);
    const ImVec4 full{kAccent.x, kAccent.y, kAccent.z, 0.45F};
    list.AddRectFilled(
        low, {low.x + size.x * line.share, high.y}, ImGui::ColorConvertFloat4ToU32(full), 2);
    list.AddText(
        {low.x + kGap / 2, low.y}, ImGui::GetColorU32(ImGuiCol_Text), line.samples.c_str());
    ImGui::Dummy(size);
    ui.marks.mark("Status/Progress");
    ui.marks.mark("Status/" + line.samples, {low, high});
}

}  // namespace

ProgressLine progress_line(const RenderLink& link, float most) {
    ProgressLine line;
    if (link.scene == nullptr) {
        return line;
    }
    const live::LiveStatus& status = link.status;
    line.size = fmt::format("{} × {}", link.settings.width, link.settings.height);
    line.state = state_word(status.state);
    if (link.view.display == live::LiveDisplay::Rendered) {
        line.noise = status.noise > 0 ? fmt::format("noise {:.2g}", status.noise) : "";
        line.filter = status.denoised == live::LiveDenoise::Off
                          ? ""
                          : fmt::format("denoised: {}",
                                        kDenoiseNames[static_cast<std::size_t>(status.denoised)]);
        line.bias_reason = frame::bias_text(link.settings);
        line.bias = line.bias_reason.empty() ? "" : "biased";
        line.times = times_text(link);
        line.samples = fmt::format("{} / {} samples", status.samples_done, status.samples_wanted);
        const double wanted = std::max(1U, status.samples_wanted);
        line.share = static_cast<float>(std::clamp(status.samples_mean / wanted, 0.0, 1.0));
    } else {
        line.samples = kDisplayNames[static_cast<std::size_t>(link.view.display)];
    }
    for (std::string* const part : {&line.size,
                                    &line.filter,
                                    &line.noise,
                                    &line.times,
                                    &line.state,
                                    &line.bias,
                                    &line.bias}) {
        line.width = text_width(line.size) + text_width(line.noise) + text_width(line.filter) +
                     text_width(line.bias) + text_width(line.times) + text_width(line.state) +
                     bar_width(line.samples);
        if (line.width <= most) {
            break;
        }
        part->clear();
    }
    return line;
}

void draw_progress(Ui& ui, const ProgressLine& line) {
    const auto draw_text = [](const std::string& text) {
        if (!text.empty()) {
            ImGui::TextUnformatted(text.c_str());
            ImGui::SameLine(0, kGap);
        }
    };
    draw_text(line.size);
    if (!line.samples.empty()) {
        draw_bar(ui, line);
        ImGui::SameLine(0, kGap);
    }
    draw_text(line.noise);
    if (!line.noise.empty()) {
        ui.marks.mark("Status/Noise");
    }
    draw_text(line.filter);
    if (!line.filter.empty()) {
        ui.marks.mark("Status/" + line.filter);
    }
    draw_text(line.bias);
    if (!line.bias.empty()) {
        ui.marks.mark("Status/Bias");
        if (ImGui::IsItemHovered()) {
            ImGui::SetTooltip("%s", line.bias_reason.c_str());
        }
    }
    draw_text(line.times);
    if (!line.times.empty()) {
        ui.marks.mark("Status/Times");
    }
    ImGui::TextUnformatted(line.state.c_str());
}

}  // namespace weft::app
