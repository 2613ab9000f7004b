// scene_changes.h — what differs between two scenes, as the effects of edits; for frames of an
// animation, where the next scene comes from files again.
//
// Compares all of both scenes: some GB/s. One thread per scene.
#pragma once

#include "engine/scene/edit/edit_effect.h"
#include "engine/scene/model/scene.h"

namespace weft::scene {

// Lets `scene` share the arrays that it has in common with `former`, which frees its own, and
// returns the effects (Effect) of what is left: those of an edit that turns `former` into `scene`.
// Names count as materials' and nodes' parts; notes do not count.
u32 share_unchanged(Scene& scene, const Scene& former);

}  // namespace weft::scene
