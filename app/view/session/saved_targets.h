// saved_targets.h — refuses to save over a file that the open scene is read from.
//
// Reads the file system and changes nothing. Interface thread only.
#pragma once

#include <string>

#include "scheduler/base/result.h"

namespace weft::app {

struct Session;

// Error: the picture would replace a file of a scene, a picture, an environment map, edits or an
// OCIO config in use, through any spelling and any link.
base::Status check_picture_place(const Session& session, const std::string& path);

// The same for `what` ("the edits") in a JSON file: it may replace edits, and its name must end in
// .json and be one that can be written.
base::Status check_json_place(const Session& session,
                              const std::string& what,
                              const std::string& path);

}  // namespace weft::app
