// edit_list.h — the least list of edits that leads from one state of a scene to another.
//
// For fields it compares only those that were edited, since all others are unchanged; it compares
// the camera, the list of lights, the hidden names and the collections as a whole. Groups are moved
// first, parents before what is below them. Objects and materials are added and deleted in their
// original order, except those that are gone again. Pure.
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

// The edits that led from `before` to `after` in the same scene.
struct EditTrail {
    std::set<std::string> touched;  // paths of all edits of fields
    std::vector<scene::Edit>
        wholes;  // additions and deletions of objects and materials, in order of time
};

// One edit of the camera's fields that differ; none if the cameras are equal. Equal fields are left
// out, because setting a focus turns autofocus off.
std::optional<scene::Edit> camera_edit(const EditedState& before, const EditedState& after);

std::vector<scene::Edit> least_edits(const EditedState& before,
                                     const EditedState& after,
                                     const EditTrail& trail);

}  // namespace weft::app
