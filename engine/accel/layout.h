// layout.h — writes split trees into the arrays that kernels read, depth first, with boxes computed
// bottom-up from the triangles.
//
// The position of a subtree follows from the counts in SplitNode, so several threads write large
// subtrees at once, and the result does not depend on their number. Called when trees are built and
// patched.
#pragma once

#include <span>

#include "engine/accel/acceleration.h"
#include "engine/accel/placing.h"
#include "engine/accel/split_tree.h"

namespace weft::accel {

// A subtree that has been written.
struct Laid {
    u32 ref = shaders::kRefEmpty;
    Box box;
};

// The first node and the first block of a subtree.
struct Place {
    u32 node = 0;
    u32 block = 0;
};

// Writes a leaf and returns its reference and box. Called by several threads for distinct leaves.
class LeafWriter {
public:
    virtual ~LeafWriter() = default;
    virtual Laid write_leaf(const SplitNode& leaf, u32 block) const = 0;
};

// Writes leaves of triangles into blocks. SplitItem::owner is an instance (TLAS) or a mesh (BLAS).
class TriangleWriter : public LeafWriter {
public:
    struct Config {
        const scene::Scene* scene = nullptr;
        shaders::LeafBlock* blocks = nullptr;
        const std::vector<bool>* is_instance_flagged = nullptr;  // by instance, as in BuildConfig
        bool is_world = false;
        bool is_flagged = false;  // BLAS: an instance of the mesh needs the flag
    };

    explicit TriangleWriter(const Config& config) : config_(config) {}

    Laid write_leaf(const SplitNode& leaf, u32 block) const override;

private:
    Config config_;
};

// Leaves of one item that refer to a subtree already written: `laid[item.index]`.
class ReferenceWriter : public LeafWriter {
public:
    explicit ReferenceWriter(const std::vector<Laid>& laid) : laid_(laid) {}

    Laid write_leaf(const SplitNode& leaf, u32 block) const override;

private:
    const std::vector<Laid>& laid_;
};

// Writes a node over at most kMaxChildren subtrees already written.
Laid join_children(std::span<const Laid> laid, u32 node, shaders::BvhNode* nodes);

// Writes a split tree from `place` on.
Laid lay_out(const SplitNode& tree, Place place, shaders::BvhNode* nodes, const LeafWriter& writer);

}  // namespace weft::accel
