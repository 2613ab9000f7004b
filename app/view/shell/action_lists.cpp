#include "app/view/shell/action_lists.h"

#include <iterator>
#include <utility>

#include "app/view/shell/view_state.h"

namespace weft::app {

Actions all_actions(ViewState& s) {
    Actions all;
    const auto add = [&all](Actions list) {
        all.insert(
            all.end(), std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
    };
    GizmoTool& tool = s.node_handles.gizmo.tool;
    add(file_actions(s.session, s.link, s.ui));
    add(edit_actions({s.session, s.selection, s.motion, s.ui, tool}));
    add(camera_actions({s.session, s.link, s.selection, s.motion, s.ui, s.node_handles}));
    add(render_actions({s.link, s.selection, s.motion, s.ui, s.comparison}));
    add(picture_actions({s.session, s.link, s.sight, s.ui, s.inspector}));
    add(interface_actions(s.session, s.ui));
    add(measure_actions({s.session, s.link, s.ui, s.heat, s.comparison}));
    add({{"Help",
          "Keys and mouse",
          "F1",
          "this sheet",
          [&ui = s.ui] { ui.is_help_open = !ui.is_help_open; },
          [&ui = s.ui] { return ui.is_help_open; },
          false,
          ActionNeeds::Nothing}});
    return all;
}

}  // namespace weft::app
