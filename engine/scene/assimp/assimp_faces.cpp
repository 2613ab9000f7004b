// assimp_faces.cpp — makes the faces of a mesh safe for assimp's own steps.
//
// Runs in the reader process.
#include <algorithm>
#include <array>
#include <assimp/mesh.h>
#include <cmath>

#include "engine/scene/assimp/assimp_source.h"
#include "engine/scene/parts/polygon_cut.h"

namespace weft::scene {
namespace {

// assimp fills the notches of some polygons of five corners and more, and needs at worst the cube
// of the corners in time. It cuts every quad rightly, a concave one at its inner corner.
constexpr u32 kMostCorners = 4;

bool is_finite(const aiVector3D& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

bool is_sound(const aiMesh& mesh, const aiFace& face) {
    return face.mNumIndices > 0 && face.mIndices != nullptr &&
           std::all_of(face.mIndices, face.mIndices + face.mNumIndices, [&](u32 index) {
               return index < mesh.mNumVertices && is_finite(mesh.mVertices[index]);
           });
}

void append_triangle(std::vector<aiFace>& faces, const aiFace& of, const std::array<u32, 3>& cut) {
    aiFace& face = faces.emplace_back();
    face.mNumIndices = 3;
    face.mIndices = new unsigned[3];
    for (std::size_t k = 0; k < 3; ++k) {
        face.mIndices[k] = of.mIndices[cut[k]];
    }
}

// The faces that remain of `mesh` where every large one becomes triangles.
std::size_t count_cut(const aiMesh& mesh) {
    std::size_t count = 0;
    for (u32 f = 0; f < mesh.mNumFaces; ++f) {
        const u32 corners = mesh.mFaces[f].mNumIndices;
        count += corners > kMostCorners ? corners - 2 : 1;
    }
    return count;
}

void append_cut(const aiMesh& mesh, const aiFace& face, std::vector<aiFace>& faces) {
    std::vector<math::Vec3> corners;
    corners.reserve(face.mNumIndices);
    for (u32 k = 0; k < face.mNumIndices; ++k) {
        const aiVector3D& p = mesh.mVertices[face.mIndices[k]];
        corners.push_back({p.x, p.y, p.z});
    }
    for (const std::array<u32, 3>& triangle : cut_polygon(corners)) {
        append_triangle(faces, face, triangle);
    }
}

}  // namespace

void mend_faces(AssimpSource& source, aiMesh& mesh) {
    const auto is_fine = [&mesh](const aiFace& face) {
        return face.mNumIndices <= kMostCorners && is_sound(mesh, face);
    };
    if (std::all_of(mesh.mFaces, mesh.mFaces + mesh.mNumFaces, is_fine)) {
        return;
    }
    std::vector<aiFace> faces;
    faces.reserve(count_cut(mesh));  // a face that moves later would copy its indices
    for (aiFace* face = mesh.mFaces; face != mesh.mFaces + mesh.mNumFaces; ++face) {
        if (!is_sound(mesh, *face)) {
            source.dropped_triangles += face->mNumIndices > 2 ? face->mNumIndices - 2 : 0;
        } else if (face->mNumIndices > kMostCorners) {
            append_cut(mesh, *face, faces);
        } else {
            // The indices move to their new owner.
            faces.emplace_back();
            std::swap(faces.back().mNumIndices, face->mNumIndices);
            std::swap(faces.back().mIndices, face->mIndices);
        }
    }
    delete[] mesh.mFaces;
    mesh.mNumFaces = static_cast<u32>(faces.size());
    mesh.mFaces = new aiFace[faces.size()];
    mesh.mPrimitiveTypes = 0;
    for (std::size_t k = 0; k < faces.size(); ++k) {
        std::swap(mesh.mFaces[k].mNumIndices, faces[k].mNumIndices);
        std::swap(mesh.mFaces[k].mIndices, faces[k].mIndices);
        mesh.mPrimitiveTypes |=
            static_cast<u32>(AI_PRIMITIVE_TYPE_FOR_N_INDICES(mesh.mFaces[k].mNumIndices));
    }
}

}  // namespace weft::scene
