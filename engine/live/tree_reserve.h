// tree_reserve.h — the trees that are kept beside the one in use, so that first pictures after an
// edit patch a tree instead of waiting for a build.
//
// Kept are the built tree that held most triangles (what is hidden now may be shown next), the
// arrays that patched trees gave back, and a copy of the tree that the next edit is likely to
// patch. All trees aside together take some half of the free memory at most (aside_memory.h).
// The render thread's.
#pragma once

#include <functional>
#include <memory>

#include "engine/accel/tree_pool.h"

namespace weft::live {

// The trees that live frames hold; the reserve counts them and keeps none of them alive.
struct TreesInUse {
    const std::shared_ptr<const accel::Acceleration>& current;  // of the prepared scene
    const scene::Scene& scene;                                  // that one
    const accel::Acceleration* maybe_aside = nullptr;           // of the frame that is put aside
};

class TreeReserve {
public:
    // What the newest job allows in all; 0: no limit.
    void set_memory_limit(u64 bytes) { memory_limit_bytes_ = bytes; }

    // The largest tree that may be kept aside now.
    [[nodiscard]] u64 most_bytes(const TreesInUse& trees) const;

    // Keeps the current tree where it was built, fits, and no larger one of its scene is kept.
    void keep(const TreesInUse& trees);

    // Copies the tree that the next job is likely to patch, until it should stop.
    void copy_ahead(const TreesInUse& trees, const std::function<bool()>& should_stop);

    // For prepare_scene(); null: none is kept.
    [[nodiscard]] const std::shared_ptr<const accel::Acceleration>& largest() const {
        return largest_;
    }

    [[nodiscard]] const std::shared_ptr<accel::TreePool>& pool() const { return pool_; }

private:
    [[nodiscard]] bool is_larger_than(const TreesInUse& trees) const;

    std::shared_ptr<const accel::Acceleration> largest_;
    std::shared_ptr<accel::TreePool> pool_ = std::make_shared<accel::TreePool>();
    u64 memory_limit_bytes_ = 0;
};

}  // namespace weft::live
