// tree_pool.h — memory of patched trees that goes round: a patch copies a whole tree, and fresh
// pages cost more than the copy.
//
// A patched tree brings its arrays back when its last user lets go of it, on whichever thread that
// is. At most kKept of each are kept, the largest. Any thread.
#pragma once

#include <functional>
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

    // The tree, whose nodes and blocks come back to `pool`.
    static std::shared_ptr<const Acceleration> lend(const std::shared_ptr<TreePool>& pool,
                                                    Acceleration tree);

    // Has arrays for a patch of `tree` at hand, with pages that were touched, unless it has them or
    // is stopped.
    void get_ready(const Acceleration& tree, const std::function<bool()>& should_stop);

private:
    static constexpr std::size_t kKept = 2;

    void bring_back(Acceleration& tree);

    std::mutex mutex_;  // guards both
    std::vector<base::PageArray<shaders::BvhNode>> nodes_;
    std::vector<base::PageArray<shaders::LeafBlock>> blocks_;
};

}  // namespace weft::accel
