// reference_scene.h — all triangles of the scene in world space and a tree over them, in double
// precision.
//
// Made once per ReferenceTracer, then read-only. The triangle test and the median-split tree are
// independent of the fast code. A query that must not wait for a build uses the renderer's tree
// instead, only to find candidate triangles. Alpha decisions are part of a hit (shaders/bsdf.md
// section 1).
#pragma once

#include <optional>
#include <vector>

#include "engine/pages/page_store.h"
#include "engine/trace/reference/reference_math.h"
#include "shaders/host/scene_view.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::trace::reference {

// A triangle by name; primitive kNone: no triangle.
struct TriangleName {
    u32 instance = kNone;
    u32 primitive = kNone;

    bool operator==(const TriangleName&) const = default;
};

struct Ray {
    Vec origin;
    Vec direction;            // unit length
    double t_max = HUGE_VAL;  // hits lie in (0, t_max]
    TriangleName start;       // ignored
    TriangleName end;         // ignored: the light of a shadow ray
    u32 alpha_key = 0;
    bool is_shadow = false;
};

struct RayHit {
    double t = HUGE_VAL;
    double b1 = 0;  // barycentrics of vertices 1 and 2
    double b2 = 0;
    TriangleName name;
};

// World corners of a triangle.
struct Corners {
    Vec a;
    Vec b;
    Vec c;
};

Vec transform_point(const float* rows, Vec p);
Vec transform_vector(const float* rows, Vec v);
Corners world_corners(const shaders::SceneView& scene, TriangleName name);
// cross(b − a, c − a), negated if the instance is mirrored; not normalised.
Vec outward_cross(const shaders::SceneView& scene, TriangleName name, const Corners& corners);

// True if a clip plane that is enabled for the instance cuts the point away.
bool is_cut_away(const shaders::SceneView& scene, u32 instance, Vec point);

class TriangleTree {
public:
    // Builds a tree over the triangles of visible instances (empty: all). `scene` must outlive it.
    TriangleTree(const shaders::SceneView& scene,
                 u32 instance_count,
                 const std::vector<bool>& is_visible);

    // Uses the triangles of a tree of the renderer (engine/accel), which must outlive this, and
    // reads its pages where it has some: `maybe_store` is their store.
    TriangleTree(const shaders::SceneView& scene,
                 const shaders::BvhView& prepared,
                 pages::PageStore* maybe_store);
    ~TriangleTree();
    TriangleTree(const TriangleTree&) = delete;
    TriangleTree& operator=(const TriangleTree&) = delete;
    TriangleTree(TriangleTree&&) = delete;
    TriangleTree& operator=(TriangleTree&&) = delete;

    // The nearest hit that clip planes and alpha accept; ties go to the lowest (instance,
    // primitive).
    [[nodiscard]] std::optional<RayHit> closest(const Ray& ray) const;
    // All such hits, in no order.
    [[nodiscard]] std::vector<RayHit> all(const Ray& ray) const;

private:
    struct Triangle {
        Corners corners;
        TriangleName name;
    };

    struct Node {
        Vec low;
        Vec high;
        u32 first = 0;  // leaf: first triangle; inner: left child, the right one follows it
        u32 count = 0;  // triangles of a leaf; 0: inner node
    };

    // A reference of the renderer's tree, and the ray in its space; t is the same in all spaces.
    struct Step {
        u32 ref;
        u32 instance;
        Vec origin;
        Vec direction;
    };

    void build(u32 node, u32 first, u32 count);
    [[nodiscard]] bool come_to(u32 page) const;
    // Calls visit(name, corners) for each triangle whose boxes the ray hits within the limit.
    template <typename Visit>
    void walk_own(const Ray& ray, const double& limit, Visit visit) const;
    template <typename Visit>
    void walk_prepared(const Step& begin, const double& limit, Visit visit) const;
    template <typename Visit>
    void walk_page(const Step& step, const double& limit, Visit visit) const;
    // Calls visit(hit) for each accepted hit with t ≤ limit (which visit may lower).
    template <typename Visit>
    void traverse(const Ray& ray, const double& limit, Visit visit) const;

    const shaders::SceneView& scene_;
    std::vector<Triangle> triangles_;
    std::vector<Node> nodes_;
    std::optional<shaders::BvhView> prepared_;
    pages::PageStore* store_ = nullptr;  // null: the tree has no pages
    u32 reader_ = 0;                     // of the store
};

}  // namespace weft::trace::reference
