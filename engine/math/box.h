// box.h — a box along the axes of its space.
//
// Pure; any thread.
#pragma once

#include <limits>

#include "engine/math/affine.h"
#include "scheduler/base/ids.h"

namespace weft::math {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Starts empty: low > high.
struct Box {
    Vec3 low{kInfinity, kInfinity, kInfinity};
    Vec3 high{-kInfinity, -kInfinity, -kInfinity};

    [[nodiscard]] bool is_empty() const { return !(low.x <= high.x); }

    // Of equal bounds (−0 equals 0) the first is kept, so every division of the work among threads
    // gives the same bits.
    void include(const Vec3& point) {
        low = glm::min(low, point);
        high = glm::max(high, point);
    }

    void include(const Box& box) {
        low = glm::min(low, box.low);
        high = glm::max(high, box.high);
    }

    // Bit k of `index` chooses the high end of axis k.
    [[nodiscard]] Vec3 corner(u32 index) const {
        return {(index & 1U) != 0 ? high.x : low.x,
                (index & 2U) != 0 ? high.y : low.y,
                (index & 4U) != 0 ? high.z : low.z};
    }

    bool operator==(const Box&) const = default;
};

// The box of the eight transformed corners; empty for an empty box.
inline Box transform_box(const Affine& m, const Box& box) {
    Box placed;
    for (u32 corner = 0; corner < 8 && !box.is_empty(); ++corner) {
        placed.include(transform_point(m, box.corner(corner)));
    }
    return placed;
}

}  // namespace weft::math
