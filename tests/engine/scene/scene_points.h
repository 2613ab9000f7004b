// scene_points.h — where the vertices of a scene lie and what faces where, for tests of importers.
#pragma once

#include <doctest/doctest.h>

#include "engine/math/affine.h"
#include "engine/scene/model/scene.h"

namespace weft::scene::testing {

inline math::Vec3 world_vertex(const Scene& scene, const Instance& instance, u32 vertex) {
    const shaders::MeshRecord& record = scene.meshes[instance.mesh].record;
    return math::transform_point(
        instance.object_to_world,
        math::vec3_at(&scene.positions[std::size_t{3} * (record.first_position + vertex)]));
}

// Of a triangle, in the world: mirrored instances turn the order of the corners.
inline math::Vec3 front_of(const Scene& scene, const Instance& instance, u32 triangle) {
    const shaders::MeshRecord& record = scene.meshes[instance.mesh].record;
    math::Vec3 p[3];
    for (u32 k = 0; k < 3; ++k) {
        p[k] = world_vertex(scene,
                            instance,
                            scene.indices[std::size_t{3} * (record.first_triangle + triangle) + k]);
    }
    const math::Vec3 front = math::normalize(math::cross(p[1] - p[0], p[2] - p[0]));
    const bool is_mirrored = math::determinant(math::to_double(instance.object_to_world)) < 0;
    return is_mirrored ? -front : front;
}

inline const shaders::MaterialRecord& material_of(const Scene& scene, std::size_t instance) {
    return scene.materials[scene.instances[instance].material].record;
}

inline bool is_near(const math::Vec3& a, const math::Vec3& b, float margin = 1e-5F) {
    return math::length(a - b) < margin;
}

// Where a point of the scene appears: right of the middle is positive, above it too.
inline math::Vec3 seen(const Camera& camera, const math::Vec3& point) {
    const auto from_world = math::inverse(camera.to_world);
    REQUIRE(from_world);
    return math::transform_point(*from_world, point);
}

}  // namespace weft::scene::testing
