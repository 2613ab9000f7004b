#include "engine/trace/environment_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "engine/trace/inversion_table.h"
#include "shaders/host/scalar_math.h"

namespace weft::trace {

namespace {

constexpr u32 kRowsOfThread = 32;  // a thread widens two more
// A little more than the mean is taken off the weights: rounding leaves none in a map of one
// colour.
constexpr double kMeanScale = 1 + 0x1p-20;

// Largest luminance of each texel of row y and its two neighbours; the row wraps.
std::vector<double> widened_row(const scene::Environment& environment, u32 y) {
    const u32 width = environment.width;
    std::vector<double> luminance(width);
    for (u32 x = 0; x < width; ++x) {
        luminance[x] = luminance_of(&environment.pixels[3 * (std::size_t{y} * width + x)]);
    }
    std::vector<double> widest(width);
    for (u32 x = 0; x < width; ++x) {
        const u32 before = x == 0 ? width - 1 : x - 1;
        const u32 after = x + 1 == width ? 0 : x + 1;
        widest[x] = std::max({luminance[before], luminance[x], luminance[after]});
    }
    return widest;
}

double latitude_cosine(u32 y, u32 height) {
    return shaders::cos_of((0.5 - (y + 0.5) / height) * shaders::kPi);
}

// Sums over a row, from left to right, of luminance times functions of the longitude.
struct RowSums {
    double one = 0;
    double cosine = 0;
    double sine = 0;
    double cosine_squared = 0;
    double both = 0;  // cosine · sine
};

// The cosine and sine of an angle.
struct Turn {
    double cosine = 0;
    double sine = 0;
};

Turn turn_of(double angle) {
    return {shaders::cos_of(angle), shaders::sin_of(angle)};
}

// Sums and weights of all rows.
struct Rows {
    std::vector<RowSums> sums;
    std::vector<double> weights;
    std::vector<Turn> longitude;  // by column
};

void sum_rows(const scene::Environment& environment, u64 begin, u64 end, Rows& rows) {
    const u32 width = environment.width;
    for (u64 y = begin; y < end; ++y) {
        RowSums sums;
        for (u32 x = 0; x < width; ++x) {
            const double luminance = luminance_of(&environment.pixels[3 * (y * width + x)]);
            const Turn& longitude = rows.longitude[x];
            sums.one += luminance;
            sums.cosine += luminance * longitude.cosine;
            sums.sine += luminance * longitude.sine;
            sums.cosine_squared += luminance * longitude.cosine * longitude.cosine;
            sums.both += luminance * longitude.cosine * longitude.sine;
        }
        rows.sums[y] = sums;
    }
}

// Mean luminance over the sphere, without the strength.
double mean_luminance(const scene::Environment& environment, const Rows& rows) {
    double sum = 0;
    double solid_angle = 0;
    for (u32 y = 0; y < environment.height; ++y) {
        const double cosine = latitude_cosine(y, environment.height);
        sum += rows.sums[y].one * cosine;
        solid_angle += cosine * environment.width;
    }
    return sum / solid_angle;
}

// Computes the weights of rows [begin, end), the part of luminance above `floor`, and their cells
// but for the probabilities. Widens their neighbours as well, which other threads repeat.
void make_rows(const scene::Environment& environment,
               double floor,
               u64 begin,
               u64 end,
               Rows& rows,
               std::span<shaders::EnvironmentCell> cells) {
    const u32 width = environment.width;
    const u32 height = environment.height;
    const u32 first = static_cast<u32>(begin);
    std::vector<double> above = widened_row(environment, first > 0 ? first - 1 : 0);
    std::vector<double> row = widened_row(environment, first);
    std::vector<double> weights(width);
    for (u32 y = first; y < end; ++y) {
        std::vector<double> below = y + 1 < height ? widened_row(environment, y + 1) : row;
        const double cosine = latitude_cosine(y, height);
        for (u32 x = 0; x < width; ++x) {
            const double widest = std::max({above[x], row[x], below[x]});
            weights[x] = std::max(0.0, widest - floor) * cosine;
        }
        rows.weights[y] = std::accumulate(weights.begin(), weights.end(), 0.0);
        invert_weights(weights, cells.subspan(std::size_t{y} * width, width));
        above = std::move(row);
        row = std::move(below);
    }
}

EnvironmentMoments moments_of(const scene::Environment& environment,
                              double mean,
                              const Rows& rows) {
    EnvironmentMoments sum;
    double solid_angle = 0;
    for (u32 y = 0; y < environment.height; ++y) {
        const double cosine = latitude_cosine(y, environment.height);
        const double up = shaders::sin_of((0.5 - (y + 0.5) / environment.height) * shaders::kPi);
        const RowSums& row = rows.sums[y];
        // A direction is (cosine · cos of the longitude, up, cosine · its sine).
        sum.first += cosine * math::DVec3(cosine * row.cosine, up * row.one, cosine * row.sine);
        const double square = cosine * cosine;
        sum.squares += cosine * math::DVec3(square * row.cosine_squared,
                                            up * up * row.one,
                                            square * (row.one - row.cosine_squared));
        sum.mixed +=
            cosine *
            math::DVec3(cosine * up * row.cosine, square * row.both, cosine * up * row.sine);
        solid_angle += cosine * environment.width;
    }
    const double strength = std::max(0.0, static_cast<double>(environment.strength));
    sum.mean = mean * strength;
    const double scale = strength / solid_angle;
    sum.first *= scale;
    sum.squares *= scale;
    sum.mixed *= scale;
    return sum;
}

}  // namespace

double luminance_of(const float rgb[3]) {
    constexpr double kWeights[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (u32 k = 0; k < 3; ++k) {
        sum += std::isfinite(rgb[k]) && rgb[k] > 0 ? kWeights[k] * static_cast<double>(rgb[k]) : 0;
    }
    return sum;
}

EnvironmentTable make_environment_table(const scene::Environment& environment, TableWork& work) {
    EnvironmentTable result;
    if (environment.width == 0 || environment.height == 0) {
        return result;
    }
    const u32 width = environment.width;
    const u32 height = environment.height;
    Rows rows;
    rows.sums.resize(height);
    rows.weights.resize(height);
    for (u32 x = 0; x < width; ++x) {
        rows.longitude.push_back(turn_of(((x + 0.5) / width - 0.5) * 2 * shaders::kPi));
    }
    work.compute(height, kRowsOfThread, [&](u64 begin, u64 end) {
        sum_rows(environment, begin, end, rows);
    });
    const double mean = mean_luminance(environment, rows);
    result.moments = moments_of(environment, mean, rows);
    if (width == 1 && height == 1) {
        return result;
    }
    const std::size_t texels = std::size_t{width} * height;
    result.cells.resize(texels + height);
    const std::span<shaders::EnvironmentCell> cells(result.cells);
    const auto weigh_above = [&](double floor) {
        work.compute(height, kRowsOfThread, [&](u64 begin, u64 end) {
            make_rows(environment, floor, begin, end, rows, cells.first(texels));
        });
    };
    weigh_above(mean * kMeanScale);
    const auto is_dark = [](double weight) { return weight <= 0; };
    if (std::all_of(rows.weights.begin(), rows.weights.end(), is_dark)) {
        weigh_above(0);  // a map of one colour
    }
    // Multiply the probabilities of rows and of cells in them.
    const std::span<shaders::EnvironmentCell> cells_of_rows = cells.subspan(texels);
    invert_weights(rows.weights, cells_of_rows);
    work.compute(height, kRowsOfThread, [&](u64 begin, u64 end) {
        for (u64 y = begin; y < end; ++y) {
            cells_of_rows[y].pdf = cells_of_rows[y].steps * 0x1p-24F;
            for (shaders::EnvironmentCell& cell : cells.subspan(y * width, width)) {
                cell.pdf = cells_of_rows[y].pdf * (cell.steps * 0x1p-24F);
            }
        }
    });
    return result;
}

shaders::SkyLight make_sky_light(const EnvironmentMoments& moments,
                                 double cosine,
                                 double sine,
                                 double unit) {
    // Turn the moments.
    const math::DVec3& first = moments.first;
    const math::DVec3& squares = moments.squares;
    const math::DVec3& mixed = moments.mixed;
    const double x = cosine * first[0] + sine * first[2];
    const double z = cosine * first[2] - sine * first[0];
    const double xz_part = 2 * cosine * sine * mixed[1];
    const double xx = cosine * cosine * squares[0] + sine * sine * squares[2] + xz_part;
    const double zz = sine * sine * squares[0] + cosine * cosine * squares[2] - xz_part;
    const double xz =
        cosine * sine * (squares[2] - squares[0]) + (cosine * cosine - sine * sine) * mixed[1];
    const double xy = cosine * mixed[0] + sine * mixed[2];
    const double yz = cosine * mixed[2] - sine * mixed[0];
    // The cosine c to a direction counts 3/32 + c/2 + 15/32 c², integrated over the sphere. The
    // square of z is 1 − x² − y².
    const double scale = 4 * shaders::kPi / unit;
    const double second = 15.0 / 32 * scale;
    const auto number = [](double a) { return static_cast<float>(std::clamp(a, -1e30, 1e30)); };
    shaders::SkyLight sky{};
    sky.terms[0] = number(3.0 / 32 * scale * moments.mean + second * zz);
    sky.terms[1] = number(0.5 * scale * x);
    sky.terms[2] = number(0.5 * scale * first[1]);
    sky.terms[3] = number(0.5 * scale * z);
    sky.terms[4] = number(second * (xx - zz));
    sky.terms[5] = number(second * (squares[1] - zz));
    sky.terms[6] = number(2 * second * xy);
    sky.terms[7] = number(2 * second * xz);
    sky.terms[8] = number(2 * second * yz);
    sky.around = number(scale * moments.mean);
    // The polynomial errs where the map has small bright parts.
    sky.least = std::max(sky.around * (1.0F / 64), 1e-30F);
    return sky;
}

}  // namespace weft::trace
