#include "engine/accel/tree_patch.h"

#include <algorithm>
#include <atomic>
#include <new>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "engine/accel/instance_match.h"
#include "engine/accel/layout.h"
#include "engine/accel/tree_additions.h"
#include "engine/accel/tree_parts.h"
#include "engine/accel/tree_rewrite.h"
#include "engine/accel/tree_size.h"
#include "engine/accel/tree_survey.h"
#include "scheduler/base/ensure.h"
#include "scheduler/base/memory_limit.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::accel {

namespace {

constexpr std::size_t kRowsPerTask = 4096;

template <typename T>
void copy_rows(const base::PageArray<T>& from, std::size_t count, base::PageArray<T>& to) {
    const std::size_t tasks = (count + kRowsPerTask - 1) / kRowsPerTask;
    tbb::parallel_for(std::size_t{0}, tasks, [&](std::size_t task) {
        const std::size_t begin = task * kRowsPerTask;
        const std::size_t end = std::min(begin + kRowsPerTask, count);
        std::copy(from.data() + begin, from.data() + end, to.data() + begin);
    });
}

class Patcher {
public:
    Patcher(const std::shared_ptr<const Acceleration>& former,
            const scene::Scene& scene,
            const BuildConfig& config,
            const TreeSurvey& survey,
            PatchMode mode)
        : former_(former),
          from_(*former),
          scene_(scene),
          config_(config),
          survey_(survey),
          is_exact_(mode == PatchMode::Exact),
          far_(scene.instances.size()) {}

    // Null if limits or memory do not allow it.
    base::Result<std::shared_ptr<const Acceleration>> patch(const std::shared_ptr<TreePool>& pool);

private:
    bool claim(const TreePool& pool);
    bool allocate(const TreeAdditions& additions, TreePool& pool);
    void copy_former();
    void put(std::size_t placement, u32 instance, const Box& box);
    void place_all(const TreeAdditions& additions);
    void flag_meshes();
    void flag_blocks(u32 ref);
    [[nodiscard]] bool is_good_refit(const Halves& halves) const;
    [[nodiscard]] u64 drawable_moved() const;

