#include "engine/accel/tree_pool.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::accel {

namespace {

// New arrays get 1 / kSpareShare more rows than needed, so that they fit the next patch.
constexpr std::size_t kSpareShare = 8;
constexpr std::size_t kRowsPerPoll = 8192;  // of should_stop(); some 2 MiB

std::size_t with_room(std::size_t count) {
    return count + count / kSpareShare + 64;
}

template <typename T>
bool is_shorter(const base::PageArray<T>& a, const base::PageArray<T>& b) {
    return a.size() < b.size();
}

// Takes the shortest array that is long enough.
template <typename T>
base::PageArray<T> take(std::mutex& mutex,
                        std::vector<base::PageArray<T>>& kept,
                        std::size_t count) {
    const std::lock_guard lock(mutex);
    std::sort(kept.begin(), kept.end(), is_shorter<T>);
    const auto fit = std::find_if(
        kept.begin(), kept.end(), [count](const auto& array) { return array.size() >= count; });
    if (fit == kept.end()) {
        return {};
    }
    base::PageArray<T> taken = std::move(*fit);
    kept.erase(fit);
    return taken;
}

template <typename T>
base::PageArray<T> take_or_make(std::mutex& mutex,
                                std::vector<base::PageArray<T>>& kept,
                                std::size_t count) {
    base::PageArray<T> taken = take(mutex, kept, count);
    return taken.is_allocated() ? std::move(taken) : base::PageArray<T>(with_room(count));
}

template <typename T>
void keep(std::vector<base::PageArray<T>>& kept, base::PageArray<T> array, std::size_t most) {
    kept.push_back(std::move(array));
    if (kept.size() > most) {
        kept.erase(std::min_element(kept.begin(), kept.end(), is_shorter<T>));
    }
}

template <typename T>
u64 sum_bytes(const std::vector<base::PageArray<T>>& kept) {
    return std::accumulate(kept.begin(), kept.end(), u64{0}, [](u64 sum, const auto& array) {
        return sum + array.size_bytes();
    });
}

// Returns false when stopped.
template <typename T>
bool copy_rows(const base::PageArray<T>& from,
               std::size_t count,
               base::PageArray<T>& to,
               const std::function<bool()>& should_stop) {
    for (std::size_t begin = 0; begin < count; begin += kRowsPerPoll) {
        if (should_stop()) {
            return false;
        }
        const std::size_t end = std::min(begin + kRowsPerPoll, count);
        std::copy(from.data() + begin, from.data() + end, to.data() + begin);
    }
    return true;
}

}  // namespace

base::PageArray<shaders::BvhNode> TreePool::take_nodes(std::size_t count) {
    return take_or_make(mutex_, nodes_, count);
}

base::PageArray<shaders::LeafBlock> TreePool::take_blocks(std::size_t count) {
    return take_or_make(mutex_, blocks_, count);
}

std::shared_ptr<const Acceleration> TreePool::lend(const std::shared_ptr<TreePool>& pool,
                                                   Acceleration tree) {
    // A deleter lives as long as any weak pointer to the tree, and the pool has one: move the pool
    // out of it, or the pool would own itself.
    auto end = [lender = pool](Acceleration* lent) mutable {
        const std::unique_ptr<Acceleration> owned(lent);
        const std::shared_ptr<TreePool> home = std::move(lender);
        home->bring_back(*owned);
    };
    return std::shared_ptr<Acceleration>(new Acceleration(std::move(tree)), end);
}

void TreePool::bring_back(Acceleration& tree) {
    const std::lock_guard lock(mutex_);
    keep_rows({std::move(tree.nodes), std::move(tree.blocks)});
}

// Requires the mutex.
void TreePool::keep_rows(Copy rows) {
    const u64 bytes = rows.nodes.size_bytes() + rows.blocks.size_bytes();
    if (bytes - bytes / kSpareShare <= most_bytes_) {
        keep(nodes_, std::move(rows.nodes), kKept);
        keep(blocks_, std::move(rows.blocks), kKept);
    }
}

void TreePool::keep_at_most(u64 tree_bytes) {
    const std::lock_guard lock(mutex_);
    most_bytes_ = tree_bytes;
    const auto is_too_large = [tree_bytes](const auto& array) {
        return array.size_bytes() > tree_bytes;
    };
    std::erase_if(nodes_, is_too_large);
    std::erase_if(blocks_, is_too_large);
}

u64 TreePool::size_bytes() const {
    const std::lock_guard lock(mutex_);
    return sum_bytes(nodes_) + sum_bytes(blocks_) + copy_.nodes.size_bytes() +
           copy_.blocks.size_bytes();
}

void TreePool::copy_ahead(const std::shared_ptr<const Acceleration>& tree,
                          const std::function<bool()>& should_stop) {
    // Drop the copy of another tree.
    {
        const std::lock_guard lock(mutex_);
        if (is_copy_of(tree)) {
            return;
        }
        copied_.reset();
        if (copy_.nodes.is_allocated()) {
            keep_rows(std::exchange(copy_, {}));
        }
    }
    // Copy without the mutex; keep the arrays even if stopped.
    Copy made = {take_nodes(with_room(tree->node_count)),
                 take_blocks(with_room(tree->block_count))};
    const bool is_copied = made.nodes.size() >= tree->node_count &&
                           made.blocks.size() >= tree->block_count &&
                           copy_rows(tree->nodes, tree->node_count, made.nodes, should_stop) &&
                           copy_rows(tree->blocks, tree->block_count, made.blocks, should_stop);
    const std::lock_guard lock(mutex_);
    if (is_copied) {
        copy_ = std::move(made);
        copied_ = tree;
    } else {
        keep_rows(std::move(made));
    }
}

TreePool::Copy TreePool::take_copy(const std::shared_ptr<const Acceleration>& tree,
                                   std::size_t node_count,
                                   std::size_t block_count) {
    const std::lock_guard lock(mutex_);
    if (!is_copy_of(tree) || copy_.nodes.size() < node_count || copy_.blocks.size() < block_count) {
        return {};
    }
    copied_.reset();
    ++copies_taken_;
    return std::exchange(copy_, {});
}

// Compares owners without locking the weak pointer: the last owner would return the arrays to this
// pool under its own mutex.
bool TreePool::is_copy_of(const std::shared_ptr<const Acceleration>& tree) const {
    return !copied_.owner_before(tree) && !tree.owner_before(copied_);
}

u64 TreePool::copies_taken() const {
    const std::lock_guard lock(mutex_);
    return copies_taken_;
}

}  // namespace weft::accel
