// path-inl.h — moving the state of a group of paths between PathView's arrays and lanes.
//
// A group is up to kLanes slots that run in lockstep, the Lanes of a fibre routine (F1). Spare
// lanes of a partial group repeat its first slot, so every lane reads valid numbers; only the first
// `count` lanes are stored. Slots of a group are distinct.
#if defined(WEFT_SHADERS_PATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_PATH_INL_H_
#        undef WEFT_SHADERS_PATH_INL_H_
#    else
#        define WEFT_SHADERS_PATH_INL_H_
#    endif

#    include "scheduler/fibre/lanes.h"
#    include "shaders/lanes/quads-inl.h"
#    include "shaders/surface/medium-inl.h"
#    include "shaders/surface/spectrum-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

struct Group : fibre::Lanes<kLanes> {  // its elements are slots
    Uint slot;
    u32 at[kLanes];       // first word of each slot's record in a table of 64-byte records
    u32 half_at[kLanes];  // the same in a table of 32-byte records
    bool is_run;          // full group of consecutive slots
};

HWY_INLINE bool is_run(const u32 (&ids)[kLanes]) {
    u32 off = 0;
    for (u32 k = 0; k < kLanes; ++k) {
        off |= ids[k] ^ (ids[0] + k);
    }
    return off == 0;
}

// Words of PathRecord and of TraceRay; shading moves them four at a time.
inline constexpr u32 kRecordWords = 16;

static_assert(sizeof(PathRecord) == 4 * kRecordWords && sizeof(TraceRay) == 4 * kRecordWords &&
              sizeof(PathGain) == 2 * kRecordWords);

// Loads the next group of ids[first .. count).
HWY_INLINE Group
load_group(const u32* ids, u32 first, u32 count, ShadeCounters& counters, Lockstep& lockstep) {
    Group g;
    static_cast<fibre::Lanes<kLanes>&>(g) = fibre::lanes_at<kLanes>({ids, count}, first);
    g.slot = load(g.element);
    store(shift_left<4>(g.slot), g.at);
    store(shift_left<3>(g.slot), g.half_at);
    g.is_run = is_run(g.element);
    lockstep.set_live(g.mask);
    counters.lanes_issued += kLanes;
    counters.lanes_active += g.count;
    return g;
}

// Loads a field of each slot. The test of is_run only selects how memory moves; it is no branch of
// the lanes.
template <typename Word>
HWY_INLINE auto load_field(const Word* field, const Group& g) {
    return g.is_run ? load(field + g.element[0]) : gather(field, g.slot);
}

template <typename Word, typename Lanes>
HWY_INLINE void store_lanes(Word* field, const Group& g, Lanes value) {
    if (g.is_run) {
        store(value, field + g.element[0]);
        return;
    }
    Word lanes[kLanes];
    store(value, lanes);
    for (u32 k = 0; k < g.count; ++k) {
        field[g.element[k]] = lanes[k];
    }
}

HWY_INLINE void store_field(float* field, const Group& g, Float value) {
    store_lanes(field, g, value);
}

HWY_INLINE void store_field(u32* field, const Group& g, Uint value) {
    store_lanes(field, g, value);
}

// Stores the lanes of `where`. A null field is not wanted and stays unwritten.
HWY_INLINE void store_where(float* maybe_field, const Group& g, Bool where, Float value) {
    if (maybe_field != nullptr) {
        store_field(maybe_field, g, select(where, value, load_field(maybe_field, g)));
    }
}

HWY_INLINE void store_where(u32* maybe_field, const Group& g, Bool where, Uint value) {
    if (maybe_field != nullptr) {
        store_field(maybe_field, g, select(where, value, load_field(maybe_field, g)));
    }
}

// The highlights of the surfaces that scattered the paths last, packed; 0 where none are kept.
HWY_INLINE Uint load_highlight(const PathView& paths, const Group& g) {
    return paths.highlight != nullptr ? load_field(paths.highlight, g) : Uint(0u);
}

HWY_INLINE u32 count_lanes(const Group& g, Bool where) {
    u32 lanes[kLanes];
    store(to_uint(where), lanes);
    u32 sum = 0;
    for (u32 k = 0; k < g.count; ++k) {
        sum += lanes[k];
    }
    return sum;
}

// A ray to be stored.
struct RayLanes {
    Float3 origin, direction;
    Float t;
    Uint primitive, instance;  // shadow rays: the triangle the ray ends on
    Uint self_primitive, self_instance;
};

// The words of a table of 64-byte records, offset to quad `quad` of the first record.
template <typename Record>
HWY_INLINE const u32* quads_of(const Record* table, u32 quad) {
    return reinterpret_cast<const u32*>(table) + 4 * quad;
}

