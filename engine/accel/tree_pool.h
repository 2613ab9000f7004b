// tree_pool.h — memory of patched trees that goes round: a patch copies a whole tree, and fresh
// pages cost more than the copy.
//
// A patched tree brings its arrays back when its last user lets go of it, on whichever thread that
// is. At most kKept of each are kept, the largest, and none that its user calls too large. And the
// tree that is likely to be patched next is copied ahead, when there is time, so that its patch
// only writes what differs. Any thread.
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
    // Arrays of at least so many rows, with anything in them; empty: there is no memory.
    base::PageArray<shaders::BvhNode> take_nodes(std::size_t count);
    base::PageArray<shaders::LeafBlock> take_blocks(std::size_t count);

    // From now on larger trees bring nothing back. At first all of them do.
    void keep_at_most(u64 tree_bytes);

    // What is kept, the copy included.
    [[nodiscard]] u64 size_bytes() const;

    // The tree, whose nodes and blocks come back to `pool`.
    static std::shared_ptr<const Acceleration> lend(const std::shared_ptr<TreePool>& pool,
                                                    Acceleration tree);

    // Has a copy of the tree at hand, with room for a patch, unless it has it or is stopped.
    void copy_ahead(const std::shared_ptr<const Acceleration>& tree,
                    const std::function<bool()>& should_stop);

    // The copy of the tree, with room for so many rows; empty: there is none.
    struct Copy {
        base::PageArray<shaders::BvhNode> nodes;
        base::PageArray<shaders::LeafBlock> blocks;
    };

    Copy take_copy(const std::shared_ptr<const Acceleration>& tree,
                   std::size_t node_count,
                   std::size_t block_count);

    // Copies that were taken.
    [[nodiscard]] u64 copies_taken() const;

private:
    static constexpr std::size_t kKept = 2;

    void bring_back(Acceleration& tree);
    void keep_rows(Copy rows);
    [[nodiscard]] bool is_copy_of(const std::shared_ptr<const Acceleration>& tree) const;

    mutable std::mutex mutex_;  // guards all of it
    std::vector<base::PageArray<shaders::BvhNode>> nodes_;
    std::vector<base::PageArray<shaders::LeafBlock>> blocks_;
    Copy copy_;
    std::weak_ptr<const Acceleration> copied_;  // whose copy it is
    u64 copies_taken_ = 0;
    u64 most_bytes_ = std::numeric_limits<u64>::max();
};

}  // namespace weft::accel
