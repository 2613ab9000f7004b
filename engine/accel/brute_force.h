// brute_force.h — tests every ray against every triangle, in scalar code without a tree: the
// reference of the traversal kernels.
//
// Written for legibility from the rules in shaders/traverse/trace_kernels.h; tests compare its hits
// with those of the kernels bit by bit. Shares only placing.h with the builder. Any thread after
// construction.
#pragma once

#include <vector>

#include "engine/accel/placing.h"
#include "engine/scene/model/scene.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::accel {

class BruteForce {
public:
    // `is_visible` and `flagged` as in BuildConfig.
    BruteForce(const scene::Scene& scene,
               const std::vector<bool>& is_visible,
               const std::vector<bool>& flagged = {});

    // As TraceKernels::closest_group and any_group from the root, for one ray; `slot` as there.
    void closest(const shaders::TraceScene& scene, shaders::TraceRay& ray, u32 slot) const;
    void any(const shaders::TraceScene& scene, shaders::TraceRay& ray, u32 slot) const;

private:
    struct Triangle {
        Corners corners;
        u32 primitive;
    };

    // One instance: its triangles, and the transformation of rays to their space.
    struct Body {
        std::vector<Triangle> triangles;
        u32 instance;
        bool is_placed;
        bool is_flagged;
        math::Affine world_to_object;
        Point place;  // of object space's origin in the world
        Box bounds;
    };

    struct Hit {
        float t;
        float u;
        float v;
        u32 instance;
        u32 primitive;
        bool is_flagged;
    };

    template <typename Take>
    void each_hit(const shaders::TraceRay& ray, const Take& take) const;
    static bool meets(const Corners& corners, const shaders::TraceRay& ray, float start, Hit& hit);

    std::vector<Body> bodies_;
};

}  // namespace weft::accel
