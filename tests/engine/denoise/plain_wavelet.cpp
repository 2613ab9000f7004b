#include "tests/engine/denoise/plain_wavelet.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/denoise/blend.h"
#include "engine/denoise/surface_light.h"

namespace weft::denoise::testing {

namespace {

using Triple = std::array<double, 3>;

struct Pixel {
    Triple light{};
    double variance = 0;
    bool is_known = false;
    Triple normal{};
    double inverse = 0;
    double slope_x = 0;
    double slope_y = 0;
    double albedo = 0;
    double root = 0;   // of what both halves have of the brightness
    double guide = 0;  // the mean square of roots of 3 × 3 pixels
};

using Pixels = std::vector<Pixel>;

double bright(const Triple& rgb) {
    return 0.25 * rgb[0] + 0.5 * rgb[1] + 0.25 * rgb[2];
}

Triple triple_of(std::span<const float> layer, std::size_t pixel) {
    Triple values{};
    for (std::size_t c = 0; c < 3 && !layer.empty(); ++c) {
        values[c] = static_cast<double>(layer[3 * pixel + c]);
    }
    return values;
}

double reflected(double albedo) {
    return std::max(albedo, 0.0) + static_cast<double>(kAlbedoFloor);
}

Triple light_of(const Triple& colour, const Triple& albedo) {
    Triple light{};
    for (u32 c = 0; c < 3; ++c) {
        light[c] = colour[c] / reflected(albedo[c]);
    }
    return light;
}

double samples_of(const FastInput& input, std::size_t pixel) {
    return input.samples.empty() ? input.sample_count : input.samples[pixel];
}

double falloff(double exponent) {
    return std::pow(std::max(0.0, 1 - exponent / 4), 4);
}

class PlainFilter {
public:
    explicit PlainFilter(const FastInput& input)
        : input_(input),
          width_(static_cast<i64>(input.width)),
          height_(static_cast<i64>(input.height)),
          pixels_(std::size_t{input.width} * input.height) {
        double roots = 0;
        double count = 0;
        for (std::size_t k = 0; k < pixels_.size(); ++k) {
            Pixel& pixel = pixels_[k];
            const Triple albedo = triple_of(input.albedo, k);
            const double depth = input.depth.empty() ? 0.0 : static_cast<double>(input.depth[k]);
            pixel.normal = triple_of(input.normal, k);
            pixel.albedo = (albedo[0] + albedo[1] + albedo[2]) / 3;
            pixel.inverse =
                depth > 0 ? std::min(1 / depth, static_cast<double>(kLargestInverse)) : 0;
            if (samples_of(input, k) > 0) {
                pixel.is_known = true;
                pixel.light = light_of(triple_of(input.colour, k), albedo);
                const double error =
                    0.5 * (bright(light_of(triple_of(input.first_half, k), albedo)) -
                           bright(light_of(triple_of(input.second_half, k), albedo)));
                pixel.variance = error * error;
                pixel.root = std::sqrt(std::max(0.0, bright(pixel.light) - std::fabs(error)));
                roots += std::sqrt(std::max(0.0, bright(pixel.light)));
                count += 1;
            }
        }
        const double mean = count > 0 ? roots / count : 0;
        dark_ = mean > 0 ? std::max(0.4 * mean * mean, 1e-12) : 1;
    }

    std::vector<double> filtered() {
        put_slopes();
        examine();
        std::vector<double> noise;
        for (const Pixel& pixel : pixels_) {
            noise.push_back(pixel.variance);
        }
        for (u32 level = 0; level < kWaveletLevels; ++level) {
            smooth(1 << level);
        }
        std::vector<double> out;
        for (std::size_t k = 0; k < pixels_.size(); ++k) {
            const double share = share_of(k, noise[k]);
            const Triple albedo = triple_of(input_.albedo, k);
            const Triple colour = triple_of(input_.colour, k);
            for (u32 c = 0; c < 3; ++c) {
                const double filtered = pixels_[k].light[c] * reflected(albedo[c]);
                out.push_back(colour[c] + share * (filtered - colour[c]));
            }
        }
        return out;
    }

private:
    [[nodiscard]] bool is_inside(i64 x, i64 y) const {
        return x >= 0 && x < width_ && y >= 0 && y < height_;
    }