    const std::shared_ptr<const Acceleration>& former_;
    const Acceleration& from_;
    const scene::Scene& scene_;
    const BuildConfig& config_;
    const TreeSurvey& survey_;
    const bool is_exact_;
    FarMarks far_;
    bool is_copied_ = false;   // the pool had a copy of the former tree
    base::MemoryClaim claim_;  // until the patch ends
    Acceleration out_;
};

// Claims the memory of the patch, before any of it is taken: the arrays but for those in the pool,
// and small trees over the additions. False: it does not fit; a build, before which the former tree
// is let go of, may.
bool Patcher::claim(const TreePool& pool) {
    const u64 nodes = u64{from_.node_count} + survey_.split_nodes + 1;
    const u64 blocks = u64{from_.block_count} + survey_.split_blocks;
    const u64 rows = nodes * sizeof(shaders::BvhNode) + blocks * sizeof(shaders::LeafBlock);
    u64 added_triangles = 0;
    for (const u32 instance : survey_.added) {
        added_triangles += scene_.meshes[scene_.instances[instance].mesh].record.triangle_count;
    }
    auto claimed = base::claim_memory(rows - std::min(rows, pool.size_bytes()) +
                                          from_.placements.size() * sizeof(shaders::Placement) +
                                          added_triangles * kBuildBytesOfTriangle +
                                          survey_.placed.size() * kBuildBytesOfPlacement,
                                      "the patched tree");
    if (claimed.is_ok()) {
        claim_ = std::move(claimed.value());
    }
    return claimed.is_ok();
}

// Takes arrays for: the former rows, a second row for each node and block that is split, the
// additions, and a root.
bool Patcher::allocate(const TreeAdditions& additions, TreePool& pool) {
    // Count the rows.
    const u64 nodes = u64{from_.node_count} + survey_.split_nodes + additions.node_count() + 1;
    const u64 blocks = u64{from_.block_count} + survey_.split_blocks + additions.block_count();
    const u64 placements = from_.placements.size() + survey_.placed.size();
    const u32 levels = 1 + std::max(survey_.levels, additions.levels());
    if (!check_limits(nodes, blocks, placements, levels).is_ok()) {
        return false;
    }
    // Take a copy of the former tree that the pool made ahead, or new arrays.
    TreePool::Copy copy = pool.take_copy(former_, nodes, blocks);
    is_copied_ = copy.nodes.is_allocated();
    out_.nodes = is_copied_ ? std::move(copy.nodes) : pool.take_nodes(nodes);
    out_.blocks = is_copied_ ? std::move(copy.blocks) : pool.take_blocks(blocks);
    out_.placements = base::PageArray<shaders::Placement>(placements);
    return out_.nodes.size() >= nodes && out_.blocks.size() >= blocks &&
           out_.placements.size() == placements;
}

// Copies the former tree, unless the pool did ahead of time.
void Patcher::copy_former() {
    if (!is_copied_) {
        copy_rows(from_.nodes, from_.node_count, out_.nodes);
        copy_rows(from_.blocks, from_.block_count, out_.blocks);
    }
    copy_rows(from_.placements, from_.placements.size(), out_.placements);
    out_.mesh_roots = from_.mesh_roots;
    out_.source = source_of(scene_, config_);
    out_.is_high_quality = is_exact_ && from_.is_high_quality && config_.is_high_quality;
    out_.is_patched = true;
    out_.is_exact = is_exact_;
    out_.figures = survey_.figures;
}

// Writes a placement.
void Patcher::put(std::size_t index, u32 instance, const Box& box) {
    const scene::Instance& placed = scene_.instances[instance];
    out_.placements[index] = placement_of(placed, instance, box, from_.mesh_roots[placed.mesh].ref);
}

// Updates the former placements and appends those of added instances. Placements of gone instances
// keep their row with instance kNone; no node refers to them.
void Patcher::place_all(const TreeAdditions& additions) {
    tbb::parallel_for(std::size_t{0}, from_.placements.size(), [&](std::size_t k) {
        const u32 old = from_.placements[k].instance;
        if (old == kNone || survey_.fate[old] == kGone) {
            out_.placements[k].instance = kNone;
            return;
        }
        // Renumber the instance; a moved one gets a new transform and box.
        const u32 now = survey_.number[old];
        const scene::Instance& instance = scene_.instances[now];
        out_.placements[k].instance = now;
        if (survey_.fate[old] == kMoved) {
            const std::vector<Box>& cells = from_.mesh_roots[instance.mesh].cells;
            put(k, now, placed_bounds(cells, instance.object_to_world));
        }
    });
    // Append the added instances.
    for (std::size_t k = 0; k < survey_.placed.size(); ++k) {
        put(from_.placements.size() + k, survey_.placed[k], additions.placed_boxes()[k]);
    }
}

// Flags the BLAS of every mesh of which an instance now needs the flag. A mesh never loses its
// flag.
void Patcher::flag_meshes() {
    for (std::size_t k = 0; k < out_.placements.size(); ++k) {
        const u32 instance = out_.placements[k].instance;
        if (instance == kNone || !must_flag(scene_, config_.is_flagged, instance)) {
            continue;
        }
        MeshRoot& mesh = out_.mesh_roots[scene_.instances[instance].mesh];
        if (!mesh.is_flagged) {
            mesh.is_flagged = true;
            flag_blocks(mesh.ref);
        }
    }
}

void Patcher::flag_blocks(u32 ref) {
    if (ref == shaders::kRefEmpty) {
        return;
    }
    // Flag the triangles in use of a block, or the blocks below a node.
    const u32 index = ref & shaders::kRefIndex;
    if ((ref & shaders::kRefKind) == shaders::kRefLeaf) {
        u32& flags = out_.blocks[index].flags;
        flags |= flags >> 8 & 0xfu;  // triangles in use
        return;
    }
    for (const u32 child : from_.nodes[index].child) {
        flag_blocks(child);
    }
}

// A refit is good where the tree holds all moved triangles that can be drawn now, also those that
// could not when it was built, and where it costs rays little more than then. To build them takes
// 1.6 µs of processor time per triangle more; each ray tests a tenth more boxes in the refitted
// tree, some 25 ns (bench_refit).
bool Patcher::is_good_refit(const Halves& halves) const {
    constexpr u64 kMostRaysOfTriangle = 64;
    if (config_.ray_count > kMostRaysOfTriangle * survey_.figures.refitted_triangles) {
        return false;
    }
    const u64 held = halves.refit.triangles;
    return (held == survey_.figures.refitted_triangles || held == drawable_moved()) &&
           halves.refit.growth(halves.moved.box) <= config_.most_growth;
}

// Counts the triangles of moved instances that can be drawn now.
u64 Patcher::drawable_moved() const {
    std::atomic<u64> count{0};  // relaxed: read after the tasks
    tbb::parallel_for(std::size_t{0}, survey_.fate.size(), [&](std::size_t old) {
        if (survey_.fate[old] != kMoved) {
            return;
        }
        const u32 now = survey_.number[old];
        const u32 mesh = scene_.instances[now].mesh;
        const tbb::blocked_range<u32> all(0, scene_.meshes[mesh].record.triangle_count, 4096);
        tbb::parallel_for(all, [&, now](const tbb::blocked_range<u32>& part) {
            u64 drawable = 0;
            for (u32 primitive = part.begin(); primitive < part.end(); ++primitive) {
                drawable += is_degenerate(world_corners(scene_, now, primitive)) ? 0U : 1U;
            }
            count.fetch_add(drawable, std::memory_order_relaxed);
        });
    });
    return count.load(std::memory_order_relaxed);
}

base::Result<std::shared_ptr<const Acceleration>> Patcher::patch(
    const std::shared_ptr<TreePool>& pool) {
    // Both trees of an exact patch may need more memory than a build.
    if (is_exact_ && !claim(*pool)) {
        return std::shared_ptr<const Acceleration>();
    }
    // Build small trees over the additions, and take arrays.
    const auto first_placement = static_cast<u32>(from_.placements.size());
    const base::Result<TreeAdditions> additions =
        TreeAdditions::split({&scene_,
                              &config_,
                              &from_.mesh_roots,
                              &survey_.added,
                              &survey_.placed,
                              first_placement,
                              &far_,
                              is_exact_ && config_.is_high_quality});
    WEFT_TRY(additions);
    if (!allocate(additions.value(), *pool)) {
        return std::shared_ptr<const Acceleration>();
    }
    // Copy the former tree; update placements and flags.
    copy_former();
    place_all(additions.value());
    flag_meshes();
    // Split it, append the additions, and join all parts at a new root.
    const bool is_refit = is_exact_ && survey_.figures.refitted_triangles > 0;
    TreeRewriter rewriter({&from_, &scene_, &config_, &survey_, &far_, &out_, is_refit});
    const Halves halves = rewriter.rewrite();
    if (is_refit && !is_good_refit(halves)) {
        return std::shared_ptr<const Acceleration>();
    }
    if (is_refit) {
        out_.figures.growth = halves.refit.growth(halves.moved.box);
    }
    LaidList parts;
    parts.add(halves.kept);
    parts.add(halves.moved);
    const Place place = {rewriter.node_count() + 1, rewriter.block_count()};
    for (const Laid& part : additions.value().write(place, out_)) {
        parts.add(part);
    }
    // Record sizes and root, and lend the tree.
    out_.node_count = place.node + static_cast<u32>(additions.value().node_count());
    out_.block_count = place.block + static_cast<u32>(additions.value().block_count());
    out_.root = write_node(place.node - 1, parts, out_).ref;
    far_.take_from(out_.source.is_held);
    return TreePool::lend(pool, std::move(out_));
}

}  // namespace