// Writes every field of the rays in the lanes of `where`.
HWY_INLINE void store_rays(TraceRay* rays, const Group& g, Bool where, const RayLanes& ray) {
    const QuadStore<4> quads(reinterpret_cast<u32*>(rays), g.at, bits_of(where) & g.mask);
    quads.store<0>(quad_of(ray.origin, ray.t));
    quads.store<1>(quad_of(ray.direction, 0.0f));
    quads.store<2>(quad_of({reciprocal_of(ray.direction.x),
                            reciprocal_of(ray.direction.y),
                            reciprocal_of(ray.direction.z)},
                           0.0f));
    quads.store<3>({ray.primitive, ray.instance, ray.self_primitive, ray.self_instance});
}

// The hits of a group.
struct HitLanes {
    Float3 direction;
    Float t;
    Float2 uv;
    Uint primitive, instance;
};

HWY_INLINE HitLanes load_hits(const TraceRay* rays, const Group& g) {
    const QuadLanes way = load_quad(quads_of(rays, 1), g.at);
    const QuadLanes name = load_quad(quads_of(rays, 3), g.at);
    const Uint words = load(g.at);
    const float* floats = reinterpret_cast<const float*>(rays);
    return {first_three(way),
            gather(floats, words + Uint(u32{offsetof(TraceRay, t) / 4})),
            {bits_to_float(way.d), gather(floats, words + Uint(u32{offsetof(TraceRay, v) / 4}))},
            name.a,
            name.b};
}

// Least spread per metre of a ray cone after a rough lobe.
inline constexpr float kRoughSpread = 0.1f;

// The state of a path in lanes; fields as in PathRecord and PathGain.
struct PathLanes {
    Uint pixel_hash, sample, depth, bounces, flags;
    Float3 throughput;
    Float pdf, travelled, cone_width, cone_spread;
    Uint alpha_key;  // written, never read
    MediumStack media;
    Float3 radiance;
    Float alpha;
    Float3 light;
};

HWY_INLINE void load_path(const PathView& p, const Group& g, PathLanes& path) {
    const QuadLanes numbers = load_quad(quads_of(p.record, 0), g.at);
    const QuadLanes weight = load_quad(quads_of(p.record, 1), g.at);
    const QuadLanes cone = load_quad(quads_of(p.record, 2), g.at);
    const QuadLanes media = load_quad(quads_of(p.record, 3), g.at);
    path.pixel_hash = numbers.a;
    path.sample = numbers.b;
    path.depth = numbers.c;
    path.bounces = numbers.d;
    path.throughput = first_three(weight);
    path.pdf = bits_to_float(weight.d);
    path.travelled = bits_to_float(cone.a);
    path.cone_width = bits_to_float(cone.b);
    path.cone_spread = bits_to_float(cone.c);
    path.media = {{media.a, media.b, media.c, media.d}};
    const QuadLanes sum = load_quad(quads_of(p.gain, 0), g.half_at);
    const QuadLanes rest = load_quad(quads_of(p.gain, 1), g.half_at);
    path.radiance = first_three(sum);
    path.alpha = bits_to_float(sum.d);
    path.light = first_three(rest);
    path.flags = rest.d;
}

// Writes every field of both records. The caller leaves the media out where no path has crossed a
// boundary: the record holds them already.
HWY_INLINE void store_path(const PathView& p,
                           const Group& g,
                           const PathLanes& path,
                           bool with_media) {
    const MediumStack& media = path.media;
    const QuadStore<4> record(reinterpret_cast<u32*>(p.record), g.at, g.mask);
    record.store<0>({path.pixel_hash, path.sample, path.depth, path.bounces});
    record.store<1>(quad_of(path.throughput, path.pdf));
    record.store<2>({float_to_bits(path.travelled),
                     float_to_bits(path.cone_width),
                     float_to_bits(path.cone_spread),
                     path.alpha_key});
    if (with_media) {
        record.store<3>({media.entry[0], media.entry[1], media.entry[2], media.entry[3]});
    }
    const QuadStore<2> gain(reinterpret_cast<u32*>(p.gain), g.half_at, g.mask);
    gain.store<0>(quad_of(path.radiance, path.alpha));
    gain.store<1>({float_to_bits(path.light.x),
                   float_to_bits(path.light.y),
                   float_to_bits(path.light.z),
                   path.flags});
}

HWY_INLINE bool has_clamp(const RenderParams& params) {
    return params.clamp_direct < kInfinity || params.clamp_indirect < kInfinity;
}

// Clamps a contribution by its largest channel. `bounces`: scattering events before it.
HWY_INLINE Float3 clamp_contribution(const RenderParams& params, Float3 value, Uint bounces) {
    if (!has_clamp(params)) {
        return value;
    }
    const Float limit = select(
        is_less(bounces, Uint(2u)), Float(params.clamp_direct), Float(params.clamp_indirect));
    const Float largest = max_of(value);
    return select(largest > limit, value * (limit / largest), value);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
