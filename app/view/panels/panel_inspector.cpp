// panel_inspector.cpp — one pixel: its radiance, all its AOVs, and the path of its first sample.
//
// Follows the mouse over the picture; I (or the button) locks it in place. Another thread makes the
// report (pixel_watch.h). Interface thread.
#include <algorithm>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/viewport/compare_overlay.h"
#include "app/view/window/theme.h"
#include "engine/live/layer_colours.h"

namespace weft::app {

namespace {

// The pixel under the mouse, and the picture that it belongs to.
struct SeenPixel {
    u32 x = 0;
    u32 y = 0;
    std::optional<u32> mode;  // of a comparison over the picture
};

std::optional<SeenPixel> pixel_at_mouse(const RenderLink& link,
                                        const PictureSight& sight,
                                        const CompareState& compare) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!ImGui::IsMousePosValid() || !sight.place.holds(mouse.x, mouse.y)) {
        return std::nullopt;
    }
    if (const auto compared = compared_pixel(sight, compare, mouse.x, mouse.y)) {
        return SeenPixel{compared->x, compared->y, compared->mode};
    }
    const float x = (mouse.x - sight.place.x) / sight.place.width;
    const float y = (mouse.y - sight.place.y) / sight.place.height;
    const auto last = [](u32 count) { return count - 1; };
    return SeenPixel{std::min(static_cast<u32>(x * static_cast<float>(link.settings.width)),
                              last(link.settings.width)),
                     std::min(static_cast<u32>(y * static_cast<float>(link.settings.height)),
                              last(link.settings.height)),
                     std::nullopt};
}

// The renderer of a mode, or of the picture; nullptr before a mode's first turn.
std::shared_ptr<const live::LiveRender> renderer_of(const RenderLink& link,
                                                    const CompareState& compare,
                                                    const std::optional<u32>& mode) {
    return mode ? compare.run.variants()[*mode].live
                : std::shared_ptr<const live::LiveRender>(std::shared_ptr<void>(), link.live.get());
}

InspectedFrame inspected_frame(const RenderLink& link,
                               const CompareState& compare,
                               const std::optional<u32>& mode) {
    const live::LiveStatus& status = mode ? compare.run.variants()[*mode].status : link.status;
    return {mode, status.samples_done, status.prepared_job};
}

void follow(RenderLink& link, PictureSight& sight, PanelState& panels) {
    InspectorState& inspector = panels.inspector;
    std::optional<u32> mode = inspector.seen.mode;
    const bool is_hidden = !inspector.is_held && !is_compared_large(panels.compare);
    if (is_hidden || !panels.compare.run.has_begun()) {
        mode.reset();
    }
    if (!inspector.is_held) {
        if (const auto pixel = pixel_at_mouse(link, sight, panels.compare)) {
            inspector.watch.watch(pixel->x, pixel->y);
            mode = pixel->mode;
        }
    }
    const InspectedFrame frame = inspected_frame(link, panels.compare, mode);
    if (inspector.seen != frame) {
        inspector.seen = frame;
        inspector.watch.renew();
    }
    inspector.watch.poll(renderer_of(link, panels.compare, mode));
}

std::string joined(const std::vector<float>& values) {
    std::string text;
    for (const float value : values) {
        text += fmt::format("{}{:.4g}", text.empty() ? "" : "   ", value);
    }
    return text;
}

void draw_light(const live::PixelReport& report) {
    if (!report.has_light) {
        tell_row("Light", "not rendered yet: a layer is shown");
        return;
    }
    const auto& [red, green, blue, alpha] = report.radiance;
    tell_row("Light", fmt::format("{:.4g}   {:.4g}   {:.4g}", red, green, blue));
    const float luminance = 0.2126F * red + 0.7152F * green + 0.0722F * blue;
    tell_row("Luminance", fmt::format("{:.4g} cd/m²", luminance));
    tell_row("Alpha", fmt::format("{:.4g}", alpha));
    tell_row("Samples", fmt::format("{}", report.samples));
}

