// camera_hits.h — the surfaces under points of the picture, without light: where they are, which
// way they face, their colour, and how far the edges of their triangles are.
//
// For displays in which things are placed. A hit costs a small part of a sample and is free of
// noise. The rays are those of picking.h, without lens and filter, and pass what camera rays of
// paths pass; alpha is decided as for sample 0 of pixel 0.
//
// One thread at a time uses a CameraHits; several of them may share a scene, which outlives them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/frame/render_units.h"
#include "engine/math/vector.h"
#include "engine/trace/ray_list.h"

namespace weft::frame {

struct PictureSize {
    u32 width = 0;
    u32 height = 0;
};

// In pixels from the top left corner of the picture.
struct PicturePoint {
    float x = 0;
    float y = 0;
};

struct CameraHit {
    u32 instance = kNone;  // kNone: no surface, and the rest is 0
    u32 primitive = kNone;
    float distance_m = 0;    // along the ray
    math::Vec3 position{};   // in the world
    math::Vec3 geometric{};  // normal of the triangle, unit length, towards the viewer
    math::Vec3 normal{};     // that between its corners, on the same side, without normal maps
    // Base colour with textures (level 0) and vertex colours; of what shines also the colour of its
    // light, at full brightness. In [0, 1].
    math::Vec3 albedo{};
};

// What a mirror shows at a point of the picture.
struct MirroredPoint {
    bool is_mirror = false;
    u32 instance = kNone;   // kNone: no surface
    math::Vec3 position{};  // in the world
};

// Whether hits of this material may be mirrors: polished metal. Glass and coats are none.
bool may_be_mirror(const shaders::MaterialRecord& material);

// A triangle as the picture shows it, in pixels.
struct SeenTriangle {
    float to_edge = 0;  // from a point to the nearest of its edges, as lines
    float height = 0;   // its least height; 0: only its side is seen
};

// Where a camera sees a position: z · x, z · y and z, with x and y in pixels. z is 1 for parallel
// rays, else the distance along the camera's forward axis: what lies behind has a negative one.
math::Vec3 on_film(const shaders::CameraRecord& camera,
                   const PictureSize& size,
                   const math::Vec3& position);

class CameraHits {
public:
    // `has_backface_culling`: RenderSettings.
    CameraHits(const UnitScene& scene,
               const shaders::CameraRecord& camera,
               const PictureSize& size,
               bool has_backface_culling);

    // False if memory ran out: do not call trace() then.
    [[nodiscard]] bool is_allocated() const { return list_.is_allocated(); }

    // One hit for each point.
    void trace(std::span<const PicturePoint> points, std::span<CameraHit> hits);

    // What mirrors show at the hits that trace() has found just now, a second mirror as the surface
    // that it is. One for each hit.
    void trace_mirrored(std::span<const CameraHit> hits, std::span<MirroredPoint> shown);

    // Of the ray through a point; of any length.
    [[nodiscard]] math::Vec3 direction(const PicturePoint& point) const;

    // The triangle of a hit, and its edges around the point.
    [[nodiscard]] SeenTriangle seen(const CameraHit& hit, const PicturePoint& point) const;

private:
    void pass_unseen();
    [[nodiscard]] bool is_mirror(const shaders::TraceRay& ray) const;
    [[nodiscard]] bool is_passed(const shaders::TraceRay& ray) const;
    [[nodiscard]] std::array<math::Vec3, 3> corners(u32 instance, u32 primitive) const;
    [[nodiscard]] CameraHit hit_of(const shaders::TraceRay& ray, const PicturePoint& point) const;
    [[nodiscard]] shaders::TraceRay ray_at(const PicturePoint& point) const;
    [[nodiscard]] math::Vec3 normal_of(const shaders::TraceRay& ray,
                                       const math::Vec3& geometric) const;
    [[nodiscard]] math::Vec3 albedo_of(const shaders::TraceRay& ray) const;

    const shaders::SceneView& view_;
    const shaders::CameraRecord camera_;
    const PictureSize size_;
    const bool has_backface_culling_;
    trace::RayList list_;
    std::vector<shaders::TraceRay> rays_;
    // Scratch of pass_unseen() and trace_mirrored().
    std::vector<shaders::TraceRay> passing_;
    std::vector<u32> passing_index_;
};

}  // namespace weft::frame
