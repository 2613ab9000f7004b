// assimp_nodes.cpp — packs assimp's node tree as groups, instances, cameras and lights in the
// world.
//
// A mesh that several nodes show becomes several instances of one mesh. Runs in the reader process.
#include <algorithm>
#include <array>
#include <assimp/camera.h>
#include <assimp/light.h>
#include <assimp/metadata.h>
#include <assimp/scene.h>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/scene/assimp/assimp_source.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {
namespace {

math::Affine to_affine(const aiMatrix4x4& m) {
    return {m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4};
}

// FBX states its unit of length; the scene is in metres.
float metres_per_unit(const AssimpSource& source, const aiScene& scene) {
    double centimetres = 100;
    if (source.extension == "fbx" && scene.mMetaData != nullptr) {
        float as_float = 0;
        if (!scene.mMetaData->Get("UnitScaleFactor", centimetres) &&
            scene.mMetaData->Get("UnitScaleFactor", as_float)) {
            centimetres = static_cast<double>(as_float);
        }
    }
    return centimetres > 0 ? static_cast<float>(centimetres / 100) : 1.0f;
}

// FBX states its axes, and assimp keeps them. The scene's X is the file's CoordAxis, Y its UpAxis
// and Z its FrontAxis.
aiMatrix4x4 axes_of(const AssimpSource& source, const aiScene& scene) {
    aiMatrix4x4 axes;
    if (source.extension != "fbx" || scene.mMetaData == nullptr) {
        return axes;
    }
    constexpr std::array<const char*, 3> kNames = {"CoordAxis", "UpAxis", "FrontAxis"};
    for (unsigned row = 0; row < 3; ++row) {
        i32 axis = 0;
        i32 sign = 0;
        if (!scene.mMetaData->Get(kNames[row], axis) ||
            !scene.mMetaData->Get(std::string(kNames[row]) + "Sign", sign) || std::abs(sign) != 1) {
            return {};
        }
        for (unsigned column = 0; column < 3; ++column) {
            axes[row][column] = axis == static_cast<i32>(column) ? static_cast<float>(sign) : 0.0f;
        }
    }
    const bool is_whole = axes.Determinant() != 0;  // else an axis is none, or that of another row
    return is_whole ? axes : aiMatrix4x4();
}

// From the unit of length and the axes of the file to those of the scene.
aiMatrix4x4 world_unit(const AssimpSource& source, const aiScene& scene) {
    const float metres = metres_per_unit(source, scene);
    aiMatrix4x4 scale;
    aiMatrix4x4::Scaling(aiVector3D(metres, metres, metres), scale);
    return scale * axes_of(source, scene);
}

// A node of the tree, after those above it.
struct SeenNode {
    const aiNode* node = nullptr;
    u32 parent = kNone;  // in the list
    aiMatrix4x4 world;
    u32 group = kNone;  // what its meshes, camera and light stand in
};

// All nodes in depth-first order, and the first one of each name.
struct SeenNodes {
    std::vector<SeenNode> nodes;
    std::unordered_map<std::string_view, u32> by_name;

