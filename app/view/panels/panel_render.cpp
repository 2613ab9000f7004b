// panel_render.cpp — the settings of the render: samples, bounces, clamps, and which scheduler runs
// on which devices.
//
// Except for the frame (panel_frame.cpp) these are not edits of the scene. A setting that affects
// the film restarts it. Interface thread.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/render_link.h"
#include "app/view/session/ui.h"
#include "app/view/window/number_bar.h"
#include "engine/live/layer_colours.h"

namespace weft::app {

namespace {

struct Policy {
    const char* title;
    fibre::Policy policy;
};

constexpr std::array<Policy, 5> kPolicies = {{{"depth first", fibre::Policy::DepthFirst},
                                              {"fullest", fibre::Policy::Fullest},
                                              {"oldest", fibre::Policy::Oldest},
                                              {"priority", fibre::Policy::Priority},
                                              {"balanced", fibre::Policy::Balanced}}};

constexpr const char* kGpu = "emulated GPU";

constexpr std::array<const char*, 3> kModes = {"keyed", "unkeyed", "embree"};
constexpr std::array<trace::SchedulerMode, 3> kModeValues = {
    trace::SchedulerMode::Keyed, trace::SchedulerMode::Unkeyed, trace::SchedulerMode::Embree};

// Renders the film again from its first sample.
void restart(RenderLink& link) {
    link.effect |= scene::kEffectAll;
}

// The ends of a bar of counts, and the most that can be typed.
struct CountRange {
    u32 low = 0;
    u32 high = 1;
    u32 most = 1;
};

void count_row(RenderLink& link,
               Ui& ui,
               const char* label,
               const char* tip,
               u32& value,
               const CountRange& range,
               bool restarts) {
    ImGui::PushID(label);
    i64 number = value;
    const std::string widest(std::max<std::size_t>(5, std::to_string(value).size()), '8');
    begin_numbers(label, tip, 1, widest.c_str());
    take_keyboard(ui);
    const bool is_changed = bar_count(
        "##value",
        number,
        {static_cast<float>(range.low), static_cast<float>(range.high), "%lld", range.high > 2000});
    end_numbers();
    mark_row(ui, "Render", label);
    if (is_changed) {
        value = static_cast<u32>(std::clamp(number, i64{range.low}, i64{range.most}));
        link.effect |= restarts ? scene::kEffectAll : u32{scene::kEffectCamera};
    }
    ImGui::PopID();
}

// 0 stands for no clamp.
void clamp_row(RenderLink& link, Ui& ui, const char* label, const char* tip, float& clamp) {
    ImGui::PushID(label);
    float value = std::isfinite(clamp) ? clamp : 0;
    begin_numbers(label, tip, 1, "8888 cd/m²");
    const char* const format = value > 0 ? "%.4g cd/m²" : "off";
    if (bar_number("##value", value, {0, 10000, format, true})) {
        clamp = value > 0 ? value : std::numeric_limits<float>::infinity();
        restart(link);
    }
    end_numbers();
    mark_row(ui, "Render", label);
    ImGui::PopID();
}

// A number from 0, which stands for off, to 1.
void unit_row(RenderLink& link,
              Ui& ui,
              const char* label,
              const char* tip,
              float& value,
              bool is_logarithmic) {
    ImGui::PushID(label);
    float number = value;
    begin_numbers(label, tip, 1, "0.888");
    if (bar_number("##value", number, {0, 1, number > 0 ? "%.3g" : "off", is_logarithmic})) {
        value = number;
        restart(link);
    }
    end_numbers();
    mark_row(ui, "Render", label);
    ImGui::PopID();
}

void draw_mode(RenderLink& link, Ui& ui) {
    trace::SchedulerMode& mode = link.settings.integrator.mode;
    begin_row(
        "Scheduler",
        "Which rays are traced together. keyed: those that read the same part of the scene, "
        "usually the fastest. unkeyed: in the order of arrival. embree: Intel's ray tracer, to "
        "compare with. The picture is the same.");
    const auto now = static_cast<std::size_t>(
        std::find(kModeValues.begin(), kModeValues.end(), mode) - kModeValues.begin());
    const std::size_t chosen = choice_buttons(ui, "Render", kModes, now);
    const bool is_embree = kModeValues[chosen] == trace::SchedulerMode::Embree;
    if (chosen != now && !(is_embree && refuse_with_pages(ui, link, "Embree"))) {
        mode = kModeValues[chosen];
        restart(link);
    }
}

void draw_policy(RenderLink& link, Ui& ui) {
    trace::RoutinePolicies& policies = link.settings.integrator.policies;
    const auto now = std::find_if(kPolicies.begin(), kPolicies.end(), [&](const Policy& policy) {
        return policy.policy == policies.closest;
    });
    const ImGuiComboFlags flags = begin_choice(
        "Policy of rays",
        "Which packet of rays is traced next. It changes the speed a little, and never "
        "the picture. depth first is usual.",
        "depth first");
    if (ImGui::BeginCombo("##policy", now == kPolicies.end() ? "" : now->title, flags)) {
        for (const Policy& policy : kPolicies) {
            if (ImGui::Selectable(policy.title, policy.policy == policies.closest)) {
                policies.closest = policies.shadow = policy.policy;
                restart(link);
            }
            mark_row(ui, "Render", policy.title);
        }
        ImGui::EndCombo();
    }
    end_numbers();
    mark_row(ui, "Render", "Policy of rays");
}

void draw_devices(RenderLink& link, Ui& ui) {
    frame::RenderSettings& settings = link.settings;
    const float tick = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x;
    const float gpu = tick + ImGui::CalcTextSize(kGpu).x;
    begin_numbers("Devices",
                  "What renders: the processor, an emulated graphics processor, or both. At least "
                  "one; the picture is the same.",
                  1,
                  kGpu,
                  tick);
    end_numbers();
    bool is_changed = ImGui::Checkbox("CPU", &settings.has_cpu);
    mark_row(ui, "Render", "CPU");
    const float end = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    const bool fits_beside =
        ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + gpu <= end;
    if (fits_beside) {
        ImGui::SameLine();
    } else if (gpu <= ImGui::GetContentRegionAvail().x - label_width()) {
        begin_row("");
    }
    const bool is_whole = gpu <= ImGui::GetContentRegionAvail().x;
    is_changed = ImGui::Checkbox(is_whole ? kGpu : "emul. GPU", &settings.has_egpu) || is_changed;
    mark_row(ui, "Render", "emulated GPU");
    settings.chooses_device = settings.chooses_device && !is_changed;
    if (is_changed) {
        settings.has_cpu = settings.has_cpu || !settings.has_egpu;
        restart(link);
    }
    if (settings.has_egpu) {
        count_row(link,
                  ui,
                  "Its units",
                  "How many units of 32 lanes the emulated graphics processor has, 1 to 64.",
                  settings.egpu_units,
                  {1, 64, 64},
                  true);
    }
}

void draw_filter(RenderLink& link, Ui& ui) {
    constexpr std::array<const char*, 3> kTitles = {"box", "blackman-harris", "gaussian"};
    constexpr std::array<trace::PixelFilter, 3> kFilters = {
        trace::PixelFilter::Box, trace::PixelFilter::BlackmanHarris, trace::PixelFilter::Gaussian};
    const auto now = static_cast<std::size_t>(
        std::find(kFilters.begin(), kFilters.end(), link.settings.filter) - kFilters.begin());
    const ImGuiComboFlags flags = begin_choice(
        "Pixel filter",
        "How samples are spread over neighbouring pixels. box: not at all, the sharpest. gaussian "
        "and blackman-harris: smooth edges; the latter is usual.",
        "blackman-harris");
    if (ImGui::BeginCombo("##filter", now < kTitles.size() ? kTitles[now] : "", flags)) {
        for (std::size_t k = 0; k < kTitles.size(); ++k) {
            if (ImGui::Selectable(kTitles[k], k == now)) {
                link.settings.filter = kFilters[k];
                restart(link);
            }
            mark_row(ui, "Render", kTitles[k]);
        }
        ImGui::EndCombo();
    }
    end_numbers();
    mark_row(ui, "Render", "Pixel filter");
}

// Chooses the layers that the film and a saved EXR keep beside the beauty; looking at a layer needs
// none of them.
void draw_layers(RenderLink& link, Ui& ui) {
    std::vector<film::Aov>& aovs = link.settings.aovs;
    std::string title;
    for (const film::Aov aov : aovs) {
        title += (title.empty() ? "" : ", ") + std::string(film::aov_name(aov));
    }
    const ImGuiComboFlags flags = begin_choice(
        "Saved layers", "What an .exr file holds beside the picture", "albedo, normal");
    if (ImGui::BeginCombo("##layers", title.empty() ? "none" : title.c_str(), flags)) {
        for (const film::Aov layer : film::kSurfaceAovs) {
            const auto at = std::find(aovs.begin(), aovs.end(), layer);
            bool is_saved = at != aovs.end();
            if (ImGui::Checkbox(film::aov_name(layer), &is_saved)) {
                if (is_saved) {
                    aovs.push_back(layer);
                } else {
                    aovs.erase(at);
                }
                link.effect |= scene::kEffectCamera;
            }
            mark_row(ui, "Render", std::string("Saved layer ") + film::aov_name(layer));
        }
        ImGui::EndCombo();
    }
    end_numbers();
    mark_row(ui, "Render", "Saved layers");
}

void flag_row(RenderLink& link, Ui& ui, const char* label, const char* tip, bool& is_on) {
    ImGui::PushID(label);
    begin_row(label, tip);
    if (ImGui::Checkbox("##value", &is_on)) {
        restart(link);
    }
    mark_row(ui, "Render", label);
    ImGui::PopID();
}

}  // namespace

void draw_render_settings(Session& session, RenderLink& link, Ui& ui) {
    frame::RenderSettings& settings = link.settings;
    if (begin_part(ui, "Render", "Picture")) {
        count_row(link,
                  ui,
                  "Samples",
                  "How many paths of light are followed for each pixel, 1 to 65536. Four times as "
                  "many take four times as long and halve the noise.",
                  settings.samples_per_pixel,
                  {1, 65536, 1 << 24},
                  false);
        unit_row(
            link,
            ui,
            "Noise threshold",
            "A block of pixels gets no more samples once its noise is at most so much, 0.001 to "
            "1: 0.1 is a preview, 0.01 clean. The number of samples is the most it gets. At the "
            "left end it is off.",
            link.settings.noise_threshold,
            true);
        count_row(link,
                  ui,
                  "Bounces",
                  "How often light is scattered on its way at most, 0 to 62. 0 shows lit surfaces "
                  "as black; glass and bright rooms want 8 and more.",
                  settings.max_bounces,
                  {0, 62, 62},
                  true);
        count_row(link,
                  ui,
                  "Seed",
                  "Another number gives another pattern of noise, and the same picture in the end. "
                  "0 to 1000, or typed, to 4294967295.",
                  settings.seed,
                  {0, 1000, std::numeric_limits<u32>::max()},
                  true);
        clamp_row(
            link,
            ui,
            "Clamp direct",
            "Light that comes straight from its source is cut to this brightness, in cd/m², 0 to "
            "10000: fewer bright dots, but dimmer highlights. At the left end it is off.",
            settings.clamp_direct);
        clamp_row(
            link,
            ui,
            "Clamp indirect",
            "Light that was scattered before is cut to this brightness, in cd/m², 0 to 10000: "
            "fewer bright dots, but a darker picture. At the left end it is off.",
            settings.clamp_indirect);
        unit_row(
            link,
            ui,
            "Regularize",
            "After a rough bounce, glass and mirrors count as at least so rough, 0 to 1: lamps "
            "light through glass and by mirrors without bright dots, but such light is blurred. "
            "0.1 blurs little, 0.3 is usual. The picture is biased. At the left end it is off.",
            link.settings.regularized_roughness,
            false);
        draw_filter(link, ui);
        draw_layers(link, ui);
        flag_row(link,
                 ui,
                 "Transparent film",
                 "The environment lights the scene, but is not seen behind it: saved pictures are "
                 "transparent there.",
                 settings.is_film_transparent);
        flag_row(
            link,
            ui,
            "Backface culling",
            "Faces of materials that are not double sided are not drawn from behind, so that one "
            "looks into a room from outside.",
            settings.has_backface_culling);
    }
    if (begin_part(ui, "Render", "Frame")) {
        draw_frame(session, ui);
    }
    if (begin_part(ui, "Render", "Scheduler and devices")) {
        draw_mode(link, ui);
        draw_policy(link, ui);
        draw_devices(link, ui);
    }
}

}  // namespace weft::app
