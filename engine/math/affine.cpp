#include "engine/math/affine.h"

#include <algorithm>
#include <cmath>

namespace weft::math {

DAffine to_double(const Affine& m) {
    DAffine converted{};
    std::copy(m.begin(), m.end(), converted.begin());
    return converted;
}

Affine to_float(const DAffine& m) {
    Affine converted{};
    std::transform(m.begin(), m.end(), converted.begin(), [](double entry) {
        return static_cast<float>(entry);
    });
    return converted;
}

double determinant(const DAffine& m) {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

DAffine normal_matrix(const DAffine& m) {
    const auto at = [&](std::size_t row, std::size_t column) { return m[4 * row + column]; };
    DAffine cofactors{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            const std::size_t r1 = (row + 1) % 3;
            const std::size_t r2 = (row + 2) % 3;
            const std::size_t c1 = (column + 1) % 3;
            const std::size_t c2 = (column + 2) % 3;
            cofactors[4 * row + column] = at(r1, c1) * at(r2, c2) - at(r1, c2) * at(r2, c1);
        }
    }
    return cofactors;
}

std::optional<DAffine> inverse(const DAffine& m) {
    const DAffine cofactors = normal_matrix(m);
    const double size = determinant(m);
    if (size == 0 || !std::isfinite(size)) {
        return std::nullopt;
    }
    DAffine inverse{};
    for (std::size_t row = 0; row < 3; ++row) {
        double moved = 0;
        for (std::size_t column = 0; column < 3; ++column) {
            const double entry = cofactors[4 * column + row] / size;
            inverse[4 * row + column] = entry;
            moved -= entry * m[4 * column + 3];
        }
        inverse[4 * row + 3] = moved;
    }
    return inverse;
}

std::optional<Affine> inverse(const Affine& m) {
    const std::optional<DAffine> exact = inverse(to_double(m));
    if (!exact) {
        return std::nullopt;
    }
    const Affine inverse = to_float(*exact);
    const bool is_finite = std::all_of(
        inverse.begin(), inverse.end(), [](float entry) { return std::isfinite(entry); });
    return is_finite ? std::optional(inverse) : std::nullopt;
}

}  // namespace weft::math
