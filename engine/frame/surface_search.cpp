#include "engine/frame/surface_search.h"

#include <algorithm>
#include <limits>

namespace weft::frame {

namespace {

using math::DVec3;

constexpr u32 kMostSide = 64;
// Of the mesh's extent. Far more than the rounding of a hit, far less than a cell.
constexpr double kMargin = 1e-4;

// As many cells as triangles, more or less.
u32 side_for(u32 triangles) {
    u32 side = 1;
    while (side < kMostSide && side * side * side < triangles) {
        ++side;
    }
    return side;
}

using Weights = std::array<double, 3>;

// The weights of the point of a triangle that is nearest to p: C. Ericson, Real-Time Collision
// Detection, section 5.1.5. Those of a triangle without area are of a corner.
Weights nearest_weights(const DVec3& p, const DVec3& a, const DVec3& b, const DVec3& c) {
    const DVec3 ab = b - a;
    const DVec3 ac = c - a;
    const double d1 = dot(ab, p - a);
    const double d2 = dot(ac, p - a);
    if (d1 <= 0 && d2 <= 0) {
        return {1, 0, 0};
    }
    const double d3 = dot(ab, p - b);
    const double d4 = dot(ac, p - b);
    if (d3 >= 0 && d4 <= d3) {
        return {0, 1, 0};
    }
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3) {
        const double v = d1 / (d1 - d3);
        return {1 - v, v, 0};
    }
    const double d5 = dot(ab, p - c);
    const double d6 = dot(ac, p - c);
    if (d6 >= 0 && d5 <= d6) {
        return {0, 0, 1};
    }
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6) {
        const double w = d2 / (d2 - d6);
        return {1 - w, 0, w};
    }
    const double va = d3 * d6 - d5 * d4;
    const double to_c = d4 - d3;
    const double to_b = d5 - d6;
    if (va <= 0 && to_c >= 0 && to_b >= 0 && to_c + to_b > 0) {
        const double w = to_c / (to_c + to_b);
        return {0, 1 - w, w};
    }
    const double area = va + vb + vc;
    if (!(area > 0)) {
        return {1, 0, 0};
    }
    return {1 - vb / area - vc / area, vb / area, vc / area};
}

}  // namespace

SurfaceSearch::SurfaceSearch(std::vector<math::Vec3> corners)
    : corners_(std::move(corners)), side_(side_for(triangle_count())) {
    math::Vec3 low = corners_[0];
    math::Vec3 high = corners_[0];
    for (const math::Vec3& corner : corners_) {
        low = glm::min(low, corner);
        high = glm::max(high, corner);
    }
    const DVec3 extent = DVec3(high) - DVec3(low);
    margin_ = kMargin * std::max({extent.x, extent.y, extent.z});
    low_ = DVec3(low) - DVec3(margin_);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double whole = extent[axis] + 2 * margin_;
        cells_per_m_[axis] = whole > 0 ? side_ / whole : 0;
    }
    // Count the triangles of each cell, then list them.
    begin_.assign(std::size_t{side_} * side_ * side_ + 1, 0);
    for (u32 triangle = 0; triangle < triangle_count(); ++triangle) {
        for_cells_of(triangle, [&](u32 cell) { ++begin_[cell + 1]; });
    }
    for (std::size_t cell = 1; cell < begin_.size(); ++cell) {
        begin_[cell] += begin_[cell - 1];
    }
    listed_.resize(begin_.back());
    std::vector<u32> next(begin_.begin(), begin_.end() - 1);
    for (u32 triangle = 0; triangle < triangle_count(); ++triangle) {
        for_cells_of(triangle, [&](u32 cell) { listed_[next[cell]++] = triangle; });
    }
}

SurfaceSearch::Cell SurfaceSearch::cell_of(const DVec3& place) const {
    Cell cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double at = (place[axis] - low_[axis]) * cells_per_m_[axis];
        cell[axis] =
            at > 0 ? std::min(side_ - 1, static_cast<u32>(std::min(at, double{kMostSide}))) : 0;
    }
    return cell;
}

u32 SurfaceSearch::index_of(const Cell& cell) const {
    return (cell[2] * side_ + cell[1]) * side_ + cell[0];
}

template <typename Visit>
void SurfaceSearch::for_cells_of(u32 triangle, const Visit& visit) const {
    const math::Vec3* const corner = corners_.data() + std::size_t{3} * triangle;
    const DVec3 low = DVec3(glm::min(glm::min(corner[0], corner[1]), corner[2]));
    const DVec3 high = DVec3(glm::max(glm::max(corner[0], corner[1]), corner[2]));
    const Cell from = cell_of(low - DVec3(margin_));
    const Cell to = cell_of(high + DVec3(margin_));
    for (u32 z = from[2]; z <= to[2]; ++z) {
        for (u32 y = from[1]; y <= to[1]; ++y) {
            for (u32 x = from[0]; x <= to[0]; ++x) {
                visit(index_of({x, y, z}));
            }
        }
    }
}

void SurfaceSearch::keep_nearer(u32 triangle, const DVec3& place, SurfacePoint& best) const {
    const math::Vec3* const corner = corners_.data() + std::size_t{3} * triangle;
    const std::array<DVec3, 3> at = {DVec3(corner[0]), DVec3(corner[1]), DVec3(corner[2])};
    const Weights weights = nearest_weights(place, at[0], at[1], at[2]);
    const DVec3 away = weights[0] * at[0] + weights[1] * at[1] + weights[2] * at[2] - place;
    const double distance2 = dot(away, away);
    if (distance2 < best.distance2) {
        best = {triangle, weights, distance2};
    }
}

// A triangle within the margin is in the list of the place's cell; where there is none, all are
// looked at.
SurfacePoint SurfaceSearch::nearest(const DVec3& place) const {
    SurfacePoint best{.distance2 = std::numeric_limits<double>::infinity()};
    const u32 cell = index_of(cell_of(place));
    for (u32 k = begin_[cell]; k < begin_[cell + 1]; ++k) {
        keep_nearer(listed_[k], place, best);
    }
    return best.distance2 <= margin_ * margin_ ? best : nearest_of_all(place);
}

SurfacePoint SurfaceSearch::nearest_of_all(const DVec3& place) const {
    SurfacePoint best{.distance2 = std::numeric_limits<double>::infinity()};
    for (u32 triangle = 0; triangle < triangle_count(); ++triangle) {
        keep_nearer(triangle, place, best);
    }
    return best;
}

}  // namespace weft::frame
