// vector-inl.h — directions and colours in lanes: three Floats, with frames around a normal.
//
// Used by every shading kernel. Dot products are fused in the fixed order x, y, z. Pure, any
// thread.
#if defined(WEFT_SHADERS_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_VECTOR_INL_H_
#        undef WEFT_SHADERS_VECTOR_INL_H_
#    else
#        define WEFT_SHADERS_VECTOR_INL_H_
#    endif

#    include "shaders/lanes/lanes-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

struct Float2 {
    Float x, y;
};

// A point, a direction, or a colour (x = red).
struct Float3 {
    Float x, y, z;
};

// A texel: RGB and alpha.
struct Float4 {
    Float3 rgb;
    Float a;
};

HWY_INLINE Float3 splat(Float a) {
    return {a, a, a};
}

HWY_INLINE Float3 operator+(Float3 a, Float3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

HWY_INLINE Float3 operator-(Float3 a, Float3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

HWY_INLINE Float3 operator*(Float3 a, Float3 b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}

HWY_INLINE Float3 operator/(Float3 a, Float3 b) {
    return {a.x / b.x, a.y / b.y, a.z / b.z};
}

HWY_INLINE Float3 operator*(Float3 a, Float s) {
    return {a.x * s, a.y * s, a.z * s};
}

HWY_INLINE Float3 operator-(Float3 a) {
    return {-a.x, -a.y, -a.z};
}

// a · s + b.
HWY_INLINE Float3 fma(Float3 a, Float s, Float3 b) {
    return {fma(a.x, s, b.x), fma(a.y, s, b.y), fma(a.z, s, b.z)};
}

HWY_INLINE Float3 fma(Float3 a, Float3 b, Float3 c) {
    return {fma(a.x, b.x, c.x), fma(a.y, b.y, c.y), fma(a.z, b.z, c.z)};
}

HWY_INLINE Float3 mix(Float3 a, Float3 b, Float t) {
    return {mix(a.x, b.x, t), mix(a.y, b.y, t), mix(a.z, b.z, t)};
}

HWY_INLINE Float3 min(Float3 a, Float b) {
    return {min(a.x, b), min(a.y, b), min(a.z, b)};
}

HWY_INLINE Float3 max(Float3 a, Float b) {
    return {max(a.x, b), max(a.y, b), max(a.z, b)};
}

HWY_INLINE Float3 select(Bool c, Float3 yes, Float3 no) {
    return {select(c, yes.x, no.x), select(c, yes.y, no.y), select(c, yes.z, no.z)};
}

HWY_INLINE Float dot(Float3 a, Float3 b) {
    return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}

HWY_INLINE Float3 cross(Float3 a, Float3 b) {
    return {fms(a.y, b.z, a.z * b.y), fms(a.z, b.x, a.x * b.z), fms(a.x, b.y, a.y * b.x)};
}

HWY_INLINE Float max_of(Float3 a) {
    return max(max(a.x, a.y), a.z);
}

HWY_INLINE Float average(Float3 a) {
    return (a.x + a.y + a.z) * Float(1.0f / 3.0f);
}

// The direction of a, or `fallback` where a has no usable length.
HWY_INLINE Float3 normalize_or(Float3 a, Float3 fallback) {
    const Float length_squared = dot(a, a);
    const Float3 unit = a * (Float(1.0f) / sqrt(length_squared));
    return select(length_squared > Float(1e-36f), unit, fallback);
}

HWY_INLINE Float3 normalize(Float3 a) {
    return normalize_or(a, {0.0f, 0.0f, 1.0f});
}

// A right-handed orthonormal frame: t, b = cross(n, t), n.
struct Frame {
    Float3 t, b, n;
};

HWY_INLINE Float3 to_local(const Frame& f, Float3 w) {
    return {dot(w, f.t), dot(w, f.b), dot(w, f.n)};
}

HWY_INLINE Float3 to_world(const Frame& f, Float3 w) {
    return fma(f.n, w.z, fma(f.b, w.y, f.t * w.x));
}

// Duff et al. 2017, "Building an Orthonormal Basis, Revisited".
HWY_INLINE Frame frame_around(Float3 n) {
    const Float sign = copy_sign(1.0f, n.z);
    const Float a = Float(-1.0f) / (sign + n.z);
    const Float b = n.x * n.y * a;
    const Float3 t = {fma(sign * n.x * n.x, a, 1.0f), sign * b, -sign * n.x};
    return {t, {b, fma(n.y * n.y, a, sign), -n.y}, n};
}

// The frame whose t is `tangent` made orthogonal to n; Duff's where nothing is left of it.
HWY_INLINE Frame frame_along(Float3 n, Float3 tangent) {
    const Frame any_frame = frame_around(n);
    const Float3 t = normalize_or(fma(n, -dot(n, tangent), tangent), any_frame.t);
    return {t, cross(n, t), n};
}

HWY_INLINE Frame select(Bool c, const Frame& yes, const Frame& no) {
    return {select(c, yes.t, no.t), select(c, yes.b, no.b), select(c, yes.n, no.n)};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
