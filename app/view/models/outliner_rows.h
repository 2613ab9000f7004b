// outliner_rows.h — the rows of the outliner: the tree of the scene as a list, and those of its
// rows that are neither folded away nor left out by a search.
//
// Both are made when something changes, not per frame: a scene may have a hundred thousand nodes.
// Rows come parents first, so that what is below a row is the part of the list up to its `end`: no
// step goes down the tree by recursion. Pure; interface thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/scene/edit/edit.h"

namespace weft::app {

enum class RowKind {
    Section,
    Collection,
    Group,
    Object,
    Light,
    Camera,
    Environment,
    Material,
};

struct OutlinerRow {
    RowKind kind = RowKind::Object;
    std::string name;   // readable name: the given one, or that of the path
    std::string path;   // path for edits; of a section its title
    u32 first = kNone;  // of objects: the first instance; of lights, cameras, materials: the index
    u32 instance_count = 0;  // of objects
    u32 depth = 0;           // sections have 0
    u32 end = 0;             // one past the last row below this one
    bool is_member = false;  // listed in a collection, and elsewhere besides
};

using OutlinerRows = std::vector<OutlinerRow>;

// Collections with their members, if there are some; objects and all that stands in groups; the
// other lights with the environment; the other cameras, if there are some; materials.
OutlinerRows outliner_rows(const scene::Scene& scene,
                           const std::vector<scene::Collection>& collections);

// A hash of the rows: equal for scenes that list the same rows.
u64 outliner_stamp(const scene::Scene& scene, const std::vector<scene::Collection>& collections);

// Which rows can be unfolded and are folded now, by path.
class Folds {
public:
    // In a scene of many rows groups begin folded. Forgets all turns.
    void begin(std::size_t row_count) {
        turned_.clear();
        is_large_ = row_count > kManyRows;
    }

    [[nodiscard]] bool is_folded(const OutlinerRow& row) const {
        const bool begins_folded =
            row.kind == RowKind::Collection || (row.kind == RowKind::Group && is_large_);
        return begins_folded != turned_.contains(row.path);
    }

    void turn(const OutlinerRow& row) {
        if (turned_.erase(row.path) == 0) {
            turned_.insert(row.path);
        }
    }

private:
    static constexpr std::size_t kManyRows = 500;

    std::unordered_set<std::string> turned_;
    bool is_large_ = false;
};

// Indices of the rows whose name contains all words of the search, in any order and ignoring case;
// an empty search matches all.
std::vector<u32> search_rows(const OutlinerRows& rows, std::string_view search);

// Indices of the rows that are listed. A search unfolds: it lists the rows that match, and those
// that they are below; sections always.
std::vector<u32> listed_rows(const OutlinerRows& rows, const Folds& folds, std::string_view search);

// Unfolds all that the row is below. False: nothing was folded.
bool unfold_to(const OutlinerRows& rows, u32 row, Folds& folds);

}  // namespace weft::app
