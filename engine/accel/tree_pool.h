// tree_pool.h — recycles the arrays of patched trees: a patch copies a whole tree, and fresh pages
// cost more than the copy.
//
// A patched tree returns its arrays when its last owner releases it, on that owner's thread. The
// pool keeps the kKept largest arrays of each kind, unless they exceed keep_at_most(). It can also
// copy the tree that is likely to be patched next ahead of time, so that the patch writes only the
// differences. Any thread.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/accel/acceleration.h"

namespace weft::accel {

class TreePool {
public:
    // Arrays of at least `count` rows with undefined contents; empty if there is no memory.
    base::PageArray<shaders::BvhNode> take_nodes(std::size_t count);
    base::PageArray<shaders::LeafBlock> take_blocks(std::size_t count);

    // Larger trees return nothing from now on. Initially there is no limit.
    void keep_at_most(u64 tree_bytes);

    // Bytes that the pool holds, the copy included.
    [[nodiscard]] u64 size_bytes() const;

    // Shares the tree; its nodes and blocks return to `pool` when the last owner releases it.
    static std::shared_ptr<const Acceleration> lend(const std::shared_ptr<TreePool>& pool,
                                                    Acceleration tree);

    // Makes a copy of the tree with spare rows for a patch, unless it exists already. Stops when
    // should_stop() returns true.
    void copy_ahead(const std::shared_ptr<const Acceleration>& tree,
                    const std::function<bool()>& should_stop);

    // A copy of a tree's arrays; empty if there is none.
    struct Copy {
        base::PageArray<shaders::BvhNode> nodes;
        base::PageArray<shaders::LeafBlock> blocks;
    };

    // Takes the copy of `tree`, if it has at least so many rows.
    Copy take_copy(const std::shared_ptr<const Acceleration>& tree,
                   std::size_t node_count,
                   std::size_t block_count);

    // Number of copies taken so far.
    [[nodiscard]] u64 copies_taken() const;

private:
    static constexpr std::size_t kKept = 2;

    void bring_back(Acceleration& tree);
    void keep_rows(Copy rows);
    [[nodiscard]] bool is_copy_of(const std::shared_ptr<const Acceleration>& tree) const;

    mutable std::mutex mutex_;  // guards all members
    std::vector<base::PageArray<shaders::BvhNode>> nodes_;
    std::vector<base::PageArray<shaders::LeafBlock>> blocks_;
    Copy copy_;
    std::weak_ptr<const Acceleration> copied_;  // the original of copy_
    u64 copies_taken_ = 0;
    u64 most_bytes_ = std::numeric_limits<u64>::max();
};

}  // namespace weft::accel
