// gltf_document.h — a glTF file ready to be read: checked JSON, tinygltf's typed model, and the
// location of all bytes.
//
// tinygltf parses the structure alone; buffers, buffer views and images are resolved here, because
// tinygltf's own readers trust offsets. Readers take extension objects from json(). open_document()
// makes a Document on the importer's thread; after that it is read-only and shared with the
// importer's workers. Private to the glTF importer.
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
// broken view is an error only where something reads it: `fault` is the sentence of that error,
// else empty.
struct View {
    std::span<const u8> bytes;
    u64 stride = 0;
    std::string fault;
};

// The encoded bytes of a picture, or the file that holds them.
struct ImageSource {
    std::string name;  // for sentences: file, or "FILE: /images/3"
    std::string file;  // empty: `bytes` holds them
    std::span<const u8> bytes;
    std::string label;  // its name in the document, if it lies in there
    std::string fault;  // the error where there are no bytes; else empty
};

struct Document {
    Container container;
    tinygltf::Model model;
    std::vector<std::vector<u8>> storage;              // bytes that were decoded
    std::vector<Bytes> buffer_files;                   // files that buffers name
    std::map<std::string, std::span<const u8>> files;  // of buffers, by path
    std::vector<std::span<const u8>> buffers;
    std::vector<View> views;
    std::vector<ImageSource> images;
    u64 read_bytes = 0;  // of the file and of those that its buffers name

    [[nodiscard]] const Json& json() const { return *container.json; }

    [[nodiscard]] const std::string& path() const { return container.path; }
};

// Reads the files that the document names only where `roots` allows them; bytes lie in the geometry
// file where there is one.
base::Result<Document> open_document(const std::string& path,
                                     const AssetRoots& roots,
                                     const std::shared_ptr<GeometryFile>& maybe_file);

// Reads the structure from the JSON again, after one of its numbers changed.
base::Status read_structure(Document& document);

// The JSON object behind element `index` of a top-level array ("materials", 3).
const Json& element(const Document& document, const char* array, std::size_t index);

// The JSON object of a primitive.
const Json& primitive_json(const Document& document, std::size_t mesh, std::size_t primitive);

}  // namespace weft::scene::gltf
