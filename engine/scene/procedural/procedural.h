// procedural.h — scenes made by a rule, of any size: `procedural:NAME[:COUNT]`.
//
// For tests and benchmarks that need a scene of a given size without a file. Deterministic: own
// integer hash, no libm, the same bits for any number of threads. make_procedural() (import.h)
// parses the name and calls one of these; each appends exactly `triangles` triangles, or so many
// placements, a camera, lights and materials to the scene, or leaves it unfinished where the import
// is cancelled. Any thread, one call at a time per Scene.
#pragma once

#include <string>

#include "engine/scene/import.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::scene {

enum class ProceduralKind { Rubble, Terrain, Spheres, Forest };

struct ProceduralRequest {
    ProceduralKind kind = ProceduralKind::Rubble;
    u64 count = 1'000'000;  // triangles; of a forest: placements
};

inline constexpr u64 kMaxProceduralTriangles = 1'000'000'000;
inline constexpr u64 kMaxProceduralPlacements = 10'000'000;

// Reads "procedural:rubble", "procedural:terrain:250K", "procedural:spheres:1.5M",
// "procedural:forest:1M" (K, M, G are powers of 1000).
base::Result<ProceduralRequest> parse_procedural(const std::string& name);

// A closed room full of bumpy blobs under a ceiling light, seen from inside. Below 14 triangles
// only a piece of floor.
void append_rubble(u64 triangles, const ImportConfig& config, Scene& scene);
// Hills under a sky with a sun; one heightfield of square cells, coloured by height and slope.
base::Status append_terrain(u64 triangles, const ImportConfig& config, Scene& scene);
// A square of spheres of 64 materials on a floor. Below 12 triangles only the floor.
void append_spheres(u64 triangles, const ImportConfig& config, Scene& scene);
// A wood under a sky with a sun: so many placements of up to 100 meshes, on a ground.
void append_forest(u64 placements, const ImportConfig& config, Scene& scene);

}  // namespace weft::scene
