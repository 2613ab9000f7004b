// angle.h — degrees, which people write and read, and radians, with which the program computes.
//
// Pure; any thread.
#pragma once

#include "shaders/host/scalar_math.h"

namespace weft::math {

constexpr double to_radians(double degrees) {
    return degrees * shaders::kPi / 180;
}

constexpr double to_degrees(double radians) {
    return radians * 180 / shaders::kPi;
}

}  // namespace weft::math
