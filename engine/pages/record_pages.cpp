#include "engine/pages/record_pages.h"

#include <algorithm>

#include "engine/pages/page_file.h"

namespace weft::pages {

void RecordPages::begin(u32 record_bytes) {
    ENSURE(record_bytes, <=, page_bytes_);
    ENSURE(record_bytes % sizeof(u32), ==, 0U);
    RecordTable table;
    table.record_bytes = record_bytes;
    table.slots_per_page = record_bytes == 0 ? 0 : static_cast<u32>(page_bytes_ / record_bytes);
    tables_.push_back(table);
}

void RecordPages::add(const void* records, u32 count) {
    ENSURE(tables_.empty(), ==, false);
    RecordTable& table = tables_.back();
    if (count == 0) {
        return;
    }
    ENSURE(table.record_bytes, >, 0U);
    if (table.record_count == 0) {
        place(table);
    }
    const char* from = static_cast<const char*>(records);
    while (count > 0) {
        const auto filled = static_cast<u32>(open_.size() / table.record_bytes);
        if (filled == table.slots_per_page) {
            close();
            continue;
        }
        const u32 taken = std::min(count, table.slots_per_page - filled);
        const u64 taken_bytes = u64{taken} * table.record_bytes;
        open_.insert(open_.end(), from, from + taken_bytes);
        table.record_count += taken;
        from += taken_bytes;
        count -= taken;
    }
}

// Finds the place of a mesh's first record: in the open page behind what it holds, or in the next.
void RecordPages::place(RecordTable& table) {
    const u64 slot = (open_.size() + table.record_bytes - 1) / table.record_bytes;
    if (slot >= table.slots_per_page) {
        close();
    } else {
        open_.resize(slot * table.record_bytes);
    }
    table.first_page = closed_count_;
    table.first_slot = static_cast<u32>(open_.size() / table.record_bytes);
}

void RecordPages::close() {
    if (open_.empty()) {
        return;
    }
    open_.resize((open_.size() + kPageAlign - 1) / kPageAlign * kPageAlign);
    closed_(open_);
    open_.clear();
    ++closed_count_;
}

}  // namespace weft::pages
