// file_actions.cpp — actions on files: scenes, environments, pictures, edits; and leaving.
#include "app/view/session/choose_files.h"
#include "app/view/session/render_link.h"
#include "app/view/shell/action_lists.h"
#include "app/view/shell/view_files.h"

namespace weft::app {

// clang-format off
Actions file_actions(Session& session, RenderLink& link, Ui& ui) {
    return {
        {"File", kOpenSceneLabel, "ctrl+O", "glTF, OBJ, PLY, ...",
         [&session, &ui] { choose_scene(session, ui); }, nullptr, false, ActionNeeds::Nothing},
        {"File", "Open environment ...", "ctrl+E", "lights the scene with a map",
         [&session, &ui] { choose_environment(session, ui); }},
        {"File", "Save picture as ...", "ctrl+P",
         ".exr .png .hdr .jpg .tif, when every pixel has as many samples",
         [&session, &ui] { choose_picture(session, ui); }, nullptr, true},
        {"File", "Copy render command", "ctrl+shift+C",
         "the `weft render` line that makes this picture, onto the clipboard",
         [&session, &link, &ui] { copy_command(session, link, ui); }},
        {"File", "Save edits", "ctrl+S", "beside the scene; of examples in your data folder",
         [&session, &ui] { save_edits(session, ui); }, nullptr, true},
        {"File", "Save edits as ...", "ctrl+shift+S", "in a file of another name",
         [&session, &ui] { choose_edits_name(session, ui); }},
        {"File", "Read edits ...", "", "makes the changes of a file",
         [&session, &ui] { choose_edits(session, ui); }},
        {"File", "Quit", "ctrl+Q", "leaves, and asks where edits are not saved",
         [&session, &ui] { leave(session, ui); }, nullptr, true, ActionNeeds::Nothing},
    };
}

// clang-format on

}  // namespace weft::app
