// surface_pages.h — what shading reads of a triangle, as one record: its three corners, unindexed.
//
// A paged tree's file holds the records of each mesh in the order of its triangles
// (engine/pages/record_table.h), so that a hit waits for one page. A record is a row of floats: the
// positions of the three corners, then whatever else the mesh has, in the order of SurfacePart. The
// mesh's record in the scene says which parts it has, so the file does not.
//
// Meshes that something else reads while paths are traced have no records: those that emit (light
// samples read their corners), and those with flagged triangles (hits are decided while the tree is
// traversed). paged_tree.h calls this; engine/trace reads records by it. Pure; any thread.
#pragma once

#include <array>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/pages/page_file.h"

namespace weft::accel {

enum class SurfacePart : u8 { Position, Normal, Uv0, Uv1, Tangent, Color };

inline constexpr u32 kSurfaceParts = 6;
// Floats of a corner, by part.
inline constexpr std::array<u32, kSurfaceParts> kCornerFloats = {3, 3, 2, 2, 4, 4};
// Of a record at most.
inline constexpr u32 kMostSurfaceFloats = 3 * (3 + 3 + 2 + 2 + 4 + 4);

// The arrays that meshes index: those of a scene, or of its view.
struct SurfaceArrays {
    const u32* indices = nullptr;
    std::array<const float*, kSurfaceParts> parts{};

    static SurfaceArrays of(const scene::Scene& scene);
    static SurfaceArrays of(const shaders::SceneView& view);
};

// By part: where a mesh's corners begin in its array, in corners; kNone: the mesh has no such part.
std::array<u32, kSurfaceParts> first_corners(const shaders::MeshRecord& mesh);

// Floats of a record of the mesh.
u32 surface_floats(const shaders::MeshRecord& mesh);

// Copies one part of a triangle's three corners, which the mesh has.
void copy_corners(const SurfaceArrays& arrays,
                  const shaders::MeshRecord& mesh,
                  u32 primitive,
                  SurfacePart part,
                  float* to);

// By mesh: whether it has records. A mesh without visible instances has none.
std::vector<bool> has_records(const scene::Scene& scene, const BuildConfig& config);

// Writes the records of all meshes; call before the first tree is appended.
base::Status write_surfaces(const scene::Scene& scene,
                            const BuildConfig& config,
                            pages::PageFileWriter& writer);

// Whether a file's tables are those of the scene, so that every hit finds its record.
bool are_surfaces_of(const pages::ResidentTree& tree,
                     const scene::Scene& scene,
                     const BuildConfig& config);

}  // namespace weft::accel
