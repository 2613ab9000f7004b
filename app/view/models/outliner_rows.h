// outliner_rows.h — the rows of the outliner: every selectable object of the scene, in groups, and
// the rows that match a search.
//
// Made once per scene, not per frame: a scene may have a hundred thousand nodes. Pure; interface
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::app {

enum class OutlinerGroup { Objects, Lights, Materials };

inline constexpr u32 kOutlinerGroups = 3;

struct OutlinerRow {
    std::string name;    // readable name
    std::string path;    // path for edits
    std::string node{};  // of objects: the node name that hides them
    u32 first = kNone;   // of objects: the first instance; of others: the index
    u32 instance_count = 0;
};

struct OutlinerRows {
    std::vector<OutlinerRow> groups[kOutlinerGroups];
};

OutlinerRows outliner_rows(const scene::Scene& scene);

// A hash of the rows: equal for scenes that list the same rows.
u64 outliner_stamp(const scene::Scene& scene);

// Indices of the rows whose name contains all words of the search, in any order and ignoring case;
// an empty search matches all.
std::vector<u32> search_rows(const std::vector<OutlinerRow>& rows, std::string_view search);

}  // namespace weft::app
