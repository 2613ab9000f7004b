// bvh_view.h — the acceleration structure as traversal kernels see it.
//
// One array of nodes and one array of leaf blocks hold every tree. The TLAS, in world space, has
// two kinds of leaves: blocks with triangles of baked instances (the only users of their meshes,
// whose vertices are transformed when the tree is built), and placements of shared meshes. Each
// shared mesh has a BLAS in object space. A reference is 32 bits: a node, a leaf block, a
// placement, or the root of a subtree that lies in a page.
//
// A paged tree (engine/pages) keeps a part of its nodes and all of its blocks in pages, ranges of
// both arrays that are in memory only at times. Traversal enters a page that is near; where it is
// far, the ray waits (page_wait-inl.h).
#pragma once

#include <atomic>

#include "scheduler/base/ids.h"

namespace weft::shaders {

// References: the two top bits select the array that the rest indexes.
inline constexpr u32 kRefNode = 0x00000000u;  // nodes[ref]
inline constexpr u32 kRefLeaf =
    0x80000000u;  // blocks[ref & kRefIndex]: one block of up to four triangles
inline constexpr u32 kRefInstance = 0x40000000u;  // placements[ref & kRefIndex]
inline constexpr u32 kRefPage = 0xc0000000u;      // page_roots[ref & kRefIndex]
inline constexpr u32 kRefEmpty = 0xffffffffu;     // no child
inline constexpr u32 kRefKind = 0xc0000000u;
inline constexpr u32 kRefIndex = 0x3fffffffu;

// Eight children; bounds as [axis][0 = low, 1 = high][child], so that the near side of an axis is
// one row. 256 B. An empty child has low = +infinity, high = −infinity and the reference kRefEmpty.
// Any-hit rays visit children from the first to the last, so the children that block most rays for
// their cost come first (engine/accel/layout.h); closest-hit rays visit them near to far.
struct alignas(64) BvhNode {
    float bounds[3][2][8];
    u32 child[8];
    u32 order[8];  // by octant; see order_children() in decoded_node.h
};

static_assert(sizeof(BvhNode) == 256);

// A word of BvhNode::order holds the indices of children in the order in which a stack takes them:
// bits 3c .. 3c + 2 the c-th index, bits 24 and up the count.
inline constexpr u32 kOrderCount = 24;

// The word for any-hit rays: all children, from the last to the first.
inline constexpr u32 kAnyOrder = 001234567 | 8u << kOrderCount;

// Up to four triangles; vertex[k][axis][triangle]. Unused places repeat the first triangle. 192 B.
struct alignas(64) LeafBlock {
    float vertex[3][3][4];
    u32 primitive[4];  // index in its mesh
    u32 instance[4];   // TLAS: the instance; BLAS: kNone (the placement names it)
    u32 flags;     // bit k: triangle k is flagged, its hits go through clip planes, alpha and tint;
                   // bit 8 + k: triangle k is in use
    u8 margin[4];  // biased exponent of the power of two that widens the triangle's box
    u32 reserved[2];
};

static_assert(sizeof(LeafBlock) == 192);

// One use of a shared mesh. A ray is transformed to object space and continues at `root`. Bounds
// are the world box of the instance; t of a hit is raised to the start of the ray's interval with
// it, so that a hit does not depend on the tree.
//
// The transformation is linear · (point − place), where `place` is the world position of object
// space's origin: near the instance the difference is exact, so that rounding does not grow with
// the instance's distance from the world's origin, as that of linear · point + shift does.
struct Placement {
    float to_object[3][4];  // each row of `linear`, followed by the coordinate of `place`
    float bounds[3][2];
    u32 root;  // reference into the shared mesh's tree
    u32 instance;
    u32 reserved[12];
};

static_assert(sizeof(Placement) == 128);

// Of references that are not empty.
inline bool is_page(u32 ref) {
    return (ref & kRefKind) == kRefPage;
}

// The root of a subtree that lies in a page, or (page = kNone) of one whose nodes above its page
// roots are always in memory.
struct PageRoot {
    float bounds[3][2];  // of the subtree, in its tree's space
    u32 ref;             // a node or a block
    u32 page;
};

static_assert(sizeof(PageRoot) == 32);

// Whether a page is in memory, and how lately it was entered (engine/pages/page_store.h).
enum class PageState : u8 {
    Far,
    Fresh,  // in memory, and not entered since it came, or since eviction looked at it last
    Used,
};

// Enters a page: true if it is near. Seq_cst: a reader first announces that it is inside, then
// reads the page's state; eviction first marks the page as far, then looks for readers inside.
inline bool enter_page(std::atomic<PageState>& page) {
    PageState state = page.load();
    return state == PageState::Used ||
           (state == PageState::Fresh &&
            (page.compare_exchange_strong(state, PageState::Used) || state == PageState::Used));
}

struct BvhView {
    const BvhNode* nodes;
    const LeafBlock* blocks;
    const Placement* placements;
    u32 root;                                       // kRefEmpty: nothing to hit
    const PageRoot* page_roots = nullptr;           // null: the tree has no pages
    std::atomic<PageState>* page_states = nullptr;  // by page
};

}  // namespace weft::shaders
