// mitsuba_serialized.cpp — meshes of .serialized files, versions 3 and 4.
//
// Such a file is a row of meshes, each a header of two 16-bit words and a stream of zlib: flags, a
// name (version 4), 64-bit counts of vertices and triangles, then arrays of floats or doubles and
// indices. At its end stand the places of all meshes (64 bits in version 4, 32 in version 3) and
// their 32-bit count.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "engine/scene/mitsuba/mitsuba_scene.h"
#include "engine/scene/parts/packed_file.h"
#include "scheduler/base/input_file.h"

namespace weft::scene::mitsuba {

namespace {

constexpr u16 kFormat = 0x041c;

enum SerializedFlag : u32 {
    kHasNormals = 0x1,
    kHasUvs = 0x2,
    kHasColors = 0x8,
    kIsDouble = 0x2000
};

// Values in sequence. What does not fit into the bytes left is zero, and the mesh is broken.
class ByteReader {
public:
    explicit ByteReader(std::span<const u8> bytes) : left_(bytes) {}

    template <typename T>
    T take() {
        T value{};
        if (left_.size() < sizeof value) {
            is_sound_ = false;
            return value;
        }
        std::memcpy(&value, left_.data(), sizeof value);
        left_ = left_.subspan(sizeof value);
        return value;
    }

    void skip(u64 count) {
        is_sound_ = is_sound_ && count <= left_.size();
        left_ = is_sound_ ? left_.subspan(static_cast<std::size_t>(count)) : std::span<const u8>();
    }

    [[nodiscard]] u64 left() const { return left_.size(); }

    [[nodiscard]] bool is_sound() const { return is_sound_; }

private:
    std::span<const u8> left_;
    bool is_sound_ = true;
};

base::Error broken(const std::string& path) {
    return {base::ErrorKind::Scene,
            path + ": is no .serialized mesh that can be read; expected version 3 or 4, whole."};
}

std::vector<float> take_floats(ByteReader& reader, u64 count, bool is_double) {
    std::vector<float> values;
    if (count > reader.left() / (is_double ? 8 : 4)) {
        reader.skip(reader.left() + 1);
        return values;
    }
    values.reserve(static_cast<std::size_t>(count));
    for (u64 k = 0; k < count; ++k) {
        values.push_back(is_double ? static_cast<float>(reader.take<double>())
                                   : reader.take<float>());
    }
    return values;
}

base::Result<MeshData> parse_mesh(std::span<const u8> bytes,
                                  bool has_name,
                                  const std::string& path) {
    ByteReader reader(bytes);
    const u32 flags = reader.take<u32>();
    while (has_name && reader.take<u8>() != 0) {
    }
    const u64 vertices = reader.take<u64>();
    const u64 triangles = reader.take<u64>();
    const bool is_double = (flags & kIsDouble) != 0;
    if (vertices >= kNone || triangles >= kNone / 3) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": has " + std::to_string(vertices) + " vertices and " +
                               std::to_string(triangles) +
                               " triangles; expected fewer than 2^32 of either."};
    }
    MeshData mesh;
    mesh.positions = take_floats(reader, 3 * vertices, is_double);
    if ((flags & kHasNormals) != 0) {
        mesh.normals = take_floats(reader, 3 * vertices, is_double);
    }
    if ((flags & kHasUvs) != 0) {
        mesh.uvs = take_floats(reader, 2 * vertices, is_double);
    }
    if ((flags & kHasColors) != 0) {
        reader.skip(3 * vertices * (is_double ? 8 : 4));
    }
    if (!reader.is_sound() || 3 * triangles > reader.left() / sizeof(u32)) {
        return broken(path);
    }
    mesh.corners.reserve(static_cast<std::size_t>(3 * triangles));
    for (u64 k = 0; k < 3 * triangles; ++k) {
        mesh.corners.push_back(reader.take<u32>());
    }
    const auto is_finite = [](float value) { return std::isfinite(value); };
    const auto is_vertex = [&](u32 corner) { return corner < vertices; };
    if (!std::all_of(mesh.positions.begin(), mesh.positions.end(), is_finite) ||
        !std::all_of(mesh.corners.begin(), mesh.corners.end(), is_vertex)) {
        return base::Error{base::ErrorKind::Scene,
                           path +
                               ": has positions that are not finite, or corners that are no "
                               "vertices."};
    }
    std::replace_if(
        mesh.uvs.begin(), mesh.uvs.end(), [&](float value) { return !is_finite(value); }, 0.0F);
    mesh.normalize_normals();
    return mesh;
}

// Where the mesh begins; none: there is no such mesh.
std::optional<u64> place_of(std::span<const u8> bytes, u64 index, bool is_wide) {
    const u64 each = is_wide ? 8 : 4;
    if (index == 0 || bytes.size() < 4) {
        return index == 0 ? std::optional<u64>(0) : std::nullopt;
    }
    ByteReader count_reader(bytes.subspan(bytes.size() - 4));
    const u64 count = count_reader.take<u32>();
    if (index >= count || count * each + 4 > bytes.size()) {
        return std::nullopt;
    }
    ByteReader reader(
        bytes.subspan(static_cast<std::size_t>(bytes.size() - 4 - each * (count - index))));
    return is_wide ? reader.take<u64>() : u64{reader.take<u32>()};
}

}  // namespace

base::Result<MeshData> read_serialized_mesh(const std::string& path, u64 index, SizeRule& size) {
    const base::Result<std::vector<u8>> read = base::read_input_file(path, "a .serialized mesh");
    WEFT_TRY(read);
    size.add_read(read.value().size());
    const std::span<const u8> bytes(read.value());
    ByteReader header(bytes);
    const u16 format = header.take<u16>();
    const u16 version = header.take<u16>();
    if (format != kFormat || (version != 3 && version != 4)) {
        return broken(path);
    }
    const std::optional<u64> place = place_of(bytes, index, version == 4);
    if (!place || *place > bytes.size() - 4) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": has no mesh " + std::to_string(index) +
                               "; expected a \"shape_index\" of one."};
    }
    const base::Result<std::vector<u8>> unpacked =
        unpack_zlib(bytes.subspan(static_cast<std::size_t>(*place) + 4), path, size);
    WEFT_TRY(unpacked);
    return parse_mesh(unpacked.value(), version == 4, path);
}

}  // namespace weft::scene::mitsuba
