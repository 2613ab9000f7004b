// edit_list.h — the least list of edits that leads from one state of a scene to another.
//
// Of fields only those are looked at that were ever touched, since everything else is the same;
// the camera and the list of lights are compared whole. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/scene/edit.h"

namespace weft::app {

struct EditedState {
    const scene::Scene& scene;
    const scene::EditContext& context;
};

// `touched`: paths of all edits that lead from `before` to `after`, in the same scene.
std::vector<scene::Edit> least_edits(const EditedState& before,
                                     const EditedState& after,
                                     const std::set<std::string>& touched);

}  // namespace weft::app