    Pixel& at(i64 x, i64 y) { return pixels_[static_cast<std::size_t>(y * width_ + x)]; }

    // The smaller change of the inverse depth towards both sides; beyond the left and right sides
    // nothing is hit.
    void put_slopes() {
        for (i64 y = 0; y < height_; ++y) {
            for (i64 x = 0; x < width_; ++x) {
                Pixel& here = at(x, y);
                const auto smaller = [](double a, double b) {
                    return std::fabs(a) < std::fabs(b) ? a : b;
                };
                const double left = is_inside(x - 1, y) ? at(x - 1, y).inverse : 0;
                const double right = is_inside(x + 1, y) ? at(x + 1, y).inverse : 0;
                here.slope_x = smaller(here.inverse - left, right - here.inverse);
                const double above = y > 0 ? here.inverse - at(x, y - 1).inverse : 0;
                const double below = y + 1 < height_ ? at(x, y + 1).inverse - here.inverse : 0;
                here.slope_y = y > 0 && y + 1 < height_ ? smaller(above, below) : above + below;
            }
        }
    }

    static double unlikeness(const Pixel& here, const Pixel& there, i64 dx, i64 dy) {
        double turned = 0;
        for (u32 c = 0; c < 3; ++c) {
            turned += std::pow(here.normal[c] - there.normal[c], 2);
        }
        const double expected = here.inverse + here.slope_x * static_cast<double>(dx) +
                                here.slope_y * static_cast<double>(dy);
        const double off = (there.inverse - expected) / std::max(here.inverse, 1e-9);
        const double painted = here.albedo - there.albedo;
        return static_cast<double>(kNormalScale) * turned +
               static_cast<double>(kDepthScale) * off * off +
               static_cast<double>(kAlbedoScale) * painted * painted;
    }

    [[nodiscard]] double variance_floor(double brightness) const {
        return std::pow((std::fabs(brightness) + dark_) * static_cast<double>(kLeastChange), 2);
    }

    // The sums over a pixel's neighbours.
    struct Sums {
        double weight = 0;
        double roots = 0;
        double squares = 0;
        double variance = 0;
    };

    Sums sums_around(i64 x, i64 y, i64 reach) {
        Sums sums;
        for (i64 dy = -reach; dy <= reach; ++dy) {
            for (i64 dx = -reach; dx <= reach; ++dx) {
                if ((dx != 0 || dy != 0) && is_inside(x + dx, y + dy) &&
                    at(x + dx, y + dy).is_known) {
                    const Pixel& there = at(x + dx, y + dy);
                    const double part = falloff(unlikeness(at(x, y), there, dx, dy));
                    sums.weight += part;
                    sums.roots += part * there.root;
                    sums.squares += part * there.root * there.root;
                    sums.variance += part * there.variance;
                }
            }
        }
        return sums;
    }

    void examine() {
        Pixels out = pixels_;
        const bool has_halves = !input_.first_half.empty();
        for (i64 y = 0; y < height_; ++y) {
            for (i64 x = 0; x < width_; ++x) {
                const Pixel& here = at(x, y);
                const Sums sums = sums_around(x, y, kExamineReach);
                const double weight = std::max(sums.weight, 1e-6);
                const double mean = sums.roots / weight;
                const double spread = std::max(0.0, sums.squares / weight - mean * mean);
                const double known = here.is_known ? 1 : 0;
                const bool is_few = sums.weight <= static_cast<double>(kFewNeighbours);
                Pixel& to = out[static_cast<std::size_t>(y * width_ + x)];
                to.variance =
                    has_halves ? (sums.variance + known * here.variance) / (known + weight)
                    : is_few ? std::pow(static_cast<double>(kUnknownNoise) * bright(here.light), 2)
                             : 4 * mean * mean * spread;
                const double outlier = static_cast<double>(has_halves ? kOutlier : kOutlierAlone);
                const double root = mean + outlier * std::sqrt(spread);
                double bound = root * root + 0.01 * dark_;
                if (has_halves) {
                    bound = std::max(bound, bright(here.light) - std::sqrt(here.variance));
                }
                if (bright(here.light) > bound && !is_few) {
                    const double share = bound / bright(here.light);
                    for (double& value : to.light) {
                        value *= share;
                    }
                }
                const Sums near = sums_around(x, y, 1);
                to.guide =
                    (here.root * here.root + near.squares) / std::max(known + near.weight, 1e-6);
            }
        }
        pixels_ = out;
    }

