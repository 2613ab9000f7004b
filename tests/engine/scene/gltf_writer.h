// gltf_writer.h — builds small glTF documents for tests: JSON and one buffer, written as a .gltf
// with a data URI.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/import.h"
#include "engine/scene/model/scene.h"
#include "tests/engine/scene/scene_notes.h"

namespace weft::scene::testing {

using Json = nlohmann::json;

inline std::string scratch_path(const std::string& name) {
    const std::filesystem::path folder = std::filesystem::path(WEFT_BINARY_DIR) / "scratch_gltf";
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::vector<u8> bytes_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<u8> bytes(std::filesystem::file_size(path));
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

inline std::string base64(const std::vector<u8>& bytes) {
    const char* alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        u32 bits = u32{bytes[i]} << 16;
        bits |= i + 1 < bytes.size() ? u32{bytes[i + 1]} << 8 : 0;
        bits |= i + 2 < bytes.size() ? u32{bytes[i + 2]} : 0;
        text += alphabet[bits >> 18 & 63];
        text += alphabet[bits >> 12 & 63];
        text += i + 1 < bytes.size() ? alphabet[bits >> 6 & 63] : '=';
        text += i + 2 < bytes.size() ? alphabet[bits & 63] : '=';
    }
    return text;
}

inline std::string data_uri(const std::vector<u8>& bytes) {
    return "data:application/octet-stream;base64," + base64(bytes);
}

// A document with one buffer that grows by add_view(); the scene shows node 0 unless a test changes
// that.
struct Writer {
    Json json = {{"asset", {{"version", "2.0"}}}, {"scene", 0}, {"scenes", {{{"nodes", {0}}}}}};
    std::vector<u8> buffer;

    std::size_t add_view(const void* bytes, std::size_t size, std::size_t stride = 0) {
        while (buffer.size() % 4 != 0) {
            buffer.push_back(0);
        }
        const u8* first = static_cast<const u8*>(bytes);
        Json view = {{"buffer", 0}, {"byteOffset", buffer.size()}, {"byteLength", size}};
        if (stride != 0) {
            view["byteStride"] = stride;
        }
        buffer.insert(buffer.end(), first, first + size);
        json["bufferViews"].push_back(view);
        return json["bufferViews"].size() - 1;
    }

    // Accessor over a new view; `count` elements.
    template <typename T>
    std::size_t add(const std::vector<T>& values,
                    const char* type,
                    int component,
                    std::size_t count,
                    bool normalized = false) {
        const std::size_t view = add_view(values.data(), values.size() * sizeof(T));
        Json accessor = {
            {"bufferView", view}, {"componentType", component}, {"count", count}, {"type", type}};
        if (normalized) {
            accessor["normalized"] = true;
        }
        json["accessors"].push_back(accessor);
        return json["accessors"].size() - 1;
    }

    std::size_t add_vec3(const std::vector<float>& values) {
        return add(values, "VEC3", 5126, values.size() / 3);
    }

    std::size_t add_vec2(const std::vector<float>& values) {
        return add(values, "VEC2", 5126, values.size() / 2);
    }

    // One mesh of one primitive on node 0.
    void add_mesh(const Json& primitive) {
        json["meshes"].push_back({{"primitives", {primitive}}});
        if (!json.contains("nodes")) {
            json["nodes"] = {{{"mesh", 0}}};
        }
    }

    // The triangle (0,0,0) (1,0,0) (0,1,0), without indices.
    void add_triangle() {
        add_mesh({{"attributes", {{"POSITION", add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})}}}});
    }

    [[nodiscard]] Json with_buffer() const {
        Json whole = json;
        if (!buffer.empty() && !whole.contains("buffers")) {
            whole["buffers"] = {{{"byteLength", buffer.size()}, {"uri", data_uri(buffer)}}};
        }
        return whole;
    }

    [[nodiscard]] std::string write(const std::string& name) const {
        const std::string path = scratch_path(name);
        write_bytes(path, with_buffer().dump());
        return path;
    }
};

inline Scene import_ok(const std::string& path, const ImportConfig& config = {}) {
    Scene scene;
    const base::Status status = import_gltf(path, config, scene);
    REQUIRE_MESSAGE(status.is_ok(), status.error().sentence);
    return scene;
}

inline Scene import_ok(const Writer& writer,
                       const std::string& name,
                       const ImportConfig& config = {}) {
    return import_ok(writer.write(name + ".gltf"), config);
}

// The sentence of the error; fails the test where there is none.
inline std::string import_error(const std::string& path, const ImportConfig& config = {}) {
    Scene scene;
    const base::Status status = import_gltf(path, config, scene);
    REQUIRE(!status.is_ok());
    CHECK(status.error().kind == base::ErrorKind::Scene);
    CHECK(status.error().sentence.find(path) != std::string::npos);
    return status.error().sentence;
}

inline std::string import_error(const Writer& writer, const std::string& name) {
    return import_error(writer.write(name + ".gltf"));
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Positions of the three corners of triangle `t` of a mesh, nine floats.
inline std::vector<float> corners_of(const Scene& scene, u32 mesh, u32 t) {
    const shaders::MeshRecord& record = scene.meshes[mesh].record;
    std::vector<float> corners;
    for (u32 k = 0; k < 3; ++k) {
        const std::size_t at =
            3 * (std::size_t{record.first_position} +
                 scene.indices[3 * (std::size_t{record.first_triangle} + t) + k]);
        corners.insert(corners.end(),
                       scene.positions.begin() + static_cast<std::ptrdiff_t>(at),
                       scene.positions.begin() + static_cast<std::ptrdiff_t>(at + 3));
    }
    return corners;
}

// `count` floats of an arena from row `first`, rows of `width`.
inline std::vector<float> rows_of(const GeometryArena<float>& arena,
                                  u32 first,
                                  std::size_t width,
                                  std::size_t count) {
    REQUIRE(first != kNone);
    const auto from = arena.begin() + static_cast<std::ptrdiff_t>(first * width);
    return {from, from + static_cast<std::ptrdiff_t>(count * width)};
}

}  // namespace weft::scene::testing
