#include "engine/trace/environment_tables.h"

#include <algorithm>
#include <cmath>

#include "engine/trace/alias_table.h"
#include "shaders/scalar_math.h"

namespace weft::trace {

namespace {

// Largest luminance of each texel of row y and its two neighbours in the row, which wraps.
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

double mean_luminance(const scene::Environment& environment) {
    double sum = 0;
    double solid_angle = 0;
    for (u32 y = 0; y < environment.height; ++y) {
        double row = 0;
        for (u32 x = 0; x < environment.width; ++x) {
            row += luminance_of(&environment.pixels[3 * (std::size_t{y} * environment.width + x)]);
        }
        const double cosine = latitude_cosine(y, environment.height);
        sum += row * cosine;
        solid_angle += cosine * environment.width;
    }
    return sum / solid_angle;
}

std::vector<double> cell_weights(const scene::Environment& environment) {
    const u32 width = environment.width;
    const u32 height = environment.height;
    std::vector<double> weights(std::size_t{width} * height);
    std::vector<double> above = widened_row(environment, 0);
    std::vector<double> row = above;
    for (u32 y = 0; y < height; ++y) {
        std::vector<double> below = y + 1 < height ? widened_row(environment, y + 1) : row;
        const double cosine = latitude_cosine(y, height);
        for (u32 x = 0; x < width; ++x) {
            weights[std::size_t{y} * width + x] = std::max({above[x], row[x], below[x]}) * cosine;
        }
        above = std::move(row);
        row = std::move(below);
    }
    return weights;
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

EnvironmentTable make_environment_table(const scene::Environment& environment) {
    EnvironmentTable result;
    if (environment.width == 0 || environment.height == 0) {
        return result;
    }
    result.mean_luminance =
        mean_luminance(environment) * std::max(0.0, static_cast<double>(environment.strength));
    if (environment.width == 1 && environment.height == 1) {
        return result;
    }
    const AliasTable table = make_alias_table(cell_weights(environment));
    result.cells.resize(table.pdf.size());
    for (std::size_t i = 0; i < table.pdf.size(); ++i) {
        result.cells[i] = {table.threshold[i], table.alias[i], static_cast<float>(table.pdf[i]), 0};
    }
    return result;
}

}  // namespace weft::trace
