// drawn_surface.h — what the list of a surface leaves to the groups that follow it.
//
// The patch of a surface's list reads what the list bound (material, routine, textures, samplers)
// and what it inherited (the scene's planes), writes the material's row of the shading table, and
// sets the two slots that draws of instances read: the row and the planes that cut. Called while
// lists are submitted (drawn_scene.h), on that thread.
#pragma once

#include "engine/trace/scene_tables.h"
#include "scheduler/command/submitter.h"

namespace weft::frame {

struct DrawnSurface {
    u32 material = kNone;     // its row in the table of materials
    u32 planes = 0;           // that cut
    bool is_flagged = false;  // traversal asks about its hits even where no plane cuts

    friend bool operator==(const DrawnSurface&, const DrawnSurface&) = default;
};

// The patch of a surface's list (kPatchSurface). `tables` has the scene's materials and slots.
base::Status draw_surface(const command::Call& call,
                          trace::TablesConfig& tables,
                          command::CommandWriter& out);

// What a state holds after a surface's list.
DrawnSurface surface_in(const command::RenderState& state, const trace::TablesConfig& tables);

}  // namespace weft::frame
