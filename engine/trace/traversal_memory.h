// traversal_memory.h — keeps what tuners have found for the views of one scene.
//
// Which strategy is fastest depends on what rays meet, and so on where the camera stands and looks.
// Cameras of one cell of views share their tuners. A cell that was seen before gets its tuners back
// as they were; a new cell begins with the strategies of the last one and tries the others soon.
// The oldest cell is forgotten for a seventeenth one. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/trace/traversal_tuner.h"
#include "shaders/host/path_view.h"

namespace weft::trace {

// Where a camera stands and looks, coarsely: places within about a quarter of their distance from
// the origin of the world, and directions within an eighth of the unit cube, share a cell.
struct ViewCell {
    std::array<int, 7> steps{};

    bool operator==(const ViewCell&) const = default;

    static ViewCell of(const shaders::CameraRecord& camera) {
        ViewCell cell;
        const double reach = std::max({std::fabs(double{camera.origin[0]}),
                                       std::fabs(double{camera.origin[1]}),
                                       std::fabs(double{camera.origin[2]}),
                                       1e-6});
        cell.steps[6] = std::ilogb(reach);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double place = std::ldexp(double{camera.origin[axis]}, 2 - cell.steps[6]);
            cell.steps[axis] = static_cast<int>(std::floor(place));
            cell.steps[3 + axis] = static_cast<int>(std::lround(4 * camera.forward[axis]));
        }
        return cell;
    }
};

// The tuners of all classes of rays, for `kClasses` classes.
template <std::size_t kClasses>
class TraversalMemory {
public:
    using Tuners = std::array<TraversalTuner, kClasses>;
    static constexpr std::size_t kCells = 16;

    // The next batches are those of `cell`: keeps the tuners of the cell before it, and changes
    // them to those of `cell`. While no trial is being timed.
    void look(const ViewCell& cell, Tuners& tuners) {
        if (current_ == cell) {
            return;
        }
        if (current_) {
            keep(*current_, tuners);
        }
        current_ = cell;
        if (const Kept* const found = find(cell)) {
            tuners = *found->tuners;
            return;
        }
        for (TraversalTuner& tuner : tuners) {
            tuner.begin_anew();
        }
    }

    // The scene changes: what other cells had is of no use. The tuners of the present one go on.
    void forget() {
        kept_ = {};
        next_ = 0;
    }

private:
    struct Kept {
        ViewCell cell;
        std::optional<Tuners> tuners;
    };

    Kept* find(const ViewCell& cell) {
        for (Kept& kept : kept_) {
            if (kept.tuners && kept.cell == cell) {
                return &kept;
            }
        }
        return nullptr;
    }

    void keep(const ViewCell& cell, const Tuners& tuners) {
        Kept* place = find(cell);
        if (place == nullptr) {
            place = &kept_[next_++ % kCells];
        }
        *place = {cell, tuners};
    }

    std::optional<ViewCell> current_;
    std::array<Kept, kCells> kept_{};
    std::size_t next_ = 0;
};

}  // namespace weft::trace
