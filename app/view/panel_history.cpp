// panel_history.cpp — what was done, step by step; a click goes back or forth to there.
//
// Interface thread.
#include <algorithm>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/object_name.h"
#include "app/view/panel_rows.h"
#include "app/view/panels.h"
#include "app/view/step_words.h"

namespace weft::app {

namespace {

// A value as a few words: of a list of planes how many there are.
std::string value_title(const scene::Edit& edit) {
    if (edit.path == "view/clip_planes") {
        return fmt::format("{}", std::count(edit.value.begin(), edit.value.end(), '[') - 1);
    }
    return edit.value.size() > 24 ? edit.value.substr(0, 22) + "…" : edit.value;
}

// "Oak: roughness 0.25"; of several edits as the status line tells them.
std::string step_title(const Document& document, const Document::Step& step) {
    if (step.gesture != 0 || step.edits.size() > 1) {
        return step_words(document, step);
    }
    const scene::Edit& edit = step.edits.front();
    const std::string name = shown_name(edit.path);
    const std::size_t slash = name.rfind('/');
    std::string title =
        slash == std::string::npos ? name : name.substr(0, slash) + ": " + name.substr(slash + 1);
    if (family_of(edit.path) == "environment" || family_of(edit.path) == "camera" ||
        family_of(edit.path) == "frame" || family_of(edit.path) == "view") {
        title = std::string(family_of(edit.path)) + ": " + name;
    }
    if (edit.value == "null") {
        return title + "  removed";
    }
    if (edit.value.starts_with('{')) {
        return title + (step.inverses.front().value == "null" ? "  added" : "  changed");
    }
    return title + "  " + value_title(edit);
}

// There may be many steps between: what was done or undone last is told.
void go_to_step(ViewState& state, std::size_t wanted) {
    Document& document = state.document;
    const std::size_t before = document.done().size();
    while (document.done().size() > wanted && document.undo()) {
    }
    while (document.done().size() < wanted && document.redo()) {
    }
    const std::size_t now = document.done().size();
    if (now == before) {
        return;
    }
    const std::size_t count = now < before ? before - now : now - before;
    const Document::Step& last = now < before ? document.undone().back() : document.done().back();
    state.say(fmt::format("{}{}: {}",
                          now < before ? "undone" : "done again",
                          count == 1 ? "" : fmt::format(", {} steps, the last", count),
                          step_words(document, last)));
}

}  // namespace

void draw_history(ViewState& state) {
    const std::size_t done = state.document.done().size();
    const std::size_t undone = state.document.undone().size();
    if (done + undone == 0) {
        faint_text("Nothing was changed yet. Ctrl+Z undoes, Ctrl+Shift+Z does again.");
        return;
    }
    std::size_t wanted = done;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(done + undone + 1));
    while (clipper.Step()) {
        for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
            const auto step = static_cast<std::size_t>(k);
            const std::string title =
                step == 0
                    ? "As in the file"
                    : step_title(state.document,
                                 step <= done ? state.document.done()[step - 1]
                                              : state.document.undone()[done + undone - step]);
            ImGui::PushID(k);
            ImGui::PushStyleVar(ImGuiStyleVar_Alpha, step > done ? 0.5F : 1.0F);
            if (ImGui::Selectable(title.c_str(), step == done)) {
                wanted = step;
            }
            ImGui::PopStyleVar();
            ImGui::PopID();
            state.marks.mark("History/" + std::to_string(step));
            state.marks.mark("History/" + title);
        }
    }
    clipper.End();
    go_to_step(state, wanted);
}

}  // namespace weft::app
