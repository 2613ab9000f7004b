// tree_check.h — whether what a page file says can be traversed: no reference leads outside.
//
// read_page_file() calls it on what is always in memory; check_page() (page_file.h) does the same
// for a page that was read. Kernels check nothing, so whatever passes must be safe for them: rows
// exist, no path is a circle, none is deeper than their stacks, and records lie in pages. Pure; any
// thread.
#pragma once

#include <string>

#include "engine/pages/page_file.h"

namespace weft::pages {

// What is wrong with the tree, in words that go behind "damaged: "; empty if nothing is. Pages must
// lie in the file between `first_offset` and `end_offset`.
std::string fault_of(const ResidentTree& tree, u64 first_offset, u64 end_offset);

}  // namespace weft::pages
