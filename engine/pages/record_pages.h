// record_pages.h — packs the records of meshes into pages, one mesh after the other.
//
// The page file writer owns one and writes the pages that it closes; they are the first ones of the
// file. It holds one page, never a whole mesh. One thread.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/pages/record_table.h"

namespace weft::pages {

class RecordPages {
public:
    // Receives each page that is closed, in order: whole sheets.
    using Closed = std::function<void(std::span<const char> page)>;

    RecordPages(u64 page_bytes, Closed closed)
        : page_bytes_(page_bytes), closed_(std::move(closed)) {}

    // Begins the next mesh; 0: it has no records.
    void begin(u32 record_bytes);
    // Adds records of that mesh.
    void add(const void* records, u32 count);
    // Closes the open page; nothing is added behind it.
    void close();

    [[nodiscard]] std::vector<RecordTable>& tables() { return tables_; }

private:
    void place(RecordTable& table);

    u64 page_bytes_;
    Closed closed_;
    std::vector<char> open_;
    u32 closed_count_ = 0;
    std::vector<RecordTable> tables_;  // by mesh
};

}  // namespace weft::pages
