#include "app/view/session/comparison.h"

#include <fmt/format.h>

#include <imgui.h>

namespace weft::app {

void begin_comparison(ViewState& state) {
    CompareState& compare = state.panels.compare;
    state.link.live->set_paused(true);
    compare.run.begin({.scene = state.link.scene,
                       .camera = state.session.camera(),
                       .settings = rendered_settings(state.link, state.session.document),
                       .hidden = state.session.document.context().hidden},
                      shown_view(state.link, state.session.document),
                      compare.samples,
                      state.session.options.threads);
    compare.uploaded = {};
    compare.is_outdated = false;
    state.ui.say(
        fmt::format("Comparing keyed, unkeyed and embree: {} samples each", compare.samples));
}

void stop_comparison(RenderLink& link, CompareState& compare) {
    compare.run.stop();
    link.live->set_paused(link.is_paused);
}

void step_comparison(ViewState& state) {
    CompareState& compare = state.panels.compare;
    if (!state.session.remembered.has_bottom) {
        compare.look = CompareLook::Small;  // the overlay closes with the panel
        if (compare.run.is_running()) {
            stop_comparison(state.link, state.panels.compare);
            state.ui.say("The comparison has ended: its panel is closed");
        }
    }
    if (!compare.run.is_running()) {
        return;
    }
    compare.run.step(ImGui::GetTime());
    if (!compare.run.is_running()) {
        stop_comparison(state.link, state.panels.compare);
        state.ui.say("The comparison is done");
    }
}

void end_comparison(RenderLink& link, Ui& ui, CompareState& compare, bool is_forgotten) {
    if (compare.run.is_running() || is_compared_large(compare)) {
        stop_comparison(link, compare);
        ui.say("The comparison has ended: the view has changed");
    }
    compare.look = CompareLook::Small;
    if (is_forgotten) {
        compare.run.forget();
    }
    compare.is_outdated = compare.run.has_begun();
}

bool is_compared_large(const CompareState& compare) {
    return compare.look != CompareLook::Small && compare.run.has_begun();
}

}  // namespace weft::app