    // The node of this name, or the root.
    [[nodiscard]] u32 named(const aiString& name) const {
        const auto known = by_name.find(name.C_Str());
        return known == by_name.end() ? 0 : known->second;
    }
};

// Without recursion: depth costs memory only.
SeenNodes list_nodes(const aiScene& scene, const aiMatrix4x4& unit) {
    SeenNodes seen;
    std::vector<std::pair<const aiNode*, u32>> open = {{scene.mRootNode, kNone}};
    while (!open.empty()) {
        const auto [node, parent] = open.back();
        open.pop_back();
        const auto index = static_cast<u32>(seen.nodes.size());
        const aiMatrix4x4& above = parent == kNone ? unit : seen.nodes[parent].world;
        seen.by_name.try_emplace(node->mName.C_Str(), index);
        seen.nodes.push_back({node, parent, above * node->mTransformation});
        // Pushed backwards, so that the stack visits children in their order.
        for (u32 child = node->mNumChildren; child > 0; --child) {
            open.emplace_back(node->mChildren[child - 1], index);
        }
    }
    return seen;
}

// The world matrix of a node by name, or that of the file where no node has the name.
aiMatrix4x4 world_transform(const SeenNodes& seen, const aiString& name, const aiMatrix4x4& unit) {
    aiMatrix4x4 transform;
    const auto known = seen.by_name.find(name.C_Str());
    for (u32 k = known == seen.by_name.end() ? kNone : known->second; k != kNone;
         k = seen.nodes[k].parent) {
        transform = seen.nodes[k].node->mTransformation * transform;
    }
    return unit * transform;
}

// Nodes with something shown below them become groups; the root, which assimp makes, does not.
void pack_groups(const aiScene& scene, SeenNodes& seen, PackWriter& pack) {
    std::vector<SeenNode>& nodes = seen.nodes;
    std::vector<bool> has_content(nodes.size(), false);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        has_content[k] = nodes[k].node->mNumMeshes > 0;
    }
    for (u32 i = 0; i < scene.mNumCameras; ++i) {
        has_content[seen.named(scene.mCameras[i]->mName)] = true;
    }
    for (u32 i = 0; i < scene.mNumLights; ++i) {
        has_content[seen.named(scene.mLights[i]->mName)] = true;
    }
    std::vector<bool> is_group(nodes.size(), false);
    for (std::size_t k = nodes.size(); k-- > 1;) {
        if (has_content[k] || is_group[k]) {
            is_group[nodes[k].parent] = true;
        }
    }
    is_group[0] = false;
    pack.value(static_cast<u64>(std::count(is_group.begin(), is_group.end(), true)));
    u32 count = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        SeenNode& seen_node = nodes[k];
        const u32 above = seen_node.parent == kNone ? kNone : nodes[seen_node.parent].group;
        seen_node.group = is_group[k] ? count++ : above;
        if (is_group[k]) {
            pack.text(seen_node.node->mName.C_Str());
            pack.value(above);
            pack.value(to_affine(seen_node.world));
        }
    }
}

// Packs each node's meshes.
void pack_instances(AssimpSource& source, const SeenNodes& seen, PackWriter& pack) {
    for (const SeenNode& placed : seen.nodes) {
        const aiNode& node = *placed.node;
        if (node.mNumMeshes > 0) {
            pack.array(std::span<const unsigned>(node.mMeshes, node.mNumMeshes));
            pack.value(to_affine(placed.world));
            pack.value(placed.group);
            pack.text(source.name_or_file(node.mName.C_Str()));
        }
    }
    pack.array(std::span<const unsigned>());  // the end
}

aiVector3D turned(const aiMatrix4x4& transform, const aiVector3D& direction) {
    aiVector3D result = aiMatrix3x3(transform) * direction;
    return result.NormalizeSafe();
}

Camera camera_of(AssimpSource& source, const aiCamera& from, const aiMatrix4x4& world) {
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
            source.note(
                Note::Kind::Repaired,
                "the camera " + camera.name + " has no angle that can be used; it sees 46° high.");
        }
    }
    return camera;
}

// Whether a Collada file names the outer angle of a spot in one of the ways that assimp reads.
// Without it assimp guesses the angle. Nothing is found in a file that is compressed.
bool names_outer_angle(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    constexpr std::array<std::string_view, 5> kNames = {
        "<outer_cone", "<penumbra_angle", "<falloff>", "<falloff ", "<decay_falloff"};
    return std::any_of(kNames.begin(), kNames.end(), [&text](std::string_view name) {
        return text.find(name) != text.npos;
    });
}

bool has_guessed_cones(const AssimpSource& source, const aiScene& scene) {
    const bool has_spot =
        std::any_of(scene.mLights, scene.mLights + scene.mNumLights, [](const aiLight* light) {
            return light->mType == aiLightSource_SPOT;
        });
    return has_spot && (source.extension == "dae" || source.extension == "zae") &&
           !names_outer_angle(source.path);
}

// The cosines of the half angles.
struct Cone {
    double inner = 1;
    double outer = 0;
};

