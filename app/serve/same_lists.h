// same_lists.h — what a scene that was read again has in common with the one before.
//
// A host writes a whole scene for each change of geometry; most of it is as it was. What is equal
// gets the memory of the scene before, by which the renderer knows that trees, tables and texels
// still hold. Pure; any thread.
#pragma once

#include "engine/scene/model/scene.h"
#include "scheduler/base/ids.h"

namespace weft::app::serve {

// Lets `read` share each list that is equal in `before`. Returns the Effect bits of what differs.
u32 share_same_lists(const scene::Scene& before, scene::Scene& read);

}  // namespace weft::app::serve
