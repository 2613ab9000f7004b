// tree_patch.h — makes the tree of a changed scene from the tree of the former scene, without a
// build: for the first picture after an edit.
//
// Nodes and blocks keep their rows. Triangles of hidden, deleted and moved instances leave their
// blocks, and the boxes above are recomputed. Moved triangles keep their order in a tree of their
// own: it reuses nodes and blocks that hold moved triangles alone, with new corners, and takes new
// rows where a node or block holds both kinds. Instances that the tree does not hold get a
// placement if their mesh has a BLAS, else triangles in a small new tree. A new root joins all of
// these. A patched tree can be patched again.
//
//     former tree ── fates of its instances ── survey ──┬─ kept ───┐
//                                                       └─ moved ──┼─ root
//     scene ── shown or new ── placements, a small tree ── added ──┘
//
// Hits equal those of a brute force over the same triangles. The former build's decisions remain,
// which instances are baked and which triangles are degenerate, so hits may differ in the last bits
// from those of a built tree. Called by frame::prepare_scene.
#pragma once

#include <memory>

#include "engine/accel/acceleration.h"
#include "engine/accel/tree_pool.h"

namespace weft::accel {

// Number of triangles for which a patch of `tree` would build a small tree; all triangles of the
// scene if the geometry differs. Any thread; linear in the instances.
u64 missing_triangles(const Acceleration& tree,
                      const scene::Scene& scene,
                      const std::vector<bool>& is_visible);

// Number of triangles of the instances that the tree holds.
u64 held_triangles(const Acceleration& tree);

// True if the tree's source shares the scene's geometry arrays: only then a patch is possible.
bool has_same_geometry(const TreeSource& source, const scene::Scene& scene);

// With more missing triangles than this a build is better.
inline constexpr u64 kMostMissingTriangles = 200000;

// Returns the patched tree; `former` itself if nothing differs; null if a build is needed: other
// geometry, too many missing triangles, too many levels, or no memory. Runs on config.thread_count
// threads; ignores the configuration's quality. Arrays come from `pool`.
base::Result<std::shared_ptr<const Acceleration>> patch_acceleration(
    const std::shared_ptr<const Acceleration>& former,
    const scene::Scene& scene,
    const BuildConfig& config,
    const std::shared_ptr<TreePool>& pool);

}  // namespace weft::accel
