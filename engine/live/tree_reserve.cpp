#include "engine/live/tree_reserve.h"

#include "engine/accel/tree_patch.h"
#include "engine/live/aside_memory.h"
#include "scheduler/base/memory_limit.h"

namespace weft::live {

u64 TreeReserve::most_bytes(const TreesInUse& trees) const {
    const accel::Acceleration* const current = trees.current.get();
    const accel::Acceleration* const aside = trees.maybe_aside;
    u64 aside_bytes = pool_->size_bytes();
    aside_bytes += largest_ && largest_.get() != current ? largest_->size_bytes() : 0;
    aside_bytes += aside && aside != current && aside != largest_.get() ? aside->size_bytes() : 0;
    return most_bytes_aside(base::available_bytes() + aside_bytes, memory_limit_bytes_);
}

// Whether the reserve is of this scene and has triangles that the current tree lacks.
bool TreeReserve::is_larger_than(const TreesInUse& trees) const {
    return largest_ && accel::has_same_geometry(largest_->source, trees.scene) &&
           accel::held_triangles(*largest_) > accel::held_triangles(*trees.current);
}

void TreeReserve::keep(const TreesInUse& trees) {
    if (trees.current->is_patched || trees.current->store) {
        return;
    }
    const u64 most = most_bytes(trees);
    pool_->keep_at_most(most);
    if (!is_larger_than(trees)) {
        largest_ = trees.current->size_bytes() <= most ? trees.current : nullptr;
    }
}

void TreeReserve::copy_ahead(const TreesInUse& trees, const std::function<bool()>& should_stop) {
    if (trees.current->store) {
        return;
    }
    const bool is_larger = is_larger_than(trees);
    if (is_larger || trees.current->size_bytes() <= most_bytes(trees)) {
        pool_->copy_ahead(is_larger ? largest_ : trees.current, should_stop);
    }
}

}  // namespace weft::live
