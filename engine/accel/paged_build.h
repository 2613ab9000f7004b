// paged_build.h — builds the tree over a scene into a page file, part by part: no more than one
// part is in memory at a time.
//
// A part is the BLAS of a shared mesh, or the tree over one region of the baked triangles
// (world_regions.h). The TLAS refers to the roots of the parts. Hits are those of the tree that
// build_acceleration() makes, bit by bit: only its shape differs.
#pragma once

#include "engine/accel/acceleration.h"
#include "engine/pages/page_file.h"

namespace weft::accel {

// The triangles of a region are at most so many: a build of them takes a quarter of the memory.
u64 most_region_triangles(u64 memory_bytes);

struct PagedBuild {
    pages::ResidentTree tree;
    TreeSource source;
    u64 built_triangles = 0;
};

// Builds with about `memory_bytes`, or what the largest shared mesh takes, and finishes the file.
// Errors: those of a build; the disk (kind Output).
base::Result<PagedBuild> build_into_pages(const scene::Scene& scene,
                                          const BuildConfig& config,
                                          u64 memory_bytes,
                                          pages::PageFileWriter& writer);

}  // namespace weft::accel
