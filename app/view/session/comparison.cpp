#include "app/view/session/comparison.h"

#include <fmt/format.h>

#include <imgui.h>

namespace weft::app {

void begin_comparison(ViewState& state) {
    CompareState& compare = state.panels.compare;
    state.live->set_paused(true);
    compare.run.begin({.scene = state.scene,
                       .camera = state.camera(),
                       .settings = state.rendered_settings(),
                       .hidden = state.document.context().hidden},
                      state.shown_view(),
                      compare.samples,
                      state.options.threads);
    compare.uploaded = {};
    compare.is_outdated = false;
    state.say(fmt::format("Comparing keyed, unkeyed and embree: {} samples each", compare.samples));
}

void stop_comparison(ViewState& state) {
    state.panels.compare.run.stop();
    state.live->set_paused(state.is_paused);
}

void step_comparison(ViewState& state) {
    CompareState& compare = state.panels.compare;
    if (!state.remembered.has_bottom) {
        compare.look = CompareLook::Small;  // what belongs to the panel goes with it
        if (compare.run.is_running()) {
            stop_comparison(state);
            state.say("The comparison has ended: its panel is closed");
        }
    }
    if (!compare.run.is_running()) {
        return;
    }
    compare.run.step(ImGui::GetTime());
    if (!compare.run.is_running()) {
        stop_comparison(state);
        state.say("The comparison is done");
    }
}

void end_comparison(ViewState& state, bool is_forgotten) {
    CompareState& compare = state.panels.compare;
    if (compare.run.is_running() || is_compared_large(state)) {
        stop_comparison(state);
        state.say("The comparison has ended: the view has changed");
    }
    compare.look = CompareLook::Small;
    if (is_forgotten) {
        compare.run.forget();
    }
    compare.is_outdated = compare.run.has_begun();
}

bool is_compared_large(const ViewState& state) {
    const CompareState& compare = state.panels.compare;
    return compare.look != CompareLook::Small && compare.run.has_begun();
}

}  // namespace weft::app