bool has_same_geometry(const TreeSource& source, const scene::Scene& scene) {
    return source.indices.shares_with(scene.indices) &&
           source.positions.shares_with(scene.positions) && source.meshes.shares_with(scene.meshes);
}

bool has_same_triangles(const TreeSource& source, const scene::Scene& scene) {
    return source.indices.shares_with(scene.indices) && source.meshes.shares_with(scene.meshes) &&
           source.positions.size() == scene.positions.size();
}

u64 held_triangles(const Acceleration& tree) {
    u64 held = 0;
    for (u32 k = 0; k < tree.source.instances.size(); ++k) {
        const u32 mesh = tree.source.instances[k].mesh;
        held += tree.source.is_held[k] ? u64{tree.source.meshes[mesh].record.triangle_count} : 0;
    }
    return held;
}

u64 missing_triangles(const Acceleration& tree,
                      const scene::Scene& scene,
                      const std::vector<bool>& is_visible) {
    std::vector<bool> is_there(scene.instances.size(), false);
    if (has_same_geometry(tree.source, scene)) {
        const std::vector<u32> number = match_instances(tree.source.instances, scene.instances);
        for (u32 old = 0; old < number.size(); ++old) {
            if (number[old] != kNone && tree.source.is_held[old]) {
                is_there[number[old]] = true;
            }
        }
    }
    u64 missing = 0;
    for (u32 now = 0; now < scene.instances.size(); ++now) {
        const u32 mesh = scene.instances[now].mesh;
        const bool is_shown = is_visible.empty() || is_visible[now];
        const bool has_tree = !is_there[now] && mesh < tree.mesh_roots.size() &&
                              tree.mesh_roots[mesh].ref != shaders::kRefEmpty;
        if (is_shown && !is_there[now] && !has_tree) {
            missing += scene.meshes[mesh].record.triangle_count;
        }
    }
    return missing;
}

