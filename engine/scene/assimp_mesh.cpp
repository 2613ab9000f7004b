// assimp_mesh.cpp — one assimp mesh into the arenas: faces checked, equal vertices welded, texture
// rows turned over.
//
// Formats without shared vertices (STL, and OBJ as assimp reads it) repeat each vertex per corner;
// those are welded by exact equality of all attributes, never by distance. One thread.
#include <algorithm>
#include <array>
#include <assimp/mesh.h>
#include <cmath>
#include <meshoptimizer.h>

#include "engine/scene/assimp_parts.h"
#include "engine/scene/tangents.h"

namespace weft::scene {
namespace {

// The attributes that the scene keeps; null where the file has none.
struct Attributes {
    const aiVector3D* positions = nullptr;
    const aiVector3D* normals = nullptr;
    std::array<const aiVector3D*, 2> uvs{};
    const aiColor4D* colors = nullptr;
};

Attributes attributes_of(const AssimpImport& import, const aiMesh& source) {
    Attributes attributes;
    attributes.positions = source.mVertices;
    // An STL's normals are those of its faces: flat shading says the same without them.
    attributes.normals = import.extension == "stl" ? nullptr : source.mNormals;
    attributes.uvs = {source.mTextureCoords[0], source.mTextureCoords[1]};
    attributes.colors = source.mColors[0];
    return attributes;
}

bool is_finite(const aiVector3D& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// Corners of all sound triangles; counts the rest.
std::vector<u32> sound_corners(AssimpImport& import, const aiMesh& source) {
    std::vector<u32> corners;
    corners.reserve(std::size_t{3} * source.mNumFaces);
    for (u32 f = 0; f < source.mNumFaces; ++f) {
        const aiFace& face = source.mFaces[f];
        if (face.mNumIndices != 3) {
            import.ignored_points += face.mNumIndices == 1 ? 1 : 0;
            import.ignored_lines += face.mNumIndices == 2 ? 1 : 0;
            continue;
        }
        bool is_sound = true;
        for (u32 k = 0; k < 3 && is_sound; ++k) {
            is_sound = face.mIndices[k] < source.mNumVertices &&
                       is_finite(source.mVertices[face.mIndices[k]]);
        }
        if (is_sound) {
            corners.insert(corners.end(), face.mIndices, face.mIndices + 3);
        } else {
            ++import.dropped_triangles;
        }
    }
    return corners;
}

// Renumbers `corners` so that vertices equal in every attribute are one, in order of first use.
// Returns for each new vertex an old one that it stands for.
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

// A normal that is not finite or has no length stays zero: kernels then use the triangle's own.
std::array<float, 3> unit_normal(const aiVector3D& n) {
    const double x = static_cast<double>(n.x);
    const double y = static_cast<double>(n.y);
    const double z = static_cast<double>(n.z);
    const double length = std::sqrt(x * x + y * y + z * z);
    if (!(length > 0) || !std::isfinite(length)) {
        return {};
    }
    return {static_cast<float>(x / length),
            static_cast<float>(y / length),
            static_cast<float>(z / length)};
}

// One large mesh gets what it needs and no more; many small ones still grow by half each time.
void make_room(std::vector<float>& arena, std::size_t more) {
    const std::size_t needed = arena.size() + more;
    if (needed > arena.capacity()) {
        arena.reserve(std::max(needed, arena.capacity() + arena.capacity() / 2));
    }
}

float finite_or_zero(float value) {
    return std::isfinite(value) ? value : 0.0f;
}

// Texture rows count from the bottom in every format that assimp reads, from the top in the scene.
u32 append_uvs(Scene& scene, const aiVector3D* uvs, const std::vector<u32>& origin) {
    if (uvs == nullptr) {
        return kNone;
    }
    const u32 first = static_cast<u32>(scene.uvs.size() / 2);
    std::vector<float>& arena = scene.uvs.own();
    make_room(arena, 2 * origin.size());
    for (const u32 vertex : origin) {
        arena.push_back(finite_or_zero(uvs[vertex].x));
        arena.push_back(finite_or_zero(1.0f - uvs[vertex].y));
    }
    return first;
}

// Vertex colours of these formats are what a screen shows (8 bits in PLY), so the sRGB curve is
// taken off.
u32 append_colors(Scene& scene, const aiColor4D* colors, const std::vector<u32>& origin) {
    if (colors == nullptr) {
        return kNone;
    }
    const u32 first = static_cast<u32>(scene.colors.size() / 4);
    std::vector<float>& arena = scene.colors.own();
    make_room(arena, 4 * origin.size());
    for (const u32 vertex : origin) {
        const aiColor4D& color = colors[vertex];
        for (const float channel : {color.r, color.g, color.b}) {
            arena.push_back(srgb_to_linear(finite_or_zero(channel)));
        }
        arena.push_back(finite_or_zero(color.a));
    }
    return first;
}

// Tangents where the material has a normal map or is anisotropic; vertices that need two are
// doubled, in `corners` and in `origin`.
u32 append_tangents(Scene& scene,
                    const Attributes& attributes,
                    const shaders::MaterialRecord& material,
                    std::vector<u32>& corners,
                    std::vector<u32>& origin) {
    const bool has_map = material.normal_slot != kNone;
    if (!has_map && material.anisotropy <= 0) {
        return kNone;
    }
    const aiVector3D* uv_source =
        attributes.uvs[has_map ? scene.slots[material.normal_slot].uv_set : 0];
    if (uv_source == nullptr) {
        return kNone;
    }
    std::vector<float> positions;
    std::vector<float> normals;
    std::vector<float> uvs;
    for (const u32 vertex : origin) {
        const aiVector3D& p = attributes.positions[vertex];
        positions.insert(positions.end(), {p.x, p.y, p.z});
        if (attributes.normals != nullptr) {
            const std::array<float, 3> n = unit_normal(attributes.normals[vertex]);
            normals.insert(normals.end(), n.begin(), n.end());
        }
        uvs.push_back(finite_or_zero(uv_source[vertex].x));
        uvs.push_back(finite_or_zero(1.0f - uv_source[vertex].y));
    }
    TangentMesh mesh = make_tangents(corners, positions, normals, uvs);
    for (u32& source : mesh.source) {
        source = origin[source];
    }
    origin = std::move(mesh.source);
    corners = std::move(mesh.indices);
    const u32 first = static_cast<u32>(scene.tangents.size() / 4);
    scene.tangents.insert(scene.tangents.end(), mesh.tangents.begin(), mesh.tangents.end());
    return first;
}

}  // namespace

u32 append_assimp_mesh(AssimpImport& import, const aiMesh& source) {
    Scene& scene = import.scene;
    if (source.mNumFaces == 0) {
        import.ignored_points += source.mNumVertices;
        return kNone;
    }
    std::vector<u32> corners = sound_corners(import, source);
    if (corners.empty()) {
        return kNone;
    }
    const Attributes attributes = attributes_of(import, source);
    std::vector<u32> origin = weld(corners, attributes, source.mNumVertices);
    const u32 material = source.mMaterialIndex < import.materials.size()
                             ? import.materials[source.mMaterialIndex]
                             : 0;

    shaders::MeshRecord record{};
    record.first_tangent =
        append_tangents(scene, attributes, scene.materials[material].record, corners, origin);
    record.first_triangle = static_cast<u32>(scene.indices.size() / 3);
    record.triangle_count = static_cast<u32>(corners.size() / 3);
    scene.indices.insert(scene.indices.end(), corners.begin(), corners.end());
    record.first_position = static_cast<u32>(scene.positions.size() / 3);
    std::vector<float>& positions = scene.positions.own();
    make_room(positions, 3 * origin.size());
    for (const u32 vertex : origin) {
        const aiVector3D& p = attributes.positions[vertex];
        positions.insert(positions.end(), {p.x, p.y, p.z});
    }
    record.first_normal = kNone;
    if (attributes.normals != nullptr) {
        record.first_normal = static_cast<u32>(scene.normals.size() / 3);
        std::vector<float>& normals = scene.normals.own();
        make_room(normals, 3 * origin.size());
        for (const u32 vertex : origin) {
            const std::array<float, 3> n = unit_normal(attributes.normals[vertex]);
            normals.insert(normals.end(), n.begin(), n.end());
        }
    }
    record.first_uv0 = append_uvs(scene, attributes.uvs[0], origin);
    record.first_uv1 = append_uvs(scene, attributes.uvs[1], origin);
    record.first_color = append_colors(scene, attributes.colors, origin);
    scene.meshes.push_back({import.name_or_file(source.mName.C_Str()), record, material});
    return static_cast<u32>(scene.meshes.size() - 1);
}

}  // namespace weft::scene
