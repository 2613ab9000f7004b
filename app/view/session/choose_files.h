// choose_files.h — opens the file chooser for scenes, environment maps, pictures, edits and traces.
//
// Menu, keys, panels and scripts call these; what is chosen is done once per frame by draw_files()
// (view_files.h). Interface thread only.
#pragma once

#include <string>
#include <vector>

#include "app/view/session/view_state.h"

namespace weft::app {

// Titles of the chooser, by which its answers are told apart.
inline constexpr const char* kOpenScene = "Open a scene";
inline constexpr const char* kOpenEnvironment = "Light with a map";
inline constexpr const char* kSavePicture = "Save the picture as";
inline constexpr const char* kReadEdits = "Read edits";
inline constexpr const char* kSaveEdits = "Save edits as";
inline constexpr const char* kSaveTrace = "Save the trace as";
inline constexpr const char* kFindMissing = "Folder of the missing pictures";

// Where no scene is open: false, and the status line says so.
bool has_scene(Session& session, Ui& ui);

// The first source of the scene that is open; empty: none is.
std::string scene_file(const Session& session);

// Where its edits are saved, unless the person names another file.
std::string edits_name(const Session& session);

// Scenes that are opened by a name alone: those of the scene folders, and procedural ones. Reads
// the file system.
std::vector<std::string> example_scenes();

void choose_scene(ViewState& state);
void choose_missing_folder(Session& session, Ui& ui);  // where missing pictures are looked for
void choose_environment(ViewState& state);
void choose_picture(ViewState& state);  // to save
void choose_edits(ViewState& state);    // to read
void choose_edits_name(ViewState& state);
void choose_trace(Session& session, Ui& ui);  // to save

}  // namespace weft::app
