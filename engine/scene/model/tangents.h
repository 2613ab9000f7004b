// tangents.h — tangents for meshes that have none, by the rule that glTF demands (MikkTSpace).
//
// Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008. Per corner the direction of growing
// u, made orthogonal to the normal, weighted by the corner's angle, summed over all corners that
// share position, normal, uv and handedness. A vertex whose triangles differ in
// handedness (mirrored uv) is doubled. Unlike the original, corners count as shared by their values
// alone, not by a chain of common edges. Sums run in the order of triangles. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene {

// Vertex v of the result is a copy of vertex source[v] of the input, with tangents[4v..4v+3].
struct TangentMesh {
    std::vector<u32> indices;
    std::vector<u32> source;
    std::vector<float>
        tangents;  // unit xyz, w = handedness: bitangent = cross(normal, tangent) · w
};

// `normals` may be empty: then every triangle is flat and no vertex is shared. All indices lie in
// range. uv is glTF's (v grows downwards), so w = +1 where the uv triangle runs clockwise in it.
TangentMesh make_tangents(std::span<const u32> indices,
                          std::span<const float> positions,
                          std::span<const float> normals,
                          std::span<const float> uvs);

// Some unit vector orthogonal to a unit normal (Duff et al. 2017); (1, 0, 0) for a normal without
// length.
void any_tangent(const float normal[3], float tangent[3]);

}  // namespace weft::scene
