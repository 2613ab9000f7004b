// heat_places.h — which keys of the tree lie under points of the picture: what heat is drawn on.
//
// A grid of rays through the middles of its cells, each met surface with its object and with the
// references from the root down to its block or placement. Does not depend on what was counted: it
// is made once per view, and coloured as often as figures come. Any thread; about a microsecond per
// point.
#pragma once

#include <span>
#include <vector>

#include "engine/frame/render_units.h"

namespace weft::frame {

struct HeatPlaces {
    u32 columns = 0;
    u32 rows = 0;
    std::vector<u32> object;      // of each point, in rows from the top; kNone: nothing is there
    std::vector<u32> path_begin;  // of each point in `paths`, and one more
    std::vector<u32> paths;       // references, from the root on

    [[nodiscard]] std::span<const u32> path_of(std::size_t point) const {
        return {paths.data() + path_begin[point], path_begin[point + 1] - path_begin[point]};
    }
};

// The scene has a heat map. Empty where memory could not be had.
HeatPlaces heat_places(const UnitScene& scene,
                       const shaders::CameraRecord& camera,
                       u32 columns,
                       u32 rows);

}  // namespace weft::frame
