// gltf_json.cpp — reads the file, splits a GLB, parses the JSON.
#include "engine/scene/gltf/gltf_json.h"

#include <nlohmann/json.hpp>

namespace weft::scene::gltf {

namespace {

using base::Error;
using base::ErrorKind;

constexpr u32 kGlbMagic = 0x46546c67;   // "glTF"
constexpr u32 kJsonChunk = 0x4e4f534a;  // "JSON"
constexpr u32 kBinChunk = 0x004e4942;   // "BIN\0"
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;

u32 read_u32(std::span<const u8> bytes, std::size_t at) {
    return u32{bytes[at]} | u32{bytes[at + 1]} << 8 | u32{bytes[at + 2]} << 16 |
           u32{bytes[at + 3]} << 24;
}

Error file_error(const std::string& path, const std::string& what) {
    return {ErrorKind::Scene, path + ": " + what};
}

struct Chunks {
    std::string_view json;
    std::span<const u8> binary;
};

// GLB: header (magic, version, length), then chunks (length, type, bytes); the first is JSON, BIN
// follows; skips all others.
base::Result<Chunks> split_glb(std::span<const u8> file, const std::string& path) {
    if (file.size() < kHeaderBytes + kChunkHeaderBytes) {
        return file_error(path,
                          "GLB of " + std::to_string(file.size()) +
                              " bytes, shorter than its headers (20 bytes)");
    }
    const u32 version = read_u32(file, 4);
    if (version != 2) {
        return file_error(path, "GLB version " + std::to_string(version) + " found, 2 expected");
    }
    const std::size_t length = read_u32(file, 8);
    if (length > file.size()) {
        return file_error(path,
                          "GLB is truncated: its header says " + std::to_string(length) +
                              " bytes, the file has " + std::to_string(file.size()));
    }
    Chunks chunks;
    std::size_t at = kHeaderBytes;
    for (u32 number = 0; at + kChunkHeaderBytes <= length; ++number) {
        const std::size_t bytes = read_u32(file, at);
        const u32 type = read_u32(file, at + 4);
        at += kChunkHeaderBytes;
        if (bytes > length - at) {
            return file_error(path,
                              "GLB chunk " + std::to_string(number) + " says " +
                                  std::to_string(bytes) + " bytes, " + std::to_string(length - at) +
                                  " are left");
        }
        const std::span<const u8> chunk = file.subspan(at, bytes);
        if (number == 0 && type != kJsonChunk) {
            return file_error(path, "the first GLB chunk is not the JSON chunk");
        }
        if (number == 0) {
            chunks.json =
                std::string_view(reinterpret_cast<const char*>(chunk.data()), chunk.size());
        } else if (type == kBinChunk && chunks.binary.empty()) {
            chunks.binary = chunk;
        }
        at += bytes;
    }
    return chunks;
}

}  // namespace

std::string text_at(const Json& object, const char* key) {
    const Json* value = find(object, key);
    return value != nullptr && is_text(*value) ? text_of(*value) : std::string();
}

Error scene_error(const std::string& path, const std::string& pointer, const std::string& what) {
    return {ErrorKind::Scene, path + ": " + pointer + " " + what};
}

base::Result<Container> read_container(const std::string& path,
                                       const std::shared_ptr<GeometryFile>& maybe_file) {
    base::Result<Bytes> file = read_bytes(path, "a glTF file", maybe_file);
    WEFT_TRY(file);
    Container container;
    container.path = path;
    container.folder = path.substr(0, path.find_last_of('/') + 1);
    container.file = std::move(file.value());
    std::string_view text(reinterpret_cast<const char*>(container.file.data()),
                          container.file.size());
    if (container.file.size() >= 4 && read_u32(container.file, 0) == kGlbMagic) {
        const base::Result<Chunks> chunks = split_glb(container.file, path);
        WEFT_TRY(chunks);
        text = chunks.value().json;
        container.binary = chunks.value().binary;
        // Some writers pad the chunk with zeros instead of spaces.
        while (!text.empty() && text.back() == '\0') {
            text.remove_suffix(1);
        }
    }
    base::Result<Json> json = parse_json(text);
    if (!json.is_ok()) {
        return file_error(path, json.error().sentence + ", expected a glTF document");
    }
    if (!json.value().is_object()) {
        return file_error(
            path, "found JSON " + std::string(json.value().type_name()) + ", expected an object");
    }
    container.json = std::make_shared<Json>(std::move(json.value()));
    return container;
}

}  // namespace weft::scene::gltf
