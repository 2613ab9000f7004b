// set_handles.h — what the handles of the selection move: one node, group or camera by its own
// matrix, or several things by a common one.
//
// Interface thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/view/models/selection_box.h"
#include "app/view/models/set_boxes.h"
#include "app/view/session/multi_selection.h"

namespace weft::app {

// The selected things, and where their handles are.
struct HandledSet {
    std::vector<MovedThing> things;
    math::Affine matrix = math::kIdentity;  // of the one thing; of several, their middle
    Vec3 pivot{};
    std::vector<BoxCorners> outlines{};
};

// Finds the set again only when the scene or the selection has changed.
class HandledSets {
public:
    // Of anything but a single node or light, which have handles of their own; else empty.
    const HandledSet& of(const Session& session, const Selection& selection);

private:
    void find(const scene::Scene& scene);

    std::shared_ptr<const scene::Scene> scene_;
    std::vector<std::string> selected_;
    HandledSet set_;
    SetBoxes boxes_;
};

// The edits that move the things as the handles moved the set's matrix to `matrix`.
std::vector<scene::Edit> edits_of_move(const scene::Scene& scene,
                                       const HandledSet& set,
                                       const math::Affine& matrix);

// The four edges from a camera's place and the frame that it sees, at this distance.
std::vector<ScreenLine> camera_lines(const GizmoView& view,
                                     const scene::Camera& camera,
                                     float distance_m);

}  // namespace weft::app
