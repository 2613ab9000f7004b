// page_file.h — a tree in a file, cut into pages: subtrees with all that lies below them.
//
// Nodes above page roots stay in memory; every leaf block lies in a page. A page is a range of the
// array of nodes and a range of the array of blocks (shaders/traverse/bvh_view.h), stored one after
// the other at multiples of kPageAlign, so that both are read directly to where kernels find them.
// Small trees share a page; a large one has many. A page's references name nodes and blocks of the
// page alone. Other pages hold the records of meshes (record_table.h) in the same manner.
//
//     header | pages … | nodes above | page roots | placements | table of pages | record tables
//
// The header holds a fingerprint of what the tree was built from and a checksum of everything
// behind the pages; each page has a checksum of its own. PageFileWriter writes a file under a name
// of its own and gives it the final name when it is whole. One thread writes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/pages/record_table.h"
#include "scheduler/base/result.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::pages {

// Pages begin and end at multiples of it in the file and in memory, as direct reads demand.
inline constexpr u64 kPageAlign = 4096;
// Rows of the arrays at which pages begin, so that both ranges are aligned.
inline constexpr u32 kNodeStep = kPageAlign / sizeof(shaders::BvhNode);
inline constexpr u32 kBlockStep = 64;  // 12288 B
static_assert(kBlockStep * sizeof(shaders::LeafBlock) % kPageAlign == 0);

// One page of the table. Rows of the arrays that it fills, and where its bytes lie in the file: its
// nodes and then its blocks, both padded to kPageAlign; or the sheets of its records.
struct PageEntry {
    u64 file_offset;
    u32 first_node;  // multiple of kNodeStep
    u32 node_count;
    u32 first_block;  // multiple of kBlockStep
    u32 block_count;
    u64 checksum;  // of the bytes in the file
    // Sheets are kPageAlign bytes of the array of records. Nodes and blocks then number 0.
    u32 first_sheet = 0;
    u32 sheet_count = 0;

    [[nodiscard]] u64 node_bytes() const {
        return (node_count * sizeof(shaders::BvhNode) + kPageAlign - 1) / kPageAlign * kPageAlign;
    }

    [[nodiscard]] u64 block_bytes() const {
        return (block_count * sizeof(shaders::LeafBlock) + kPageAlign - 1) / kPageAlign *
               kPageAlign;
    }

    [[nodiscard]] u64 sheet_bytes() const { return sheet_count * kPageAlign; }

    [[nodiscard]] u64 size_bytes() const { return node_bytes() + block_bytes() + sheet_bytes(); }
};

static_assert(sizeof(PageEntry) == 40);

inline const char* RecordView::record_of(u32 mesh, u32 record) const {
    const RecordTable& table = tables[mesh];
    DEBUG_ENSURE(record, <, table.record_count);
    return sheets + pages[table.page_of(record)].first_sheet * kPageAlign + table.offset_of(record);
}

// What is always in memory. References: to its own nodes as rows behind those of all pages.
struct ResidentTree {
    u32 root = shaders::kRefEmpty;
    u32 page_node_rows = 0;  // of all arrays, that pages fill (with padding)
    u32 page_block_rows = 0;
    u32 page_sheets = 0;
    std::vector<shaders::BvhNode> nodes;  // rows page_node_rows and on
    std::vector<shaders::PageRoot> roots;
    std::vector<shaders::Placement> placements;
    std::vector<PageEntry> pages;
    std::vector<RecordTable> tables;  // by mesh; empty: no mesh has records
    u64 most_page_bytes = 0;

    [[nodiscard]] u64 size_bytes() const;
};

// A tree as a build leaves it: subtrees contiguous, depth first. Rows are those of its own arrays.
struct BuiltTree {
    const shaders::BvhNode* nodes = nullptr;
    const shaders::LeafBlock* blocks = nullptr;
    u32 root = shaders::kRefEmpty;  // a node, a block or kRefEmpty
};

struct PageFileConfig {
    std::string path;            // the final name, in a folder that exists
    std::string fingerprint;     // at most 64 characters
    u64 page_bytes = 256 << 10;  // most bytes of a page of subtrees; at least 16 KiB
    u64 sheet_bytes = 64 << 10;  // most bytes of a page of records; a multiple of kPageAlign
    // Most bytes of nodes and blocks below one page root; 0: a page may be one subtree.
    u64 subtree_bytes = 0;
};

class PageFileWriter {
public:
    // Error: the file cannot be made.
    static base::Result<std::unique_ptr<PageFileWriter>> create(const PageFileConfig& config);
    // Removes the unfinished file.
    ~PageFileWriter();
    PageFileWriter(const PageFileWriter&) = delete;
    PageFileWriter& operator=(const PageFileWriter&) = delete;

    // Begins the records of the next mesh, of `record_bytes` each: a multiple of 4; 0: it has none.
    // All records come before the first tree.
    void begin_records(u32 record_bytes);
    // Appends records to that mesh. Error: disk full and the like.
    base::Status append_records(const void* records, u32 count);

    // Appends a tree: subtrees of at most page_bytes go into pages, nodes above them stay in
    // memory. Returns kRefPage | index of its root (PageRoot::page = kNone where the root stays in
    // memory), kRefEmpty for an empty tree. References to placements and to page roots of trees
    // appended before are kept, and the nodes above them stay in memory. Error: disk full and the
    // like.
    base::Result<u32> append(const BuiltTree& tree);

    // Writes the last page and everything that is always in memory; the file gets its name. The
    // roots of placements, and `root`, are results of append(). Call once.
    base::Result<ResidentTree> finish(std::vector<shaders::Placement> placements, u32 root);

private:
    struct State;
    explicit PageFileWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Reads what is always in memory. Errors (kind Scene) name file and fault: not a page file, of
// another version or fingerprint, cut off, damaged, owned by somebody else. Checks every number, so
// that a hostile file can at most hold wrong pages, which their checksums and check_page() find.
base::Result<ResidentTree> read_page_file(const std::string& path, const std::string& fingerprint);

// Whether a page that was read is sound: its nodes lead to nodes behind them and to blocks, all of
// this page, and at most kMaxTreeLevels deep. `nodes` has page.node_count rows. Cheap.
bool check_page(const PageEntry& page, const shaders::BvhNode* nodes);

// 64 bits over the bytes, for accidents, not for attacks. `size_bytes` is a multiple of 8.
u64 page_checksum(const void* bytes, u64 size_bytes);

}  // namespace weft::pages
