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
    // Of a random any-hit ray through the box: the chance that a triangle in it blocks the ray, and
    // the nodes and blocks that the ray visits.
    float blocking = 0.5F;
    float cost = 1;
};

// Half of the surface of a box.
inline float half_surface(const Box& box) {
    const Point size = box.high - box.low;
    return size.x * size.y + size.y * size.z + size.z * size.x;
}

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

// The reference to a placement with world box `box`; `mesh` is its BLAS.
Laid laid_placement(u32 placement, const Box& box, const Laid& mesh);

// Writes a node over at most kMaxChildren subtrees already written, as children in this order.
Laid join_children(std::span<const Laid> laid, u32 node, shaders::BvhNode* nodes);

// Writes a split tree from `place` on. The children of each node are sorted for any-hit rays, which
// visit them one after the other until one blocks: those with the largest blocking / cost come
// first, which makes the mean cost least where children block independently of each other (after
// Nah and Manocha, "SATO: Surface Area Traversal Order for Shadow Ray Tracing", 2014).
Laid lay_out(const SplitNode& tree, Place place, shaders::BvhNode* nodes, const LeafWriter& writer);

}  // namespace weft::accel
