// beam-inl.h — slab tests of one ray per lane, and of the beam that bounds a whole packet.
//
// Rays of a packet belong to one class: they share the signs and the longest axis of their
// directions, and so the near side of every box. The beam is interval arithmetic over the packet:
// it keeps the extremes of origins and reciprocals. Every operation is monotone and rounds as in
// box-inl.h, so the beam's interval with a box contains that of each ray, bit by bit: a box that
// the beam misses is missed by all rays. Reshetov, Soupikov and Hurley, "Multi-Level Ray Tracing
// Algorithm", SIGGRAPH 2005. Included by traversal kernels; pure.
#if defined(WEFT_SHADERS_BEAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_BEAM_INL_H_
#        undef WEFT_SHADERS_BEAM_INL_H_
#    else
#        define WEFT_SHADERS_BEAM_INL_H_
#    endif

#    include <bit>

#    include "shaders/lanes/elementary-inl.h"
#    include "shaders/traverse/box-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// The lanes of one register, and their bits. Tests of many numbers run register by register, so
// that AVX2 keeps them in its own.
using Part = Floats<1>;
inline constexpr u32 kPartLanes = (1u << kRegisterLanes) - 1;

// A class is the octant (sign bits of the direction) in bits 0 to 2, and the longest axis above.
inline constexpr u32 kRayClasses = 24;

HWY_INLINE u32 class_of(const float* direction, const float* reciprocal) {
    const float x = std::fabs(direction[0]);
    const float y = std::fabs(direction[1]);
    const float z = std::fabs(direction[2]);
    const u32 longest = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
    const u32 signs = (reciprocal[0] < 0 ? 1u : 0u) | (reciprocal[1] < 0 ? 2u : 0u) |
                      (reciprocal[2] < 0 ? 4u : 0u);
    return signs | longest << 3;
}

// class_of() by lane.
HWY_INLINE Uint classes_of(const Float direction[3], const Float reciprocal[3]) {
    const Float x = abs(direction[0]);
    const Float y = abs(direction[1]);
    const Float z = abs(direction[2]);
    const Uint of_x = select(x >= z, Uint(0u), Uint(2u));
    const Uint of_y = select(y >= z, Uint(1u), Uint(2u));
    Uint out = shift_left<3>(select(x >= y, of_x, of_y));
    for (u32 k = 0; k < 3; ++k) {
        out = out | select(reciprocal[k] < Float(0.0f), Uint(1u << k), Uint(0u));
    }
    return out;
}

// Extremes over the rays of a packet or a set: the origins whose intervals start first and end
// last, and both ends of the reciprocals.
struct Beam {
    float near_origin[3];
    float far_origin[3];
    float reciprocal_low[3];
    float reciprocal_high[3];
};

// The rays of a packet in one space: the world, or that of a placement.
struct alignas(64) LaneSpace {
    float near_origin[3][kLanes];  // as in SlabRay
    float far_origin[3][kLanes];
    float reciprocal[3][kLanes];
    float origin[3][kLanes];  // as in ShearRay, with axes in its order
    float shear[3][kLanes];
    float start[kLanes];  // of the interval with the placement
    u32 axis[3];          // as in ShearRay
    u32 is_negative[3];   // 1 where directions are negative along the axis
    u32 instance;         // of the placement; kNone: the world
    u32 placement;        // its index; kNone: the world
    Beam beam;
    bool has_eye;        // all rays start at one point; only then the following is defined
    float eye[3];        // that point, with axes in the order of ShearRay
    float mid_shear[2];  // shears x and y are at most shear_reach from here
    float shear_reach[2];
};

// Rays as loaded from memory, or transformed.
struct LaneRays {
    Float origin[3];
    Float direction[3];
    Float reciprocal[3];
};

// The least and the greatest value over the lanes of `where`.
HWY_INLINE float lowest_where(Bool where, Float a) {
    return lowest_lane(select(where, a, Float(kInfinity)));
}

HWY_INLINE float highest_where(Bool where, Float a) {
    return highest_lane(select(where, a, Float(-kInfinity)));
}

// Whether the rays of all lanes start at one point.
HWY_INLINE bool start_at_one_point(const LaneRays& rays) {
    return is_uniform(float_to_bits(rays.origin[0])) && is_uniform(float_to_bits(rays.origin[1])) &&
           is_uniform(float_to_bits(rays.origin[2]));
}

