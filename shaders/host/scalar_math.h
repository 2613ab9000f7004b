// scalar_math.h — elementary functions for code outside kernels whose results reach a pixel.
//
// libm differs between systems, so pictures must not depend on it. These functions use + − × ÷ √
// and bit patterns only, compiled without fusing, and give the same bits everywhere. Double
// precision, relative error below 1e-13 over the stated ranges. Pure; any thread.
#pragma once

namespace weft::shaders {

inline constexpr double kPi = 3.14159265358979323846;

// x > 0 and finite; other arguments give −infinity.
double log2_of(double x);
double log_of(double x);

// Any x; overflows to infinity above 1023, 0 below −1022.
double exp2_of(double x);
double exp_of(double x);

// base ≥ 0; 0 to any positive power is 0, to the power 0 it is 1.
double pow_of(double base, double exponent);

// |x| below 1e6.
double sin_of(double x);
double cos_of(double x);
double tan_of(double x);

// (−π, π]; atan2_of(0, 0) = 0.
double atan2_of(double y, double x);
double asin_of(double x);  // clamps to [−1, 1]
double acos_of(double x);

}  // namespace weft::shaders
