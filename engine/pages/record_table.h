// record_table.h — where the records of one mesh lie: rows of one size, one per triangle, one after
// the other in pages of their own.
//
// Shading reads records (engine/accel/surface_pages.h says what they hold); this room knows their
// sizes alone. A mesh begins in the page where the one before ends, so that small meshes share a
// page. Page and place of a record follow from its number: no map of records is in memory.
#pragma once

#include <span>

#include "scheduler/base/ensure.h"
#include "scheduler/base/ids.h"

namespace weft::pages {

struct PageEntry;

struct RecordTable {
    u32 first_page = kNone;  // kNone: the mesh has no records
    u32 first_slot = 0;      // of the first record, in the first page
    u32 slots_per_page = 0;
    u32 record_bytes = 0;
    u32 record_count = 0;
    u32 reserved = 0;

    // Slots count from the begin of the first page.
    [[nodiscard]] u64 slot_of(u32 record) const { return u64{first_slot} + record; }

    [[nodiscard]] u32 page_of(u32 record) const {
        return first_page + static_cast<u32>(slot_of(record) / slots_per_page);
    }

    // Where a record begins in its page.
    [[nodiscard]] u64 offset_of(u32 record) const {
        return slot_of(record) % slots_per_page * record_bytes;
    }
};

static_assert(sizeof(RecordTable) == 24);

// The records of all meshes. A record may be read while its page is near (page_store.h).
struct RecordView {
    const char* sheets = nullptr;  // the array of records
    const PageEntry* pages = nullptr;
    std::span<const RecordTable> tables{};  // by mesh

    // kNone: the mesh has no records.
    [[nodiscard]] u32 page_of(u32 mesh, u32 record) const {
        const RecordTable& table = tables[mesh];
        if (table.first_page == kNone) {
            return kNone;
        }
        DEBUG_ENSURE(record, <, table.record_count);
        return table.page_of(record);
    }

    // Of a mesh that has records.
    [[nodiscard]] const char* record_of(u32 mesh, u32 record) const;
};

}  // namespace weft::pages
