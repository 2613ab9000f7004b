// reference_math.h — vectors and frames of the reference tracer, in double precision.
//
// One struct for points, directions and colours, for legibility. Only engine/trace/reference uses
// it. libm is allowed here, because no number of the reference reaches a rendered pixel. Pure; any
// thread.
#pragma once

#include <algorithm>
#include <cmath>

#include "scheduler/base/ids.h"

namespace weft::trace::reference {

inline constexpr double kPi = 3.14159265358979323846;

struct Vec {
    double x = 0;
    double y = 0;
    double z = 0;
};

using Rgb = Vec;

inline Vec operator+(Vec a, Vec b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

inline Vec operator-(Vec a, Vec b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

inline Vec operator-(Vec a) {
    return {-a.x, -a.y, -a.z};
}

inline Vec operator*(Vec a, Vec b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}

inline Vec operator*(Vec a, double s) {
    return {a.x * s, a.y * s, a.z * s};
}

inline Vec operator*(double s, Vec a) {
    return a * s;
}

inline Vec operator/(Vec a, double s) {
    return {a.x / s, a.y / s, a.z / s};
}

inline Vec& operator+=(Vec& a, Vec b) {
    return a = a + b;
}

inline double dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

inline Vec cross(Vec a, Vec b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline double length(Vec a) {
    return std::sqrt(dot(a, a));
}

// Unit vector along a; zero stays zero.
inline Vec normalize(Vec a) {
    const double size = length(a);
    return size > 0 ? a / size : Vec{};
}

inline Rgb gray(double value) {
    return {value, value, value};
}

inline Rgb vec_of(const float* three) {
    return {three[0], three[1], three[2]};
}

inline double largest(Rgb c) {
    return std::max({c.x, c.y, c.z});
}

inline double average(Rgb c) {
    return (c.x + c.y + c.z) / 3;
}

inline double saturate(double x) {
    return std::clamp(x, 0.0, 1.0);
}

inline double square(double x) {
    return x * x;
}

inline double fifth_power(double x) {
    return x * x * x * x * x;
}

inline double mix(double a, double b, double weight) {
    return a + (b - a) * weight;
}

inline Rgb mix(Rgb a, Rgb b, double weight) {
    return a + (b - a) * weight;
}

// Applies a function to each channel.
template <typename Function>
Rgb per_channel(Rgb c, Function function) {
    return {function(c.x), function(c.y), function(c.z)};
}

inline Rgb at_most(Rgb c, double limit) {
    return per_channel(c, [limit](double value) { return std::min(value, limit); });
}

// Three orthonormal vectors; z is the normal.
struct Frame {
    Vec x;
    Vec y;
    Vec z;

    [[nodiscard]] Vec to_local(Vec v) const { return {dot(v, x), dot(v, y), dot(v, z)}; }

    [[nodiscard]] Vec to_world(Vec v) const { return x * v.x + y * v.y + z * v.z; }
};

// Duff et al. 2017, "Building an Orthonormal Basis, Revisited".
inline Frame frame_around(Vec n) {
    const double sign = std::copysign(1.0, n.z);
    const double a = -1 / (sign + n.z);
    const double b = n.x * n.y * a;
    return {{1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}, n};
}

// The frame around n whose x is `tangent` made orthogonal to n; any frame if nothing is left of it.
inline Frame frame_along(Vec n, Vec tangent) {
    const Vec across = tangent - n * dot(n, tangent);
    if (length(across) < 1e-9) {
        return frame_around(n);
    }
    const Vec x = normalize(across);
    return {x, cross(n, x), n};
}

}  // namespace weft::trace::reference
