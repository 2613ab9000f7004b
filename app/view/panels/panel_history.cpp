// panel_history.cpp — the steps of undo; a click undoes or redoes up to that step.
//
// Interface thread.
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/session.h"
#include "app/view/session/step_words.h"
#include "app/view/session/ui.h"

namespace weft::app {

namespace {

// Undoes or redoes all steps up to this one; the status line names the last one.
void go_to_step(Session& session, Ui& ui, std::size_t wanted) {
    Document& document = session.document;
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
    say_of_edits(ui,
                 session,
                 fmt::format("{}{}: {}",
                             now < before ? "Undone" : "Redone",
                             count == 1 ? "" : fmt::format(", {} steps, the last", count),
                             step_words(document, last)));
}

}  // namespace

void draw_history(Session& session, Ui& ui) {
    const std::size_t done = session.document.done().size();
    const std::size_t undone = session.document.undone().size();
    if (done + undone == 0) {
        faint_text("No steps yet. Ctrl+Z undoes, Ctrl+Shift+Z redoes.");
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
                    : step_words(session.document,
                                 step <= done ? session.document.done()[step - 1]
                                              : session.document.undone()[done + undone - step]);
            ImGui::PushID(k);
            ImGui::PushStyleVar(ImGuiStyleVar_Alpha, step > done ? 0.5F : 1.0F);
            if (ImGui::Selectable(title.c_str(), step == done)) {
                wanted = step;
            }
            ImGui::PopStyleVar();
            ImGui::PopID();
            ui.marks.mark("History/" + std::to_string(step));
            ui.marks.mark("History/" + title);
        }
    }
    clipper.End();
    go_to_step(session, ui, wanted);
}

}  // namespace weft::app
