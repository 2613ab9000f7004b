#include "engine/accel/tree_pool.h"

#include <algorithm>
#include <utility>

namespace weft::accel {

namespace {

// Patches take this much more than the tree had, so that the next one finds room.
constexpr std::size_t kSpareShare = 8;
constexpr u32 kPagesPerQuestion = 512;

std::size_t with_room(std::size_t count) {
    return count + count / kSpareShare + 64;
}

template <typename T>
bool is_shorter(const base::PageArray<T>& a, const base::PageArray<T>& b) {
    return a.size() < b.size();
}

// The shortest that is long enough.
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

// A row of each page is written, by one thread.
template <typename T>
void touch(base::PageArray<T>& array, const std::function<bool()>& should_stop) {
    constexpr std::size_t kRows = 4096 / sizeof(T);
    u32 pages = 0;
    for (std::size_t k = 0; k < array.size(); k += kRows) {
        if (++pages % kPagesPerQuestion == 0 && should_stop()) {
            return;
        }
        array[k] = T{};
    }
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
    const auto end = [pool](Acceleration* lent) {
        const std::unique_ptr<Acceleration> owned(lent);
        pool->bring_back(*owned);
    };
    return std::shared_ptr<Acceleration>(new Acceleration(std::move(tree)), end);
}

void TreePool::bring_back(Acceleration& tree) {
    const std::lock_guard lock(mutex_);
    keep(nodes_, std::move(tree.nodes), kKept);
    keep(blocks_, std::move(tree.blocks), kKept);
}

void TreePool::get_ready(const Acceleration& tree, const std::function<bool()>& should_stop) {
    const auto has = [](const auto& kept, std::size_t count) {
        return std::any_of(
            kept.begin(), kept.end(), [count](const auto& array) { return array.size() > count; });
    };
    {
        const std::lock_guard lock(mutex_);
        if (has(nodes_, tree.nodes.size()) && has(blocks_, tree.blocks.size())) {
            return;
        }
    }
    base::PageArray<shaders::BvhNode> nodes(with_room(tree.nodes.size()));
    base::PageArray<shaders::LeafBlock> blocks(with_room(tree.blocks.size()));
    touch(nodes, should_stop);
    touch(blocks, should_stop);
    const std::lock_guard lock(mutex_);
    keep(nodes_, std::move(nodes), kKept);
    keep(blocks_, std::move(blocks), kKept);
}

}  // namespace weft::accel
