#include "engine/accel/tree_rewrite.h"

#include <tbb/parallel_for.h>

#include "scheduler/base/ensure.h"

namespace weft::accel {

namespace {

// Above this depth the children of a node are parallel tasks.
constexpr u32 kForkedLevels = 4;

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

// Half of the surface.
double surface_of(const Box& box) {
    const double x = static_cast<double>(box.high.x) - static_cast<double>(box.low.x);
    const double y = static_cast<double>(box.high.y) - static_cast<double>(box.low.y);
    const double z = static_cast<double>(box.high.z) - static_cast<double>(box.low.z);
    return x * y + y * z + z * x;
}

Corners corners_of(const shaders::LeafBlock& block, u32 k) {
    Corners corners;
    for (u32 corner = 0; corner < 3; ++corner) {
        for (u32 axis = 0; axis < 3; ++axis) {
            corners[corner][axis] = block.vertex[corner][axis][k];
        }
    }
    return corners;
}

}  // namespace

void Refit::add(const Refit& child, const Box& after) {
    if (child.triangles == 0) {
        return;
    }
    triangles += child.triangles;
    before.include(child.before);
    cost_before += surface_of(child.before) + child.cost_before;
    cost_after += surface_of(after) + child.cost_after;
}

double Refit::growth(const Box& after) const {
    return cost_after / surface_of(after) / (cost_before / surface_of(before));
}

Laid write_node(u32 node, const LaidList& list, Acceleration& out) {
    if (list.count < 2) {
        return list.count == 0 ? Laid{} : list.laid[0];
    }
    return join_children({list.laid.data(), list.count}, node, out.nodes.data());
}

TreeRewriter::TreeRewriter(const Config& config)
    : from_(*config.from),
      scene_(*config.scene),
      config_(*config.build),
      survey_(*config.survey),
      far_(*config.far),
      out_(*config.out),
      has_costs_(config.has_costs),
      next_node_(from_.node_count),
      next_block_(from_.block_count) {}

Halves TreeRewriter::rewrite() {
    return rewrite(from_.root, root_box(), 0);
}

// Splits a subtree into its kept and its moved half.
Halves TreeRewriter::rewrite(u32 ref, const Box& box, u32 depth) {
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
Halves TreeRewriter::rewrite_block(u32 index, const Box& box) {
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
            if (has_costs_ && !is_kept) {
                ++halves.refit.triangles;
                halves.refit.before.include(bounds_of(corners_of(block, k)));
            }
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
Halves TreeRewriter::rewrite_node(u32 index, const Box& box, u32 depth) {
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
        halves.refit.add(child.refit, child.moved.box);
    }
    u32 place = index;
    halves.kept = write_node(place, kept, out_);
    if (kept.count > 1 && moved.count > 1) {
        place = next_node_.fetch_add(1, std::memory_order_relaxed);
        ENSURE(place, <, out_.nodes.size());
    }
    halves.moved = write_node(place, moved, out_);
    return halves;
}

// The box of the root, which no parent stores.
Box TreeRewriter::root_box() const {
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
                box.include(bounds_of(corners_of(from_.blocks[index], k)));
            }
            return box;
        default:
            for (u32 c = 0; c < kMaxChildren; ++c) {
                box.include(child_box(from_.nodes[index], c));
            }
            return box;
    }
}

}  // namespace weft::accel
