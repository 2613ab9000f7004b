// file_kinds.h — the endings of the files that options and the viewer's chooser offer first.
//
// Offers, not limits: the readers decide by a file's content what they read.
#pragma once

#include <string>
#include <vector>

namespace weft::app {

inline std::vector<std::string> scene_endings() {
    return {".gltf", ".glb", ".obj", ".ply", ".stl", ".fbx", ".dae", ".3ds", ".pbrt", ".xml"};
}

inline std::vector<std::string> environment_endings() {
    return {".hdr", ".exr", ".png", ".jpg", ".jpeg"};
}

// Pictures that the program writes.
inline std::vector<std::string> picture_endings() {
    return {".exr", ".png", ".hdr", ".jpg", ".tif"};
}

}  // namespace weft::app
