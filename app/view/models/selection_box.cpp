#include "app/view/models/selection_box.h"

#include <algorithm>
#include <optional>

#include "engine/scene/edit/edit.h"
#include "scheduler/base/ensure.h"

namespace weft::app {

namespace {

// Length of a bracket, as a share of the edge.
constexpr float kShare = 0.2F;
// Near plane, in metres.
constexpr float kNear = 1e-3F;

using math::Box;

Box box_of(const scene::Scene& scene, const shaders::MeshRecord& mesh) {
    Box box;
    const u32* const corners = scene.indices.data() + std::size_t{3} * mesh.first_triangle;
    const float* const positions = scene.positions.data() + std::size_t{3} * mesh.first_position;
    for (std::size_t corner = 0; corner < std::size_t{3} * mesh.triangle_count; ++corner) {
        box.include(math::vec3_at(positions + std::size_t{3} * corners[corner]));
    }
    return box;
}

BoxCorners corners_of(const Box& box, const math::Affine& matrix) {
    BoxCorners corners{};
    for (u32 corner = 0; corner < corners.size(); ++corner) {
        corners[corner] = math::transform_point(matrix, box.corner(corner));
    }
    return corners;
}

float depth_of(const GizmoView& view, const Vec3& point) {
    const Vec3 back = math::normalize(math::column(view.camera.to_world, 2), {0, 0, 1});
    return -dot(point - math::column(view.camera.to_world, 3), back);
}

void add_line(const GizmoView& view, Vec3 from, Vec3 to, std::vector<ScreenLine>& lines) {
    if (!view.camera.is_orthographic) {
        const float from_depth = depth_of(view, from);
        const float to_depth = depth_of(view, to);
        if (from_depth < kNear && to_depth < kNear) {
            return;
        }
        const float at = (kNear - from_depth) / (to_depth - from_depth);
        if (from_depth < kNear) {
            from = from + (to - from) * at;
        } else if (to_depth < kNear) {
            to = from + (to - from) * at;
        }
    }
    const std::optional<ScreenPoint> a = project(view, from);
    const std::optional<ScreenPoint> b = project(view, to);
    if (a && b) {
        lines.push_back({*a, *b});
    }
}

}  // namespace

std::vector<ScreenLine> bracket_lines(const GizmoView& view, const BoxCorners& corners) {
    std::vector<ScreenLine> lines;
    for (u32 corner = 0; corner < corners.size(); ++corner) {
        for (u32 axis = 0; axis < 3; ++axis) {
            const Vec3& from = corners[corner];
            const Vec3& far_end = corners[corner ^ (1U << axis)];
            add_line(view, from, from + (far_end - from) * kShare, lines);
        }
    }
    return lines;
}

const std::vector<BoxCorners>& SelectionBoxes::of(const scene::Scene& scene,
                                                  const std::string& path,
                                                  u32 instance) {
    ENSURE(instance, <, scene.instances.size());
    u32 begin = instance;
    while (begin > 0 && scene::node_path(scene, begin - 1) == path) {
        --begin;
    }
    u32 end = instance;
    do {
        ++end;
    } while (end < scene.instances.size() && scene::node_path(scene, end) == path);
    if (path_ != path) {
        path_ = path;
        parts_.clear();
    }
    parts_.resize(end - begin);
    boxes_.resize(end - begin);
    outlines_.clear();
    Box joined;
    for (u32 k = begin; k < end; ++k) {
        const scene::Instance& placed = scene.instances[k];
        const shaders::MeshRecord& mesh = scene.meshes[placed.mesh].record;
        const float* const positions =
            scene.positions.data() + std::size_t{3} * mesh.first_position;
        Part& part = parts_[k - begin];
        if (part.positions != positions || part.triangle_count != mesh.triangle_count) {
            part = {positions, mesh.triangle_count, box_of(scene, mesh)};
        }
        boxes_[k - begin] = corners_of(part.box, placed.object_to_world);
        const bool stands_alike =
            k > begin && scene.instances[k - 1].object_to_world == placed.object_to_world;
        if (!stands_alike) {
            outlines_.emplace_back();
            joined = Box();
        }
        joined.include(part.box);
        outlines_.back() = corners_of(joined, placed.object_to_world);
    }
    first_instance_ = begin;
    const BoxCorners& own = boxes_[instance - begin];
    middle_ = (own.front() + own.back()) * 0.5F;
    return boxes_;
}

}  // namespace weft::app
