#include "app/view/session/ui.h"

#include "app/view/session/selection.h"
#include "app/view/session/session.h"

namespace weft::app {

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
