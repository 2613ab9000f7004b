// reference_light_tree.h — choosing a light by what it may contribute to a point
// (shaders/bsdf.md section 5).
//
// The tree is scene data; the code that walks it is independent of the kernels. Pure; any thread.
#pragma once

#include "engine/trace/reference/reference_math.h"
#include "shaders/host/scene_view.h"

namespace weft::trace::reference {

// The lobe in which a surface mirrors lights.
struct Highlight {
    Vec middle;         // the mirrored view
    double alpha2 = 1;  // squared roughness
    double share = 0;   // of the reflected light, [0, 1]; 0: no lobe
};

// A point that is lit, as the light tree sees it.
struct LitPoint {
    Vec position;
    Vec normal;  // rounded as paths keep it
    bool is_lit_through = false;
    bool is_in_medium = false;  // no surface: light from everywhere counts alike
    Highlight highlight = {};   // rounded as paths keep it
};

// A light that a walk through the light tree found.
struct TreeDraw {
    u32 light = kNone;  // kNone: the walk came to a dead end
    double pdf = 1;
    double rest = 0;  // of the number
};

// Walks through the light tree of a scene by the number u, which `fine` refines. Reads light_nodes
// and sky.
TreeDraw draw_from_tree(const shaders::SceneView& scene,
                        const LitPoint& lit,
                        double u,
                        double fine);

// Probability that draw_from_tree() ends at the light of this path (LightRecord::tree_path).
double tree_pdf(const shaders::SceneView& scene, const LitPoint& lit, u32 path);

}  // namespace weft::trace::reference
