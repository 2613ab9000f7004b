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
// Hits equal those of a brute force over the same triangles. In a quick patch the former build's
// decisions remain, which instances are baked and which triangles are degenerate, so hits may
// differ in the last bits from those of a built tree. An exact patch, for the frames of an
// animation, lets nothing stay that a build would make differently, and every hit has the bits that
// a built tree finds. What has moved or is deformed is added again, with the quality of a build;
// where that is much and baked, it keeps its order (a refit) as long as that order costs rays
// little more than when it was built. Called by frame::prepare_scene.
#pragma once

#include <memory>

#include "engine/accel/acceleration.h"
#include "engine/accel/tree_pool.h"
#include "engine/accel/tree_survey.h"

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

// The same but for the positions of vertices: then an exact patch is possible.
bool has_same_triangles(const TreeSource& source, const scene::Scene& scene);

// With more missing triangles than this a build is better than a quick patch.
inline constexpr u64 kMostMissingTriangles = 200000;

// Returns the patched tree; `former` itself if nothing differs; null if a build is needed: other
// geometry, too many missing triangles, too many levels, or no memory; for an exact patch also a
// deformed mesh with a BLAS, more to build than to keep, or a former tree that is not exact. Runs
// on config.thread_count threads; a quick patch ignores the configuration's quality. Arrays come
// from `pool`.
base::Result<std::shared_ptr<const Acceleration>> patch_acceleration(
    const std::shared_ptr<const Acceleration>& former,
    const scene::Scene& scene,
    const BuildConfig& config,
    const std::shared_ptr<TreePool>& pool,
    PatchMode mode = PatchMode::Quick);

}  // namespace weft::accel
