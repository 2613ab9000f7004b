#include "engine/accel/tree_patch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <span>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "engine/accel/instance_match.h"
#include "engine/accel/layout.h"
#include "engine/accel/tree_additions.h"
#include "engine/accel/tree_survey.h"
#include "scheduler/base/ensure.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::accel {

namespace {

// Above this depth the children of a node are parallel tasks.
constexpr u32 kForkedLevels = 4;
constexpr std::size_t kRowsPerTask = 4096;

// A subtree split into its kept and its moved triangles; an empty half has kRefEmpty.
struct Halves {
    Laid kept;
    Laid moved;
};

// The children of a node to be written.
struct LaidList {
    std::array<Laid, kMaxChildren> laid;
    u32 count = 0;

    void add(const Laid& more) {
        if (more.ref != shaders::kRefEmpty) {
            laid[count++] = more;
        }
    }
};

template <typename T>
void copy_rows(const base::PageArray<T>& from, std::size_t count, base::PageArray<T>& to) {
    const std::size_t tasks = (count + kRowsPerTask - 1) / kRowsPerTask;
    tbb::parallel_for(std::size_t{0}, tasks, [&](std::size_t task) {
        const std::size_t begin = task * kRowsPerTask;
        const std::size_t end = std::min(begin + kRowsPerTask, count);
        std::copy(from.data() + begin, from.data() + end, to.data() + begin);
    });
}

Box box_of(const float bounds[3][2]) {
    return {{bounds[0][0], bounds[1][0], bounds[2][0]}, {bounds[0][1], bounds[1][1], bounds[2][1]}};
}

Box child_box(const shaders::BvhNode& node, u32 child) {
    Box box;
    for (u32 axis = 0; axis < 3; ++axis) {
        box.low[axis] = node.bounds[axis][0][child];
        box.high[axis] = node.bounds[axis][1][child];
    }
    return box;
}

class Patcher {
public:
    Patcher(const std::shared_ptr<const Acceleration>& former,
            const scene::Scene& scene,
            const BuildConfig& config,
            const TreeSurvey& survey)
        : former_(former),
          from_(*former),
          scene_(scene),
          config_(config),
          survey_(survey),
          far_(scene.instances.size()) {}

    // Null if limits or memory do not allow it.
    base::Result<std::shared_ptr<const Acceleration>> patch(const std::shared_ptr<TreePool>& pool);

private:
    bool allocate(const TreeAdditions& additions, TreePool& pool);
    void copy_former();
    void put(std::size_t placement, u32 instance, const Box& box);
    void place_all(const TreeAdditions& additions);
    void flag_meshes();
    void flag_blocks(u32 ref);
    [[nodiscard]] Box root_box() const;
    Halves rewrite(u32 ref, const Box& box, u32 depth);
    Halves rewrite_block(u32 block, const Box& box);
    Halves rewrite_node(u32 node, const Box& box, u32 depth);
    Laid write_node(u32 node, const LaidList& list);

    const std::shared_ptr<const Acceleration>& former_;
    const Acceleration& from_;
    const scene::Scene& scene_;
    const BuildConfig& config_;
    const TreeSurvey& survey_;
    FarMarks far_;
    // Relaxed, both: they only hand out rows; the end of the tasks publishes the rows' contents.
    std::atomic<u32> next_node_{0};
    std::atomic<u32> next_block_{0};
    bool is_copied_ = false;  // the pool had a copy of the former tree
    Acceleration out_;
};

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
    next_node_.store(from_.node_count, std::memory_order_relaxed);
    next_block_.store(from_.block_count, std::memory_order_relaxed);
    out_.mesh_roots = from_.mesh_roots;
    out_.source = source_of(scene_, config_);
    out_.is_high_quality = false;
    out_.is_patched = true;
}

