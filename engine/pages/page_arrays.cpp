#include "engine/pages/page_arrays.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace weft::pages {

namespace {

// A null pointer if the system refuses.
void* reserved_addresses(u64 size_bytes) {
    void* const begin = ::mmap(nullptr,
                               size_bytes,
                               PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                               -1,
                               0);
    return begin == MAP_FAILED ? nullptr : begin;
}

// Never nothing, which cannot be mapped.
u64 mapped_bytes(u64 size_bytes) {
    return std::max(kPageAlign, (size_bytes + kPageAlign - 1) / kPageAlign * kPageAlign);
}

}  // namespace

base::Result<PageArrays> PageArrays::reserve(const ResidentTree& tree) {
    const u64 paged_bytes = u64{tree.page_node_rows} * sizeof(shaders::BvhNode);
    const u64 resident_bytes = tree.nodes.size() * sizeof(shaders::BvhNode);
    PageArrays arrays;
    arrays.node_bytes_ = mapped_bytes(paged_bytes + resident_bytes);
    arrays.block_bytes_ = mapped_bytes(u64{tree.page_block_rows} * sizeof(shaders::LeafBlock));
    arrays.nodes_ = reserved_addresses(arrays.node_bytes_);
    arrays.blocks_ = reserved_addresses(arrays.block_bytes_);
    arrays.sheet_bytes_ = mapped_bytes(tree.page_sheets * kPageAlign);
    arrays.sheets_ = reserved_addresses(arrays.sheet_bytes_);
    if (!arrays.nodes_ || !arrays.blocks_ || !arrays.sheets_) {
        return base::Error{
            base::ErrorKind::TooLarge,
            "the system reserves no addresses for the " +
                std::to_string((arrays.node_bytes_ + arrays.block_bytes_ + arrays.sheet_bytes_) >>
                               20) +
                " MiB of the tree; expected a higher limit (ulimit -v)"};
    }
    // A huge page would hold more rows than one page has, and not go when the page goes. Where the
    // system has none, it refuses the advice.
    static_cast<void>(::madvise(arrays.nodes_, mapped_bytes(paged_bytes), MADV_NOHUGEPAGE));
    static_cast<void>(::madvise(arrays.blocks_, arrays.block_bytes_, MADV_NOHUGEPAGE));
    static_cast<void>(::madvise(arrays.sheets_, arrays.sheet_bytes_, MADV_NOHUGEPAGE));
    if (resident_bytes > 0) {
        char* const behind = static_cast<char*>(arrays.nodes_) + paged_bytes;
        static_cast<void>(::madvise(behind, mapped_bytes(resident_bytes), MADV_HUGEPAGE));
        std::memcpy(behind, tree.nodes.data(), resident_bytes);
    }
    return arrays;
}

PageArrays::PageArrays(PageArrays&& other) noexcept
    : nodes_(std::exchange(other.nodes_, nullptr)),
      blocks_(std::exchange(other.blocks_, nullptr)),
      sheets_(std::exchange(other.sheets_, nullptr)),
      node_bytes_(other.node_bytes_),
      block_bytes_(other.block_bytes_),
      sheet_bytes_(other.sheet_bytes_) {}

PageArrays::~PageArrays() {
    if (nodes_) {
        ::munmap(nodes_, node_bytes_);
    }
    if (blocks_) {
        ::munmap(blocks_, block_bytes_);
    }
    if (sheets_) {
        ::munmap(sheets_, sheet_bytes_);
    }
}

std::array<PageArrays::Part, 3> PageArrays::parts_of(const PageEntry& page) const {
    return {{{nodes() + page.first_node, page.node_bytes()},
             {blocks() + page.first_block, page.block_bytes()},
             {sheets() + page.first_sheet * kPageAlign, page.sheet_bytes()}}};
}

void PageArrays::empty(const PageEntry& page) const {
    for (const Part& part : parts_of(page)) {
        if (part.size_bytes > 0) {
            ::madvise(part.begin, part.size_bytes, MADV_DONTNEED);
        }
    }
}

}  // namespace weft::pages