base::Result<std::shared_ptr<const Acceleration>> patch_acceleration(
    const std::shared_ptr<const Acceleration>& former,
    const scene::Scene& scene,
    const BuildConfig& config,
    const std::shared_ptr<TreePool>& pool,
    PatchMode mode) {
    using Patched = base::Result<std::shared_ptr<const Acceleration>>;
    const bool is_alike =
        mode == PatchMode::Exact
            ? former->is_exact && has_same_triangles(former->source, scene)
            : has_same_geometry(former->source, scene) &&
                  missing_triangles(*former, scene, config.is_visible) <= kMostMissingTriangles;
    if (!is_alike) {
        return std::shared_ptr<const Acceleration>();
    }
    const auto cores = static_cast<u32>(tbb::this_task_arena::max_concurrency());
    const u32 wanted = config.thread_count == 0 ? cores : std::min(config.thread_count, cores);
    tbb::task_arena arena(static_cast<int>(wanted));
    try {
        return arena.execute([&]() -> Patched {
            const bool is_exact = mode == PatchMode::Exact;
            for (const bool may_refit : {is_exact, false}) {
                const TreeSurvey survey = survey_tree(*former, scene, config, mode, may_refit);
                if (!survey.is_possible) {
                    continue;
                }
                if (!survey.has_changes) {
                    return former;
                }
                Patched patched = Patcher(former, scene, config, survey, mode).patch(pool);
                if (!patched.is_ok() || patched.value() || survey.figures.refitted_triangles == 0) {
                    return patched;
                }
            }
            return std::shared_ptr<const Acceleration>();
        });
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::TooLarge, "patching the tree ran out of memory"};
    }
}

}  // namespace weft::accel
