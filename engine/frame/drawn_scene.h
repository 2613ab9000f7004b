// drawn_scene.h — what a scene's lists draw: the instances, materials, textures and planes that
// tables and trees are made from (clause C8).
//
// A submission adds the look (hidden layers, clip planes, environment) to recorded lists: it binds
// numbers to places in the scene as it is now (C5), or to none where one node of a layer is hidden
// alone, layers to predicates, and the look to what every run of lists begins with. Groups whose
// lists, inherited state and predicates are those of the former drawing are not executed again:
// their result is taken over. prepare_scene() calls this whenever it makes new tables. One thread.
#pragma once

#include <string>
#include <vector>

#include "engine/frame/drawn_surface.h"
#include "engine/frame/scene_lists.h"
#include "engine/trace/scene_tables.h"
#include "scheduler/command/submitter.h"

namespace weft::frame {

// What a submission adds to the recorded lists.
struct SceneLook {
    // What is not drawn: groups and nodes by their hidden names (scene_tree.h), a bare name for all
    // nodes that bear it. All must exist.
    std::vector<std::string> hidden;
    std::vector<shaders::ClipPlane> clip_planes;
    bool environment_is_visible = true;  // to the camera
};

// How a drawing came about; sums over several.
struct DrawingFigures {
    command::SubmitFigures submitted;
    u64 recorded = 0;    // lists
    u64 reused = 0;      // lists of the former drawing
    u64 executed = 0;    // groups
    u64 taken_over = 0;  // groups whose former result stands

    void add(const DrawingFigures& other);
};

// The result of executing the lists.
struct DrawnScene {
    trace::TablesConfig tables;    // for make_scene_tables()
    std::vector<bool> is_flagged;  // for the tree: hits that traversal asks about, by instance
    DrawingFigures figures;
    // What the next drawing compares.
    std::shared_ptr<const SceneLists> lists;
    std::vector<DrawnSurface> surfaces;  // of the lists
    std::vector<u8> predicates;          // by layer
    std::vector<bool> is_hidden_alone;   // by number of the instance; empty: none is
};

// Errors: an unknown name, or more than kMaxClipPlanes planes.
base::Result<DrawnScene> draw_scene(const std::shared_ptr<const SceneLists>& lists,
                                    const SceneLook& look,
                                    const DrawnScene* maybe_former = nullptr);

}  // namespace weft::frame
