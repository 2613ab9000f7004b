// instance_match.h — matches the instances of a changed scene with those of the former scene, and
// finds the meshes that are deformed.
//
// Edits move, hide, delete and insert instances; the others keep their order. Mesh, node and place
// identify an instance. Used by tree_patch.cpp. Pure; any thread.
#pragma once

#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::accel {

// By former instance: its index now; kNone: deleted. Matches the common head and tail of both
// lists. Between them lists of equal length are compared one by one; else instances that only the
// longer list has are skipped.
std::vector<u32> match_instances(const scene::Arena<scene::Instance>& former,
                                 const scene::Arena<scene::Instance>& now);

// By mesh: whether one of its vertices, or an unused one behind them, has another position than
// before. Both arrays have the same size.
std::vector<bool> find_deformed(const scene::Arena<scene::Mesh>& meshes,
                                const scene::GeometryArena<float>& former,
                                const scene::GeometryArena<float>& now);

}  // namespace weft::accel
