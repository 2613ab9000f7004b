// assimp_pack.cpp — see assimp_pack.h.
#include "engine/scene/assimp/assimp_pack.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <unistd.h>

namespace weft::scene {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr u64 kMostVertices = kNone;
constexpr int kLastNoteKind = static_cast<int>(Note::Kind::Ignored);
static_assert(sizeof(Note::Kind) == sizeof(int) && sizeof(shaders::LightKind) == sizeof(u32));

u64 padding_behind(u64 size) {
    return (kPackGrain - size % kPackGrain) % kPackGrain;
}

bool is_punctual(shaders::LightKind kind) {
    return kind == shaders::LightKind::Point || kind == shaders::LightKind::Spot ||
           kind == shaders::LightKind::Directional;
}

bool are_finite(std::span<const float> values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace

void PackWriter::write_out(const char* bytes, std::size_t size) {
    while (size > 0 && is_sound_) {
        const ssize_t written = ::write(file_, bytes, size);
        if (written < 0 && errno != EINTR) {
            is_sound_ = false;
        }
        const std::size_t done = written > 0 ? static_cast<std::size_t>(written) : 0;
        bytes += done;
        size -= done;
    }
}

void PackWriter::flush() {
    write_out(buffer_.data(), buffer_.size());
    buffer_.clear();
}

void PackWriter::append(const void* bytes, std::size_t size) {
    const char* const from = static_cast<const char*>(bytes);
    if (size >= kBufferBytes) {
        flush();
        write_out(from, size);
    } else if (size > 0) {
        buffer_.append(from, size);
    }
    buffer_.append(padding_behind(size), '\0');
    if (buffer_.size() >= kBufferBytes) {
        flush();
    }
}

void PackWriter::start_again() {
    buffer_.clear();
    is_sound_ = ::ftruncate(file_, 0) == 0 && ::lseek(file_, 0, SEEK_SET) == 0;
}

bool PackWriter::finish() {
    flush();
    return is_sound_;
}

const char* PackReader::take(u64 size) {
    const u64 whole = size + padding_behind(size);
    if (!is_sound_ || size > left_.size() || whole > left_.size()) {
        fail();
        return nullptr;
    }
    const char* const from = left_.data();
    left_ = left_.subspan(whole);
    return from;
}

bool is_sound(const PackedMesh& mesh) {
    const u64 vertices = mesh.positions.size() / 3;
    const auto fits = [vertices](std::span<const float> values, u64 per_vertex) {
        return values.empty() || values.size() == per_vertex * vertices;
    };
    return vertices < kMostVertices && mesh.positions.size() == 3 * vertices &&
           mesh.corners.size() % 3 == 0 && mesh.corners.size() / 3 < kNone &&
           fits(mesh.normals, 3) && fits(mesh.uvs[0], 2) && fits(mesh.uvs[1], 2) &&
           fits(mesh.colors, 4) &&
           std::all_of(mesh.corners.begin(),
                       mesh.corners.end(),
                       [vertices](u32 corner) { return corner < vertices; }) &&
           are_finite(mesh.positions) && are_finite(mesh.normals) && are_finite(mesh.uvs[0]) &&
           are_finite(mesh.uvs[1]) && are_finite(mesh.colors);
}

void write_mesh(PackWriter& pack, const PackedMesh& mesh) {
    pack.text(mesh.name);
    pack.value(mesh.material);
    pack.array(mesh.corners);
    for (const std::span<const float> values :
         {mesh.positions, mesh.normals, mesh.uvs[0], mesh.uvs[1], mesh.colors}) {
        pack.array(values);
    }
}

PackedMesh read_mesh(PackReader& pack) {
    PackedMesh mesh;
    mesh.name = pack.text();
    mesh.material = pack.value<u32>();
    mesh.corners = pack.array<u32>();
    for (std::span<const float>* const values :
         {&mesh.positions, &mesh.normals, &mesh.uvs[0], &mesh.uvs[1], &mesh.colors}) {
        *values = pack.array<float>();
    }
    if (!is_sound(mesh)) {
        pack.fail();
    }
    return mesh;
}

bool is_finite(const Camera& camera) {
    const std::array lens = {camera.yfov_rad, camera.aspect, camera.xmag, camera.ymag};
    return are_finite(camera.to_world) && are_finite(lens);
}

bool is_finite(const Light& light) {
    const std::array cosines = {light.cos_inner, light.cos_outer};
    return are_finite(math::components(light.position)) &&
           are_finite(math::components(light.direction)) &&
           are_finite(math::components(light.intensity)) && are_finite(cosines);
}

std::vector<PackedGroup> read_groups(PackReader& pack) {
    std::vector<PackedGroup> groups(pack.count());
    for (std::size_t k = 0; k < groups.size(); ++k) {
        groups[k].name = pack.text();
        groups[k].parent = pack.value<u32>();
        groups[k].to_world = pack.value<math::Affine>();
        const bool has_parent = groups[k].parent != kNone;
        if ((has_parent && groups[k].parent >= k) || !are_finite(groups[k].to_world)) {
            pack.fail();
        }
    }
    return groups;
}

void write_cameras(PackWriter& pack, const std::vector<Camera>& cameras) {
    pack.value(u64{cameras.size()});
    for (const Camera& camera : cameras) {
        pack.text(camera.name);
        pack.value(u32{camera.is_orthographic ? 1u : 0u});
        pack.value(camera.to_world);
        pack.value(std::array{camera.yfov_rad, camera.aspect, camera.xmag, camera.ymag});
        pack.value(camera.group);
    }
}

std::vector<Camera> read_cameras(PackReader& pack) {
    std::vector<Camera> cameras(pack.count());
    for (Camera& camera : cameras) {
        camera.name = pack.text();
        camera.is_orthographic = pack.value<u32>() != 0;
        camera.to_world = pack.value<math::Affine>();
        const auto lens = pack.value<std::array<float, 4>>();
        camera.yfov_rad = lens[0];
        camera.aspect = lens[1];
        camera.xmag = lens[2];
        camera.ymag = lens[3];
        camera.group = pack.value<u32>();
        if (!is_finite(camera)) {
            pack.fail();
        }
    }
    return cameras;
}

void write_lights(PackWriter& pack, const std::vector<Light>& lights) {
    pack.value(u64{lights.size()});
    for (const Light& light : lights) {
        pack.text(light.name);
        pack.value(light.kind);
        pack.value(std::array{light.position, light.direction, light.intensity});
        pack.value(std::array{light.cos_inner, light.cos_outer});
        pack.value(light.group);
    }
}

std::vector<Light> read_lights(PackReader& pack) {
    std::vector<Light> lights(pack.count());
    for (Light& light : lights) {
        light.name = pack.text();
        const u32 kind = pack.value<u32>();
        light.kind = static_cast<shaders::LightKind>(kind);
        const auto vectors = pack.value<std::array<math::Vec3, 3>>();
        light.position = vectors[0];
        light.direction = vectors[1];
        light.intensity = vectors[2];
        const auto cosines = pack.value<std::array<float, 2>>();
        light.cos_inner = cosines[0];
        light.cos_outer = cosines[1];
        light.group = pack.value<u32>();
        if (!is_punctual(light.kind) || !is_finite(light)) {
            pack.fail();
        }
    }
    return lights;
}

void write_notes(PackWriter& pack, const std::vector<Note>& notes) {
    pack.value(u64{notes.size()});
    for (const Note& note : notes) {
        pack.value(note.kind);
        pack.text(note.sentence);
    }
}

std::vector<Note> read_notes(PackReader& pack) {
    std::vector<Note> notes(pack.count());
    for (Note& note : notes) {
        note.kind = static_cast<Note::Kind>(std::clamp(pack.value<int>(), 0, kLastNoteKind));
        note.sentence = pack.text();
    }
    return notes;
}

}  // namespace weft::scene
