// scene_kinds.h — the kinds of scene files, by the reader that takes them: endings in small
// letters.
//
// For import.cpp, which chooses the reader, and for sentences on files that no reader takes. Any
// thread.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace weft::scene {

inline constexpr std::array<std::string_view, 2> kGltfKinds = {"gltf", "glb"};
inline constexpr std::string_view kPbrtKind = "pbrt";  // packed with gzip as well
inline constexpr std::string_view kMitsubaKind = "xml";
// Assimp tries some more.
inline constexpr std::array<std::string_view, 22> kAssimpKinds = {
    "obj", "ply", "stl", "off", "fbx", "dae",  "3ds", "3mf",   "amf", "x3d", "x",
    "ac",  "ase", "b3d", "lwo", "lws", "ms3d", "nff", "blend", "ifc", "md3", "md5mesh"};

template <typename Kinds>
bool is_kind(const Kinds& kinds, std::string_view extension) {
    return std::find(kinds.begin(), kinds.end(), extension) != kinds.end();
}

// ".gltf, .glb, .pbrt, .xml of Mitsuba, .obj, ...": all that Weft reads.
inline std::string list_of_kinds() {
    std::string list;
    const auto add = [&list](std::string_view kind) {
        list += (list.empty() ? "." : ", .") + std::string(kind);
    };
    std::for_each(kGltfKinds.begin(), kGltfKinds.end(), add);
    add(kPbrtKind);
    add(kMitsubaKind);
    list += " of Mitsuba";
    std::for_each(kAssimpKinds.begin(), kAssimpKinds.end(), add);
    return list;
}

}  // namespace weft::scene
