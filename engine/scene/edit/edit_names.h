// edit_names.h — tables that find the objects of a scene by name, for many edits or many reads.
//
// A linear search is right for one edit and wrong for thousands, so the caller does the first few
// searches itself, and the next one builds the table. Tables belong to one scene and live in an
// EditContext while apply_edits() or a reader of many values needs them. Edits that change the
// order of a list call forget(). One thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene::edits {

// The indices of the items of each key in a list.
class NameTable {
public:
    // The indices of this key, ascending; null: the caller must search the list of `size` items
    // itself. `key_of(k)` is the key of item k. Valid until the next call.
    template <typename KeyOf>
    const std::vector<u32>* find(const std::string& key, std::size_t size, const KeyOf& key_of) {
        if (covered_ == 0 && ++searches_ <= kSearchesBefore) {
            return nullptr;
        }
        for (; covered_ < size; ++covered_) {
            places_[key_of(covered_)].push_back(static_cast<u32>(covered_));
        }
        const auto found = places_.find(key);
        return found == places_.end() ? &none_ : &found->second;
    }

    // Removes all items of this key if they are the last of the list; else forgets the table.
    void take_off(const std::string& key, const std::vector<u32>& places, std::size_t size) {
        if (covered_ == size && !places.empty() && places.front() + places.size() == size) {
            places_.erase(key);
            covered_ -= places.size();
        } else {
            forget();
        }
    }

    // Call after the order of the list has changed. Appending needs no call.
    void forget() {
        places_.clear();
        covered_ = 0;
        searches_ = 0;
    }

private:
    static constexpr u32 kSearchesBefore = 32;  // about the cost of building the table

    std::unordered_map<std::string, std::vector<u32>> places_;
    std::vector<u32> none_;
    std::size_t covered_ = 0;  // the number of first items that are in the table
    u32 searches_ = 0;
};

struct NameTables {
    NameTable nodes;      // by name and place
    NameTable materials;  // by name
    NameTable groups;     // by name
};

}  // namespace weft::scene::edits
