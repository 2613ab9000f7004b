#include "engine/accel/placing.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/math/affine.h"
#include "engine/scene/model/scene_boxes.h"

namespace weft::accel {

namespace {

constexpr u32 kCellsPerAxis = 4;

Point vertex_at(const scene::Scene& scene, const shaders::MeshRecord& mesh, u64 corner) {
    const u64 vertex = u64{mesh.first_position} + scene.indices[corner];
    return math::vec3_at(scene.positions.data() + 3 * vertex);
}

bool are_in_reach(const Corners& corners) {
    return std::all_of(corners.begin(), corners.end(), scene::is_in_reach);
}

// Index of the cell of [low, high] that contains x.
u32 cell_of(float x, float low, float high) {
    const double width = static_cast<double>(high) - static_cast<double>(low);
    if (width <= 0) {
        return 0;
    }
    const double place =
        (static_cast<double>(x) - static_cast<double>(low)) / width * kCellsPerAxis;
    return std::min(static_cast<u32>(place), kCellsPerAxis - 1);
}

}  // namespace

bool is_in_reach(const Box& box) {
    // Above the reach of corners by the margin that bounds_of() and placed_bounds() add.
    constexpr float kFarthestCorner = 1.01f * scene::kReach_m;
    for (u32 axis = 0; axis < 3; ++axis) {
        if (!(box.low[axis] >= -kFarthestCorner && box.high[axis] <= kFarthestCorner)) {
            return false;
        }
    }
    return true;
}

Placing decide_placing(const scene::Scene& scene, const std::vector<bool>& is_visible) {
    const auto count = static_cast<u32>(scene.instances.size());
    // Count the visible, invertible users of each mesh.
    std::vector<bool> can_be_placed(count, false);
    std::vector<u32> users(scene.meshes.size(), 0);
    for (u32 i = 0; i < count; ++i) {
        if (is_visible.empty() || is_visible[i]) {
            can_be_placed[i] = math::inverse(scene.instances[i].object_to_world).has_value();
            users[scene.instances[i].mesh] += can_be_placed[i] ? 1u : 0u;
        }
    }
    // Place the instances of meshes with several users; bake the others.
    Placing placing;
    for (u32 i = 0; i < count; ++i) {
        if (is_visible.empty() || is_visible[i]) {
            const bool is_placed = can_be_placed[i] && users[scene.instances[i].mesh] > 1;
            (is_placed ? placing.placed : placing.baked).push_back(i);
        }
    }
    for (u32 mesh = 0; mesh < scene.meshes.size(); ++mesh) {
        if (users[mesh] > 1) {
            placing.shared.push_back(mesh);
        }
    }
    return placing;
}

Corners object_corners(const scene::Scene& scene, u32 mesh, u32 primitive) {
    const shaders::MeshRecord& record = scene.meshes[mesh].record;
    const u64 corner = 3 * (u64{record.first_triangle} + primitive);
    return {vertex_at(scene, record, corner),
            vertex_at(scene, record, corner + 1),
            vertex_at(scene, record, corner + 2)};
}

Corners world_corners(const scene::Scene& scene, u32 instance, u32 primitive) {
    const scene::Instance& placed = scene.instances[instance];
    Corners corners = object_corners(scene, placed.mesh, primitive);
    for (Point& corner : corners) {
        corner = math::transform_point(placed.object_to_world, corner);
    }
    return corners;
}

u8 margin_exponent(const Corners& corners) {
    float largest = 0;
    for (const Point& corner : corners) {
        for (const float coordinate : math::components(corner)) {
            largest = std::max(largest, std::fabs(coordinate));
        }
    }
    // Rounding down to a power of two loses less than a factor of two.
    return static_cast<u8>(std::bit_cast<u32>(largest * 0x1p-19f) >> 23);
}

Box bounds_of(const Corners& corners) {
    Box box;
    for (const Point& corner : corners) {
        box.include(corner);
    }
    const float margin = std::bit_cast<float>(u32{margin_exponent(corners)} << 23);
    for (u32 axis = 0; axis < 3; ++axis) {
        box.low[axis] -= margin;
        box.high[axis] += margin;
    }
    return box;
}

bool is_degenerate(const Corners& corners) {
    if (!are_in_reach(corners)) {
        return true;
    }
    const math::DVec3 first(corners[0]);
    return cross(math::DVec3(corners[1]) - first, math::DVec3(corners[2]) - first) == math::DVec3{};
}

void FarMarks::mark(u32 instance) {
    // relaxed: read after the tasks that mark.
    std::atomic_ref<u8>(marks_[instance]).store(1, std::memory_order_relaxed);
}

void FarMarks::take_from(std::vector<bool>& is_held) const {
    for (std::size_t k = 0; k < marks_.size(); ++k) {
        is_held[k] = is_held[k] && marks_[k] == 0;
    }
}

bool is_drawable(const Corners& corners, u32 instance, FarMarks& far) {
    const bool is_proper = !is_degenerate(corners);
    if (!is_proper && !are_in_reach(corners)) {
        far.mark(instance);
    }
    return is_proper;
}

std::vector<Box> mesh_cells(const scene::Scene& scene, u32 mesh) {
    const u32 count = scene.meshes[mesh].record.triangle_count;
    Box all;
    for (u32 primitive = 0; primitive < count; ++primitive) {
        const Corners corners = object_corners(scene, mesh, primitive);
        if (!is_degenerate(corners)) {
            all.include(corners[0]);
            all.include(corners[1]);
            all.include(corners[2]);
        }
    }
    std::vector<Box> cells(kCellsPerAxis * kCellsPerAxis * kCellsPerAxis);
    for (u32 primitive = 0; primitive < count; ++primitive) {
        const Corners corners = object_corners(scene, mesh, primitive);
        if (is_degenerate(corners)) {
            continue;
        }
        for (const Point& corner : corners) {
            u32 cell = 0;
            for (u32 axis = 0; axis < 3; ++axis) {
                cell = cell * kCellsPerAxis + cell_of(corner[axis], all.low[axis], all.high[axis]);
            }
            cells[cell].include(corner);
        }
    }
    std::erase_if(cells, [](const Box& cell) { return cell.is_empty(); });
    return cells;
}

Box placed_bounds(const std::vector<Box>& cells, const math::Affine& object_to_world) {
    Box box;
    for (u32 row = 0; row < 3; ++row) {
        const float* m = object_to_world.data() + std::size_t{4} * row;
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        double size = 0;
        for (const Box& cell : cells) {
            double cell_low = static_cast<double>(m[3]);
            double cell_high = cell_low;
            double cell_size = std::fabs(cell_low);
            for (u32 axis = 0; axis < 3; ++axis) {
                const double one =
                    static_cast<double>(m[axis]) * static_cast<double>(cell.low[axis]);
                const double other =
                    static_cast<double>(m[axis]) * static_cast<double>(cell.high[axis]);
                cell_low += std::min(one, other);
                cell_high += std::max(one, other);
                cell_size += std::max(std::fabs(one), std::fabs(other));
            }
            low = std::min(low, cell_low);
            high = std::max(high, cell_high);
            size = std::max(size, cell_size);
        }
        // Widen by the rounding errors of the inverse matrix and of the ray in object space.
        const double margin = size * 0x1p-20;
        box.low[row] = static_cast<float>(low - margin);
        box.high[row] = static_cast<float>(high + margin);
    }
    return box;
}

bool needs_flag(const shaders::MaterialRecord& material) {
    const bool is_clear =
        material.transmission > 0 || (material.flags & shaders::kMaterialTransmission) != 0;
    const bool is_solid = (material.flags & shaders::kMaterialSolid) != 0;
    return material.alpha_mode != static_cast<u32>(shaders::AlphaMode::Opaque) ||
           (is_clear && !is_solid) || (material.flags & shaders::kMaterialBoundary) != 0;
}

bool must_flag(const scene::Scene& scene, const std::vector<bool>& flagged, u32 instance) {
    return flagged.empty() ? needs_flag(scene.materials[scene.instances[instance].material].record)
                           : flagged[instance];
}

}  // namespace weft::accel