// Writes a placement.
void Patcher::put(std::size_t index, u32 instance, const Box& box) {
    shaders::Placement& placement = out_.placements[index];
    // Invert the transform.
    const auto inverse = math::inverse(scene_.instances[instance].object_to_world);
    ENSURE(inverse.has_value(), ==, true);
    std::copy(inverse->begin(), inverse->end(), placement.world_to_object);
    // Store the world box and the mesh's tree.
    for (u32 axis = 0; axis < 3; ++axis) {
        placement.bounds[axis][0] = box.low[axis];
        placement.bounds[axis][1] = box.high[axis];
    }
    placement.root = from_.mesh_roots[scene_.instances[instance].mesh].ref;
    placement.instance = instance;
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

// Writes a node over the subtrees of the list; a single subtree needs none.
Laid Patcher::write_node(u32 node, const LaidList& list) {
    if (list.count < 2) {
        return list.count == 0 ? Laid{} : list.laid[0];
    }
    return join_children({list.laid.data(), list.count}, node, out_.nodes.data());
}

// Splits a subtree into its kept and its moved half.
Halves Patcher::rewrite(u32 ref, const Box& box, u32 depth) {
    if (ref == shaders::kRefEmpty) {
        return {};
    }
    const u32 index = ref & shaders::kRefIndex;
    switch (ref & shaders::kRefKind) {
        case shaders::kRefInstance: {
            // A placement belongs to one half, or to none where it is gone or out of reach.
            const u8 fate = survey_.fate[from_.placements[index].instance];
            const Box now = box_of(out_.placements[index].bounds);
            Halves halves;
            if (fate != kGone && is_in_reach(now)) {
                (fate == kKept ? halves.kept : halves.moved) = {ref, now};
            } else if (fate != kGone) {
                far_.mark(out_.placements[index].instance);
            }
            return halves;
        }
        case shaders::kRefLeaf:
            return rewrite_block(index, box);
        default:
            return rewrite_node(index, box, depth);
    }
}

// Splits a block.
Halves Patcher::rewrite_block(u32 index, const Box& box) {
    // A block of kept triangles stays as it is.
    Halves halves;
    if (survey_.below_block[index] == kKept) {
        halves.kept = {shaders::kRefLeaf | index, box};
        return halves;
    }
    // Sort its triangles by fate.
    const shaders::LeafBlock& block = from_.blocks[index];
    SplitNode kept{};
    SplitNode moved{};
    for (u32 k = 0; k < kMaxLeafItems; ++k) {
        if ((block.flags & 0x100u << k) == 0 || survey_.fate[block.instance[k]] == kGone) {
            continue;
        }
        const u32 now = survey_.number[block.instance[k]];
        const bool is_kept = survey_.fate[block.instance[k]] == kKept;
        if (is_kept || is_drawable(world_corners(scene_, now, block.primitive[k]), now, far_)) {
            SplitNode& half = is_kept ? kept : moved;
            half.item[half.item_count++] = {now, block.primitive[k]};
        }
    }
    // Write both halves. The first that is not empty reuses the row, the second takes a new one.
    const TriangleWriter writer({&scene_, out_.blocks.data(), &config_.is_flagged, true, false});
    u32 place = index;
    if (kept.item_count > 0) {
        halves.kept = writer.write_leaf(kept, place);
    }
    if (kept.item_count > 0 && moved.item_count > 0) {
        place = next_block_.fetch_add(1, std::memory_order_relaxed);
        ENSURE(place, <, out_.blocks.size());
    }
    if (moved.item_count > 0) {
        halves.moved = writer.write_leaf(moved, place);
    }
    return halves;
}

// Splits a node like a block, children first.
Halves Patcher::rewrite_node(u32 index, const Box& box, u32 depth) {
    // A subtree of one fate needs no visit.
    Halves halves;
    if (survey_.below_node[index] == kKept) {
        halves.kept = {shaders::kRefNode | index, box};
        return halves;
    }
    if (survey_.below_node[index] == kGone) {
        return halves;
    }
    // Split the children.
    const shaders::BvhNode& node = from_.nodes[index];
    std::array<Halves, kMaxChildren> children;
    const auto go = [&](u32 c) {
        children[c] = rewrite(node.child[c], child_box(node, c), depth + 1);
    };
    if (depth < kForkedLevels) {
        tbb::parallel_for(0u, kMaxChildren, go);
    } else {
        for (u32 c = 0; c < kMaxChildren; ++c) {
            go(c);
        }
    }
    // Write a node over each half, in the same row or a new one.
    LaidList kept;
    LaidList moved;
    for (const Halves& child : children) {
        kept.add(child.kept);
        moved.add(child.moved);
    }
    u32 place = index;
    halves.kept = write_node(place, kept);
    if (kept.count > 1 && moved.count > 1) {
        place = next_node_.fetch_add(1, std::memory_order_relaxed);
        ENSURE(place, <, out_.nodes.size());
    }
    halves.moved = write_node(place, moved);
    return halves;
}

// The box of the root, which no parent stores.
Box Patcher::root_box() const {
    Box box;
    if (from_.root == shaders::kRefEmpty) {
        return box;
    }
    const u32 index = from_.root & shaders::kRefIndex;
    switch (from_.root & shaders::kRefKind) {
        case shaders::kRefInstance:
            return box_of(from_.placements[index].bounds);
        case shaders::kRefLeaf:
            for (u32 k = 0; k < kMaxLeafItems; ++k) {
                Corners corners;
                for (u32 corner = 0; corner < 3; ++corner) {
                    for (u32 axis = 0; axis < 3; ++axis) {
                        corners[corner][axis] = from_.blocks[index].vertex[corner][axis][k];
                    }
                }
                box.include(bounds_of(corners));
            }
            return box;
        default:
            for (u32 c = 0; c < kMaxChildren; ++c) {
                box.include(child_box(from_.nodes[index], c));
            }
            return box;
    }
}

base::Result<std::shared_ptr<const Acceleration>> Patcher::patch(
    const std::shared_ptr<TreePool>& pool) {
    // Build small trees over the additions, and take arrays.
    const auto first_placement = static_cast<u32>(from_.placements.size());
    const base::Result<TreeAdditions> additions = TreeAdditions::split({&scene_,
                                                                        &config_,
                                                                        &from_.mesh_roots,
                                                                        &survey_.added,
                                                                        &survey_.placed,
                                                                        first_placement,
                                                                        &far_});
    WEFT_TRY(additions);
    if (!allocate(additions.value(), *pool)) {
        return std::shared_ptr<const Acceleration>();
    }
    // Copy the former tree; update placements and flags.
    copy_former();
    place_all(additions.value());
    flag_meshes();
    // Split it, append the additions, and join all parts at a new root.
    const Halves halves = rewrite(from_.root, root_box(), 0);
    LaidList parts;
    parts.add(halves.kept);
    parts.add(halves.moved);
    const Place place = {next_node_.load(std::memory_order_relaxed) + 1,
                         next_block_.load(std::memory_order_relaxed)};
    for (const Laid& part : additions.value().write(place, out_)) {
        parts.add(part);
    }
    // Record sizes and root, and lend the tree.
    out_.node_count = place.node + static_cast<u32>(additions.value().node_count());
    out_.block_count = place.block + static_cast<u32>(additions.value().block_count());
    out_.root = write_node(place.node - 1, parts).ref;
    far_.take_from(out_.source.is_held);
    return TreePool::lend(pool, std::move(out_));
}

}  // namespace

bool has_same_geometry(const TreeSource& source, const scene::Scene& scene) {
    return source.indices.shares_with(scene.indices) &&
           source.positions.shares_with(scene.positions) && source.meshes.shares_with(scene.meshes);
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
    const std::shared_ptr<TreePool>& pool) {
    using Patched = base::Result<std::shared_ptr<const Acceleration>>;
    if (!has_same_geometry(former->source, scene) ||
        missing_triangles(*former, scene, config.is_visible) > kMostMissingTriangles) {
        return std::shared_ptr<const Acceleration>();
    }
    const auto cores = static_cast<u32>(tbb::this_task_arena::max_concurrency());
    const u32 wanted = config.thread_count == 0 ? cores : std::min(config.thread_count, cores);
    tbb::task_arena arena(static_cast<int>(wanted));
    try {
        return arena.execute([&]() -> Patched {
            const TreeSurvey survey = survey_tree(*former, scene, config);
            return survey.has_changes ? Patcher(former, scene, config, survey).patch(pool)
                                      : Patched(former);
        });
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::Memory, "patching the tree ran out of memory"};
    }
}

}  // namespace weft::accel
