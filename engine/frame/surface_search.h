// surface_search.h — the triangle of a mesh that a point lies on, and where on it.
//
// The hits that films add up tell places, not triangles; motion of vertices needs the triangle. A
// grid over the mesh finds it. Pure after construction; any thread.
#pragma once

#include <array>
#include <vector>

#include "engine/math/vector.h"
#include "scheduler/base/ids.h"

namespace weft::frame {

struct SurfacePoint {
    u32 triangle = 0;
    std::array<double, 3> weights{};  // of its corners; at least 0, their sum is 1
    double distance2 = 0;             // squared, from the place that was asked for
};

class SurfaceSearch {
public:
    // Three corners for each triangle, at least one triangle.
    explicit SurfaceSearch(std::vector<math::Vec3> corners);

    // The point of the mesh that is nearest to the place; of triangles at one distance, the first.
    [[nodiscard]] SurfacePoint nearest(const math::DVec3& place) const;
    // The same by all triangles in turn.
    [[nodiscard]] SurfacePoint nearest_of_all(const math::DVec3& place) const;

    [[nodiscard]] const std::vector<math::Vec3>& corners() const { return corners_; }

private:
    using Cell = std::array<u32, 3>;

    [[nodiscard]] u32 triangle_count() const { return static_cast<u32>(corners_.size() / 3); }

    [[nodiscard]] Cell cell_of(const math::DVec3& place) const;
    [[nodiscard]] u32 index_of(const Cell& cell) const;
    template <typename Visit>
    void for_cells_of(u32 triangle, const Visit& visit) const;
    void keep_nearer(u32 triangle, const math::DVec3& place, SurfacePoint& best) const;

    std::vector<math::Vec3> corners_;
    math::DVec3 low_{};
    math::DVec3 cells_per_m_{};
    double margin_ = 0;        // a triangle is listed in the cells that lie so near to its box
    u32 side_ = 1;             // cells along each axis
    std::vector<u32> begin_;   // of each cell in listed_, and the end of the last
    std::vector<u32> listed_;  // triangles
};

}  // namespace weft::frame
