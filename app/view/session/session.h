// session.h — the open scene with its edits, its files, and the person's settings.
//
// The document owns camera, hidden nodes, section planes and exposure. Interface thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "app/view/background/section_closer.h"
#include "app/view/session/document.h"
#include "app/view/session/document_file.h"
#include "app/view/session/picture_reader.h"
#include "app/view/session/scene_loader.h"
#include "app/view/session/settings_keeper.h"
#include "app/view/session/view_settings.h"

namespace weft::app {

// Files of the open scene, and the pending questions about its edits (view_files.h).
struct FileState {
    std::string bookmarks;               // key of the scene's bookmarks (bookmarks.h)
    std::string edits_file;              // last file of edits read or saved; empty: none yet
    std::string edits_text;              // content of that file at that time
    std::unique_ptr<Autosave> autosave;  // nullptr: no scene was opened yet
    std::string left_behind;  // edits of an earlier session, while the question about them is open
    bool is_leaving = false;  // the question whether to save before leaving is open
};

struct Session {
    RenderOptions options;     // of the command line, then of the open scene
    std::string command_line;  // of the viewer, as headers of pictures name it
    ViewSettings remembered;
    SettingsKeeper settings_keeper;  // writes `remembered`
    SceneLoader loader;
    Document document;
    std::string dragged;  // path of the field whose widget is held: its edits are one step
    FileState files;
    std::vector<MissingPicture> missing;  // of the document's scene
    SectionCloser section;                // of the document's scene
    math::Box bounds;                     // of the whole scene
    PictureReader picture_reader;

    [[nodiscard]] const scene::Camera& camera() const { return document.context().camera; }
};

}  // namespace weft::app
