// edit_names.h — objects of a scene found by their names at once, while many edits are made or many
// values are read.
//
// Looking through a list is right for one edit and wrong for thousands, so the first few searches
// are left to the caller, and the table is built by the next one. Tables lie in an EditContext for
// as long as apply_edits() or a reader of many values needs them and belong to one scene; edits
// that change the order of a list say so here. One thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene::edits {

// Where in a list the items of each key stand.
class NameTable {
public:
    // The places of this key, rising; null: the caller shall look through the list of `size` items.
    // `key_of(k)` is the key of item k. Valid until the next call.
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

    // All items of this key go, where they are the last of the list; else the table is forgotten.
    void take_off(const std::string& key, const std::vector<u32>& places, std::size_t size) {
        if (covered_ == size && !places.empty() && places.front() + places.size() == size) {
            places_.erase(key);
            covered_ -= places.size();
        } else {
            forget();
        }
    }

    // The order has changed. What is appended needs no word.
    void forget() {
        places_.clear();
        covered_ = 0;
        searches_ = 0;
    }

private:
    static constexpr u32 kSearchesBefore = 32;  // as long as building takes

    std::unordered_map<std::string, std::vector<u32>> places_;
    std::vector<u32> none_;
    std::size_t covered_ = 0;  // so many of the first items are in the table
    u32 searches_ = 0;
};

struct NameTables {
    NameTable nodes;      // by name and place
    NameTable materials;  // by name
};

}  // namespace weft::scene::edits
