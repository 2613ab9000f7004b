#include "scheduler/fibre/definition_table.h"

#include <bit>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

u32 shorten(const CollectionKey& name) {
    u64 mixed = (u64{name.key.tag} << 32 | name.key.value) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
    mixed += u64{name.routine} * 2 + (name.has_payload ? 1 : 0);
    mixed *= 0xbf58476d1ce4e5b9u;
    return static_cast<u32>(mixed >> 32);
}

}  // namespace

DefinitionTable::DefinitionTable(u32 key_count)
    : cells_(std::bit_ceil(std::size_t{key_count} * 2 + 2)) {
    mask_ = static_cast<u32>(cells_.size() - 1);
    for (Cell& cell : cells_.span()) {
        cell.collection = kNone;
    }
}

u32 DefinitionTable::find(const Collections& collections, const CollectionKey& name) const {
    const u32 short_form = shorten(name);
    for (u32 at = short_form & mask_;; at = (at + 1) & mask_) {
        const Cell& cell = cells_[at];
        if (cell.collection == kNone) {
            return kNone;
        }
        if (cell.short_form == short_form && collections[cell.collection].name == name) {
            return cell.collection;
        }
    }
}

void DefinitionTable::insert(const CollectionKey& name, u32 collection) {
    ENSURE(std::size_t{key_count_} * 2, <, cells_.size());
    ++key_count_;
    const u32 short_form = shorten(name);
    u32 at = short_form & mask_;
    while (cells_[at].collection != kNone) {
        at = (at + 1) & mask_;
    }
    cells_[at] = {short_form, collection};
}

void DefinitionTable::erase(const CollectionKey& name, u32 collection) {
    ENSURE(key_count_, >, 0u);
    --key_count_;
    u32 hole = shorten(name) & mask_;
    while (cells_[hole].collection != collection) {
        hole = (hole + 1) & mask_;
    }
    for (u32 at = (hole + 1) & mask_; cells_[at].collection != kNone; at = (at + 1) & mask_) {
        // A cell may move back to the hole unless its own place lies after the hole.
        const u32 home = cells_[at].short_form & mask_;
        if (((at - home) & mask_) >= ((at - hole) & mask_)) {
            cells_[hole] = cells_[at];
            hole = at;
        }
    }
    cells_[hole].collection = kNone;
}

}  // namespace weft::fibre
