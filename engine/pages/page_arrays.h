// page_arrays.h — the arrays of nodes, blocks and records as reserved addresses: pages fill their
// rows, and give the memory back.
//
// The page store owns one. Rows of pages take no memory until they are read; nodes that are always
// in memory follow behind the rows of all pages. Any thread reads; whoever fills or empties the
// rows of a page is alone with them, which the store sees to.
#pragma once

#include <array>

#include "engine/pages/page_file.h"
#include "scheduler/base/result.h"

namespace weft::pages {

class PageArrays {
public:
    // Reserves addresses and copies the nodes that are always in memory. Error: no addresses left.
    static base::Result<PageArrays> reserve(const ResidentTree& tree);
    PageArrays(PageArrays&& other) noexcept;
    PageArrays& operator=(PageArrays&&) = delete;
    PageArrays(const PageArrays&) = delete;
    PageArrays& operator=(const PageArrays&) = delete;
    ~PageArrays();

    [[nodiscard]] shaders::BvhNode* nodes() const { return static_cast<shaders::BvhNode*>(nodes_); }

    [[nodiscard]] shaders::LeafBlock* blocks() const {
        return static_cast<shaders::LeafBlock*>(blocks_);
    }

    [[nodiscard]] char* sheets() const { return static_cast<char*>(sheets_); }

    // The rows that a page fills, in the order in which the file has them; parts may be empty.
    struct Part {
        void* begin;
        u64 size_bytes;
    };

    [[nodiscard]] std::array<Part, 3> parts_of(const PageEntry& page) const;

    // Gives the memory of a page's rows back; they read as zeros until they are filled again.
    void empty(const PageEntry& page) const;

private:
    PageArrays() = default;

    void* nodes_ = nullptr;
    void* blocks_ = nullptr;
    void* sheets_ = nullptr;
    u64 node_bytes_ = 0;
    u64 block_bytes_ = 0;
    u64 sheet_bytes_ = 0;
};

}  // namespace weft::pages
