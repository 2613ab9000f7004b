#include "app/view/session/choose_files.h"

#include <filesystem>

#include "app/command/edit_file.h"
#include "app/command/file_kinds.h"
#include "app/view/session/saved_targets.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "engine/film/image_file.h"
#include "engine/scene/files/scene_folders.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;

// "kitchen.exr" beside kitchen.glb.
std::string beside_scene(const Session& session, const std::string& ending) {
    const fs::path scene = scene_file(session);
    const std::string stem = scene.empty() ? "weft" : scene.stem().string();
    return (scene.parent_path() / (stem + ending)).string();
}

}  // namespace

bool has_scene(const Session& session, Ui& ui) {
    if (!session.document.is_open()) {
        ui.say_while("No scene is open", [&session] { return !session.document.is_open(); });
    }
    return session.document.is_open();
}

std::string scene_file(const Session& session) {
    return session.options.scenes.empty() ? std::string() : session.options.scenes.front();
}

// The file that edits are saved to unless the person names another.
std::string edits_name(const Session& session) {
    return session.files.edits_file.empty() ? default_edit_file(session.options.scenes)
                                            : session.files.edits_file;
}

std::vector<std::string> example_scenes() {
    std::vector<std::string> names = scene::scene_names();
    for (const char* const name :
         {"procedural:rubble:100K", "procedural:terrain:100K", "procedural:spheres:100K"}) {
        names.emplace_back(name);
    }
    return names;
}

void choose_scene(const Session& session, Ui& ui) {
    ui.chooser.open({.purpose = kOpenScene,
                     .subject = "scene",
                     .endings = scene_endings(),
                     .near_file = scene_file(session),
                     .names = example_scenes()});
}

void choose_missing_folder(const Session& session, Ui& ui) {
    ui.chooser.open({.purpose = kFindMissing,
                     .kind = FileWish::Kind::Folder,
                     .subject = "missing",
                     .endings = {".png",
                                 ".jpg",
                                 ".jpeg",
                                 ".webp",
                                 ".tga",
                                 ".bmp",
                                 ".tif",
                                 ".tiff",
                                 ".exr",
                                 ".hdr",
                                 ".dds"},
                     .near_file = scene_file(session)});
}

void choose_environment(const Session& session, Ui& ui) {
    if (has_scene(session, ui)) {
        ui.chooser.open({.purpose = kOpenEnvironment,
                         .subject = "environment",
                         .endings = environment_endings(),
                         .near_file = session.document.scene().environment.name});
    }
}

void choose_picture(const Session& session, Ui& ui) {
    if (has_scene(session, ui)) {
        ui.chooser.open({.purpose = kSavePicture,
                         .kind = FileWish::Kind::Save,
                         .subject = "picture",
                         .endings = picture_endings(),
                         .near_file = beside_scene(session, ".exr"),
                         .check = [&session](const std::string& path) -> base::Status {
                             WEFT_TRY(check_picture_place(session, path));
                             return film::check_image_target(path,
                                                             pick_image_config(session.options));
                         }});
    }
}

void choose_trace(const Session& session, Ui& ui) {
    ui.chooser.open({.purpose = kSaveTrace,
                     .kind = FileWish::Kind::Save,
                     .subject = "trace",
                     .endings = {".json"},
                     .near_file = beside_scene(session, "-trace.json"),
                     .check = [&session](const std::string& path) {
                         return check_json_place(session, "the trace", path);
                     }});
}

void choose_edits(const Session& session, Ui& ui) {
    if (has_scene(session, ui)) {
        ui.chooser.open({.purpose = kReadEdits,
                         .subject = "edits",
                         .endings = {".json"},
                         .near_file = edits_name(session)});
    }
}

void choose_edits_name(const Session& session, Ui& ui) {
    if (has_scene(session, ui)) {
        ui.chooser.open({.purpose = kSaveEdits,
                         .kind = FileWish::Kind::Save,
                         .subject = "edits",
                         .endings = {".json"},
                         .near_file = edits_name(session),
                         .check = [&session](const std::string& path) {
                             return check_json_place(session, "the edits", path);
                         }});
    }
}

}  // namespace weft::app
