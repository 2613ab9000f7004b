// scene_folders.h — the folders that are searched for a scene that is no file, such as `cornell` or
// `attic.obj`.
//
// In this order: ./scenes, each folder of the environment variable WEFT_SCENE_PATH (separated by
// colons), the scenes/ that come with the program (base::shared_path()). The first folder that has
// the scene wins, so that a person's scenes can replace those of the program. Reads the file system
// only. Any thread.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/result.h"

namespace weft::scene {

std::vector<std::string> scene_folders();

// Names of all scenes in those folders, sorted, each once.
std::vector<std::string> scene_names();

// The file that `source` means: itself if it exists or has a slash, else the scene of that name,
// with or without its ending. Error: none has this name, or a folder has it as .gltf and as .glb.
base::Result<std::string> find_scene(const std::string& source);

}  // namespace weft::scene
