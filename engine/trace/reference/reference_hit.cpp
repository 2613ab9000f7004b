// reference_hit.cpp — see reference_hit.h.
#include "engine/trace/reference/reference_hit.h"

#include <array>

namespace weft::trace::reference {

namespace {

using shaders::MaterialRecord;
using shaders::MeshRecord;
using shaders::SceneView;

// Interpolated vertex attributes, not yet facing the viewer.
struct VertexFrame {
    Vec normal;  // on n_g's side
    Vec tangent;
    Vec bitangent;
};

double offset_at(const SceneView& scene, TriangleName name) {
    const shaders::InstanceRecord& instance = scene.instances[name.instance];
    const MeshRecord& mesh = scene.meshes[instance.mesh];
    double largest_sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t vertex =
            scene.indices[std::size_t{3} * (mesh.first_triangle + name.primitive) + k];
        const Vec p = vec_of(scene.positions + 3 * (mesh.first_position + vertex));
        for (std::size_t row = 0; row < 3; ++row) {
            const float* m = instance.object_to_world + 4 * row;
            const Vec terms = vec_of(m) * p;
            const double shift = m[3];
            const double sum =
                std::fabs(terms.x) + std::fabs(terms.y) + std::fabs(terms.z) + std::fabs(shift);
            largest_sum = std::max(largest_sum, sum);
        }
    }
    return largest_sum * 0x1p-18;
}

// Interpolates the first three floats of a vertex attribute of `stride` floats.
Vec interpolate(
    const SceneView& scene, const RayHit& hit, const float* values, u32 first, std::size_t stride) {
    const MeshRecord& mesh = scene.meshes[scene.instances[hit.name.instance].mesh];
    const std::array<double, 3> weights = {1 - hit.b1 - hit.b2, hit.b1, hit.b2};
    Vec sum;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t vertex =
            scene.indices[std::size_t{3} * (mesh.first_triangle + hit.name.primitive) + k];
        sum += vec_of(values + stride * (first + vertex)) * weights[k];
    }
    return sum;
}

Vec interpolate_normal(const SceneView& scene, const RayHit& hit, Vec geometric) {
    const shaders::InstanceRecord& instance = scene.instances[hit.name.instance];
    const MeshRecord& mesh = scene.meshes[instance.mesh];
    if (mesh.first_normal == kNone) {
        return geometric;
    }
    const Vec n = interpolate(scene, hit, scene.normals, mesh.first_normal, 3);
    const float* m = instance.world_to_object;
    const Vec world = normalize(vec_of(m) * n.x + vec_of(m + 4) * n.y + vec_of(m + 8) * n.z);
    if (length(world) == 0) {
        return geometric;
    }
    return dot(world, geometric) < 0 ? -world : world;
}

VertexFrame vertex_frame(const SceneView& scene, const RayHit& hit, Vec geometric) {
    const shaders::InstanceRecord& instance = scene.instances[hit.name.instance];
    const MeshRecord& mesh = scene.meshes[instance.mesh];
    const Vec normal = interpolate_normal(scene, hit, geometric);
    Frame frame = frame_around(normal);
    if (mesh.first_tangent != kNone) {
        const Vec tangent = interpolate(scene, hit, scene.tangents, mesh.first_tangent, 4);
        const Vec world = transform_vector(instance.object_to_world, tangent);
        const Vec across = world - normal * dot(normal, world);
        if (length(across) > 0) {
            const std::size_t vertex =
                scene.indices[std::size_t{3} * (mesh.first_triangle + hit.name.primitive)];
            const bool is_left = scene.tangents[4 * (mesh.first_tangent + vertex) + 3] < 0;
            const bool is_mirrored = (instance.flags & shaders::kInstanceMirrored) != 0;
            frame.x = normalize(across);
            frame.y = cross(normal, frame.x) * (is_left != is_mirrored ? -1 : 1);
        }
    }
    return {normal, frame.x, frame.y};
}

// The normal of a normal map, not yet facing the viewer; the vertex normal without a map.
Vec mapped_normal(const SceneView& scene,
                  u32 slot,
                  double scale,
                  const VertexFrame& vertex,
                  const TexturePoint& point) {
    if (slot == kNone) {
        return vertex.normal;
    }
    const Rgba texel = read_slot(scene, slot, normal_point(point));
    const double x = (texel[0] * 2 - 1) * scale;
    const double y = (texel[1] * 2 - 1) * scale;
    const double z = texel[2] * 2 - 1;
    return normalize(vertex.tangent * x + vertex.bitangent * y + vertex.normal * z);
}

