#include "app/view/models/gizmo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include "scheduler/base/ensure.h"

namespace weft::app {

namespace {

constexpr u32 kRingPoints = 48;
constexpr float kWholeTurn = 2 * std::numbers::pi_v<float>;
constexpr float kTurnStep = kWholeTurn / 24;
constexpr float kScaleStep = 0.1f;
constexpr float kStepsOfReach = 4;  // a snapped move has at least this many steps along a handle
constexpr std::array<char, 3> kAxisNames = {'X', 'Y', 'Z'};

float in_steps(float value, float step, bool is_snapped) {
    return is_snapped ? std::round(value / step) * step : value;
}

// Half the picture's width and height at distance 1 (perspective) or anywhere (orthographic).
std::array<float, 2> half_extent(const GizmoView& view) {
    const float aspect = view.width / std::max(view.height, 1.0f) * view.camera.pixel_aspect;
    if (view.camera.is_orthographic) {
        return {view.camera.ymag * aspect, view.camera.ymag};
    }
    const float tangent = std::tan(view.camera.yfov_rad * 0.5f);
    return {tangent * aspect, tangent};
}

Vec3 right_of(const GizmoView& view) {
    return math::normalize(math::column(view.camera.to_world, 0), {1, 0, 0});
}

Vec3 up_of(const GizmoView& view) {
    return math::normalize(math::column(view.camera.to_world, 1), {0, 1, 0});
}

Vec3 forward_of(const GizmoView& view) {
    return math::normalize(math::column(view.camera.to_world, 2), {0, 0, 1}) * -1.0f;
}

float distance_to_segment(ScreenPoint p, ScreenPoint a, ScreenPoint b) {
    const float dx = b.x - a.x;
    const float dy = b.y - a.y;
    const float size = dx * dx + dy * dy;
    const float along = size > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / size : 0;
    const float t = std::clamp(along, 0.0f, 1.0f);
    return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

float distance_to(const Gizmo::Handle& handle, ScreenPoint p) {
    if (handle.line.size() == 1) {
        return std::hypot(p.x - handle.line[0].x, p.y - handle.line[0].y);
    }
    float nearest = std::numeric_limits<float>::infinity();
    for (std::size_t k = 1; k < handle.line.size(); ++k) {
        nearest = std::min(nearest, distance_to_segment(p, handle.line[k - 1], handle.line[k]));
    }
    return nearest;
}

// Where a ray meets the plane through a point; nothing if they are parallel.
std::optional<Vec3> plane_hit(const ScreenRay& ray, const Vec3& point, const Vec3& normal) {
    const float slope = dot(ray.direction, normal);
    if (std::abs(slope) < 1e-4f) {
        return std::nullopt;
    }
    return ray.origin + ray.direction * (dot(point - ray.origin, normal) / slope);
}

}  // namespace

std::optional<ScreenPoint> project(const GizmoView& view, const Vec3& point) {
    const Vec3 away = point - math::column(view.camera.to_world, 3);
    const float depth = dot(away, forward_of(view));
    if (!view.camera.is_orthographic && depth < 1e-4f) {
        return std::nullopt;
    }
    const auto [half_width, half_height] = half_extent(view);
    const float scale = view.camera.is_orthographic ? 1 : 1 / depth;
    const float x = dot(away, right_of(view)) * scale / half_width - 2 * view.camera.shift_x;
    const float y = dot(away, up_of(view)) * scale / half_height - 2 * view.camera.shift_y;
    return ScreenPoint{view.origin.x + (x + 1) * 0.5f * view.width,
                       view.origin.y + (1 - y) * 0.5f * view.height};
}

ScreenRay screen_ray(const GizmoView& view, ScreenPoint at) {
    const auto [half_width, half_height] = half_extent(view);
    const float across = 2 * (at.x - view.origin.x) / view.width - 1 + 2 * view.camera.shift_x;
    const float upward = 1 - 2 * (at.y - view.origin.y) / view.height + 2 * view.camera.shift_y;
    const float x = across * half_width;
    const float y = upward * half_height;
    const Vec3 eye = math::column(view.camera.to_world, 3);
    const Vec3 aside = right_of(view) * x + up_of(view) * y;
    if (view.camera.is_orthographic) {
        return {eye + aside, forward_of(view)};
    }
    return {eye, math::normalize(forward_of(view) + aside)};
}

void Gizmo::place(const GizmoView& view, const math::Affine& matrix, const Vec3& pivot) {
    view_ = view;
    matrix_ = matrix;
    pivot_ = pivot;
    handles_.clear();
    const std::optional<ScreenPoint> middle = project(view, pivot);
    if (tool == GizmoTool::None || !middle) {
        return;
    }
    const float depth = dot(pivot - math::column(view.camera.to_world, 3), forward_of(view));
    const float extent = half_extent(view)[1] * (view.camera.is_orthographic ? 1 : depth);
    reach_m_ = kReach * view.scale * 2 * extent / view.height;
    if (tool == GizmoTool::Turn) {
        add_rings();
    } else {
        add_arms();
        handles_.push_back({kMiddle, {*middle}});
    }
}

void Gizmo::add_arms() {
    for (u32 axis = 0; axis < 3; ++axis) {
        const Vec3 direction = axis_direction(axis);
        const auto from = project(view_, pivot_ + direction * (reach_m_ * 0.15f));
        const auto to = project(view_, pivot_ + direction * reach_m_);
        if (from && to) {
            handles_.push_back({axis, {*from, *to}});
        }
    }
}

void Gizmo::add_rings() {
    for (u32 axis = 0; axis < 3; ++axis) {
        const Vec3 first = axis_direction((axis + 1) % 3);
        const Vec3 second = axis_direction((axis + 2) % 3);
        Handle ring{axis, {}};
        for (u32 k = 0; k <= kRingPoints; ++k) {
            const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / kRingPoints;
            const Vec3 at =
                pivot_ + (first * std::cos(angle) + second * std::sin(angle)) * reach_m_;
            if (const auto point = project(view_, at)) {
                ring.line.push_back(*point);
            }
        }
        handles_.push_back(std::move(ring));
    }
}

// The world's axes for moving and rotating, the object's own for scaling.
Vec3 Gizmo::axis_direction(u32 axis) const {
    Vec3 direction{};
    direction[axis] = 1;
    return tool == GizmoTool::Scale ? math::normalize(math::column(matrix_, axis), direction)
                                    : direction;
}

std::optional<u32> Gizmo::handle_at(ScreenPoint mouse) const {
    std::optional<u32> found;
    float nearest = kGrab * view_.scale;
    for (const Handle& handle : handles_) {
        const float away = distance_to(handle, mouse);
        if (away <= nearest) {
            nearest = away;
            found = handle.axis;
        }
    }
    return found;
}

bool Gizmo::grab(ScreenPoint mouse) {
    const std::optional<u32> axis = handle_at(mouse);
    if (!axis) {
        return false;
    }
    const Vec3 to_eye = view_.camera.is_orthographic
                            ? forward_of(view_) * -1.0f
                            : math::normalize(math::column(view_.camera.to_world, 3) - pivot_);
    held_ = Held{*axis,
                 view_,
                 matrix_,
                 pivot_,
                 *axis == kMiddle ? to_eye : axis_direction(*axis),
                 to_eye,
                 mouse,
                 std::pow(10.0f, std::floor(std::log10(reach_m_ / kStepsOfReach)))};
    if (tool == GizmoTool::Turn) {
        held_->angle_rad = angle_at(mouse).value_or(0);
    }
    return true;
}

// Metres along the held handle: the point of its line nearest to the mouse's ray. Nothing if the
// handle points at the eye.
std::optional<float> Gizmo::along(ScreenPoint mouse) const {
    const ScreenRay ray = screen_ray(held_->view, mouse);
    const Vec3 side = cross(held_->direction, held_->view_axis);
    const Vec3 facing = cross(
        side, held_->direction);  // normal of the plane through the handle that faces the eye most
    if (length(facing) < 0.02f) {
        return std::nullopt;
    }
    const auto hit = plane_hit(ray, held_->pivot, math::normalize(facing));
    return hit ? std::optional(dot(*hit - held_->pivot, held_->direction)) : std::nullopt;
}

// The mouse's angle about the axis of the held ring. On a ring seen edge-on, the distance of the
// mouse along it counts: one reach is one radian.
std::optional<float> Gizmo::angle_at(ScreenPoint mouse) const {
    const Vec3& axis = held_->direction;
    const Vec3 first =
        math::normalize(cross(axis, std::abs(axis[1]) < 0.9f ? Vec3{0, 1, 0} : Vec3{1, 0, 0}));
    const Vec3 second = cross(axis, first);
    const ScreenRay ray = screen_ray(held_->view, mouse);
    if (std::abs(dot(axis, held_->view_axis)) > 0.15f) {
        const auto hit = plane_hit(ray, held_->pivot, axis);
        if (!hit) {
            return std::nullopt;
        }
        const Vec3 arm = *hit - held_->pivot;
        return std::atan2(dot(arm, second), dot(arm, first));
    }
    const auto hit = plane_hit(ray, held_->pivot, held_->view_axis);
    const Vec3 along_ring = math::normalize(cross(axis, held_->view_axis));
    return hit ? std::optional(dot(*hit - held_->pivot, along_ring) / reach_m_) : std::nullopt;
}

math::Affine Gizmo::turned_by(ScreenPoint mouse) {
    const std::optional<float> angle = angle_at(mouse);
    if (angle) {
        // Take the shorter way round, so that several turns add up.
        const float by = *angle - held_->angle_rad;
        held_->turned_rad += by - kWholeTurn * std::round(by / kWholeTurn);
        held_->angle_rad = *angle;
    }
    const float turn = in_steps(held_->turned_rad, kTurnStep, held_->is_snapped);
    held_->readout = fmt::format("{} {:+.1f}°", kAxisNames[held_->axis], turn / kTurnStep * 15);
    return turned(held_->matrix, held_->pivot, held_->direction, turn);
}

math::Affine Gizmo::moved_in_plane(ScreenPoint mouse) {
    const auto from =
        plane_hit(screen_ray(held_->view, held_->mouse), held_->pivot, held_->direction);
    const auto to = plane_hit(screen_ray(held_->view, mouse), held_->pivot, held_->direction);
    if (!from || !to) {
        return held_->matrix;
    }
    Vec3 by = *to - *from;
    for (float& metres : math::components(by)) {
        metres = in_steps(metres, held_->step_m, held_->is_snapped);
    }
    held_->readout = fmt::format("{:+.4g}   {:+.4g}   {:+.4g} m", by[0], by[1], by[2]);
    return math::compose(math::translation(by), held_->matrix);
}

math::Affine Gizmo::moved_along(float metres) {
    const float by = in_steps(metres, held_->step_m, held_->is_snapped);
    held_->readout = fmt::format("{} {:+.4g} m", kAxisNames[held_->axis], by);
    return math::compose(math::translation(held_->direction * by), held_->matrix);
}

math::Affine Gizmo::scaled_by(float factor) {
    const float by = std::max(in_steps(factor, kScaleStep, held_->is_snapped),
                              held_->is_snapped ? kScaleStep : 0.001f);
    Vec3 factors{by, by, by};
    std::string axis;
    if (held_->axis != kMiddle) {
        factors = {1, 1, 1};
        factors[held_->axis] = by;
        axis = fmt::format("{} ", kAxisNames[held_->axis]);
    }
    held_->readout = fmt::format("{}× {:.3g}", axis, by);
    return scaled(held_->matrix, held_->pivot, factors);
}

math::Affine Gizmo::pulled(ScreenPoint mouse, bool is_snapped) {
    ENSURE(held_.has_value(), ==, true);
    held_->is_snapped = is_snapped;
    if (tool == GizmoTool::Turn) {
        return turned_by(mouse);
    }
    if (held_->axis == kMiddle) {
        const float reach = kReach * held_->view.scale;
        return tool == GizmoTool::Move ? moved_in_plane(mouse)
                                       : scaled_by(std::exp((mouse.x - held_->mouse.x) / reach));
    }
    const auto from = along(held_->mouse);
    const auto to = along(mouse);
    if (!from || !to) {
        return held_->matrix;
    }
    return tool == GizmoTool::Move ? moved_along(*to - *from)
                                   : scaled_by(std::abs(*from) > 0 ? *to / *from : 1.0f);
}

}  // namespace weft::app
