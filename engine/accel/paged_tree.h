// paged_tree.h — a tree whose nodes and blocks lie in a page file (engine/pages), of which a budget
// is in memory, with the surfaces that shading reads (surface_pages.h).
//
// The file is named by the fingerprint of what it is made from: triangles with all of their
// corners' attributes, instances, which of them are visible, flagged and lights, how the tree is
// built, and the version of the builder. A second
// render of the same scene opens the file instead of building. A file that is damaged, cut off or
// of another user is built again. Hits are those of the tree in memory, bit by bit.
//
// The thread that prepares a frame calls it; building uses several.
#pragma once

#include <functional>
#include <string>

#include "engine/accel/acceleration.h"
#include "engine/pages/page_store.h"

namespace weft::accel {

struct PagingConfig {
    std::string folder{};             // of page files: private to the user
    u64 folder_limit_bytes = 0;       // of all page files in it; 0: none
    u64 budget_bytes = 0;             // of the whole tree: what is always in memory, and pages
    u64 page_bytes = u64{256} << 10;  // of a page, at most
    u64 record_page_bytes = 0;        // of a page of records, at most; 0: as `page_bytes`
    // Most bytes below one page root (page_file.h); 0: as many as of a page.
    u64 subtree_bytes = 0;
    u32 reader_count = 1;  // of the store (page_store.h)
    pages::Eviction eviction = pages::Eviction::Clock;
    // Receives a sentence where the tree is in memory because its file cannot be written. Empty:
    // nobody does.
    std::function<void(const std::string&)> on_note{};
};

// Names what a tree and its surfaces are made from.
std::string tree_fingerprint(const scene::Scene& scene,
                             const BuildConfig& config,
                             const PagingConfig& paging);

// Opens the scene's page file, or builds the tree and writes it. Where the file cannot be written
// and the budget holds the whole tree, it stays in memory, without a store. Errors: those of a
// build; the budget is too small (kind Usage: the sentence names the least one); the disk.
base::Result<Acceleration> page_acceleration(const scene::Scene& scene,
                                             const BuildConfig& config,
                                             const PagingConfig& paging);

}  // namespace weft::accel
