// page_file_format.h — the first bytes of a page file, which its writer and its reader share.
//
// The header fills the first kPageAlign bytes, padded with zeros. Behind the last page lies the
// tail: nodes, page roots, placements, the table of pages and the record tables, one after the
// other without padding, up to the end of the file.
#pragma once

#include <array>

#include "engine/pages/page_checksum.h"
#include "engine/pages/page_file.h"

namespace weft::pages {

inline constexpr std::array<char, 8> kPageFileMagic = {'W', 'e', 'f', 't', 'P', 'a', 'g', 'e'};
// Changes with the bytes of the file, of nodes or of blocks.
inline constexpr u32 kPageFileVersion = 2;
// Most rows of an array, as accel::check_limits() says it: the last index is part of kRefEmpty.
inline constexpr u64 kMostRows = u64{shaders::kRefIndex};

struct PageFileHeader {
    std::array<char, 8> magic;
    u32 version;
    u32 root;
    std::array<char, 64> fingerprint;  // padded with zeros
    u32 page_node_rows;
    u32 page_block_rows;
    u64 page_sheets;
    u64 node_count;  // of the tail, as the other counts
    u64 root_count;
    u64 placement_count;
    u64 page_count;
    u64 table_count;
    u64 tail_offset;
    u64 file_bytes;
    u64 tail_checksum;    // guards against accidents, not attacks, as all checksums of the file
    u64 header_checksum;  // of the bytes before it

    [[nodiscard]] u64 own_checksum() const {
        return page_checksum(this, sizeof(PageFileHeader) - sizeof(header_checksum));
    }
};

static_assert(sizeof(PageFileHeader) == 168);

// Over the five arrays in their order in the file.
inline u64 tail_checksum_of(const ResidentTree& tree) {
    PageChecksum checksum;
    checksum.add(tree.nodes.data(), tree.nodes.size() * sizeof(shaders::BvhNode));
    checksum.add(tree.roots.data(), tree.roots.size() * sizeof(shaders::PageRoot));
    checksum.add(tree.placements.data(), tree.placements.size() * sizeof(shaders::Placement));
    checksum.add(tree.pages.data(), tree.pages.size() * sizeof(PageEntry));
    checksum.add(tree.tables.data(), tree.tables.size() * sizeof(RecordTable));
    return checksum.value();
}

}  // namespace weft::pages
