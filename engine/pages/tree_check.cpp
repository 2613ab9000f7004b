#include "engine/pages/tree_check.h"

#include <algorithm>
#include <array>

#include "engine/pages/page_file_format.h"
#include "shaders/traverse/decoded_node.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::pages {

namespace {

u64 rows_of(u32 count, u32 step) {
    return (u64{count} + step - 1) / step * step;
}

// Decoding a node writes as many children as its order counts.
bool has_sound_order(const shaders::BvhNode& node) {
    return std::all_of(std::begin(node.order), std::end(node.order), [](u32 order) {
        return order >> shaders::kOrderCount <= 8;
    });
}

// Pages fill rows and bytes one after the other; rows leave no gap.
std::string fault_of_pages(const ResidentTree& tree, u64 offset, u64 end_offset) {
    u64 node_row = 0;
    u64 block_row = 0;
    u64 sheet_row = 0;
    for (u64 k = 0; k < tree.pages.size(); ++k) {
        const PageEntry& page = tree.pages[k];
        const bool is_placed = page.file_offset % kPageAlign == 0 && page.file_offset >= offset &&
                               page.file_offset <= end_offset &&
                               page.size_bytes() <= end_offset - page.file_offset;
        const bool has_rows = page.first_node == node_row && page.first_block == block_row &&
                              page.first_sheet == sheet_row && page.node_count <= kMostRows &&
                              page.block_count <= kMostRows && page.sheet_count <= kMostRows &&
                              page.size_bytes() > 0;
        if (!is_placed || !has_rows) {
            return "page " + std::to_string(k) + " lies outside of its place";
        }
        offset = page.file_offset + page.size_bytes();
        node_row += rows_of(page.node_count, kNodeStep);
        block_row += rows_of(page.block_count, kBlockStep);
        sheet_row += page.sheet_count;
    }
    const bool is_whole = node_row == tree.page_node_rows && block_row == tree.page_block_rows &&
                          sheet_row == tree.page_sheets && sheet_row <= kMostRows &&
                          node_row + tree.nodes.size() <= kMostRows && block_row <= kMostRows &&
                          tree.roots.size() <= kMostRows && tree.placements.size() <= kMostRows;
    return is_whole ? "" : "the counts of rows contradict the pages";
}

// Whether every record of a table lies in a page's sheets.
bool has_its_records(const ResidentTree& tree, const RecordTable& table) {
    if (table.record_count == 0 || table.record_bytes == 0 || table.slots_per_page == 0 ||
        table.first_slot >= table.slots_per_page) {
        return false;
    }
    // Pages, and slots of the last one.
    const u64 slots = table.slot_of(table.record_count);
    const u64 page_count = (slots + table.slots_per_page - 1) / table.slots_per_page;
    if (page_count > tree.pages.size() || table.first_page > tree.pages.size() - page_count) {
        return false;
    }
    for (u64 k = 0; k < page_count; ++k) {
        const u64 used = std::min<u64>(slots - k * table.slots_per_page, table.slots_per_page);
        if (used * table.record_bytes > tree.pages[table.first_page + k].sheet_bytes()) {
            return false;
        }
    }
    return true;
}

// Tables follow one another, so that each page is looked at for the tables that share it alone.
std::string fault_of_tables(const ResidentTree& tree) {
    u32 first_page = 0;
    for (u64 k = 0; k < tree.tables.size(); ++k) {
        const RecordTable& table = tree.tables[k];
        if (table.first_page == kNone) {
            continue;
        }
        if (table.first_page < first_page || !has_its_records(tree, table)) {
            return "record table " + std::to_string(k) + " leads outside of its pages";
        }
        first_page = table.page_of(table.record_count - 1);
    }
    return "";
}

// Walks whatever is always in memory, each node once.
class ResidentWalk {
public:
    explicit ResidentWalk(const ResidentTree& tree) : tree_(tree), heights_(tree.nodes.size()) {}

    // Levels below the reference, or kTooDeep: some row does not exist, a path is a circle or
    // deeper than the stack of a kernel. An instance is entered only where `may_enter`.
    u32 height_of(u32 ref, u32 depth, bool may_enter) {
        if (ref == shaders::kRefEmpty) {
            return 0;
        }
        if (depth >= shaders::kMaxTreeLevels) {
            return kTooDeep;
        }
        const u32 index = ref & shaders::kRefIndex;
        switch (ref & shaders::kRefKind) {
            case shaders::kRefNode:
                return height_of_node(index, depth, may_enter);
            case shaders::kRefInstance:
                return may_enter && index < tree_.placements.size()
                           ? height_of(tree_.placements[index].root, depth, false)
                           : kTooDeep;
            case shaders::kRefPage:
                return index < tree_.roots.size() ? height_of_root(index, depth, may_enter)
                                                  : kTooDeep;
            default:
                return kTooDeep;  // leaf blocks lie in pages
        }
    }

