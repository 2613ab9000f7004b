#include "engine/math/quaternion.h"

#include <cmath>

namespace weft::math {

DQuat normalize(const DQuat& q) {
    const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 0) || !std::isfinite(length)) {
        return {1, 0, 0, 0};
    }
    return {q.w / length, q.x / length, q.y / length, q.z / length};
}

DAffine from_parts(const DVec3& translation, const DQuat& rotation, const DVec3& scale) {
    const glm::dmat3 axes = glm::mat3_cast(normalize(rotation));
    return from_columns(axes[0] * scale.x, axes[1] * scale.y, axes[2] * scale.z, translation);
}

}  // namespace weft::math
