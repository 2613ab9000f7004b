#include "engine/accel/world_regions.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>

#include <tbb/parallel_for.h>

namespace weft::accel {

namespace {

constexpr u32 kGridSide = 128;
constexpr u32 kGridCells = kGridSide * kGridSide * kGridSide;
constexpr u32 kTrianglesOfTask = 1U << 16;

bool is_before(const SplitItem& a, const SplitItem& b) {
    return a.owner != b.owner ? a.owner < b.owner : a.index < b.index;
}

using GridPlace = std::array<u32, 3>;

u32 cell_at(const GridPlace& place) {
    return (place[2] * kGridSide + place[1]) * kGridSide + place[0];
}

// Some triangles of an instance, which one task visits.
struct Piece {
    u32 instance;
    u32 begin;
    u32 end;
};

std::vector<Piece> pieces_of(const scene::Scene& scene, const std::vector<u32>& instances) {
    std::vector<Piece> pieces;
    for (const u32 instance : instances) {
        const u32 count = scene.meshes[scene.instances[instance].mesh].record.triangle_count;
        for (u64 begin = 0; begin < count; begin += kTrianglesOfTask) {
            const u64 end = std::min<u64>(begin + kTrianglesOfTask, count);
            pieces.push_back({instance, static_cast<u32>(begin), static_cast<u32>(end)});
        }
    }
    return pieces;
}

Point centroid_of(const Corners& corners) {
    return (corners[0] + corners[1] + corners[2]) * (1.0f / 3);
}

// Visits the drawable triangles of a piece.
template <typename Visit>
void for_each_drawable(const scene::Scene& scene,
                       const Piece& piece,
                       FarMarks& far,
                       const Visit& visit) {
    for (u32 primitive = piece.begin; primitive < piece.end; ++primitive) {
        const Corners corners = world_corners(scene, piece.instance, primitive);
        // Embree's builder refuses boxes out of reach.
        if (is_drawable(corners, piece.instance, far) && is_in_reach(bounds_of(corners))) {
            visit(primitive, centroid_of(corners));
        }
    }
}

// The cells of a grid over the centroids.
class Grid {
public:
    explicit Grid(const Box& box) : low_(box.low) {
        for (u32 axis = 0; axis < 3; ++axis) {
            const float extent = box.high[axis] - box.low[axis];
            cell_size_[axis] = extent / kGridSide;
            cells_per_m_[axis] = cell_size_[axis] > 0 ? 1 / cell_size_[axis] : 0;
        }
    }

    [[nodiscard]] u32 cell_of(const Point& point) const {
        GridPlace place{};
        for (u32 axis = 0; axis < 3; ++axis) {
            const float at = (point[axis] - low_[axis]) * cells_per_m_[axis];
            place[axis] = static_cast<u32>(std::clamp(at, 0.0f, float{kGridSide - 1}));
        }
        return cell_at(place);
    }

    [[nodiscard]] float cell_size(u32 axis) const { return cell_size_[axis]; }

private:
    Point low_;
    std::array<float, 3> cell_size_{};
    std::array<float, 3> cells_per_m_{};
};

// A box of grid cells, and the triangles in it.
struct GridBox {
    GridPlace low{};
    GridPlace high{kGridSide, kGridSide, kGridSide};
    u64 count = 0;
};

template <typename Visit>
void for_each_cell(const GridBox& box, const Visit& visit) {
    GridPlace at{};
    for (at[2] = box.low[2]; at[2] < box.high[2]; ++at[2]) {
        for (at[1] = box.low[1]; at[1] < box.high[1]; ++at[1]) {
            for (at[0] = box.low[0]; at[0] < box.high[0]; ++at[0]) {
                visit(at);
            }
        }
    }
}

// The longest axis that has more than one cell; kNone: none has.
u32 axis_to_cut(const Grid& grid, const GridBox& box) {
    u32 longest = kNone;
    float length = -1;
    for (u32 axis = 0; axis < 3; ++axis) {
        const u32 cells = box.high[axis] - box.low[axis];
        const float axis_length = static_cast<float>(cells) * grid.cell_size(axis);
        if (cells > 1 && axis_length > length) {
            longest = axis;
            length = axis_length;
        }
    }
    return longest;
}

// Cuts across an axis, next to the median.
std::array<GridBox, 2> halves_of(const std::vector<std::atomic<u32>>& counts,
                                 const GridBox& box,
                                 u32 axis) {
    std::array<u64, kGridSide> slice{};
    for_each_cell(box, [&](const GridPlace& at) {
        slice[at[axis]] += counts[cell_at(at)].load(std::memory_order_relaxed);
    });
    // Move the plane up as long as that brings the halves nearer to each other.
    u32 plane = box.low[axis] + 1;
    u64 below = slice[box.low[axis]];
    while (plane + 1 < box.high[axis] && 2 * below + slice[plane] <= box.count) {
        below += slice[plane++];
    }
    std::array<GridBox, 2> halves = {box, box};
    halves[0].high[axis] = plane;
    halves[0].count = below;
    halves[1].low[axis] = plane;
    halves[1].count = box.count - below;
    return halves;
}

// Boxes of at most so many triangles each, empty ones left out; a single cell may hold more.
std::vector<GridBox> cut_boxes(const Grid& grid,
                               const std::vector<std::atomic<u32>>& counts,
                               u64 triangles,
                               u64 most_triangles) {
    std::vector<GridBox> waiting(1);
    waiting[0].count = triangles;
    std::vector<GridBox> boxes;
    while (!waiting.empty()) {
        const GridBox box = waiting.back();
        waiting.pop_back();
        const u32 axis = box.count > most_triangles ? axis_to_cut(grid, box) : kNone;
        if (axis != kNone) {
            const std::array<GridBox, 2> halves = halves_of(counts, box, axis);
            waiting.push_back(halves[1]);
            waiting.push_back(halves[0]);
        } else if (box.count > 0) {
            boxes.push_back(box);
        }
    }
    return boxes;
}

// The box of all centroids, and how many there are.
struct Extent {
    Box box;
    u64 count = 0;
};

Extent extent_of(const scene::Scene& scene, const std::vector<Piece>& pieces, FarMarks& far) {
    std::vector<Extent> extents(pieces.size());
    tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t k) {
        for_each_drawable(scene, pieces[k], far, [&](u32 /*primitive*/, const Point& centroid) {
            extents[k].box.include(centroid);
            ++extents[k].count;
        });
    });
    Extent whole;
    for (const Extent& extent : extents) {
        if (extent.count > 0) {
            whole.box.include(extent.box);
            whole.count += extent.count;
        }
    }
    return whole;
}

}  // namespace