// What origins are moved by, outwards, for slab tests.
HWY_INLINE Float margin_of(const LaneRays& rays) {
    const Float size = max(max(abs(rays.origin[0]), abs(rays.origin[1])), abs(rays.origin[2]));
    return size * Float(0x1p-20f);
}

HWY_INLINE float first_number(Float a) {
    return std::bit_cast<float>(first_lane(float_to_bits(a)));
}

// Prepares the beam alone. The lanes of `where` belong to `ray_class`; other lanes are never used.
// `may_have_eye`: to be asked whether all rays start at one point.
HWY_INLINE void prepare_beam(
    const LaneRays& rays, u32 ray_class, Bool where, bool may_have_eye, LaneSpace& s) {
    s.has_eye = may_have_eye && start_at_one_point(rays);
    const Float margin = margin_of(rays);
    for (u32 k = 0; k < 3; ++k) {
        s.is_negative[k] = ray_class >> k & 1;
        const bool is_negative = s.is_negative[k] != 0;
        if (s.has_eye) {
            const float origin = first_number(rays.origin[k]);
            const float along = is_negative ? -first_number(margin) : first_number(margin);
            s.beam.near_origin[k] = origin + along;
            s.beam.far_origin[k] = origin - along;
        } else {
            const Float along = is_negative ? -margin : margin;
            const Float near = rays.origin[k] + along;
            const Float far = rays.origin[k] - along;
            s.beam.near_origin[k] =
                is_negative ? lowest_where(where, near) : highest_where(where, near);
            s.beam.far_origin[k] =
                is_negative ? highest_where(where, far) : lowest_where(where, far);
        }
        s.beam.reciprocal_low[k] = lowest_where(where, rays.reciprocal[k]);
        s.beam.reciprocal_high[k] = highest_where(where, rays.reciprocal[k]);
    }
}

// The eye, and the range of shears.
HWY_INLINE void prepare_eye(LaneSpace& s, Bool where) {
    for (u32 k = 0; k < 3; ++k) {
        s.eye[k] = s.origin[k][0];
    }
    for (u32 k = 0; k < 2; ++k) {
        const float low = lowest_where(where, load(s.shear[k]));
        const float high = highest_where(where, load(s.shear[k]));
        s.mid_shear[k] = 0.5f * (low + high);
        s.shear_reach[k] = 0.5f * (high - low);
    }
}

// Prepares slab tests and edge tests of rays whose beam is prepared.
HWY_INLINE void prepare_rows(const LaneRays& rays, u32 ray_class, Bool where, LaneSpace& s) {
    // Move the origins outwards for slab tests.
    const Float margin = margin_of(rays);
    for (u32 k = 0; k < 3; ++k) {
        const Float along = copy_sign(margin, rays.reciprocal[k]);
        store(rays.origin[k] + along, s.near_origin[k]);
        store(rays.origin[k] - along, s.far_origin[k]);
        store(rays.reciprocal[k], s.reciprocal[k]);
    }
    // Permute the axes and shear, so that the longest axis becomes z, for edge tests.
    const u32 longest = ray_class >> 3;
    s.axis[0] = longest == 2 ? 0 : longest + 1;
    s.axis[1] = longest == 0 ? 2 : longest - 1;
    s.axis[2] = longest;
    for (u32 k = 0; k < 3; ++k) {
        store(rays.origin[s.axis[k]], s.origin[k]);
    }
    const Float scale = rays.reciprocal[longest];
    store(rays.direction[s.axis[0]] * scale, s.shear[0]);
    store(rays.direction[s.axis[1]] * scale, s.shear[1]);
    store(scale, s.shear[2]);
    if (s.has_eye) {
        prepare_eye(s, where);
    }
}

// The eight boxes of a node relative to the beam, and where it enters them: lower bounds of the
// entries of its rays.
struct BeamBoxes {
    alignas(32) float enter[3][8];  // near bounds − near_origin
    alignas(32) float leave[3][8];  // far bounds − far_origin
    alignas(32) float entry[8];
};

