// affine.h — 3×4 affine matrices, which place objects, cameras and lights.
//
// Plain arrays, row-major, p' = rows · (p, 1): the layout of InstanceRecord, of Embree's
// RTC_FORMAT_FLOAT3X4_ROW_MAJOR and of `transform` in edits. GLM's matrices are column-major and
// would need a transposition at each of these borders. Operations keep the order of their terms,
// because films depend on the last bit. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "engine/math/vector.h"

namespace weft::math {

template <typename T>
using AffineOf = std::array<T, 12>;
using Affine = AffineOf<float>;
using DAffine = AffineOf<double>;

template <typename T>
inline constexpr AffineOf<T> kIdentityOf = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
inline constexpr Affine kIdentity = kIdentityOf<float>;
inline constexpr DAffine kDIdentity = kIdentityOf<double>;

template <typename T>
using VectorOf = glm::vec<3, T, glm::defaultp>;

// Columns 0 to 2 are the axes, 3 is the origin.
template <typename T>
VectorOf<T> column(const std::array<T, 12>& m, std::size_t index) {
    return {m[index], m[4 + index], m[8 + index]};
}

template <typename T>
void set_column(std::array<T, 12>& m, std::size_t index, const VectorOf<T>& v) {
    m[index] = v.x;
    m[4 + index] = v.y;
    m[8 + index] = v.z;
}

template <typename T>
std::array<T, 12> from_columns(const VectorOf<T>& x,
                               const VectorOf<T>& y,
                               const VectorOf<T>& z,
                               const VectorOf<T>& origin) {
    return {x.x, y.x, z.x, origin.x, x.y, y.y, z.y, origin.y, x.z, y.z, z.z, origin.z};
}

template <typename T>
VectorOf<T> transform_point(const std::array<T, 12>& m, const VectorOf<T>& p) {
    return {m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3],
            m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7],
            m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11]};
}

// Adding 0 leaves no −0, which files would show.
template <typename T>
VectorOf<T> transform_vector(const std::array<T, 12>& m, const VectorOf<T>& v) {
    return {m[0] * v.x + m[1] * v.y + m[2] * v.z + T{0},
            m[4] * v.x + m[5] * v.y + m[6] * v.z + T{0},
            m[8] * v.x + m[9] * v.y + m[10] * v.z + T{0}};
}

// a · b: applies b first, then a.
template <typename T>
std::array<T, 12> compose(const std::array<T, 12>& a, const std::array<T, 12>& b) {
    return from_columns(transform_vector(a, column(b, 0)),
                        transform_vector(a, column(b, 1)),
                        transform_vector(a, column(b, 2)),
                        transform_point(a, column(b, 3)));
}

inline Affine translation(const Vec3& by) {
    return {1, 0, 0, by.x, 0, 1, 0, by.y, 0, 0, 1, by.z};
}

// Each entry converted.
DAffine to_double(const Affine& m);
Affine to_float(const DAffine& m);

// Of the linear part; negative if the matrix mirrors.
double determinant(const DAffine& m);

// The matrix for normals: the cofactors of the linear part, which are its inverse transpose times
// the determinant. It exists for every matrix; normals need a length of 1 afterwards.
DAffine normal_matrix(const DAffine& m);

// By cofactors. None if the matrix is singular or its determinant is not finite.
std::optional<DAffine> inverse(const DAffine& m);
// The same in double precision, each entry rounded once. None also if an entry is not a finite
// float.
std::optional<Affine> inverse(const Affine& m);

}  // namespace weft::math
