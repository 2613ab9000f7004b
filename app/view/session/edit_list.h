// edit_list.h — the least list of edits that leads from one state of a scene to another.
//
// Of fields only those are looked at that were ever touched, since everything else is the same;
// the camera, the list of lights and who is hidden are compared whole. Objects and materials come
// and go as they did, but for those that are gone again. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/scene/edit/edit.h"

namespace weft::app {

struct EditedState {
    const scene::Scene& scene;
    const scene::EditContext& context;
};

// What led from `before` to `after`, in the same scene.
struct EditTrail {
    std::set<std::string> touched;    // paths of all edits of fields
    std::vector<scene::Edit> wholes;  // of objects and materials as a whole, in the order of time
};

// One edit of the camera's fields that differ, none where it is the same. Fields that do not differ
// are left out, because setting a focus ends the autofocus.
std::optional<scene::Edit> camera_edit(const EditedState& before, const EditedState& after);

std::vector<scene::Edit> least_edits(const EditedState& before,
                                     const EditedState& after,
                                     const EditTrail& trail);

}  // namespace weft::app
