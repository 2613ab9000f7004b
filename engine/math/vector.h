// vector.h — the vectors of host code: GLM's, with the one way to normalise them.
//
// Kernels keep their lanes (shaders/lanes/vector-inl.h), arrays that kernels read stay plain
// floats, and the reference tracer keeps a type of its own, because it checks this one. Pure;
// any thread.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>

// GLM's settings. Its types depend on them, so every file gets GLM through this header (the style
// test checks it): components by x, y, z, w alone; indices as std::size_t; conversions that lose
// precision are explicit. GLM_FORCE_CTOR_INIT stays off, because it forbids to copy the types as
// bytes.
#define GLM_FORCE_XYZW_ONLY
#define GLM_FORCE_SIZE_T_LENGTH
#define GLM_FORCE_EXPLICIT_CTOR
#include <glm/common.hpp>
#include <glm/ext/vector_double2.hpp>
#include <glm/ext/vector_double3.hpp>
#include <glm/ext/vector_float2.hpp>
#include <glm/ext/vector_float3.hpp>
#include <glm/geometric.hpp>

namespace weft::math {

using Vec2 = glm::vec2;
using Vec3 = glm::vec3;
using DVec2 = glm::dvec2;
using DVec3 = glm::dvec3;
static_assert(sizeof(Vec3) == 3 * sizeof(float) && std::is_trivially_copyable_v<Vec3>);
static_assert(sizeof(DVec3) == 3 * sizeof(double) && std::is_trivially_copyable_v<DVec3>);
static_assert(sizeof(glm::length_t) == sizeof(std::size_t), "GLM was set up elsewhere");

using glm::cross;
using glm::dot;
using glm::length;

// `v` at length 1, each component divided by the length; `otherwise` if the length is 0 or not
// finite. glm::normalize, which multiplies by the reciprocal, gives other bits and NaN for zero; a
// call without a namespace would find it, so callers write math:: or glm:: (the style test checks
// it).
inline Vec3 normalize(const Vec3& v, const Vec3& otherwise = {}) {
    const float size = length(v);
    return size > 0 && std::isfinite(size) ? v / size : otherwise;
}

inline DVec3 normalize(const DVec3& v, const DVec3& otherwise = {}) {
    const double size = length(v);
    return size > 0 && std::isfinite(size) ? v / size : otherwise;
}

// Three floats of an array, such as a position of the scene's arena.
inline Vec3 vec3_at(const float* floats) {
    return {floats[0], floats[1], floats[2]};
}

// The components as an array, for loops and for functions that take any number of floats.
template <typename T>
std::span<T, 3> components(glm::vec<3, T>& v) {
    return std::span<T, 3>(&v.x, 3);
}

template <typename T>
std::span<const T, 3> components(const glm::vec<3, T>& v) {
    return std::span<const T, 3>(&v.x, 3);
}

}  // namespace weft::math