// Draws the names of the first surface.
void draw_object(RenderLink& link, Ui& ui, const trace::FirstSurface& first) {
    const scene::Scene& scene = *link.scene;
    if (first.instance < scene.instances.size()) {
        const scene::Instance& instance = scene.instances[first.instance];
        const std::string& material = scene.materials[instance.material].name;
        tell_row("Object", instance.node);
        tell_row("Material", material);
        ui.marks.mark("Inspector/Material " + material);
    }
}

std::vector<float> values_of(const trace::FirstSurface& first, std::string_view layer) {
    if (layer == "depth") {
        return {static_cast<float>(first.depth_m)};
    }
    if (layer == "instance") {
        return {static_cast<float>(first.instance)};
    }
    const auto& three = layer == "albedo"   ? first.albedo
                        : layer == "normal" ? first.normal
                                            : first.position;
    return {
        static_cast<float>(three[0]), static_cast<float>(three[1]), static_cast<float>(three[2])};
}

// Draws every layer that a film can keep: its mean if the film keeps it, else the first sample's
// value.
void draw_aovs(Ui& ui, const live::PixelReport& report) {
    for (const char* const layer : live::kLayers) {
        const auto kept = std::find_if(report.aovs.begin(),
                                       report.aovs.end(),
                                       [&](const auto& aov) { return aov.first == layer; });
        const bool is_kept = kept != report.aovs.end();
        const std::string value = is_kept ? joined(kept->second)
                                  : report.first_surface
                                      ? joined(values_of(*report.first_surface, layer))
                                      : "nothing is there";
        tell_row(layer,
                 value,
                 is_kept ? "The mean of all samples"
                         : "Of sample 0; the mean of all is kept once the layer was shown");
        mark_row(ui, "Inspector", layer);
    }
}

void draw_path(Ui& ui, const live::PixelReport& report) {
    ImGui::Separator();
    ImGui::TextUnformatted("Path of sample 0");
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize("Copy").x - 14);
    if (ImGui::SmallButton("Copy")) {
        std::string text;
        for (const std::string& event : report.path) {
            text += event + '\n';
        }
        ImGui::SetClipboardText(text.c_str());
        ui.say("The path is on the clipboard");
    }
    ui.marks.mark("Inspector/Copy");
    ImGui::BeginChild("path", ImVec2(0, 0), true);
    for (std::size_t k = 0; k < report.path.size(); ++k) {
        ImGui::TextDisabled("%2zu", k);
        ImGui::SameLine();
        draw_lines(report.path[k]);
    }
    ImGui::EndChild();
}

}  // namespace

void draw_inspector(ViewState& state) {
    if (!state.link.live) {
        return;
    }
    InspectorState& inspector = state.panels.inspector;
    follow(state.link, state.sight, state.panels);
    const auto& wanted = inspector.watch.wanted();
    if (!wanted) {
        tell_row("Pixel", "move over the picture");
        return;
    }
    tell_row("Pixel", fmt::format("{}, {}", wanted->first, wanted->second));
    same_line_if_fits(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x +
                      ImGui::CalcTextSize("Hold (I)").x);
    ImGui::Checkbox("Hold (I)", &inspector.is_held);
    state.ui.marks.mark("Inspector/Hold");
    if (inspector.seen.mode) {
        const char* const mode = state.panels.compare.run.variants()[*inspector.seen.mode].name;
        tell_row("Mode", mode);
        state.ui.marks.mark(std::string("Inspector/Mode ") + mode);
    }
    if (inspector.watch.report()) {
        draw_light(*inspector.watch.report());
        draw_aovs(state.ui, *inspector.watch.report());
        if (inspector.watch.report()->first_surface && state.link.scene != nullptr) {
            draw_object(state.link, state.ui, *inspector.watch.report()->first_surface);
        }
        draw_path(state.ui, *inspector.watch.report());
    }
}

}  // namespace weft::app
