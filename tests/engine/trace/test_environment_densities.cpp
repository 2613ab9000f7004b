// test_environment_densities.cpp — environment samples of the shade kernel follow the cells of the
// map, and carry radiance over density, on every instruction set.
//
// Chi-square is one-sided, since the samples are more even than random ones. The histogram must
// also reject wrong densities.
#include <doctest/doctest.h>

#include "engine/scene/import.h"
#include "engine/trace/reference/reference_lights.h"
#include "tests/engine/trace/floor_draws.h"

namespace weft::tests {

namespace {

// The map: 16 × 8 cells, a sun, a black part, turned about +Y.

constexpr u32 kColumns = 16;
constexpr u32 kRows = 8;

scene::Scene sky_scene() {
    scene::Scene scene = floor_scene();
    set_sky(scene, kColumns, kRows);
    for (u32 y = 0; y < kRows; ++y) {
        for (u32 x = 0; x < kColumns; ++x) {
            const bool is_black = x >= 9 && x <= 13 && y >= 1;
            float* pixel = &scene.environment.pixels[3 * (std::size_t{y} * kColumns + x)];
            std::fill(pixel, pixel + 3, is_black ? 0.0f : pixel[0]);
        }
    }
    return scene;
}

double texel(const scene::Environment& sky, int x, int y) {
    const auto column = static_cast<u32>(x + int{kColumns}) % kColumns;
    const auto row = static_cast<u32>(std::clamp(y, 0, int{kRows} - 1));
    return static_cast<double>(sky.pixels[3 * (std::size_t{row} * kColumns + column)]);
}

// The position of a direction on the map in cells, from the left and from the top.
struct MapPlace {
    double x, y;
};

MapPlace map_place(const scene::Environment& sky, const Point& direction) {
    const double c = std::cos(static_cast<double>(sky.rotation_rad));
    const double s = std::sin(static_cast<double>(sky.rotation_rad));
    const double x = c * direction[0] - s * direction[2];
    const double z = s * direction[0] + c * direction[2];
    return {kColumns * (0.5 + std::atan2(z, x) / (2 * kPi)),
            kRows * (0.5 - std::asin(std::clamp(direction[1], -1.0, 1.0)) / kPi)};
}

double bilinear(const scene::Environment& sky, const MapPlace& p) {
    const double x = std::floor(p.x - 0.5);
    const double y = std::floor(p.y - 0.5);
    const double across = p.x - 0.5 - x;
    const double down = p.y - 0.5 - y;
    const auto row = [&](int j) {
        const int i = static_cast<int>(x);
        return texel(sky, i, j) * (1 - across) + texel(sky, i + 1, j) * across;
    };
    return row(static_cast<int>(y)) * (1 - down) + row(static_cast<int>(y) + 1) * down;
}

// Within a quarter of a cell bilinear radiance is either positive or zero throughout. Bins: the
// quarters above the horizon, row by row, and one for draws without a shadow ray.
constexpr std::size_t kQuarters = std::size_t{4} * kColumns * kRows;

// Shares of the bins if cell (x, y) is drawn with `cell_pdf`, evenly over the map's area of it.
template <typename CellPdf>
std::vector<double> sky_shares(const scene::Environment& sky, const CellPdf& cell_pdf) {
    std::vector<double> shares(kQuarters + 1, 0.0);
    double seen = 0;
    for (std::size_t i = 0; i < kQuarters; ++i) {
        const std::size_t column = i % (2 * kColumns);
        const std::size_t row = i / (2 * kColumns);
        const MapPlace middle = {0.5 * static_cast<double>(column) + 0.25,
                                 0.5 * static_cast<double>(row) + 0.25};
        if (bilinear(sky, middle) > 0) {
            shares[i] = 0.25 * cell_pdf(column / 2, row / 2);
            seen += shares[i];
        }
    }
    shares[kQuarters] = 1 - seen;
    return shares;
}

std::vector<double> sky_histogram(const scene::Environment& sky,
                                  const std::vector<std::optional<Draw>>& draws) {
    std::vector<double> observed(kQuarters + 1, 0.0);
    for (const std::optional<Draw>& draw : draws) {
        std::size_t bin = kQuarters;
        if (draw) {
            const MapPlace p = map_place(sky, point_of(draw->shadow.direction));
            const auto column = std::min(static_cast<std::size_t>(2 * p.x), std::size_t{31});
            bin = static_cast<std::size_t>(2 * p.y) * 2 * kColumns + column;
            REQUIRE(bin < kQuarters);
        }
        observed[bin] += 1;
    }
    return observed;
}

}  // namespace

TEST_SUITE("engine/trace/environment_densities") {
    TEST_CASE("environment samples follow the cells' pdf and no even or unturned one") {
        scene::Scene scene = sky_scene();
        const trace::SceneTables tables = trace::make_scene_tables(scene, {});
        const auto cell_pdf = [&](std::size_t x, std::size_t y) {
            return static_cast<double>(tables.environment_cells[y * kColumns + x].pdf);
        };
        const auto even = [](std::size_t, std::size_t y) {
            const double step = kPi / kRows;
            const double top = 0.5 * kPi - step * static_cast<double>(y);
            return (std::sin(top) - std::sin(top - step)) / (2 * kColumns);
        };
        const auto turned = [&](std::size_t x, std::size_t y) {
            return cell_pdf((x + 1) % kColumns, y);
        };
        // Below the horizon there is no shadow ray.
        const auto above = [&](const auto& pdf) {
            std::vector<double> shares = sky_shares(scene.environment, pdf);
            for (std::size_t i = kQuarters / 2; i < kQuarters; ++i) {
                shares[kQuarters] += shares[i];
                shares[i] = 0;
            }
            return shares;
        };
        for_each_isa([&](Isa isa) {
            const auto observed = sky_histogram(scene.environment, light_draws(isa, tables.view));
            CHECK(p_value(observed, above(cell_pdf)) > kTooFar);
            CHECK(p_value(observed, above(even)) < kTooFar);
            CHECK(p_value(observed, above(turned)) < kTooFar);
        });
    }

    TEST_CASE("environment samples of the studio follow the texels' pdf") {
        scene::Scene scene = floor_scene();
        auto studio =
            scene::read_environment(WEFT_SOURCE_DIR "/assets/environments/studio.hdr", nullptr);
        REQUIRE(studio.is_ok());
        scene.environment = std::move(studio.value());
        // Any radiance at all, so that every draw above the horizon has a shadow ray.
        for (float& value : scene.environment.pixels.own()) {
            value += 1e-3f;
        }
        const u32 width = scene.environment.width;
        const u32 height = scene.environment.height;
        REQUIRE(width % kColumns == 0);
        REQUIRE(height % kRows == 0);
        const trace::SceneTables tables = trace::make_scene_tables(scene, {});
        // Bins: blocks of texels above the horizon, and one for all below.
        constexpr std::size_t kBlocks = std::size_t{kColumns} * kRows / 2;
        std::vector<double> shares(kBlocks + 1, 0.0);
        for (std::size_t i = 0; i < std::size_t{width} * height; ++i) {
            const std::size_t block =
                i / width / (height / kRows) * kColumns + i % width / (width / kColumns);
            shares[std::min(block, kBlocks)] +=
                static_cast<double>(tables.environment_cells[i].pdf);
        }
        for_each_isa([&](Isa isa) {
            std::vector<double> observed(kBlocks + 1, 0.0);
            for (const std::optional<Draw>& draw : light_draws(isa, tables.view)) {
                std::size_t bin = kBlocks;
                if (draw) {
                    const MapPlace p =
                        map_place(scene.environment, point_of(draw->shadow.direction));
                    bin = static_cast<std::size_t>(p.y) * kColumns +
                          std::min(static_cast<std::size_t>(p.x), std::size_t{kColumns - 1});
                    REQUIRE(bin < kBlocks);
                }
                observed[bin] += 1;
            }
            CHECK(p_value(observed, shares) > kTooFar);
            // A map turned by three blocks has other shares.
            std::vector<double> turned = shares;
            std::rotate(turned.begin(), turned.begin() + 3, turned.end() - 1);
            CHECK(p_value(observed, turned) < kTooFar);
        });
    }

    TEST_CASE("the place of an environment sample rises with both numbers of the point") {
        scene::Scene scene = sky_scene();
        const trace::SceneTables tables = trace::make_scene_tables(scene, {});
        for_each_isa([&](Isa isa) {
            const std::vector<std::optional<Draw>> draws = light_draws(isa, tables.view);
            struct Sample {
                trace::reference::Pair u;
                MapPlace place;
            };
            std::vector<Sample> samples;
            for (u32 i = 0; i < kDraws; ++i) {
                if (draws[i]) {
                    samples.push_back(
                        {trace::reference::light_numbers_of(kFloorPixel, i, 0).point,
                         map_place(scene.environment, point_of(draws[i]->shadow.direction))});
                }
            }
            REQUIRE(samples.size() > kDraws / 4);
            // Rows rise with the second number, and columns of a row with the first.
            constexpr double kRoundedPlace = 1e-4;
            std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
                return a.u.u1 < b.u.u1;
            });
            double fall = 0;
            for (std::size_t i = 1; i < samples.size(); ++i) {
                fall = std::max(fall, samples[i - 1].place.y - samples[i].place.y);
            }
            CHECK(fall < kRoundedPlace);
            const auto row_of = [](const Sample& pair) { return std::floor(pair.place.y); };
            std::sort(samples.begin(), samples.end(), [&](const Sample& a, const Sample& b) {
                return std::pair(row_of(a), a.u.u0) < std::pair(row_of(b), b.u.u0);
            });
            u32 falls = 0;
            for (std::size_t i = 1; i < samples.size(); ++i) {
                const bool falls_here = row_of(samples[i - 1]) == row_of(samples[i]) &&
                                        samples[i - 1].place.x - samples[i].place.x > kRoundedPlace;
                // Rounding may take a place over the border of its row.
                const double height = samples[i].place.y - row_of(samples[i]);
                const double before = samples[i - 1].place.y - row_of(samples[i]);
                const bool is_near = std::min(height, before) < kRoundedPlace ||
                                     std::max(height, before) > 1 - kRoundedPlace;
                falls += falls_here && !is_near ? 1 : 0;
            }
            CHECK(falls == 0);
        });
    }

    TEST_CASE("environment samples carry radiance over the density of their cell") {
        scene::Scene scene = sky_scene();
        const trace::SceneTables tables = trace::make_scene_tables(scene, {});
        for_each_isa([&](Isa isa) {
            double error = 0;
            u32 checked = 0;
            for (const std::optional<Draw>& draw : light_draws(isa, tables.view)) {
                if (!draw) {
                    continue;
                }
                const Point wi = point_of(draw->shadow.direction);
                const MapPlace p = map_place(scene.environment, wi);
                const double radiance = bilinear(scene.environment, p);
                // Near a border rounding may have put it in the other cell, near black and near
                // the horizon a relative error says nothing.
                const double to_border = std::max(std::fabs(p.x - std::floor(p.x) - 0.5),
                                                  std::fabs(p.y - std::floor(p.y) - 0.5));
                if (to_border > 0.499 || radiance < 0.01 || wi[1] < 0.01) {
                    continue;
                }
                const auto cell =
                    static_cast<std::size_t>(p.y) * kColumns + static_cast<std::size_t>(p.x);
                const double density = static_cast<double>(tables.environment_cells[cell].pdf) *
                                       kColumns * kRows /
                                       (2 * kPi * kPi * std::hypot(wi[0], wi[2]));
                const double weight = mis_weight(density, wi[1]);
                error =
                    std::max(error, light_error(*draw, wi[1] / kPi * radiance / density * weight));
                ++checked;
            }
            CHECK(checked > kDraws / 4);
            CHECK(error < kRounding);
        });
    }
}

}  // namespace weft::tests
