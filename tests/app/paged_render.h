// paged_render.h — small renders whose tree does not fit into their budget, for tests of pages.
//
// 64×40 pixels of a heap of rubble; its page file lies in a folder of the test's. Used by the tests
// of this folder only; one thread.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/app/small_render.h"

namespace weft::app::testing {

// 7.3 MiB of tree, 6.9 of surfaces.
inline constexpr const char* kScene = "procedural:rubble:100k";
inline constexpr const char* kLittle = "6M";  // less than that
inline constexpr const char* kMuch = "24M";

inline Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

inline Words rubble(const std::string& output, const Words& more = {}) {
    return joined({"render",
                   kScene,
                   "--width",
                   "64",
                   "--height",
                   "40",
                   "-t",
                   "2",
                   "--spp",
                   "4",
                   "-o",
                   output,
                   "--keep-film",
                   "-q"},
                  more);
}

// A render within a budget, with its page file in `cache`.
inline Words paged(const std::string& output,
                   const std::string& cache,
                   const char* budget = kLittle,
                   const Words& more = {}) {
    return joined(rubble(output, {"--geometry-memory", budget, "--cache-dir", cache}), more);
}

inline std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

// True if the folder holds one finished page file and nothing else.
inline bool holds_one_tree(const std::string& folder) {
    const std::vector<std::string> names = names_in(folder);
    return names.size() == 1 && names[0].starts_with("tree-") && names[0].ends_with(".pages");
}

}  // namespace weft::app::testing
