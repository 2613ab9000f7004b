#include "app/view/session/comparison.h"

#include <fmt/format.h>

#include <imgui.h>

#include "app/view/session/render_link.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"

namespace weft::app {

void begin_comparison(const Session& session, RenderLink& link, Ui& ui, Comparison& comparison) {
    link.live->set_paused(true);
    comparison.run.begin(
        {.scene = link.scene,
         .camera = session.camera(),
         .settings = rendered_settings(link, session.document),
         .hidden = scene::hidden_names(session.document.scene(), session.document.context())},
        shown_view(link, session.document),
        comparison.samples,
        session.options.threads);
    comparison.uploaded = {};
    comparison.is_outdated = false;
    const bool has_pages = link.settings.geometry_memory_bytes != 0;
    ui.say(fmt::format("Comparing keyed{}: {} samples each{}",
                       has_pages ? " and unkeyed" : ", unkeyed and embree",
                       comparison.samples,
                       has_pages ? "; Embree needs the whole tree in memory" : ""));
}

void stop_comparison(RenderLink& link, Comparison& comparison) {
    comparison.run.stop();
    link.live->set_paused(link.is_paused);
}

void step_comparison(RenderLink& link, Ui& ui, Comparison& comparison, bool is_panel_open) {
    if (!is_panel_open) {
        comparison.look = CompareLook::Small;  // the overlay closes with the panel
        if (comparison.run.is_running()) {
            stop_comparison(link, comparison);
            ui.say("The comparison has ended: its panel is closed");
        }
    }
    if (!comparison.run.is_running()) {
        return;
    }
    comparison.run.step(ImGui::GetTime());
    if (!comparison.run.is_running()) {
        stop_comparison(link, comparison);
        ui.say("The comparison is done");
    }
}

void end_comparison(RenderLink& link, Ui& ui, Comparison& comparison, bool is_forgotten) {
    if (comparison.run.is_running() || comparison.is_large()) {
        stop_comparison(link, comparison);
        ui.say("The comparison has ended: the view has changed");
    }
    comparison.look = CompareLook::Small;
    if (is_forgotten) {
        comparison.run.forget();
    }
    comparison.is_outdated = comparison.run.has_begun();
}

const PictureTexture* compared_picture(Comparison& comparison, u32 index) {
    const CompareRun::Variant& variant = comparison.run.variants()[index];
    if (variant.picture_version == 0) {
        return nullptr;
    }
    if (!comparison.textures[index]) {
        comparison.textures[index] = std::make_unique<PictureTexture>();
    }
    PictureTexture& texture = *comparison.textures[index];
    if (comparison.uploaded[index] != variant.picture_version) {
        comparison.uploaded[index] = variant.picture_version;
        texture.upload(variant.picture.width, variant.picture.height, variant.picture.rgba, true);
    }
    return &texture;
}

}  // namespace weft::app
