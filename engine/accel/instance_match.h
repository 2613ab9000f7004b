// instance_match.h — which instance of a changed scene is which of the scene before.
//
// Edits move, hide, delete and insert instances; the others keep their order. An instance is known
// by mesh, node and place. Used by tree_patch.cpp. Pure; any thread.
#pragma once

#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::accel {

// By former instance: its number now; kNone: it is no more. Instances that are met from either end
// are the same; between these a list of unchanged length is compared one by one, and of another
// length what the longer one has and the other one has not is passed over.
std::vector<u32> match_instances(const scene::Arena<scene::Instance>& former,
                                 const scene::Arena<scene::Instance>& now);

}  // namespace weft::accel
