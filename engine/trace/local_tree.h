// local_tree.h — the part of a device's tree that lies in a cluster's local memory (F16).
//
// Kernels of the emulated GPU read nodes, leaf blocks and placements here, and nowhere else: what a
// packet needs is copied in from the device's memory, over the bus (scheduler/unit/bus_model.h).
// The cluster's software cache holds treelets, least recently used ones give way; placements that
// rays carry into other treelets have a small cache of their own. What is there already costs no
// bytes. Treelets of pages are copied from where the store has their pages (page_treelets.h): the
// copy stays good when the page leaves.
//
// One LocalTree per cluster and kind of ray, on the cluster's thread; both kinds share the cache.
#pragma once

#include "engine/trace/page_treelets.h"
#include "scheduler/base/huge_pages.h"
#include "scheduler/fibre/software_cache.h"
#include "scheduler/unit/bus_model.h"

namespace weft::trace {

class LocalTree {
public:
    explicit LocalTree(const TreeletView& far);

    [[nodiscard]] bool is_allocated() const {
        return placements_.is_allocated() && spare_.is_allocated();
    }

    // The cluster's cache, whose entries hold most_bytes(far); before the first call of the others.
    void join(fibre::SoftwareCache& cache) { cache_ = &cache; }

    // Copies a treelet in unless it is there; one of a page must be near, or is empty. Valid until
    // the next call of bring() or of at().
    TreeletParts bring(u32 treelet);

    // The same for one that was brought just before: looks for it without counting.
    TreeletParts at(u32 treelet);

    // A placement, copied in unless it is there. Valid until the next call.
    const shaders::Placement* bring_placement(u32 index);

    [[nodiscard]] const TreeletView& far() const { return far_; }

    [[nodiscard]] const unit::BusCounters& counters() const { return counted_; }

private:
    static constexpr u32 kPlacements = 64;

    void fill(u32 treelet, std::byte* image);
    void copy(void* to, const void* from, u64 bytes);

    TreeletView far_;
    fibre::SoftwareCache* cache_ = nullptr;
    fibre::SoftwareCache placements_;
    base::PageArray<std::byte> spare_;  // for one treelet, where the cache has no entry
    shaders::Placement spare_placement_{};
    unit::BusCounters counted_;
};

// Of an image of the tree, or of its pages.
u32 most_bytes(const TreeletView& far);

}  // namespace weft::trace
