// gltf_document.h — a glTF file ready to be read: checked JSON, the typed core (tinygltf), and
// where all bytes lie.
//
// tinygltf sees the structure alone: buffers, buffer views' bytes and images are resolved here,
// because its own readers trust offsets. Extension objects are read from `json`. Made by
// open_document() on the importer's thread, then read-only and shared with its workers. Private to
// the glTF importer.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tiny_gltf.h>
#include <vector>

#include "engine/scene/files/asset_root.h"
#include "engine/scene/gltf/gltf_json.h"

namespace weft::scene::gltf {

// The bytes of one buffer view, unpacked where it was compressed. `stride` 0: tightly packed. A
// view that cannot be had is an error only where it is needed: `fault` is that error's sentence,
// else empty.
struct View {
    std::span<const u8> bytes;
    u64 stride = 0;
    std::string fault;
};

// Where the packed bytes of a picture are, or the file that they must be read from.
struct ImageSource {
    std::string name;  // for sentences: file, or "FILE: /images/3"
    std::string file;  // empty: `bytes` holds them
    std::span<const u8> bytes;
    std::string label;  // what the document calls one that lies in it
    std::string fault;  // not empty: the sentence that says why there are no bytes
};

struct Document {
    Container container;
    tinygltf::Model model;
    std::vector<std::vector<u8>> storage;  // everything that did not lie in the file itself
    std::map<std::string, std::span<const u8>> files;  // of buffers, by path
    std::vector<std::span<const u8>> buffers;
    std::vector<View> views;
    std::vector<ImageSource> images;
    u64 read_bytes = 0;  // of the file and of those that its buffers name

    [[nodiscard]] const Json& json() const { return *container.json; }

    [[nodiscard]] const std::string& path() const { return container.path; }
};

// Files that it names are read only where `roots` allows them.
base::Result<Document> open_document(const std::string& path, const AssetRoots& roots);

// The JSON object behind element `index` of a top-level array ("materials", 3).
const Json& element(const Document& document, const char* array, std::size_t index);

// The JSON object of a primitive.
const Json& primitive_json(const Document& document, std::size_t mesh, std::size_t primitive);

}  // namespace weft::scene::gltf