// Mask of the children that a beam hits before `t`. is_negative: 1 where its rays' directions are
// negative along the axis.
HWY_INLINE u32 beam_children(const float (&bounds)[3][2][8],
                             const u32 (&is_negative)[3],
                             const Beam& beam,
                             float t,
                             BeamBoxes& boxes) {
    const hn::CappedTag<float, 8> d;
    constexpr size_t kWidth = HWY_MAX_BYTES >= 32 ? 8 : 4;
    u32 hits = 0;
    for (size_t first = 0; first < 8; first += kWidth) {
        auto near = hn::Zero(d);
        auto far = hn::Set(d, t);
        for (u32 k = 0; k < 3; ++k) {
            const auto low = hn::Set(d, beam.reciprocal_low[k]);
            const auto high = hn::Set(d, beam.reciprocal_high[k]);
            const auto enter = hn::Sub(hn::Load(d, bounds[k][is_negative[k]] + first),
                                       hn::Set(d, beam.near_origin[k]));
            const auto leave = hn::Sub(hn::Load(d, bounds[k][1 - is_negative[k]] + first),
                                       hn::Set(d, beam.far_origin[k]));
            hn::Store(enter, d, boxes.enter[k] + first);
            hn::Store(leave, d, boxes.leave[k] + first);
            near = hn::Max(near, hn::Min(hn::Mul(enter, low), hn::Mul(enter, high)));
            far = hn::Min(far, hn::Max(hn::Mul(leave, low), hn::Mul(leave, high)));
        }
        hn::Store(near, d, boxes.entry + first);
        u8 bits[8];
        hn::StoreMaskBits(d, hn::Le(near, far), bits);
        hits |= static_cast<u32>(bits[0]) << first;
    }
    return hits;
}

// Intervals of the lanes with one box, given as bounds[axis][0 = low, 1 = high], before `t`.
struct LaneInterval {
    Float near;
    Float far;
};

HWY_INLINE LaneInterval box_interval(const float bounds[3][2], const LaneSpace& s, Float t) {
    LaneInterval i = {0.0f, t};
    for (u32 k = 0; k < 3; ++k) {
        const Float enter = Float(bounds[k][s.is_negative[k]]) - load(s.near_origin[k]);
        const Float leave = Float(bounds[k][1 - s.is_negative[k]]) - load(s.far_origin[k]);
        i.near = max(i.near, enter * load(s.reciprocal[k]));
        i.far = min(i.far, leave * load(s.reciprocal[k]));
    }
    return i;
}

// An interval of the lanes of one register.
struct PartInterval {
    Part near;
    Part far;
};

// The lanes that hit a box before their t. distances(k, first): from the lanes' origins to the near
// and the far bound of axis k, for the register of lane `first`.
template <typename Distances>
HWY_INLINE u32 lanes_in_box(const LaneSpace& s, const float* t, const Distances& distances) {
    u32 lanes = 0;
    for (u32 first = 0; first < kLanes; first += kRegisterLanes) {
        Part near = 0.0f;
        Part far = Part::load(t + first);
        for (u32 k = 0; k < 3; ++k) {
            const PartInterval bounds = distances(k, first);
            const Part scale = Part::load(s.reciprocal[k] + first);
            near = max(near, bounds.near * scale);
            far = min(far, bounds.far * scale);
        }
        lanes |= bits_of(near <= far) << first;
    }
    return lanes;
}

// The lanes that hit child `child` of a node before their t.
HWY_INLINE u32 hit_child(const float (&bounds)[3][2][8],
                         u32 child,
                         const LaneSpace& s,
                         const float* t) {
    return lanes_in_box(s, t, [&](u32 k, u32 first) HWY_ATTR {
        return PartInterval{
            Part(bounds[k][s.is_negative[k]][child]) - Part::load(s.near_origin[k] + first),
            Part(bounds[k][1 - s.is_negative[k]][child]) - Part::load(s.far_origin[k] + first)};
    });
}

// The same for rays that start at one point, whose differences are the beam's.
HWY_INLINE u32 hit_seen_child(const BeamBoxes& boxes,
                              u32 child,
                              const LaneSpace& s,
                              const float* t) {
    return lanes_in_box(s, t, [&](u32 k, u32 /*first*/) HWY_ATTR {
        return PartInterval{Part(boxes.enter[k][child]), Part(boxes.leave[k][child])};
    });
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
