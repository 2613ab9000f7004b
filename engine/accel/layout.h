// layout.h — writes trees into the arrays that kernels read: depth first, boxes made from what lies
// in them.
//
// Where a subtree goes follows from the sums in SplitNode, so large subtrees are written by several
// threads at once and the result does not depend on how many. Called where trees are built and
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

// Where a subtree begins.
struct Place {
    u32 node = 0;
    u32 block = 0;
};

// Turns leaves into what their references stand for. Called from several threads over distinct
// leaves.
class LeafWriter {
public:
    virtual ~LeafWriter() = default;
    virtual Laid write_leaf(const SplitNode& leaf, u32 block) const = 0;
};

// Triangles into blocks; owners are instances (world tree) or meshes.
class TriangleWriter : public LeafWriter {
public:
    struct Config {
        const scene::Scene* scene = nullptr;
        shaders::LeafBlock* blocks = nullptr;
        const std::vector<bool>* is_instance_flagged = nullptr;  // by instance, as in BuildConfig
        bool is_world = false;
        bool is_flagged = false;  // mesh trees: the materials of the mesh's instances need asking
    };

    explicit TriangleWriter(const Config& config) : config_(config) {}

    Laid write_leaf(const SplitNode& leaf, u32 block) const override;

private:
    Config config_;
};

// Leaves of one item that stand for a subtree written before: `laid[item.index]`.
class ReferenceWriter : public LeafWriter {
public:
    explicit ReferenceWriter(const std::vector<Laid>& laid) : laid_(laid) {}

    Laid write_leaf(const SplitNode& leaf, u32 block) const override;

private:
    const std::vector<Laid>& laid_;
};

// Writes the node over subtrees that have been written, kMaxChildren at most.
Laid join_children(std::span<const Laid> laid, u32 node, shaders::BvhNode* nodes);

Laid lay_out(const SplitNode& tree, Place place, shaders::BvhNode* nodes, const LeafWriter& writer);

}  // namespace weft::accel
