// placement-inl.h — a ray enters a placement: the transformation from world space to the object
// space of a shared mesh, x, y and z in one register.
//
// The matrix is transposed once for all rays that enter. packet-inl.h (in lanes) and
// brute_force.cpp (scalar) repeat every operation, so all give the same bits. The direction is not
// normalised in object space, so t stays the same. Included by traversal kernels through
// fibre-inl.h; pure.
#if defined(SHADERS_PLACEMENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef SHADERS_PLACEMENT_INL_H_
#        undef SHADERS_PLACEMENT_INL_H_
#    else
#        define SHADERS_PLACEMENT_INL_H_
#    endif

#    include "hwy/highway.h"
#    include "shaders/traverse/box-inl.h"
#    include "shaders/traverse/triangle-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A placement's matrix and box by columns. The fourth component is padding.
struct PlacementSpace {
    QuadV column[3];  // of the linear part
    QuadV place;
    QuadV low;  // of the world box
    QuadV high;
};

HWY_INLINE PlacementSpace prepare_placement(const Placement& placement) {
    const Quad d;
    const auto x = hn::LoadU(d, placement.to_object[0]);
    const auto y = hn::LoadU(d, placement.to_object[1]);
    const auto z = hn::LoadU(d, placement.to_object[2]);
    const auto xy_low = hn::InterleaveLower(d, x, y);
    const auto xy_high = hn::InterleaveUpper(d, x, y);
    const float* const b = placement.bounds[0];
    const auto bounds_xy = hn::LoadU(d, b);
    const auto bounds_z = hn::LoadU(d, b + 4);
    return {{hn::ConcatLowerLower(d, z, xy_low),
             hn::ConcatUpperUpper(d, hn::InterleaveLower(d, z, z), xy_low),
             hn::ConcatUpperLower(d, z, xy_high)},
            hn::ConcatUpperUpper(d, hn::InterleaveUpper(d, z, z), xy_high),
            hn::ConcatEven(d, bounds_z, bounds_xy),
            hn::ConcatOdd(d, bounds_z, bounds_xy)};
}

// Extremes over components 0 to 2.
HWY_INLINE float largest_of_three(QuadV a) {
    const auto xy = hn::Max(hn::Broadcast<0>(a), hn::Broadcast<1>(a));
    return hn::GetLane(hn::Max(xy, hn::Broadcast<2>(a)));
}

HWY_INLINE float least_of_three(QuadV a) {
    const auto xy = hn::Min(hn::Broadcast<0>(a), hn::Broadcast<1>(a));
    return hn::GetLane(hn::Min(xy, hn::Broadcast<2>(a)));
}

// An origin for slab tests, moved along the ray's direction and against it.
struct MovedOrigin {
    QuadV near;
    QuadV far;
};

HWY_INLINE MovedOrigin move_origin(QuadV origin, QuadV reciprocal) {
    const Quad d;
    const auto size = hn::Abs(origin);
    const auto xy = hn::Max(hn::Broadcast<0>(size), hn::Broadcast<1>(size));
    const auto margin = hn::Mul(hn::Max(xy, hn::Broadcast<2>(size)), hn::Set(d, 0x1p-20f));
    const auto along = hn::CopySign(margin, reciprocal);
    return {hn::Add(origin, along), hn::Sub(origin, along)};
}

// safe_reciprocal() of each component.
HWY_INLINE QuadV safe_reciprocals(QuadV direction) {
    const Quad d;
    const auto limit =
        hn::IfThenElse(hn::Lt(direction, hn::Zero(d)), hn::Set(d, -1e18f), hn::Set(d, 1e18f));
    return hn::IfThenElse(hn::Lt(hn::Abs(direction), hn::Set(d, 1e-18f)),
                          limit,
                          hn::Div(hn::Set(d, 1.0f), direction));
}

// Start of the ray's interval with the placement's world box; −1 where the ray misses the box
// before its t.
HWY_INLINE float placement_entry(const PlacementSpace& space, const TraceRay& ray) {
    const Quad d;
    const auto reciprocal = hn::Load(d, ray.reciprocal);
    const MovedOrigin origin = move_origin(hn::Load(d, ray.origin), reciprocal);
    const auto is_negative = hn::Lt(reciprocal, hn::Zero(d));
    const auto near_side = hn::IfThenElse(is_negative, space.high, space.low);
    const auto far_side = hn::IfThenElse(is_negative, space.low, space.high);
    const float enter = largest_of_three(hn::Mul(hn::Sub(near_side, origin.near), reciprocal));
    const float leave = least_of_three(hn::Mul(hn::Sub(far_side, origin.far), reciprocal));
    const float near = enter > 0 ? enter : 0;
    const float far = leave < ray.t ? leave : ray.t;
    return near <= far ? near : -1.0f;
}

// Transforms the ray to object space, prepared for slab and edge tests.
HWY_INLINE void enter_placement(const PlacementSpace& space,
                                const TraceRay& ray,
                                float* HWY_RESTRICT local_origin,
                                SlabRay& slabs,
                                ShearRay& shear) {
    // Transform direction and origin.
    const Quad d;
    const auto o = hn::Sub(hn::Load(d, ray.origin), space.place);
    const auto v = hn::Load(d, ray.direction);
    const auto& column = space.column;
    const auto along_xy =
        hn::Add(hn::Mul(column[0], hn::Broadcast<0>(v)), hn::Mul(column[1], hn::Broadcast<1>(v)));
    const auto direction = hn::Add(along_xy, hn::Mul(column[2], hn::Broadcast<2>(v)));
    const auto from_xy =
        hn::Add(hn::Mul(column[0], hn::Broadcast<0>(o)), hn::Mul(column[1], hn::Broadcast<1>(o)));
    const auto origin = hn::Add(from_xy, hn::Mul(column[2], hn::Broadcast<2>(o)));
    // Prepare slab tests.
    const auto reciprocal = safe_reciprocals(direction);
    const MovedOrigin moved = move_origin(origin, reciprocal);
    hn::Store(origin, d, local_origin);
    hn::Store(moved.near, d, slabs.near_origin);
    hn::Store(moved.far, d, slabs.far_origin);
    hn::Store(reciprocal, d, slabs.reciprocal);
    // Find the longest axis, and prepare edge tests; 9 and 18 are tables of the other two axes.
    alignas(16) float size[4];
    alignas(16) float along[4];
    hn::Store(hn::Abs(direction), d, size);
    hn::Store(direction, d, along);
    const u32 is_x = (size[0] >= size[1] ? 1u : 0u) & (size[0] >= size[2] ? 1u : 0u);
    const u32 is_y = (size[0] < size[1] ? 1u : 0u) & (size[1] >= size[2] ? 1u : 0u);
    const u32 longest = 2 - 2 * is_x - is_y;
    const u32 first = 9 >> (2 * longest) & 3;
    const u32 second = 18 >> (2 * longest) & 3;
    shear.axis[0] = first;
    shear.axis[1] = second;
    shear.axis[2] = longest;
    shear.origin[0] = local_origin[first];
    shear.origin[1] = local_origin[second];
    shear.origin[2] = local_origin[longest];
    shear.shear[2] = slabs.reciprocal[longest];
    shear.shear[0] = along[first] * shear.shear[2];
    shear.shear[1] = along[second] * shear.shear[2];
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
