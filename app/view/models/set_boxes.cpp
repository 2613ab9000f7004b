#include "app/view/models/set_boxes.h"

namespace weft::app {

const math::Box& SetBoxes::of_mesh(const scene::Scene& scene, u32 mesh) {
    const shaders::MeshRecord& record = scene.meshes[mesh].record;
    const float* const positions = scene.positions.data() + std::size_t{3} * record.first_position;
    OfMesh& known = meshes_[positions];
    if (known.triangle_count != record.triangle_count) {
        known = {record.triangle_count, {}};
        const u32* const corners = scene.indices.data() + std::size_t{3} * record.first_triangle;
        for (std::size_t k = 0; k < std::size_t{3} * record.triangle_count; ++k) {
            known.box.include(math::vec3_at(positions + std::size_t{3} * corners[k]));
        }
    }
    return known.box;
}

math::Box SetBoxes::of(const scene::Scene& scene, std::span<const u32> instances) {
    math::Box whole;
    for (const u32 index : instances) {
        const scene::Instance& instance = scene.instances[index];
        const math::Box& own = of_mesh(scene, instance.mesh);
        for (u32 corner = 0; corner < 8 && !own.is_empty(); ++corner) {
            whole.include(math::transform_point(instance.object_to_world, own.corner(corner)));
        }
    }
    return whole;
}

}  // namespace weft::app
