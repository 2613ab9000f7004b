// gltf_json.h — the container of a glTF file: a .gltf text or a .glb split into its JSON and its
// binary chunk.
//
// The one place of the glTF importer that sees the raw file. Refuses a truncated file, text that is
// no JSON, and nesting so deep that recursive readers would run out of stack. Any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/scene/files/json_text.h"
#include "engine/scene/gltf/gltf_bytes.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene::gltf {

struct Container {
    std::string path;
    std::string folder;          // of `path`, with its last slash, or empty
    std::shared_ptr<Json> json;  // an object
    Bytes file;                  // the bytes that `binary` points into
    std::span<const u8> binary;  // the BIN chunk; empty where there is none
};

base::Result<Container> read_container(const std::string& path,
                                       const std::shared_ptr<GeometryFile>& maybe_file);

// The text of a member; empty where there is none.
std::string text_at(const Json& object, const char* key);

// "FILE: /nodes/3/mesh WHAT", of kind ErrorKind::Scene.
base::Error scene_error(const std::string& path,
                        const std::string& pointer,
                        const std::string& what);

}  // namespace weft::scene::gltf
