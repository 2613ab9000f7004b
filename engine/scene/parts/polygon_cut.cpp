// polygon_cut.cpp — see polygon_cut.h.
#include "engine/scene/parts/polygon_cut.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft::scene {
namespace {

// The step limit for each corner of the polygon, after which the rest becomes a fan. A step is one
// tested ear or one corner tested against it.
constexpr u64 kStepsPerCorner = 300;

// Up to so many corners, an ear without area is cut only where there is no other: a corner on a
// line stays a corner of triangles, so that no gap opens to a neighbour that shares it. The search
// goes around the polygon for each ear, which takes the square of the corners in time.
constexpr u32 kMostCornersInOrder = 256;

using Point = std::array<double, 2>;

// Twice the area of a triangle; positive if it is counter-clockwise.
double turn(const Point& a, const Point& b, const Point& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The polygon projected along the main axis of its normal, counter-clockwise.
std::vector<Point> flattened(std::span<const math::Vec3> corners) {
    math::DVec3 normal{};
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const math::Vec3& a = corners[k];
        const math::Vec3& b = corners[(k + 1) % corners.size()];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::size_t u = (axis + 1) % 3;
            const std::size_t v = (axis + 2) % 3;
            normal[axis] += (static_cast<double>(a[u]) - static_cast<double>(b[u])) *
                            (static_cast<double>(a[v]) + static_cast<double>(b[v]));
        }
    }
    std::size_t axis = 0;
    for (std::size_t k = 1; k < 3; ++k) {
        axis = std::fabs(normal[k]) > std::fabs(normal[axis]) ? k : axis;
    }
    // Newell's normal, summed above, points along the axis where (u, v) is counter-clockwise.
    const std::size_t u = normal[axis] > 0 ? (axis + 1) % 3 : (axis + 2) % 3;
    const std::size_t v = normal[axis] > 0 ? (axis + 2) % 3 : (axis + 1) % 3;
    std::vector<Point> points;
    points.reserve(corners.size());
    for (const math::Vec3& corner : corners) {
        points.push_back({static_cast<double>(corner[u]), static_cast<double>(corner[v])});
    }
    return points;
}

// Spreads the low 32 bits to every other bit of 64.
u64 spread(u64 bits) {
    bits = (bits | bits << 16) & 0x0000ffff0000ffff;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
}

class EarCutter {
public:
    explicit EarCutter(std::vector<Point> points) : points_(std::move(points)) {
        const auto count = static_cast<u32>(points_.size());
        links_.resize(count);
        steps_left_ = kStepsPerCorner * count;
        low_ = high_ = points_[0];
        for (const Point& p : points_) {
            for (std::size_t axis = 0; axis < 2; ++axis) {
                low_[axis] = std::min(low_[axis], p[axis]);
                high_[axis] = std::max(high_[axis], p[axis]);
            }
        }
        std::vector<u32> order(count);
        std::iota(order.begin(), order.end(), 0U);
        for (u32 k = 0; k < count; ++k) {
            links_[k] = {
                (k + count - 1) % count, (k + 1) % count, kNone, kNone, place_of(points_[k])};
        }
        std::sort(order.begin(), order.end(), [this](u32 a, u32 b) {
            return links_[a].place != links_[b].place ? links_[a].place < links_[b].place : a < b;
        });
        for (u32 k = 0; k + 1 < count; ++k) {
            links_[order[k]].above = order[k + 1];
            links_[order[k + 1]].below = order[k];
        }
    }

    std::vector<std::array<u32, 3>> cut() {
        std::vector<std::array<u32, 3>> triangles;
        auto left = static_cast<u32>(points_.size());
        u32 at = 0;
        u32 passed = 0;  // corners since the last ear
        bool takes_flat = left > kMostCornersInOrder;
        const bool always_takes_flat = takes_flat;
        while (left > 3 && passed <= left && steps_left_ > 0) {
            const Link& link = links_[at];
            if (!is_ear(at, takes_flat)) {
                at = link.next;
                ++passed;
                if (passed > left && !takes_flat) {
                    takes_flat = true;
                    passed = 0;
                }
                continue;
            }
            triangles.push_back({link.before, at, link.next});
            // Skip one corner, which makes slivers rarer.
            const u32 next = links_[link.next].next;
            remove(at);
            at = next;
            --left;
            passed = 0;
            takes_flat = always_takes_flat;
        }
        for (u32 corner = links_[at].next; links_[corner].next != at;
             corner = links_[corner].next) {
            triangles.push_back({at, corner, links_[corner].next});
        }
        return triangles;
    }

private:
    struct Link {
        u32 before = 0;
        u32 next = 0;
        u32 below = kNone;  // on the Z-order curve
        u32 above = kNone;
        u64 place = 0;
    };

