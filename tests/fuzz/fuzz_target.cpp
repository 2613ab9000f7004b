// fuzz_target.cpp — see fuzz_target.h.
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <unistd.h>

#include "engine/image/codecs.h"
#include "scheduler/base/ensure.h"
#include "scheduler/base/memory_limit.h"

namespace weft::fuzz {

namespace {

namespace fs = std::filesystem;

// `count` elements from `first` on, where the mesh has them.
bool lies_in(u32 first, u64 count, u64 size) {
    return first == kNone || (first <= size && count <= size - first);
}

void check_mesh(const scene::Scene& scene, const scene::Mesh& mesh) {
    const shaders::MeshRecord& record = mesh.record;
    const u64 triangles = scene.indices.size() / 3;
    ENSURE(lies_in(record.first_triangle, record.triangle_count, triangles), ==, true);
    u64 vertices = 0;
    for (u64 k = 0; k < 3 * u64{record.triangle_count}; ++k) {
        vertices = std::max(vertices, u64{scene.indices[3 * u64{record.first_triangle} + k]} + 1);
    }
    ENSURE(lies_in(record.first_position, vertices, scene.positions.size() / 3), ==, true);
    ENSURE(lies_in(record.first_normal, vertices, scene.normals.size() / 3), ==, true);
    ENSURE(lies_in(record.first_tangent, vertices, scene.tangents.size() / 4), ==, true);
    ENSURE(lies_in(record.first_uv0, vertices, scene.uvs.size() / 2), ==, true);
    ENSURE(lies_in(record.first_uv1, vertices, scene.uvs.size() / 2), ==, true);
    ENSURE(lies_in(record.first_color, vertices, scene.colors.size() / 4), ==, true);
    ENSURE(mesh.material, <, scene.materials.size());
}

}  // namespace

Scratch::Scratch()
    : path_(fs::temp_directory_path() / ("weft_fuzz_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
}

Scratch::~Scratch() {
    std::error_code problem;
    fs::remove_all(path_, problem);
}

std::string Scratch::write(const std::string& name, std::span<const u8> bytes) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    stream.close();
    ENSURE(stream.good(), ==, true);
    return file.string();
}

const Scratch& scratch() {
    static const Scratch the_only;
    base::set_memory_limit(base::resident_bytes() + kMostClaimedBytes);
    return the_only;
}

void decode_on_one_thread() {
    static const base::Result<image::Codecs*> kCodecs = [] {
        base::Result<image::Codecs*> codecs = image::codecs();
        if (codecs.is_ok()) {
            codecs.value()->limit_threads(1);
        }
        return codecs;
    }();
    ENSURE(kCodecs.is_ok(), ==, true);
}

void check_sentence(const base::Error& error, const std::string& part) {
    ENSURE(error.sentence.empty(), ==, false);
    ENSURE(error.sentence.find(part), !=, std::string::npos);
}

void check_scene(const scene::Scene& scene) {
    for (const scene::Mesh& mesh : scene.meshes) {
        check_mesh(scene, mesh);
    }
    for (const scene::Instance& instance : scene.instances) {
        ENSURE(instance.mesh, <, scene.meshes.size());
        ENSURE(instance.material, <, scene.materials.size());
        for (const float value : instance.object_to_world) {
            ENSURE(std::isfinite(value), ==, true);
        }
    }
    for (const float value : scene.positions) {
        ENSURE(std::isfinite(value), ==, true);
    }
    for (const shaders::TextureSlot& slot : scene.slots) {
        ENSURE(slot.texture, <, scene.textures.size());
    }
}

}  // namespace weft::fuzz
