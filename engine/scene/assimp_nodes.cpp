// assimp_nodes.cpp — assimp's node tree as instances, cameras and lights in the world.
//
// A mesh that several nodes show becomes several instances of one mesh. One thread.
#include <array>
#include <assimp/camera.h>
#include <assimp/light.h>
#include <assimp/metadata.h>
#include <assimp/scene.h>
#include <cmath>
#include <utility>

#include "engine/scene/assimp_parts.h"
#include "shaders/scalar_math.h"

namespace weft::scene {
namespace {

Affine to_affine(const aiMatrix4x4& m) {
    return {m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4};
}

// FBX counts in a unit of its own and says which; the scene is in metres.
float metres_per_unit(const AssimpImport& import, const aiScene& source) {
    double centimetres = 100;
    if (import.extension == "fbx" && source.mMetaData != nullptr) {
        float as_float = 0;
        if (!source.mMetaData->Get("UnitScaleFactor", centimetres) &&
            source.mMetaData->Get("UnitScaleFactor", as_float)) {
            centimetres = static_cast<double>(as_float);
        }
    }
    return centimetres > 0 ? static_cast<float>(centimetres / 100) : 1.0f;
}

aiMatrix4x4 world_unit(float metres) {
    aiMatrix4x4 scale;
    aiMatrix4x4::Scaling(aiVector3D(metres, metres, metres), scale);
    return scale;
}

// Of a node by name, or of the root where no node has it.
aiMatrix4x4 world_transform(const aiScene& source, const aiString& name, const aiMatrix4x4& unit) {
    aiMatrix4x4 transform;
    for (const aiNode* node = source.mRootNode->FindNode(name); node != nullptr;
         node = node->mParent) {
        transform = node->mTransformation * transform;
    }
    return unit * transform;
}

aiVector3D turned(const aiMatrix4x4& transform, const aiVector3D& direction) {
    aiVector3D result = aiMatrix3x3(transform) * direction;
    return result.NormalizeSafe();
}

void append_instances(AssimpImport& import, const aiScene& source, const aiMatrix4x4& unit) {
    std::vector<std::pair<const aiNode*, aiMatrix4x4>> open = {{source.mRootNode, unit}};
    while (!open.empty()) {
        const auto [node, parent] = open.back();
        open.pop_back();
        const aiMatrix4x4 transform = parent * node->mTransformation;
        for (u32 i = 0; i < node->mNumMeshes; ++i) {
            const u32 mesh =
                node->mMeshes[i] < import.meshes.size() ? import.meshes[node->mMeshes[i]] : kNone;
            if (mesh != kNone) {
                import.scene.instances.push_back({mesh,
                                                  import.scene.meshes[mesh].material,
                                                  to_affine(transform),
                                                  import.name_or_file(node->mName.C_Str())});
            }
        }
        // Last in, first out: children are pushed backwards to be met in their order.
        for (u32 child = node->mNumChildren; child > 0; --child) {
            open.emplace_back(node->mChildren[child - 1], transform);
        }
    }
}

void append_camera(AssimpImport& import,
                   const aiScene& source,
                   const aiCamera& from,
                   const aiMatrix4x4& unit) {
    const aiMatrix4x4 world = world_transform(source, from.mName, unit);
    const aiVector3D back = turned(world, from.mLookAt * -1.0f);
    const aiVector3D right = (turned(world, from.mUp) ^ back).NormalizeSafe();
    const aiVector3D up = back ^ right;
    const aiVector3D eye = world * from.mPosition;
    Camera camera;
    camera.name = from.mName.C_Str();
    camera.to_world = {
        right.x, up.x, back.x, eye.x, right.y, up.y, back.y, eye.y, right.z, up.z, back.z, eye.z};
    camera.aspect = from.mAspect > 0 ? from.mAspect : 0;
    camera.is_orthographic = from.mOrthographicWidth > 0;
    const double aspect = camera.aspect > 0 ? static_cast<double>(camera.aspect) : 16.0 / 9;
    if (camera.is_orthographic) {
        camera.xmag = from.mOrthographicWidth;
        camera.ymag = static_cast<float>(static_cast<double>(from.mOrthographicWidth) / aspect);
    } else {
        // assimp's importers store the whole horizontal angle; its Collada reader (5.2) loses it
        // and leaves 0.014.
        const double xfov = static_cast<double>(from.mHorizontalFOV);
        if (xfov > 0.02 && xfov < 3.1) {
            camera.yfov_rad =
                static_cast<float>(2 * shaders::atan2_of(shaders::tan_of(xfov / 2) / aspect, 1));
        } else {
            import.note(
                Note::Kind::Repaired,
                "the camera " + camera.name + " has no angle that can be used; it sees 46° high.");
        }
    }
    import.scene.cameras.push_back(camera);
}

void append_light(AssimpImport& import,
                  const aiScene& source,
                  const aiLight& from,
                  const aiMatrix4x4& unit) {
    Light light;
    light.name = from.mName.C_Str();
    switch (from.mType) {
        case aiLightSource_DIRECTIONAL:
            light.kind = shaders::LightKind::Directional;
            break;
        case aiLightSource_POINT:
            light.kind = shaders::LightKind::Point;
            break;
        case aiLightSource_SPOT:
            light.kind = shaders::LightKind::Spot;
            break;
        default:
            import.note(Note::Kind::Ignored,
                        "the light " + light.name +
                            " is neither point nor spot nor directional and is not used.");
            return;
    }
    const aiMatrix4x4 world = world_transform(source, from.mName, unit);
    const aiVector3D position = world * from.mPosition;
    const aiVector3D direction = turned(world, from.mDirection);
    light.position = {position.x, position.y, position.z};
    if (direction.SquareLength() > 0) {
        light.direction = {direction.x, direction.y, direction.z};
    }
    const aiColor3D& color = from.mColorDiffuse;
    light.intensity = {
        std::fmax(color.r, 0.0f), std::fmax(color.g, 0.0f), std::fmax(color.b, 0.0f)};
    // assimp's cone angles are whole, from edge to edge.
    const double outer = std::fmin(static_cast<double>(from.mAngleOuterCone) / 2, shaders::kPi / 2);
    const double inner = std::fmin(static_cast<double>(from.mAngleInnerCone) / 2, outer);
    light.cos_inner = static_cast<float>(shaders::cos_of(inner));
    light.cos_outer = static_cast<float>(shaders::cos_of(outer));
    import.scene.lights.push_back(light);
}

}  // namespace

void append_assimp_nodes(AssimpImport& import, const aiScene& source) {
    const aiMatrix4x4 unit = world_unit(metres_per_unit(import, source));
    append_instances(import, source, unit);
    for (u32 i = 0; i < source.mNumCameras; ++i) {
        append_camera(import, source, *source.mCameras[i], unit);
    }
    for (u32 i = 0; i < source.mNumLights; ++i) {
        append_light(import, source, *source.mLights[i], unit);
    }
}

}  // namespace weft::scene