    // e of the neighbour by its brightness.
    [[nodiscard]] double unlike_light(const Pixel& here, const Pixel& there, bool is_first) const {
        if (!here.is_known) {
            return 0;
        }
        const double level = is_first ? here.guide : bright(here.light);
        const double change = (is_first ? there.guide : bright(there.light)) - level;
        const double own = here.root * here.root - there.root * there.root;
        const double scale = static_cast<double>(is_first ? kGuideScale : kNoiseScale);
        const double own_scale = is_first ? static_cast<double>(kOwnScale) : 0.0;
        return (scale * change * change + own_scale * own * own) /
               (here.variance + variance_floor(level));
    }

    [[nodiscard]] double weight_of(
        const Pixel& here, const Pixel& there, i64 dx, i64 dy, bool is_first) const {
        const double exponent = unlikeness(here, there, dx, dy);
        return here.is_known ? falloff(exponent + unlike_light(here, there, is_first))
                             : std::max(falloff(static_cast<double>(kUnknownShare) * exponent),
                                        static_cast<double>(kUnknownWeight));
    }

    void smooth(i64 apart) {
        constexpr std::array<double, 5> kParts = {1.0 / 16, 1.0 / 4, 3.0 / 8, 1.0 / 4, 1.0 / 16};
        Pixels out = pixels_;
        for (i64 y = 0; y < height_; ++y) {
            for (i64 x = 0; x < width_; ++x) {
                const Pixel& here = at(x, y);
                double weight = 0;
                Triple light{};
                double variance = 0;
                for (i64 j = -2; j <= 2; ++j) {
                    for (i64 i = -2; i <= 2; ++i) {
                        const i64 dx = i * apart;
                        const i64 dy = j * apart;
                        if (!is_inside(x + dx, y + dy) || !at(x + dx, y + dy).is_known) {
                            continue;
                        }
                        const Pixel& there = at(x + dx, y + dy);
                        const double part = weight_of(here, there, dx, dy, apart == 1) *
                                            kParts[static_cast<std::size_t>(i + 2)] *
                                            kParts[static_cast<std::size_t>(j + 2)];
                        weight += part;
                        for (u32 c = 0; c < 3; ++c) {
                            light[c] += part * there.light[c];
                        }
                        variance += part * part * there.variance;
                    }
                }
                Pixel& to = out[static_cast<std::size_t>(y * width_ + x)];
                to.is_known = weight > 0;
                for (u32 c = 0; c < 3; ++c) {
                    to.light[c] = weight > 0 ? light[c] / weight : 0;
                }
                to.variance = weight > 0 ? variance / (weight * weight) : 0;
            }
        }
        pixels_ = out;
    }

    [[nodiscard]] double share_of(std::size_t k, double variance) const {
        const double samples = samples_of(input_, k);
        if (samples == 0) {
            return 1;
        }
        const double clean = static_cast<double>(kCleanNoise);
        const double noisy = static_cast<double>(kNoisyNoise);
        const double noise = std::sqrt(variance) / (std::fabs(bright(pixels_[k].light)) + dark_);
        double share = std::clamp((noise - clean) / (noisy - clean), 0.0, 1.0);
        if (input_.first_half.empty()) {
            const double few = static_cast<double>(kFewSamples);
            const double many = static_cast<double>(kManySamples);
            share *= std::clamp((many - samples) / (many - few), 0.0, 1.0);
        }
        return share;
    }

    const FastInput& input_;
    i64 width_;
    i64 height_;
    Pixels pixels_;
    double dark_ = 1;
};

}  // namespace

std::vector<double> filter_plainly(const FastInput& input) {
    return PlainFilter(input).filtered();
}

}  // namespace weft::denoise::testing