Cone cone_of(const aiLight& from) {
    // assimp's cone angles are from edge to edge.
    const double outer = std::fmin(static_cast<double>(from.mAngleOuterCone) / 2, shaders::kPi / 2);
    const double inner = std::fmin(static_cast<double>(from.mAngleInnerCone) / 2, outer);
    return {shaders::cos_of(inner), shaders::cos_of(outer)};
}

// A Collada spot with falloff_angle as assimp's inner angle, and as its outer one a guess: the
// inner angle and acos(0.1^(1 / e)) for the falloff_exponent e, where 0 counts as 1. The spot ends
// at falloff_angle, edge to edge. Within it the light falls as cos^e; the inner angle keeps the
// place where half of it is left.
Cone cone_of_exponent(const aiLight& from) {
    const double full = static_cast<double>(from.mAngleInnerCone);
    const double guess = static_cast<double>(from.mAngleOuterCone) - full;
    const double outer = shaders::cos_of(std::fmin(full / 2, shaders::kPi / 2));
    const double at_guess = shaders::cos_of(guess);
    if (!(guess > 0) || !(at_guess > 0)) {
        return {outer, outer};
    }
    // 0.5^(1 / e) from cos(guess) = 0.1^(1 / e).
    const double half = shaders::pow_of(at_guess, shaders::log_of(0.5) / shaders::log_of(0.1));
    const bool is_even = guess > 1.47 || half <= outer;  // 1.47: just below e = 1
    return {is_even ? outer : std::fmin(outer + (half - outer) * std::sqrt(2.0), 1.0), outer};
}

std::optional<Light> light_of(AssimpSource& source,
                              const aiLight& from,
                              const aiMatrix4x4& world,
                              bool is_guessed) {
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
            source.note(Note::Kind::Ignored,
                        "the light " + light.name +
                            " is neither point nor spot nor directional and is not used.");
            return std::nullopt;
    }
    const aiVector3D position = world * from.mPosition;
    const aiVector3D direction = turned(world, from.mDirection);
    light.position = {position.x, position.y, position.z};
    if (direction.SquareLength() > 0) {
        light.direction = {direction.x, direction.y, direction.z};
    }
    const aiColor3D& color = from.mColorDiffuse;
    light.intensity = {
        std::fmax(color.r, 0.0f), std::fmax(color.g, 0.0f), std::fmax(color.b, 0.0f)};
    const Cone cone = is_guessed ? cone_of_exponent(from) : cone_of(from);
    light.cos_inner = static_cast<float>(cone.inner);
    light.cos_outer = static_cast<float>(cone.outer);
    return light;
}

template <typename T>
void append_finite(AssimpSource& source, const T& item, std::vector<T>& items) {
    if (is_finite(item)) {
        items.push_back(item);
    } else {
        source.note(Note::Kind::Ignored,
                    "the camera or light " + item.name +
                        " has numbers that are not finite and is not used.");
    }
}

}  // namespace

void pack_nodes(AssimpSource& source, const aiScene& scene, PackWriter& pack) {
    const aiMatrix4x4 unit = world_unit(source, scene);
    SeenNodes seen = list_nodes(scene, unit);
    pack_groups(scene, seen, pack);
    pack_instances(source, seen, pack);
    std::vector<Camera> cameras;
    for (u32 i = 0; i < scene.mNumCameras; ++i) {
        const aiCamera& from = *scene.mCameras[i];
        Camera camera = camera_of(source, from, world_transform(seen, from.mName, unit));
        camera.group = seen.nodes[seen.named(from.mName)].group;
        append_finite(source, camera, cameras);
    }
    std::vector<Light> lights;
    const bool is_guessed = has_guessed_cones(source, scene);
    for (u32 i = 0; i < scene.mNumLights; ++i) {
        const aiLight& from = *scene.mLights[i];
        auto light = light_of(source, from, world_transform(seen, from.mName, unit), is_guessed);
        if (light) {
            light->group = seen.nodes[seen.named(from.mName)].group;
            append_finite(source, *light, lights);
        }
    }
    write_cameras(pack, cameras);
    write_lights(pack, lights);
}

}  // namespace weft::scene
