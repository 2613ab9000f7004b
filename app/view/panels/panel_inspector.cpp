#include "app/view/panels/panel_inspector.h"

#include <algorithm>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"
#include "app/view/session/ui.h"
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

std::optional<SeenPixel> pixel_at_mouse(const InspectedPictures& pictures) {
    const frame::RenderSettings& settings = pictures.link.settings;
    const PicturePlace& place = pictures.sight.place;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!ImGui::IsMousePosValid() || !place.holds(mouse.x, mouse.y)) {
        return std::nullopt;
    }
    if (const auto compared = pictures.overlay.pixel_at(mouse.x, mouse.y)) {
        return SeenPixel{compared->x, compared->y, compared->mode};
    }
    const auto pixel = [](float at, float begin, float size, u32 count) {
        return std::min(static_cast<u32>((at - begin) / size * static_cast<float>(count)),
                        count - 1);
    };
    return SeenPixel{pixel(mouse.x, place.x, place.width, settings.width),
                     pixel(mouse.y, place.y, place.height, settings.height),
                     std::nullopt};
}

// The renderer of a mode, or of the picture; nullptr before a mode's first turn.
std::shared_ptr<const live::LiveRender> renderer_of(const InspectedPictures& pictures,
                                                    const std::optional<u32>& mode) {
    return mode ? pictures.comparison.run.variants()[*mode].live
                : std::shared_ptr<const live::LiveRender>(std::shared_ptr<void>(),
                                                          pictures.link.live.get());
}

InspectedFrame inspected_frame(const InspectedPictures& pictures, const std::optional<u32>& mode) {
    const live::LiveStatus& status =
        mode ? pictures.comparison.run.variants()[*mode].status : pictures.link.status;
    return {mode, status.samples_done, status.prepared_job};
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
void draw_object(const RenderLink& link, Ui& ui, const trace::FirstSurface& first) {
    const scene::Scene& scene = *link.scene;
    if (first.instance < scene.instances.size()) {
        const scene::Instance& instance = scene.instances[first.instance];
        const std::string& material = scene.materials[instance.material].name;
        tell_row("Object", scene::present_name(scene, instance));
        tell_row("Material", material);
        ui.marks.mark("Inspector/Material " + material);
    }
}

std::vector<float> values_of(const trace::FirstSurface& first, film::Aov layer) {
    if (layer == film::Aov::Depth) {
        return {static_cast<float>(first.depth_m)};
    }
    if (layer == film::Aov::Instance) {
        return {static_cast<float>(first.instance)};
    }
    const auto& three = layer == film::Aov::Albedo   ? first.albedo
                        : layer == film::Aov::Normal ? first.normal
                                                     : first.position;
    return {
        static_cast<float>(three[0]), static_cast<float>(three[1]), static_cast<float>(three[2])};
}

// Draws every layer that a film can keep: its mean if the film keeps it, else the first sample's
// value.
void draw_aovs(Ui& ui, const live::PixelReport& report) {
    for (const film::Aov layer : film::kSurfaceAovs) {
        const auto kept =
            std::find_if(report.aovs.begin(), report.aovs.end(), [&](const live::AovMean& mean) {
                return mean.aov == layer;
            });
        const bool is_kept = kept != report.aovs.end();
        const std::string value = is_kept ? joined(kept->values)
                                  : report.first_surface
                                      ? joined(values_of(*report.first_surface, layer))
                                      : "nothing is there";
        tell_row(film::aov_name(layer),
                 value,
                 is_kept ? "The mean of all samples"
                         : "Of sample 0; the mean of all is kept once the layer was shown");
        mark_row(ui, "Inspector", film::aov_name(layer));
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

void InspectorPanel::follow() {
    std::optional<u32> mode = seen_.mode;
    const bool is_hidden = !is_held && !pictures_.comparison.is_large();
    if (is_hidden || !pictures_.comparison.run.has_begun()) {
        mode.reset();
    }
    if (!is_held) {
        if (const auto pixel = pixel_at_mouse(pictures_)) {
            watch_.watch(pixel->x, pixel->y);
            mode = pixel->mode;
        }
    }
    const InspectedFrame frame = inspected_frame(pictures_, mode);
    if (seen_ != frame) {
        seen_ = frame;
        watch_.renew();
    }
    watch_.poll(renderer_of(pictures_, mode));
}

void InspectorPanel::draw() {
    if (!pictures_.link.live) {
        return;
    }
    follow();
    const auto& wanted = watch_.wanted();
    if (!wanted) {
        tell_row("Pixel", "move over the picture");
        return;
    }
    tell_row("Pixel", fmt::format("{}, {}", wanted->first, wanted->second));
    same_line_if_fits(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x +
                      ImGui::CalcTextSize("Hold (I)").x);
    ImGui::Checkbox("Hold (I)", &is_held);
    ui_.marks.mark("Inspector/Hold");
    if (seen_.mode) {
        const char* const mode = pictures_.comparison.run.variants()[*seen_.mode].name;
        tell_row("Mode", mode);
        ui_.marks.mark(std::string("Inspector/Mode ") + mode);
    }
    if (const auto& report = watch_.report()) {
        draw_light(*report);
        draw_aovs(ui_, *report);
        if (report->first_surface && pictures_.link.scene != nullptr) {
            draw_object(pictures_.link, ui_, *report->first_surface);
        }
        draw_path(ui_, *report);
    }
}

}  // namespace weft::app
