// definition_table.h — maps gathering keys to collections: a hash table of fixed size (F8, F9).
//
// Open addressing with linear probing. Each cell holds a short form of the key (F6), so that most
// mismatches do not read the collection. Removal closes the gap, so there are no tombstones. The
// table has at least twice as many cells as keys. Belongs to one CollectionMemory.
#pragma once

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"
#include "scheduler/fibre/collection_order.h"

namespace weft::fibre {

class DefinitionTable {
public:
    explicit DefinitionTable(u32 key_count);

    [[nodiscard]] bool is_allocated() const { return cells_.is_allocated(); }

    [[nodiscard]] u64 size_bytes() const { return cells_.size_bytes(); }

    [[nodiscard]] u32 key_count() const { return key_count_; }

    // The collection that gathers this key, or kNone.
    [[nodiscard]] u32 find(const Collections& collections, const CollectionKey& name) const;
    // A key that is not there yet.
    void insert(const CollectionKey& name, u32 collection);
    // A key that is there.
    void erase(const CollectionKey& name, u32 collection);

private:
    struct Cell {
        u32 short_form;
        u32 collection;  // kNone: empty
    };

    base::PageArray<Cell> cells_;
    u32 mask_ = 0;
    u32 key_count_ = 0;
};

}  // namespace weft::fibre
