// world_regions.h — the baked triangles of a scene, cut into regions of space whose trees are built
// one at a time.
//
// A k-d tree over a grid of centroids: as many triangles on both sides of each plane as the grid
// allows, planes across the longest axis. Each triangle is in one region, so no hit depends on the
// cut. Runs on the TBB threads of the caller's arena; the result does not depend on their number.
#pragma once

#include <span>
#include <vector>

#include "engine/accel/placing.h"
#include "engine/accel/split_tree.h"
#include "engine/scene/model/geometry_allocator.h"
#include "scheduler/base/result.h"

namespace weft::accel {

class WorldRegions {
public:
    // Cuts the drawable triangles of `instances` into regions of at most `most_triangles`; marks
    // instances out of reach. The list of triangles lies in the scene's geometry file where it has
    // one. Throws std::bad_alloc.
    static WorldRegions cut(const scene::Scene& scene,
                            const std::vector<u32>& instances,
                            u64 most_triangles,
                            FarMarks& far);

    [[nodiscard]] std::size_t size() const { return first_.size() - 1; }

    [[nodiscard]] u64 triangle_count() const { return first_.back(); }

    // Instances and primitives of a region, sorted.
    [[nodiscard]] std::vector<SplitItem> triangles_of(std::size_t region) const;

private:
    std::vector<u64> first_ = {0};  // by region, and the end
    std::vector<SplitItem, scene::GeometryAllocator<SplitItem>> items_;
};

}  // namespace weft::accel
