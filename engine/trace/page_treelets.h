// page_treelets.h — the subtrees below page roots as treelets: what clusters of a device copy of a
// page that is near.
//
// A page holds several subtrees, each contiguous and small enough for an entry of a cluster's cache
// (PageFileConfig::subtree_bytes). A copy takes one of them over the bus, its nodes and its blocks,
// and makes the image of a treelet without exits (treelets.h): below a page root lies no other
// page. Page root r has the treelet number that follows those of the device's own treelets by r.
//
// Made once per frame and read-only afterwards; any thread copies, as a reader inside.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/pages/page_store.h"
#include "engine/trace/treelets.h"
#include "scheduler/base/result.h"
#include "scheduler/unit/bus_model.h"

namespace weft::trace {

// Page roots [begin, end) lie in a page.
struct RootRange {
    u32 begin = 0;
    u32 end = 0;
};

class PageTreelets {
public:
    // The store outlives it. Error (kind Render): the subtrees of the file do not lie one after the
    // other, or are too large for treelets of so many bytes.
    static base::Result<PageTreelets> make(const pages::PageStore& store, u32 treelet_bytes);

    [[nodiscard]] u32 root_count() const { return static_cast<u32>(resident_.roots.size()); }

    [[nodiscard]] u32 page_of(u32 root) const { return resident_.roots[root].page; }

    [[nodiscard]] RootRange roots_of(u32 page) const { return ranges_[page]; }

    [[nodiscard]] u32 most_bytes() const { return treelet_bytes_; }

    // Copies a subtree whose page is near, from the arrays that the view names, to an image of at
    // most most_bytes(), and counts the copies. False: the subtree does not fit, because its page
    // is damaged.
    [[nodiscard]] bool copy(u32 root,
                            const TreeletView& from,
                            std::byte* image,
                            unit::BusCounters& counted) const;

private:
    PageTreelets(const pages::PageStore& store, u32 treelet_bytes);
    [[nodiscard]] bool measure();

    pages::ResidentRows resident_;
    u32 treelet_bytes_;
    std::vector<u32> node_counts_;   // by root
    std::vector<RootRange> ranges_;  // by page
};

}  // namespace weft::trace
