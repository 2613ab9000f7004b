// ply_model.cpp — see ply_model.h.
#include "engine/scene/assimp/ply_model.h"

#include <array>
#include <assimp/material.h>
#include <assimp/mesh.h>

#include "engine/scene/parts/mesh_files.h"

namespace weft::scene {
namespace {

// Null for an empty list.
aiVector3D* vectors_of(const std::vector<float>& numbers, std::size_t each) {
    const std::size_t count = numbers.size() / each;
    aiVector3D* const vectors = count == 0 ? nullptr : new aiVector3D[count];
    for (std::size_t k = 0; k < count; ++k) {
        const float* const from = &numbers[each * k];
        vectors[k] = aiVector3D(from[0], from[1], each == 3 ? from[2] : 0.0F);
    }
    return vectors;
}

aiColor4D* colors_of(const std::vector<float>& numbers) {
    const std::size_t count = numbers.size() / 4;
    aiColor4D* const colors = count == 0 ? nullptr : new aiColor4D[count];
    for (std::size_t k = 0; k < count; ++k) {
        const float* const from = &numbers[4 * k];
        colors[k] = aiColor4D(from[0], from[1], from[2], from[3]);
    }
    return colors;
}

std::unique_ptr<aiMesh> mesh_of(const PlyModel& model) {
    auto mesh = std::make_unique<aiMesh>();
    const std::vector<u32>& corners = model.mesh.corners;
    if (corners.empty()) {
        return mesh;
    }
    mesh->mNumVertices = static_cast<u32>(model.mesh.vertex_count());
    mesh->mVertices = vectors_of(model.mesh.positions, 3);
    mesh->mNormals = vectors_of(model.mesh.normals, 3);
    mesh->mTextureCoords[0] = vectors_of(model.mesh.uvs, 2);
    mesh->mNumUVComponents[0] = 2;
    mesh->mColors[0] = colors_of(model.colors);
    mesh->mPrimitiveTypes = aiPrimitiveType_TRIANGLE;
    mesh->mFaces = new aiFace[corners.size() / 3];
    for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
        aiFace& face = mesh->mFaces[mesh->mNumFaces++];
        face.mNumIndices = 3;
        face.mIndices = new unsigned[3]{corners[k], corners[k + 1], corners[k + 2]};
    }
    return mesh;
}

std::unique_ptr<aiMaterial> material_of(const PlyModel& model) {
    auto material = std::make_unique<aiMaterial>();
    const aiColor3D white(1, 1, 1);
    material->AddProperty(&white, 1, AI_MATKEY_COLOR_DIFFUSE);
    if (!model.pictures.empty()) {
        const aiString name(model.pictures.front());
        material->AddProperty(&name, AI_MATKEY_TEXTURE_DIFFUSE(0));
    }
    return material;
}

void note_rest(AssimpSource& source, const PlyModel& model) {
    source.dropped_triangles += model.dropped_triangles;
    source.ignored_points += model.points;
    source.ignored_lines += model.lines;
    if (model.pictures.size() > 1) {
        source.note(Note::Kind::Ignored,
                    "names " + std::to_string(model.pictures.size()) +
                        " pictures; the first one, " + model.pictures.front() +
                        ", colours all faces.");
    }
    for (const std::string& element : model.unread) {
        source.note(Note::Kind::Ignored, "the element \"" + element + "\" is not read.");
    }
}

}  // namespace

base::Result<std::unique_ptr<aiScene>> read_ply_scene(AssimpSource& source) {
    SizeRule size(source.path);
    const base::Result<PlyModel> model = read_ply_model(source.path, size);
    WEFT_TRY(model);
    note_rest(source, model.value());
    auto scene = std::make_unique<aiScene>();
    scene->mMaterials = new aiMaterial* [1] { material_of(model.value()).release() };
    scene->mNumMaterials = 1;
    scene->mMeshes = new aiMesh* [1] { mesh_of(model.value()).release() };
    scene->mNumMeshes = 1;
    scene->mRootNode = new aiNode();
    scene->mRootNode->mMeshes = new unsigned[1]{0};
    scene->mRootNode->mNumMeshes = 1;
    return scene;
}

}  // namespace weft::scene