// Flips a normal on back faces, then bends it to face the viewer.
Vec towards_viewer(Vec normal, bool is_front, Vec wo) {
    const Vec n = is_front ? normal : -normal;
    const double cosine = dot(n, wo);
    return cosine < 0.01 ? normalize(n + (0.01 - cosine) * wo) : n;
}

// Direction of the rougher axis of anisotropy in the world; zero where the material has none.
Vec anisotropy_tangent(const SceneView& scene,
                       const MaterialRecord& material,
                       const VertexFrame& vertex,
                       const TexturePoint& point) {
    if ((material.flags & shaders::kMaterialAnisotropy) == 0) {
        return {};
    }
    const double cosine = material.anisotropy_cos;
    const double sine = material.anisotropy_sin;
    if (material.anisotropy_slot == kNone) {
        return vertex.tangent * cosine + vertex.bitangent * sine;
    }
    const Rgba texel = read_slot(scene, material.anisotropy_slot, point);
    const double x = texel[0] * 2 - 1;
    const double y = texel[1] * 2 - 1;
    return vertex.tangent * (x * cosine - y * sine) + vertex.bitangent * (x * sine + y * cosine);
}

// Everything but the shading normals.
Surface make_bare_surface(const SceneView& scene, const RayHit& hit, Vec direction) {
    const Corners corners = world_corners(scene, hit.name);
    const Vec outward = outward_cross(scene, hit.name, corners);
    Surface surface;
    surface.name = hit.name;
    surface.material = scene.instances[hit.name.instance].material;
    surface.position = corners.a * (1 - hit.b1 - hit.b2) + corners.b * hit.b1 + corners.c * hit.b2;
    surface.wo = -direction;
    surface.is_front = dot(outward, surface.wo) >= 0;
    surface.geometric = normalize(surface.is_front ? outward : -outward);
    surface.offset_m = offset_at(scene, hit.name);
    surface.textures = texture_point(scene, hit.name.instance, hit.name.primitive, hit.b1, hit.b2);
    surface.textures.world_area_cross = length(outward);
    return surface;
}

// Sets the footprint of a cone: its long axis is the projection of wo to the plane, stretched by
// 1/|cosine|.
void lay_cone(Surface& surface, const Corners& corners, Cone cone) {
    TexturePoint& textures = surface.textures;
    const double cosine = dot(surface.geometric, surface.wo);
    textures.width_m = cone.width_m;
    textures.is_wide = cone.spread >= kRoughWidth;
    textures.stretch = 1 / std::max(std::fabs(cosine), 0.1);
    const Vec along = surface.wo - surface.geometric * cosine;
    const Vec to_b = corners.b - corners.a;
    const Vec to_c = corners.c - corners.a;
    const Vec around = cross(to_b, to_c);
    if (length(along) == 0 || dot(around, around) == 0) {
        return;
    }
    const Vec axis = normalize(along) * (cone.width_m * textures.stretch);
    textures.long_b1 = dot(axis, cross(to_c, around)) / dot(around, around);
    textures.long_b2 = dot(axis, cross(around, to_b)) / dot(around, around);
}

}  // namespace

Surface make_surface(const SceneView& scene, const RayHit& hit, Vec direction, Cone cone) {
    Surface surface = make_bare_surface(scene, hit, direction);
    const MaterialRecord& material = scene.materials[surface.material];
    lay_cone(surface, world_corners(scene, hit.name), cone);

    const Vec outward = surface.is_front ? surface.geometric : -surface.geometric;
    const VertexFrame vertex = vertex_frame(scene, hit, outward);
    const Vec base = mapped_normal(scene,
                                   material.normal_slot,
                                   static_cast<double>(material.normal_scale),
                                   vertex,
                                   surface.textures);
    const Vec coat = mapped_normal(scene,
                                   material.coat_normal_slot,
                                   static_cast<double>(material.coat_normal_scale),
                                   vertex,
                                   surface.textures);
    surface.frame = frame_along(towards_viewer(base, surface.is_front, surface.wo),
                                anisotropy_tangent(scene, material, vertex, surface.textures));
    surface.coat_frame = frame_around(towards_viewer(coat, surface.is_front, surface.wo));
    return surface;
}

Surface make_flat_surface(const SceneView& scene, const RayHit& hit, Vec direction) {
    Surface surface = make_bare_surface(scene, hit, direction);
    surface.frame = frame_around(towards_viewer(surface.geometric, true, surface.wo));
    surface.coat_frame = surface.frame;
    return surface;
}

Vec start_point(const Surface& surface, Vec direction) {
    const bool is_outside = dot(direction, surface.geometric) >= 0;
    return surface.position +
           surface.geometric * (is_outside ? surface.offset_m : -surface.offset_m);
}

}  // namespace weft::trace::reference
