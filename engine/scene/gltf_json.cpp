// gltf_json.cpp — reading the file, taking a GLB apart, parsing the JSON without recursion.
#include "engine/scene/gltf_json.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>

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

// Deepest level of open brackets outside strings. Counted beforehand, because the parser's own way
// of watching the depth costs time with the square of an array's length.
int nesting_of(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    bool is_in_string = false;
    for (std::size_t i = 0; i < text.size() && deepest <= kMaxNesting; ++i) {
        const char c = text[i];
        if (is_in_string) {
            i += c == '\\' ? 1 : 0;
            is_in_string = c != '"';
        } else if (c == '"') {
            is_in_string = true;
        } else if (c == '{' || c == '[') {
            deepest = std::max(deepest, ++depth);
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return deepest;
}

struct Chunks {
    std::string_view json;
    std::span<const u8> binary;
};

// GLB: header (magic, version, length), then chunks (length, type, bytes); the first is JSON, BIN
// follows, others are skipped.
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

Error scene_error(const std::string& path, const std::string& pointer, const std::string& what) {
    return {ErrorKind::Scene, path + ": " + pointer + " " + what};
}

base::Result<std::vector<u8>> read_file(const std::string& path) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) {
        return file_error(path, "no such file");
    }
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
    if (size < 0) {
        return file_error(path, "the file cannot be opened");
    }
    std::vector<u8> bytes(static_cast<std::size_t>(size));
    file.seekg(0);
    if (size > 0 && !file.read(reinterpret_cast<char*>(bytes.data()), size)) {
        return file_error(path, "the file cannot be read");
    }
    return bytes;
}

base::Result<Json> parse_json(std::string_view text, const std::string& path) {
    if (nesting_of(text) > kMaxNesting) {
        return file_error(path,
                          "JSON is nested deeper than " + std::to_string(kMaxNesting) + " levels");
    }
    try {
        Json json = Json::parse(text.begin(), text.end());
        if (!json.is_object()) {
            return file_error(path,
                              "JSON object expected, " + std::string(json.type_name()) + " found");
        }
        return json;
    } catch (const std::exception& error) {
        // "[json.exception.parse_error.101] parse error at line 3, ..."
        const std::string reason = error.what();
        const std::size_t bracket = reason.find("] ");
        return file_error(
            path, "not JSON: " + reason.substr(bracket == std::string::npos ? 0 : bracket + 2));
    }
}

base::Result<Container> read_container(const std::string& path) {
    base::Result<std::vector<u8>> file = read_file(path);
    if (!file.is_ok()) {
        return file.error();
    }
    Container container;
    container.path = path;
    container.folder = path.substr(0, path.find_last_of('/') + 1);
    container.file = std::move(file.value());
    std::string_view text(reinterpret_cast<const char*>(container.file.data()),
                          container.file.size());
    if (container.file.size() >= 4 && read_u32(container.file, 0) == kGlbMagic) {
        const base::Result<Chunks> chunks = split_glb(container.file, path);
        if (!chunks.is_ok()) {
            return chunks.error();
        }
        text = chunks.value().json;
        container.binary = chunks.value().binary;
        // Some writers fill the chunk up with zeros instead of spaces.
        while (!text.empty() && text.back() == '\0') {
            text.remove_suffix(1);
        }
    }
    base::Result<Json> json = parse_json(text, path);
    if (!json.is_ok()) {
        return json.error();
    }
    container.json = std::move(json.value());
    return container;
}

}  // namespace weft::scene::gltf
