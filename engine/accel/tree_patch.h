// tree_patch.h — a tree of a changed scene made from the tree of the scene before, without a build:
// for the first picture after an edit.
//
// Nodes and blocks stay where they are. Triangles of hidden, deleted and moved instances leave
// their blocks; boxes above them are made again. What has moved keeps the order it had, in a tree
// of its own: the same nodes and blocks with new corners, as far as nothing else is below them.
// What the tree does not hold gets a placement, where its mesh has a tree, or else a small tree.
// All of these join at a new root. A patched tree can be patched again.
//
//     former tree ── fates of its instances ── survey ──┬─ kept ───┐
//                                                       └─ moved ──┼─ root
//     scene ── shown or new ── placements, a small tree ── added ──┘
//
// Hits are those of a brute force over the same triangles, but which instances are baked is still
// what the former build decided, so that hits may differ in the last bits from those of a built
// tree, and a triangle that had no area before has none now. Called by frame::prepare_scene.
#pragma once

#include <memory>

#include "engine/accel/acceleration.h"
#include "engine/accel/tree_pool.h"

namespace weft::accel {

// Triangles of instances that `tree` would need a tree for, were it patched for the scene; all of
// them where it belongs to other geometry. Any thread; the cost goes by instances.
u64 missing_triangles(const Acceleration& tree,
                      const scene::Scene& scene,
                      const std::vector<bool>& is_visible);

// Triangles of the instances that it holds.
u64 held_triangles(const Acceleration& tree);

// Whether a tree is of the scene's meshes: only such a tree can be patched.
bool has_same_geometry(const TreeSource& source, const scene::Scene& scene);

// More missing triangles than this are worth a build.
inline constexpr u64 kMostMissingTriangles = 200000;

// The patched tree; the very same where nothing differs; null where a build is needed: other
// geometry, too much that is missing, too many levels, no memory. Runs on config.thread_count
// threads; the quality of the configuration does not matter. Arrays come from `pool`.
base::Result<std::shared_ptr<const Acceleration>> patch_acceleration(
    const std::shared_ptr<const Acceleration>& former,
    const scene::Scene& scene,
    const BuildConfig& config,
    const std::shared_ptr<TreePool>& pool);

}  // namespace weft::accel
