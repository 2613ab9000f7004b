// assimp_mesh.cpp — packs one assimp mesh: checks faces, welds equal vertices, flips texture rows.
//
// Formats without shared vertices (STL, and OBJ as assimp reads it) repeat each vertex per corner.
// Welding compares all attributes exactly, never by distance. Runs in the reader process.
#include <array>
#include <assimp/mesh.h>
#include <cmath>
#include <meshoptimizer.h>

#include "engine/math/vector.h"
#include "engine/scene/assimp/assimp_source.h"

namespace weft::scene {
namespace {

// The attributes that the scene keeps; null where the file has none.
struct Attributes {
    const aiVector3D* positions = nullptr;
    const aiVector3D* normals = nullptr;
    std::array<const aiVector3D*, 2> uvs{};
    const aiColor4D* colors = nullptr;
};

Attributes attributes_of(const AssimpSource& source, const aiMesh& mesh) {
    Attributes attributes;
    attributes.positions = mesh.mVertices;
    // An STL's normals are those of its faces: flat shading gives the same without them.
    attributes.normals = source.extension == "stl" ? nullptr : mesh.mNormals;
    attributes.uvs = {mesh.mTextureCoords[0], mesh.mTextureCoords[1]};
    attributes.colors = mesh.mColors[0];
    return attributes;
}

bool is_finite_vertex(const aiVector3D& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// Corners of all sound triangles; counts the rest.
std::vector<u32> sound_corners(AssimpSource& source, const aiMesh& mesh) {
    std::vector<u32> corners;
    corners.reserve(std::size_t{3} * mesh.mNumFaces);
    for (u32 f = 0; f < mesh.mNumFaces; ++f) {
        const aiFace& face = mesh.mFaces[f];
        if (face.mNumIndices != 3) {
            source.ignored_points += face.mNumIndices == 1 ? 1 : 0;
            source.ignored_lines += face.mNumIndices == 2 ? 1 : 0;
            continue;
        }
        bool is_sound = true;
        for (u32 k = 0; k < 3 && is_sound; ++k) {
            is_sound = face.mIndices[k] < mesh.mNumVertices &&
                       is_finite_vertex(mesh.mVertices[face.mIndices[k]]);
        }
        if (is_sound) {
            corners.insert(corners.end(), face.mIndices, face.mIndices + 3);
        } else {
            ++source.dropped_triangles;
        }
    }
    return corners;
}

// Renumbers `corners` so that vertices equal in every attribute are one, in order of first use.
// Returns an old vertex for each new one.
std::vector<u32> weld(std::vector<u32>& corners, const Attributes& attributes, u32 vertex_count) {
    std::vector<meshopt_Stream> streams;
    const auto add = [&](const auto* values) {
        if (values != nullptr) {
            streams.push_back({values, sizeof *values, sizeof *values});
        }
    };
    add(attributes.positions);
    add(attributes.normals);
    add(attributes.uvs[0]);
    add(attributes.uvs[1]);
    add(attributes.colors);
    std::vector<u32> remap(vertex_count);
    const std::size_t kept = meshopt_generateVertexRemapMulti(
        remap.data(), corners.data(), corners.size(), vertex_count, streams.data(), streams.size());
    std::vector<u32> origin(kept);
    for (u32 vertex = 0; vertex < vertex_count; ++vertex) {
        if (remap[vertex] != kNone) {
            origin[remap[vertex]] = vertex;
        }
    }
    for (u32& corner : corners) {
        corner = remap[corner];
    }
    return origin;
}

// A normal that is not finite or has no length becomes zero: kernels then use the geometric normal.
math::Vec3 unit_normal(const aiVector3D& n) {
    return math::Vec3(math::normalize(math::DVec3{n.x, n.y, n.z}));
}

float finite_or_zero(float value) {
    return std::isfinite(value) ? value : 0.0f;
}

std::vector<float> packed_positions(const aiVector3D* positions, const std::vector<u32>& origin) {
    std::vector<float> packed;
    packed.reserve(3 * origin.size());
    for (const u32 vertex : origin) {
        const aiVector3D& p = positions[vertex];
        packed.insert(packed.end(), {p.x, p.y, p.z});
    }
    return packed;
}

std::vector<float> packed_normals(const aiVector3D* normals, const std::vector<u32>& origin) {
    std::vector<float> packed;
    if (normals != nullptr) {
        packed.reserve(3 * origin.size());
        for (const u32 vertex : origin) {
            const math::Vec3 n = unit_normal(normals[vertex]);
            packed.insert(packed.end(), {n.x, n.y, n.z});
        }
    }
    return packed;
}

// Texture rows count from the bottom in every format that assimp reads, from the top in the scene.
std::vector<float> packed_uvs(const aiVector3D* uvs, const std::vector<u32>& origin) {
    std::vector<float> packed;
    if (uvs != nullptr) {
        packed.reserve(2 * origin.size());
        for (const u32 vertex : origin) {
            packed.push_back(finite_or_zero(uvs[vertex].x));
            packed.push_back(finite_or_zero(1.0f - uvs[vertex].y));
        }
    }
    return packed;
}

// The colours as in the file.
std::vector<float> packed_colors(const aiColor4D* colors, const std::vector<u32>& origin) {
    std::vector<float> packed;
    if (colors != nullptr) {
        packed.reserve(4 * origin.size());
        for (const u32 vertex : origin) {
            const aiColor4D& color = colors[vertex];
            for (const float channel : {color.r, color.g, color.b, color.a}) {
                packed.push_back(finite_or_zero(channel));
            }
        }
    }
    return packed;
}

}  // namespace

void pack_assimp_mesh(AssimpSource& source, const aiMesh& mesh, PackWriter& pack) {
    PackedMesh packed;
    packed.name = source.name_or_file(mesh.mName.C_Str());
    packed.material = mesh.mMaterialIndex;
    if (mesh.mNumFaces == 0) {
        source.ignored_points += mesh.mNumVertices;
        write_mesh(pack, packed);
        return;
    }
    std::vector<u32> corners = sound_corners(source, mesh);
    const Attributes attributes = attributes_of(source, mesh);
    const std::vector<u32> origin =
        corners.empty() ? std::vector<u32>() : weld(corners, attributes, mesh.mNumVertices);
    const std::vector<float> positions = packed_positions(attributes.positions, origin);
    const std::vector<float> normals = packed_normals(attributes.normals, origin);
    const std::array<std::vector<float>, 2> uvs = {packed_uvs(attributes.uvs[0], origin),
                                                   packed_uvs(attributes.uvs[1], origin)};
    const std::vector<float> colors = packed_colors(attributes.colors, origin);
    packed.corners = corners;
    packed.positions = positions;
    packed.normals = normals;
    packed.uvs[0] = uvs[0];
    packed.uvs[1] = uvs[1];
    packed.colors = colors;
    write_mesh(pack, packed);
}

}  // namespace weft::scene
