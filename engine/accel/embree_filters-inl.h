// embree_filters-inl.h — Embree's filter functions, which decide the hits that count, and their
// arguments.
//
// For embree_reference.cpp alone. Embree calls filters on the calling thread.
#pragma once

#include <algorithm>
#include <vector>

#include <embree3/rtcore.h>

#include "shaders/host/clip_planes.h"
#include "shaders/lights/shadow_media.h"
#include "shaders/surface/texel_lookup.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::accel::embree {

using shaders::TraceRay;
using shaders::TraceScene;

// The rays and the scene of one call; RTCRay::id is the index into `ids`.
struct Call {
    RTCIntersectContext context;  // first member: filters get a pointer to it
    const TraceScene* scene;
    TraceRay* rays;
    const u32* ids;
    const std::vector<bool>* is_flagged;  // by instance
};

// Embree reports coincident triangles in an order that depends on the tree and on packets, and
// culls boxes that rounding places behind a hit or behind the end of a ray. So it searches up to
// this multiple of t, and filters decide by t alone.
inline constexpr float kReach = 1 + 0x1p-10f;

// A hit of one lane that the ray may accept.
struct Candidate {
    const TraceRay* ray;
    u32 slot;
    u32 instance;
    u32 primitive;
    float t;
    float u;
    float v;
};

// Embree's stack of instance ids has one level here; baked instances are geometries of the top
// scene.
inline u32 instance_of(unsigned int instance_id, unsigned int geometry_id) {
    return instance_id == RTC_INVALID_GEOMETRY_ID ? geometry_id : instance_id;
}

inline Candidate candidate_of(const RTCFilterFunctionNArguments& arguments,
                              const Call& call,
                              u32 k) {
    const u32 slot = call.ids[RTCRayN_id(arguments.ray, arguments.N, k)];
    const u32 instance = instance_of(RTCHitN_instID(arguments.hit, arguments.N, k, 0),
                                     RTCHitN_geomID(arguments.hit, arguments.N, k));
    return {&call.rays[slot],
            slot,
            instance,
            RTCHitN_primID(arguments.hit, arguments.N, k),
            RTCRayN_tfar(arguments.ray, arguments.N, k),
            RTCHitN_u(arguments.hit, arguments.N, k),
            RTCHitN_v(arguments.hit, arguments.N, k)};
}

inline bool is_self(const Candidate& hit) {
    return hit.primitive == hit.ray->self_primitive && hit.instance == hit.ray->self_instance;
}

inline bool is_cut(const Call& call, const Candidate& hit) {
    return shaders::is_cut_away(
        *call.scene->scene, hit.instance, hit.ray->origin, hit.ray->direction, hit.t);
}

inline bool counts_for_closest(const Call& call, const Candidate& hit) {
    if (is_self(hit)) {
        return false;
    }
    return !(*call.is_flagged)[hit.instance] ||
           (!is_cut(call, hit) && shaders::is_present(*call.scene->scene,
                                                      call.scene->alpha_keys[hit.slot],
                                                      false,
                                                      hit.instance,
                                                      hit.primitive,
                                                      hit.u,
                                                      hit.v));
}

inline void store_hit(TraceRay& ray, const Candidate& hit) {
    ray.t = hit.t;
    ray.u = hit.u;
    ray.v = hit.v;
    ray.instance = hit.instance;
    ray.primitive = hit.primitive;
}

// The nearest hit wins; of equally near hits the lowest (instance, primitive), as in our kernels.
inline bool is_nearer(const Candidate& hit, const TraceRay& ray) {
    if (hit.t != ray.t) {
        return hit.t < ray.t;
    }
    return hit.instance != ray.instance ? hit.instance < ray.instance
                                        : hit.primitive < ray.primitive;
}

// The filter of closest hits: stores the winning hit in the TraceRay.
inline void keep_nearest(const RTCFilterFunctionNArguments* arguments) {
    const Call& call = *reinterpret_cast<const Call*>(arguments->context);
    for (u32 k = 0; k < arguments->N; ++k) {
        if (arguments->valid[k] == 0) {
            continue;
        }
        const Candidate hit = candidate_of(*arguments, call, k);
        TraceRay& ray = call.rays[hit.slot];
        if (is_nearer(hit, ray) && counts_for_closest(call, hit)) {
            store_hit(ray, hit);
            RTCRayN_tfar(arguments->ray, arguments->N, k) = hit.t * kReach;
        } else {
            arguments->valid[k] = 0;
        }
    }
}

// True if the hit blocks the shadow ray; else adds the tint, if any.
inline bool blocks(const Call& call, const Candidate& hit) {
    if (hit.t > hit.ray->t || is_self(hit) ||
        (hit.primitive == hit.ray->primitive && hit.instance == hit.ray->instance)) {
        return false;
    }
    if (!(*call.is_flagged)[hit.instance]) {
        return true;
    }
    const TraceScene& scene = *call.scene;
    if (is_cut(call, hit) || !shaders::is_present(*scene.scene,
                                                  scene.alpha_keys[hit.slot],
                                                  true,
                                                  hit.instance,
                                                  hit.primitive,
                                                  hit.u,
                                                  hit.v)) {
        return false;
    }
    if (scene.shadow_media != nullptr && shaders::pass_boundary(*scene.scene,
                                                                hit.instance,
                                                                hit.primitive,
                                                                hit.t,
                                                                hit.ray->direction,
                                                                scene.shadow_media[hit.slot])) {
        return false;
    }
    u32 tint[3] = {};
    if (!shaders::tint_shadow(
            *scene.scene, hit.instance, hit.primitive, hit.u, hit.v, hit.ray->direction, tint)) {
        return true;
    }
    for (u32 channel = 0; channel < 3; ++channel) {
        u32& sum = scene.shadow_tints[std::size_t{3} * hit.slot + channel];
        sum = static_cast<u32>(std::min(u64{sum} + tint[channel], u64{0xffffffffu}));
    }
    return false;
}

// The filter of any hits.
inline void keep_blockers(const RTCFilterFunctionNArguments* arguments) {
    const Call& call = *reinterpret_cast<const Call*>(arguments->context);
    for (u32 k = 0; k < arguments->N; ++k) {
        if (arguments->valid[k] != 0 && !blocks(call, candidate_of(*arguments, call, k))) {
            arguments->valid[k] = 0;
        }
    }
}

inline Call make_call(const TraceScene& scene,
                      TraceRay* rays,
                      const u32* ids,
                      const std::vector<bool>& is_flagged,
                      RTCFilterFunctionN filter,
                      bool is_coherent = false) {
    Call call{};
    rtcInitIntersectContext(&call.context);
    call.context.flags =
        is_coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    call.context.filter = filter;
    call.scene = &scene;
    call.rays = rays;
    call.ids = ids;
    call.is_flagged = &is_flagged;
    return call;
}

}  // namespace weft::accel::embree
