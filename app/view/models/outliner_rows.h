// outliner_rows.h — what the outliner lists: every object of the scene that can be selected, in
// groups, and those of them that a search finds.
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
    std::string name;    // as people read it
    std::string path;    // as edits name it
    std::string node{};  // of objects: the name that hides them
    u32 first = kNone;   // of objects: the first instance; else the index
    u32 instance_count = 0;
};

struct OutlinerRows {
    std::vector<OutlinerRow> groups[kOutlinerGroups];
};

OutlinerRows outliner_rows(const scene::Scene& scene);

// The same for all scenes that list the same rows; differs, but for accidents, for others.
u64 outliner_stamp(const scene::Scene& scene);

// Indices of the rows whose name holds all words of the search, in any order and without regard to
// capital letters; an empty search finds all.
std::vector<u32> search_rows(const std::vector<OutlinerRow>& rows, std::string_view search);

}  // namespace weft::app
