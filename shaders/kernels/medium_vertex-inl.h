// medium_vertex-inl.h — the way of a group of paths through media to their hits: how much light
// stays, and where a medium scatters a path before its hit.
//
// bsdf.md "Media" and section 6. Called by shade.cpp alone, before it shades the hits. Lanes that a
// medium scatters get an interaction with the medium in place of that with the surface: no solid,
// no emission, the albedo of the medium, and a normal to the viewer.
#if defined(WEFT_SHADERS_MEDIUM_VERTEX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_MEDIUM_VERTEX_INL_H_
#        undef WEFT_SHADERS_MEDIUM_VERTEX_INL_H_
#    else
#        define WEFT_SHADERS_MEDIUM_VERTEX_INL_H_
#    endif

#    include "shaders/kernels/surface_interaction-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Where media scatter paths.
struct MediumVertex {
    Bool is_there;  // before the hit
    Float g;        // of the phase function there
};

// How far paths travel in their media.
struct MediumWay {
    Bool scatters;  // before the hit
    Float distance;
    Float3 weight;
};

// Draws a way by the extinction of a channel, which is chosen by the light that the path carries in
// it. The weight is divided by the mean density over the channels, so their sum never grows.
HWY_INLINE MediumWay draw_way(const PathLanes& path, const MediumLanes& medium, Float t) {
    // Choose a channel, and a distance in it.
    const Float2 u =
        first_two(sample_tuple(path.pixel_hash, path.sample, path.depth + Uint(kFirstMediumTuple)));
    const Float3 carried = path.throughput;
    const Float sum = carried.x + carried.y + carried.z;
    const Float place = u.y * sum;
    const Float3 sigma_t = medium.sigma_t;
    const Bool is_red = place < carried.x;
    const Bool is_green = place < carried.x + carried.y;
    const Float sigma = select(is_red, sigma_t.x, select(is_green, sigma_t.y, sigma_t.z));
    const Float depth = log2(Float(1.0f) - u.x) * Float(-0.693147180559945f);
    const Bool is_dense = sigma > Float(0.0f);
    const Float drawn =
        select(is_dense, depth / select(is_dense, sigma, Float(1.0f)), Float(kInfinity));
    const Bool scatters = medium.scatters & (drawn < t);
    // Weigh it by its density.
    const Float distance = select(scatters, drawn, t);
    const Float3 passing = exp(sigma_t * -distance);
    const Float3 reached = select(scatters, passing * sigma_t, passing);
    const Float density = max(dot(carried, reached), 1e-37f) / sum;
    const Float3 value = select(scatters, passing * medium.sigma_s, passing);
    return {scatters, distance, select(medium.scatters, value * (Float(1.0f) / density), passing)};
}

// Replaces the interactions of the lanes of `where` by those with the medium after `distance`.
HWY_INLINE void enter_vertex(const PathLanes& path,
                             const MediumLanes& medium,
                             Bool where,
                             Float distance,
                             SurfaceInteraction& p) {
    // Move the point from the hit towards the viewer, clear of the hit's surface.
    const Float clear = min(p.hit.triangle.offset * Float(2.0f), p.ray.t * Float(0.5f));
    const Float back = max(p.ray.t - distance, clear);
    p.hit.position = select(where, fma(p.hit.wo, back, p.hit.position), p.hit.position);
    p.hit.triangle.offset = select(where, Float(0.0f), p.hit.triangle.offset);
    p.ray.t = select(where, distance, p.ray.t);
    p.self_primitive = select(where, Uint(kNone), p.self_primitive);
    p.cone_width = select(where, fma(path.cone_spread, distance, path.cone_width), p.cone_width);
    // Take away what surfaces do.
    p.is_solid = p.is_solid & !where;
    p.is_culled = p.is_culled & !where;
    p.is_hidden = p.is_hidden & !where;
    p.is_boundary = p.is_boundary & !where;
    p.is_dispersed = p.is_dispersed & !where;
    p.media_after = select(where, path.media, p.media_after);
    // Show the albedo of the medium, facing the viewer.
    const Float3 divisor = max(medium.sigma_t, 1e-30f);
    MaterialPoint& m = p.surface.point;
    m.flags = select(where, Uint(0u), m.flags);
    m.base = select(where, medium.sigma_s / divisor, m.base);
    p.surface.geometry.frame.n = select(where, p.hit.wo, p.surface.geometry.frame.n);
}

// Carries paths to their hits, or to where a medium scatters them.
HWY_INLINE MediumVertex cross_medium(const SceneView& scene,
                                     PathLanes& path,
                                     SurfaceInteraction& p) {
    if (!any(path.media.entry[0] != Uint(kNone))) {
        return {all_lanes(false), 0.0f};
    }
    const MediumLanes medium = read_medium(scene, path.media);
    if (!may_have(kMaterialScattering) || !any(medium.scatters)) {
        path.throughput = path.throughput * passing_share(medium, p.ray.t);
        return {all_lanes(false), 0.0f};
    }
    const MediumWay way = draw_way(path, medium, p.ray.t);
    const Float3 weight = select(medium.is_there, way.weight, splat(1.0f));
    path.throughput = path.throughput * weight;
    enter_vertex(path, medium, way.scatters, way.distance, p);
    return {way.scatters, medium.phase_g};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
