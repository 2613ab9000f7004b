// choose_files.h — opens the file chooser for scenes, environment maps, pictures, edits and traces.
//
// Menu, keys, panels and scripts call these; draw_files() (view_files.h) acts on the choice once
// per frame. Interface thread only.
#pragma once

#include <string>
#include <vector>

namespace weft::app {

struct Session;
struct Ui;

// Titles of the chooser, which identify its answers.
inline constexpr const char* kOpenScene = "Open a scene";
inline constexpr const char* kOpenEnvironment = "Light with a map";
inline constexpr const char* kSavePicture = "Save the picture as";
inline constexpr const char* kReadEdits = "Read edits";
inline constexpr const char* kSaveEdits = "Save edits as";
inline constexpr const char* kSaveTrace = "Save the trace as";
inline constexpr const char* kFindMissing = "Folder of the missing pictures";

// Whether a scene is open; if not, the status line says so.
bool has_scene(const Session& session, Ui& ui);

// The first source of the open scene; empty: none is open.
std::string scene_file(const Session& session);

// The file that edits are saved to, unless the person names another.
std::string edits_name(const Session& session);

// Scenes that can be opened by name: those of the scene folders, and procedural ones. Reads the
// file system.
std::vector<std::string> example_scenes();

void choose_scene(const Session& session, Ui& ui);
void choose_missing_folder(const Session& session,
                           Ui& ui);  // the folder to search for missing pictures
void choose_environment(const Session& session, Ui& ui);
void choose_picture(const Session& session, Ui& ui);  // to save
void choose_edits(const Session& session, Ui& ui);    // to read
void choose_edits_name(const Session& session, Ui& ui);
void choose_trace(const Session& session, Ui& ui);  // to save

}  // namespace weft::app
