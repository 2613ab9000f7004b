// scene_folders.h — the folders that are searched for a scene with a bare name such as `cornell`.
//
// In this order: ./scenes, each folder of the environment variable WEFT_SCENE_PATH (separated by
// colons), the scenes/ that come with the program (base::shared_path()). Reads the file system
// only. Any thread.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/result.h"

namespace weft::scene {

std::vector<std::string> scene_folders();

// Names of all scenes in those folders, sorted, each once.
std::vector<std::string> scene_names();

// The file that `source` means: itself if it exists or is written as a path, else a scene of that
// name.
base::Result<std::string> find_scene(const std::string& source);

}  // namespace weft::scene
