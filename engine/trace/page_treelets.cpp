#include "engine/trace/page_treelets.h"

#include <algorithm>
#include <cstring>

namespace weft::trace {

namespace {

u32 row_of(u32 ref) {
    return ref & shaders::kRefIndex;
}

bool is_leaf(u32 ref) {
    return ref != shaders::kRefEmpty && (ref & shaders::kRefKind) == shaders::kRefLeaf;
}

// The blocks below some nodes, which lie one after the other.
struct BlockRange {
    u32 begin = kNone;
    u32 end = 0;

    void add(u32 row) {
        begin = std::min(begin, row);
        end = std::max(end, row + 1);
    }

    [[nodiscard]] u32 size() const { return end - std::min(begin, end); }
};

BlockRange blocks_below(const shaders::BvhNode* nodes, u32 count) {
    BlockRange blocks;
    for (u32 k = 0; k < count; ++k) {
        for (const u32 child : nodes[k].child) {
            if (is_leaf(child)) {
                blocks.add(row_of(child));
            }
        }
    }
    return blocks;
}

}  // namespace

PageTreelets::PageTreelets(const pages::PageStore& store, u32 treelet_bytes)
    : resident_(store.resident()),
      treelet_bytes_(treelet_bytes),
      node_counts_(resident_.roots.size()),
      ranges_(resident_.pages.size()) {}

base::Result<PageTreelets> PageTreelets::make(const pages::PageStore& store, u32 treelet_bytes) {
    PageTreelets made(store, treelet_bytes);
    if (!made.measure()) {
        return base::Error{base::ErrorKind::Render,
                           "the page file was cut for another device: remove it from --cache-dir"};
    }
    return made;
}

// The subtrees of a page follow each other, in the order of their roots: the nodes of each end
// where those of the next begin. From the last root to the first.
bool PageTreelets::measure() {
    u32 page = kNone;
    u32 end = 0;  // of the nodes not measured yet
    for (u32 root = root_count(); root-- > 0;) {
        const shaders::PageRoot& at = resident_.roots[root];
        if (at.page == kNone) {
            continue;
        }
        RootRange& range = ranges_[at.page];
        if (at.page != page) {
            if (range.end != 0) {
                return false;
            }
            page = at.page;
            range.end = root + 1;
            end = resident_.pages[page].first_node + resident_.pages[page].node_count;
        }
        range.begin = root;
        if (!is_leaf(at.ref)) {
            if (at.ref >= end || (end - at.ref) * sizeof(shaders::BvhNode) > treelet_bytes_) {
                return false;
            }
            node_counts_[root] = end - at.ref;
            end = at.ref;
        }
    }
    return true;
}

bool PageTreelets::copy(u32 root,
                        const TreeletView& from,
                        std::byte* image,
                        unit::BusCounters& counted) const {
    const u32 ref = resident_.roots[root].ref;
    // Copy the nodes, which say where the blocks are.
    TreeletHeader header;
    header.source = kNone;
    header.node_count = node_counts_[root];
    header.root = ref & shaders::kRefKind;  // the first of its kind
    auto* const nodes = reinterpret_cast<shaders::BvhNode*>(image + sizeof(header));
    BlockRange blocks;
    if (is_leaf(ref)) {
        blocks.add(row_of(ref));
    } else {
        counted.add({1, header.node_count * sizeof(shaders::BvhNode)});
        std::memcpy(nodes, from.page_nodes + ref, header.node_count * sizeof(shaders::BvhNode));
        blocks = blocks_below(nodes, header.node_count);
    }
    header.block_count = blocks.size();
    const u64 block_bytes = u64{header.block_count} * sizeof(shaders::LeafBlock);
    if (sizeof(header) + header.node_count * sizeof(shaders::BvhNode) + block_bytes >
        treelet_bytes_) {
        return false;
    }
    // Copy the blocks.
    if (block_bytes > 0) {
        counted.add({1, block_bytes});
        std::memcpy(static_cast<void*>(nodes + header.node_count),
                    from.page_blocks + blocks.begin,
                    block_bytes);
    }
    // References count from the image's arrays.
    for (u32 k = 0; k < header.node_count; ++k) {
        for (u32& child : nodes[k].child) {
            child -= child == shaders::kRefEmpty ? 0 : is_leaf(child) ? blocks.begin : ref;
            if (child < shaders::kRefInstance && child >= header.node_count) {
                return false;
            }
        }
    }
    std::memcpy(static_cast<void*>(image), &header, sizeof(header));
    return true;
}

}  // namespace weft::trace