WorldRegions WorldRegions::cut(const scene::Scene& scene,
                               const std::vector<u32>& instances,
                               u64 most_triangles,
                               FarMarks& far) {
    const std::vector<Piece> pieces = pieces_of(scene, instances);
    const Extent whole = extent_of(scene, pieces, far);
    WorldRegions made;
    made.items_ = decltype(made.items_)(
        scene::GeometryAllocator<SplitItem>(scene.positions.allocator().maybe_file()));
    if (whole.count == 0) {
        return made;
    }
    // Count the centroids in each cell, and cut the grid.
    const Grid grid(whole.box);
    std::vector<std::atomic<u32>> counts(kGridCells);
    tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t k) {
        for_each_drawable(scene, pieces[k], far, [&](u32 /*primitive*/, const Point& centroid) {
            counts[grid.cell_of(centroid)].fetch_add(1, std::memory_order_relaxed);
        });
    });
    const std::vector<GridBox> boxes = cut_boxes(grid, counts, whole.count, most_triangles);
    // Give each box its places in the list.
    std::vector<u32> box_of_cell(kGridCells);
    std::vector<std::atomic<u64>> next(boxes.size());
    std::vector<u64> begins;
    u64 begin = 0;
    for (u32 k = 0; k < boxes.size(); ++k) {
        for_each_cell(boxes[k], [&](const GridPlace& at) { box_of_cell[cell_at(at)] = k; });
        next[k].store(begin, std::memory_order_relaxed);
        begins.push_back(begin);
        begin += boxes[k].count;
    }
    // List the triangles. Their order within a box depends on the threads: triangles_of() sorts.
    made.items_.resize(whole.count);
    tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t k) {
        for_each_drawable(scene, pieces[k], far, [&](u32 primitive, const Point& centroid) {
            const u32 box = box_of_cell[grid.cell_of(centroid)];
            made.items_[next[box].fetch_add(1, std::memory_order_relaxed)] = {pieces[k].instance,
                                                                              primitive};
        });
    });
    // A cell with too many becomes several regions, in order.
    made.first_.clear();
    for (u32 k = 0; k < boxes.size(); ++k) {
        const u64 end = begins[k] + boxes[k].count;
        if (boxes[k].count > most_triangles) {
            std::sort(made.items_.begin() + static_cast<std::ptrdiff_t>(begins[k]),
                      made.items_.begin() + static_cast<std::ptrdiff_t>(end),
                      is_before);
        }
        for (u64 at = begins[k]; at < end; at += most_triangles) {
            made.first_.push_back(at);
        }
    }
    made.first_.push_back(whole.count);
    return made;
}

std::vector<SplitItem> WorldRegions::triangles_of(std::size_t region) const {
    std::vector<SplitItem> triangles(
        items_.begin() + static_cast<std::ptrdiff_t>(first_[region]),
        items_.begin() + static_cast<std::ptrdiff_t>(first_[region + 1]));
    std::sort(triangles.begin(), triangles.end(), is_before);
    return triangles;
}

}  // namespace weft::accel