    [[nodiscard]] u64 place_of(const Point& p) const {
        std::array<u64, 2> cell{};
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const double size = high_[axis] - low_[axis];
            const double share = size > 0 ? (p[axis] - low_[axis]) / size : 0;
            cell[axis] = static_cast<u64>(std::clamp(share, 0.0, 1.0) * 4294967295.0);
        }
        return spread(cell[0]) | spread(cell[1]) << 1;
    }

    [[nodiscard]] bool is_inside(const Point& p,
                                 const Point& a,
                                 const Point& b,
                                 const Point& c) const {
        return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
    }

    // Whether the corner lies in the triangle of `ear`. A corner that coincides with one of the
    // ear's own does not: outlines with holes touch themselves there.
    [[nodiscard]] bool blocks(u32 corner, u32 ear) const {
        const Link& link = links_[ear];
        if (corner == ear || corner == link.before || corner == link.next) {
            return false;
        }
        const Point& p = points_[corner];
        const Point& a = points_[link.before];
        const Point& b = points_[ear];
        const Point& c = points_[link.next];
        const bool is_reflex =
            turn(points_[links_[corner].before], p, points_[links_[corner].next]) <= 0;
        return is_reflex && p != a && p != b && p != c && is_inside(p, a, b, c);
    }

    // `takes_flat`: a corner on a line is an ear without area.
    bool is_ear(u32 ear, bool takes_flat) {
        const Point& a = points_[links_[ear].before];
        const Point& b = points_[ear];
        const Point& c = points_[links_[ear].next];
        const double size = turn(a, b, c);
        if (!take_step() || size <= 0) {
            return size == 0 && takes_flat;
        }
        const u64 lowest = place_of({std::min({a[0], b[0], c[0]}), std::min({a[1], b[1], c[1]})});
        const u64 highest = place_of({std::max({a[0], b[0], c[0]}), std::max({a[1], b[1], c[1]})});
        for (u32 k = links_[ear].above; k != kNone && links_[k].place <= highest;
             k = links_[k].above) {
            if (blocks(k, ear) || !take_step()) {
                return false;
            }
        }
        for (u32 k = links_[ear].below; k != kNone && links_[k].place >= lowest;
             k = links_[k].below) {
            if (blocks(k, ear) || !take_step()) {
                return false;
            }
        }
        return true;
    }

    bool take_step() {
        steps_left_ -= steps_left_ > 0 ? 1 : 0;
        return steps_left_ > 0;
    }

    void remove(u32 corner) {
        const Link& link = links_[corner];
        links_[link.before].next = link.next;
        links_[link.next].before = link.before;
        if (link.below != kNone) {
            links_[link.below].above = link.above;
        }
        if (link.above != kNone) {
            links_[link.above].below = link.below;
        }
    }

    std::vector<Point> points_;
    std::vector<Link> links_;
    Point low_{};
    Point high_{};
    u64 steps_left_ = 0;
};

}  // namespace

std::vector<std::array<u32, 3>> cut_polygon(std::span<const math::Vec3> corners) {
    if (corners.size() < 3) {
        return {};
    }
    std::vector<Point> points = flattened(corners);
    const bool is_fan = points.size() == 4 && turn(points[0], points[1], points[2]) >= 0 &&
                        turn(points[0], points[2], points[3]) >= 0;
    if (is_fan) {
        return {{0, 1, 2}, {0, 2, 3}};
    }
    return EarCutter(std::move(points)).cut();
}

}  // namespace weft::scene
