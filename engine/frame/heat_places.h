// heat_places.h — the keys of the tree under points of the picture, for drawing heat over it.
//
// One ray goes through the middle of each cell of a grid. For the surface that it hits this keeps
// the object and the references from the root down to the block or placement. That does not depend
// on counts: places are made once per view and coloured whenever new figures come. Any thread;
// about a microsecond per point.
#pragma once

#include <span>
#include <vector>

#include "engine/frame/render_units.h"

namespace weft::frame {

struct HeatPlaces {
    u32 columns = 0;
    u32 rows = 0;
    std::vector<u32> object;      // by point, in rows from the top; kNone: no surface
    std::vector<u32> path_begin;  // by point: where its path begins in `paths`; and the end
    std::vector<u32> paths;       // references from the root on

    [[nodiscard]] std::span<const u32> path_of(std::size_t point) const {
        return {paths.data() + path_begin[point], path_begin[point + 1] - path_begin[point]};
    }
};

// The scene must have a heat map. Empty where there is no memory.
HeatPlaces heat_places(const UnitScene& scene,
                       const shaders::CameraRecord& camera,
                       u32 columns,
                       u32 rows);

}  // namespace weft::frame
