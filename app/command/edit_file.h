// edit_file.h — edits in a small JSON file: SCENE.weft-edits.json, beside a scene's file; those of
// example and procedural scenes lie in the user's data folder.
//
//     {"weft_edits": 1, "scene": "room.glb",
//      "edits": [{"path": "materials/Floor/roughness", "value": 0.2}, ...]}
//
// Names of files inside are relative to the file's own folder. Written by the viewer, read by it
// and by `weft render --edits`. Files appear whole or not at all. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/edit/edit.h"
#include "scheduler/base/result.h"

namespace weft::app {

struct EditFile {
    std::string scene;  // the SCENE that it was made for, as it was opened
    std::vector<scene::Edit> edits;
};

// Whether a SCENE argument is written as a file. Otherwise it is procedural:… or the name of an
// example scene, which means the same in every folder.
bool is_scene_file(const std::string& scene);

// The scene by a name that is the same in every folder: its whole path where is_scene_file().
std::string whole_scene_name(const std::string& scene);

// Where edits of a scene are saved: SCENE.weft-edits.json; where it is no file, in the folder
// $XDG_DATA_HOME/weft/edits (or ~/.local/share/weft/edits), which may not exist yet.
std::string default_edit_file(const std::string& scene);

// Sentences begin with the file and the JSON pointer of what is wrong.
base::Result<EditFile> read_edit_file(const std::string& path);

base::Status write_edit_file(const std::string& path, const EditFile& file);

// Makes all changes of the file; on error the scene and the context are as they were.
base::Status apply_edit_file(const std::string& path,
                             scene::Scene& scene,
                             scene::EditContext& context);

// The same edits with the names of pictures, which lie relative to `from` (empty: the current
// folder), made relative to the folder `to`, or absolute where they are outside of it.
std::vector<scene::Edit> with_files_from(const std::vector<scene::Edit>& edits,
                                         const std::string& from,
                                         const std::string& to);

// The same edits with the names of pictures made whole, to be read wherever one is.
std::vector<scene::Edit> with_whole_files(const std::vector<scene::Edit>& edits,
                                          const std::string& from);

}  // namespace weft::app
