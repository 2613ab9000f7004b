#include "app/view/session/ui.h"

#include <fmt/format.h>

#include "app/view/session/render_link.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"

namespace weft::app {

bool refuse_with_pages(Ui& ui, const RenderLink& link, std::string_view what) {
    if (link.settings.geometry_memory_bytes == 0) {
        return false;
    }
    ui.say(fmt::format(
        "{} needs the whole tree in memory: open the scene without --geometry-memory", what));
    return true;
}

void say_of_edits(Ui& ui, const Session& session, std::string text) {
    ui.say_while(std::move(text), [&session, number = session.document.state_number()] {
        return session.document.state_number() == number;
    });
}

void say_of_view(Ui& ui, const Session& session, const Selection& selection, std::string text) {
    ui.say_while(std::move(text),
                 [&session,
                  &selection,
                  steps = session.document.done().size(),
                  place = session.camera().to_world,
                  selected = selection.path] {
                     return session.document.done().size() == steps &&
                            session.camera().to_world == place && selection.path == selected;
                 });
}

}  // namespace weft::app
