// path-inl.h — moving the state of a group of paths between PathView's arrays and lanes.
//
// A group is up to kLanes slots in lockstep. Spare lanes of a last, partial group repeat its first
// slot, so every lane always reads sound numbers; only the first `size` lanes are ever stored.
// Slots of a group are distinct.
#if defined(WEFT_SHADERS_PATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_PATH_INL_H_
#        undef WEFT_SHADERS_PATH_INL_H_
#    else
#        define WEFT_SHADERS_PATH_INL_H_
#    endif

#    include "shaders/medium-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

struct Group {
    Uint slot;
    u32 ids[kLanes];
    u32 size;
};

// The next group of ids[first .. count).
HWY_INLINE Group
load_group(const u32* ids, u32 first, u32 count, ShadeCounters& counters, Lockstep& lockstep) {
    Group g;
    g.size = count - first < kLanes ? count - first : kLanes;
    for (u32 k = 0; k < kLanes; ++k) {
        g.ids[k] = ids[k < g.size ? first + k : first];
    }
    g.slot = load(g.ids);
    lockstep.set_live(~0u >> (32 - g.size));
    counters.lanes_issued += kLanes;
    counters.lanes_active += g.size;
    return g;
}

HWY_INLINE void store_field(float* field, const Group& g, Float value) {
    float lanes[kLanes];
    store(value, lanes);
    for (u32 k = 0; k < g.size; ++k) {
        field[g.ids[k]] = lanes[k];
    }
}

HWY_INLINE void store_field(u32* field, const Group& g, Uint value) {
    u32 lanes[kLanes];
    store(value, lanes);
    for (u32 k = 0; k < g.size; ++k) {
        field[g.ids[k]] = lanes[k];
    }
}

HWY_INLINE void store_color(float* const field[3], const Group& g, Float3 value) {
    store_field(field[0], g, value.x);
    store_field(field[1], g, value.y);
    store_field(field[2], g, value.z);
}

HWY_INLINE Float3 load_color(float* const field[3], const Group& g) {
    return {gather(field[0], g.slot), gather(field[1], g.slot), gather(field[2], g.slot)};
}

// Stores only the lanes of `where`; a null field is not asked for.
HWY_INLINE void store_where(float* maybe_field, const Group& g, Bool where, Float value) {
    if (maybe_field != nullptr) {
        store_field(maybe_field, g, select(where, value, gather(maybe_field, g.slot)));
    }
}

HWY_INLINE void store_where(u32* maybe_field, const Group& g, Bool where, Uint value) {
    if (maybe_field != nullptr) {
        store_field(maybe_field, g, select(where, value, gather(maybe_field, g.slot)));
    }
}

HWY_INLINE u32 count_lanes(const Group& g, Bool where) {
    u32 lanes[kLanes];
    store(to_uint(where), lanes);
    u32 sum = 0;
    for (u32 k = 0; k < g.size; ++k) {
        sum += lanes[k];
    }
    return sum;
}

// A ray and the hit fields as they are to be written.
struct RayLanes {
    Float3 origin, direction;
    Float t;
    Uint primitive, instance;  // shadow rays: the triangle the ray ends on
    Uint self_primitive, self_instance;
};

// Writes every field of the rays in the lanes of `where`.
HWY_INLINE void store_rays(TraceRay* rays, const Group& g, Bool where, const RayLanes& ray) {
    float f[10][kLanes];
    u32 u[5][kLanes];
    store(ray.origin.x, f[0]);
    store(ray.origin.y, f[1]);
    store(ray.origin.z, f[2]);
    store(ray.direction.x, f[3]);
    store(ray.direction.y, f[4]);
    store(ray.direction.z, f[5]);
    store(reciprocal_of(ray.direction.x), f[6]);
    store(reciprocal_of(ray.direction.y), f[7]);
    store(reciprocal_of(ray.direction.z), f[8]);
    store(ray.t, f[9]);
    store(ray.primitive, u[0]);
    store(ray.instance, u[1]);
    store(ray.self_primitive, u[2]);
    store(ray.self_instance, u[3]);
    store(to_uint(where), u[4]);
    for (u32 k = 0; k < g.size; ++k) {
        if (u[4][k] == 0) {
            continue;
        }
        rays[g.ids[k]] = TraceRay{{f[0][k], f[1][k], f[2][k]},
                                  f[9][k],
                                  {f[3][k], f[4][k], f[5][k]},
                                  0.0f,
                                  {f[6][k], f[7][k], f[8][k]},
                                  0.0f,
                                  u[0][k],
                                  u[1][k],
                                  u[2][k],
                                  u[3][k]};
    }
}

// The hits of a group.
struct HitLanes {
    Float3 direction;
    Float t;
    Float2 uv;
    Uint primitive, instance;
};

HWY_INLINE HitLanes load_hits(const TraceRay* rays, const Group& g) {
    const Records r = records_of(rays, g.slot);
    return {read_float3(r, offsetof(TraceRay, direction)),
            read_float(r, offsetof(TraceRay, t)),
            {read_float(r, offsetof(TraceRay, u)), read_float(r, offsetof(TraceRay, v))},
            read_uint(r, offsetof(TraceRay, primitive)),
            read_uint(r, offsetof(TraceRay, instance))};
}

// What shading reads and writes of a path; fields as in PathView.
struct PathLanes {
    Uint pixel_hash, sample, depth, bounces, flags;
    Float3 throughput, radiance;
    Float alpha, pdf, travelled, cone_width, cone_spread;
    MediumStack media;
};

HWY_INLINE PathLanes load_path(const PathView& p, const Group& g) {
    PathLanes path = {gather(p.pixel_hash, g.slot),
                      gather(p.sample, g.slot),
                      gather(p.depth, g.slot),
                      gather(p.bounces, g.slot),
                      gather(p.flags, g.slot),
                      load_color(p.throughput, g),
                      load_color(p.radiance, g),
                      gather(p.alpha, g.slot),
                      gather(p.pdf, g.slot),
                      gather(p.travelled, g.slot),
                      gather(p.cone_width, g.slot),
                      gather(p.cone_spread, g.slot),
                      {}};
    for (u32 k = 0; k < kMediumDepth; ++k) {
        path.media.entry[k] = gather(p.medium[k], g.slot);
    }
    return path;
}

HWY_INLINE void store_path(const PathView& p, const Group& g, const PathLanes& path) {
    store_field(p.depth, g, path.depth);
    store_field(p.bounces, g, path.bounces);
    store_field(p.flags, g, path.flags);
    store_color(p.throughput, g, path.throughput);
    store_color(p.radiance, g, path.radiance);
    store_field(p.alpha, g, path.alpha);
    store_field(p.pdf, g, path.pdf);
    store_field(p.travelled, g, path.travelled);
    store_field(p.cone_width, g, path.cone_width);
    store_field(p.cone_spread, g, path.cone_spread);
    for (u32 k = 0; k < kMediumDepth; ++k) {
        store_field(p.medium[k], g, path.media.entry[k]);
    }
}

// Clamps a contribution by its largest channel: `bounces` scattering events lie behind it.
HWY_INLINE Float3 clamp_contribution(const RenderParams& params, Float3 value, Uint bounces) {
    const Float limit = select(
        is_less(bounces, Uint(2u)), Float(params.clamp_direct), Float(params.clamp_indirect));
    const Float largest = max_of(value);
    return select(largest > limit, value * (limit / largest), value);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
