#include "engine/trace/environment_tables.h"

#include <algorithm>
#include <cmath>

#include "engine/trace/alias_table.h"
#include "shaders/host/scalar_math.h"

namespace weft::trace {

namespace {

constexpr u32 kRowsOfThread = 32;  // a thread widens two more

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

// Weights and luminance of all rows.
struct Rows {
    std::vector<double> weights;    // by texel
    std::vector<double> luminance;  // by row, summed from left to right
};

// Computes rows [begin, end). Widens their neighbours as well, which other threads repeat.
void make_rows(const scene::Environment& environment, u64 begin, u64 end, Rows& rows) {
    const u32 width = environment.width;
    const u32 height = environment.height;
    const u32 first = static_cast<u32>(begin);
    std::vector<double> above = widened_row(environment, first > 0 ? first - 1 : 0);
    std::vector<double> row = widened_row(environment, first);
    for (u32 y = first; y < end; ++y) {
        std::vector<double> below = y + 1 < height ? widened_row(environment, y + 1) : row;
        const double cosine = latitude_cosine(y, height);
        double sum = 0;
        for (u32 x = 0; x < width; ++x) {
            const std::size_t texel = std::size_t{y} * width + x;
            rows.weights[texel] = std::max({above[x], row[x], below[x]}) * cosine;
            sum += luminance_of(&environment.pixels[3 * texel]);
        }
        rows.luminance[y] = sum;
        above = std::move(row);
        row = std::move(below);
    }
}

double mean_luminance(const scene::Environment& environment, const Rows& rows) {
    double sum = 0;
    double solid_angle = 0;
    for (u32 y = 0; y < environment.height; ++y) {
        const double cosine = latitude_cosine(y, environment.height);
        sum += rows.luminance[y] * cosine;
        solid_angle += cosine * environment.width;
    }
    return sum / solid_angle;
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
    Rows rows;
    rows.weights.resize(std::size_t{environment.width} * environment.height);
    rows.luminance.resize(environment.height);
    work.compute(environment.height, kRowsOfThread, [&](u64 begin, u64 end) {
        make_rows(environment, begin, end, rows);
    });
    result.mean_luminance = mean_luminance(environment, rows) *
                            std::max(0.0, static_cast<double>(environment.strength));
    if (environment.width == 1 && environment.height == 1) {
        return result;
    }
    const AliasTable table = make_alias_table(rows.weights);
    result.cells.resize(table.pdf.size());
    const u64 texels_of_thread = u64{kRowsOfThread} * environment.width;
    work.compute(table.pdf.size(), texels_of_thread, [&](u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            result.cells[i] = {
                table.threshold[i], table.alias[i], static_cast<float>(table.pdf[i]), 0};
        }
    });
    return result;
}

}  // namespace weft::trace
