// edit_file.h — edits in a small JSON file. A scene file has SCENE.weft-edits.json beside it;
// example and procedural scenes have theirs in the user's data folder.
//
//     {"weft_edits": 1, "scene": "room.glb",
//      "edits": [{"path": "materials/Floor/roughness", "value": 0.2}, ...]}
//
// File names inside are relative to the edit file's folder. The viewer writes edit files; the
// viewer and `weft render --edits` read them. A file is written whole or not at all. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/edit/edit.h"
#include "scheduler/base/result.h"

namespace weft::app {

struct EditFile {
    std::string scene;  // the SCENE argument that the edits belong to
    std::vector<scene::Edit> edits;
};

// Whether a SCENE argument names a file. Other arguments are procedural:… or the name of an example
// scene; they mean the same in every folder.
bool is_scene_file(const std::string& scene);

// Returns a name that means the same in every folder: the absolute path if is_scene_file(), else
// `scene`.
std::string whole_scene_name(const std::string& scene);

// Returns a text's 64-bit FNV-1a hash in hexadecimal digits, for names of files.
std::string hash_digits(const std::string& text);

// Returns the path of the edit file of scenes that are open together, at least one. For a scene
// file it is SCENE.weft-edits.json; for other scenes it lies in $XDG_DATA_HOME/weft/edits (or
// ~/.local/share/weft/edits), which may not exist yet. Several scenes have a file of their own
// beside the first one, SCENE+HASH.weft-edits.json, by the others' names as seen from there.
std::string default_edit_file(const std::vector<std::string>& scenes);

// Errors begin with the file's name and a JSON pointer to the wrong value.
base::Result<EditFile> read_edit_file(const std::string& path);

base::Status write_edit_file(const std::string& path, const EditFile& file);

// Applies all edits of the file. On error, leaves the scene and the context unchanged.
base::Status apply_edit_file(const std::string& path,
                             scene::Scene& scene,
                             scene::EditContext& context);

// Returns the edits with new picture names. Names in `edits` are relative to the folder `from`
// (empty: the current folder); returned names are relative to the folder `to`, or absolute for
// pictures outside of it.
std::vector<scene::Edit> with_files_from(const std::vector<scene::Edit>& edits,
                                         const std::string& from,
                                         const std::string& to);

// Returns the edits with absolute picture names, which are valid in every folder.
//
// Both functions keep names that are no file, such as those of pictures inside a GLB.
std::vector<scene::Edit> with_whole_files(const std::vector<scene::Edit>& edits,
                                          const std::string& from);

// Returns the absolute names of all pictures that the edits name and that are files.
std::vector<std::string> picture_files(const std::vector<scene::Edit>& edits,
                                       const std::string& from);

}  // namespace weft::app