    [[nodiscard]] bool is_sound(u32 ref, bool may_enter) {
        return height_of(ref, 0, may_enter) < kTooDeep;
    }

private:
    static constexpr u32 kTooDeep = shaders::kMaxTreeLevels + 1;

    u32 height_of_root(u32 index, u32 depth, bool may_enter) {
        const shaders::PageRoot& root = tree_.roots[index];
        if (root.page != kNone) {
            return is_in_page(root) ? 1 : kTooDeep;
        }
        const bool is_node = (root.ref & shaders::kRefKind) == shaders::kRefNode;
        return is_node ? height_of_node(root.ref, depth, may_enter) : kTooDeep;
    }

    [[nodiscard]] bool is_in_page(const shaders::PageRoot& root) const {
        if (root.page >= tree_.pages.size()) {
            return false;
        }
        const PageEntry& page = tree_.pages[root.page];
        const u32 index = root.ref & shaders::kRefIndex;
        switch (root.ref & shaders::kRefKind) {
            case shaders::kRefNode:
                return index >= page.first_node && index - page.first_node < page.node_count;
            case shaders::kRefLeaf:
                return index >= page.first_block && index - page.first_block < page.block_count;
            default:
                return false;
        }
    }

    u32 height_of_node(u32 row, u32 depth, bool may_enter) {
        if (row < tree_.page_node_rows || row - tree_.page_node_rows >= tree_.nodes.size()) {
            return kTooDeep;
        }
        const u32 place = row - tree_.page_node_rows;
        if (heights_[place] == 0) {
            const shaders::BvhNode& node = tree_.nodes[place];
            u32 height = has_sound_order(node) ? 0 : kTooDeep;
            for (u32 k = 0; k < 8 && height < kTooDeep; ++k) {
                height = std::max(height, height_of(node.child[k], depth + 1, may_enter));
            }
            heights_[place] = static_cast<u8>(std::min(height + 1, kTooDeep));
        }
        // The walk that found the height came from another depth.
        return depth + heights_[place] > shaders::kMaxTreeLevels ? kTooDeep : heights_[place];
    }

    const ResidentTree& tree_;
    std::vector<u8> heights_;  // by node; 0: not known
};

}  // namespace

std::string fault_of(const ResidentTree& tree, u64 first_offset, u64 end_offset) {
    if (std::string fault = fault_of_pages(tree, first_offset, end_offset); !fault.empty()) {
        return fault;
    }
    if (std::string fault = fault_of_tables(tree); !fault.empty()) {
        return fault;
    }
    // Shared meshes first: no placement may lie below a placement.
    ResidentWalk walk(tree);
    for (u64 k = 0; k < tree.placements.size(); ++k) {
        if (!walk.is_sound(tree.placements[k].root, false)) {
            return "placement " + std::to_string(k) + " leads nowhere";
        }
    }
    for (u64 k = 0; k < tree.roots.size(); ++k) {
        if (!walk.is_sound(shaders::kRefPage | static_cast<u32>(k), true)) {
            return "page root " + std::to_string(k) + " leads nowhere";
        }
    }
    for (u64 k = 0; k < tree.nodes.size(); ++k) {
        if (!walk.is_sound(tree.page_node_rows + static_cast<u32>(k), true)) {
            return "node " + std::to_string(k) + " above the pages leads nowhere";
        }
    }
    return walk.is_sound(tree.root, true) ? "" : "the root leads nowhere";
}

bool check_page(const PageEntry& page, const shaders::BvhNode* nodes) {
    // Children lie behind their parents, so that one pass knows the level of each node.
    std::vector<u8> levels(page.node_count, u8{1});
    for (u32 row = 0; row < page.node_count; ++row) {
        if (!has_sound_order(nodes[row]) || levels[row] > shaders::kMaxTreeLevels) {
            return false;
        }
        for (const u32 child : nodes[row].child) {
            if (child == shaders::kRefEmpty) {
                continue;
            }
            const u32 index = child & shaders::kRefIndex;
            const u32 kind = child & shaders::kRefKind;
            if (kind == shaders::kRefNode && index > page.first_node + row &&
                index - page.first_node < page.node_count) {
                u8& level = levels[index - page.first_node];
                level = std::max(level, static_cast<u8>(levels[row] + 1));
            } else if (kind != shaders::kRefLeaf || index < page.first_block ||
                       index - page.first_block >= page.block_count) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace weft::pages
