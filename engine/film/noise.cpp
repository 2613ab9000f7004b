#include "engine/film/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::film {

namespace {

// Keeps the noise of black blocks finite.
constexpr double kDark = 1e-4;

constexpr u32 kColours = 3;

}  // namespace

u32 noise_layer(const Film& film) {
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        if (film.aovs()[layer].aov == Aov::Noise) {
            return layer;
        }
    }
    return kNone;
}

float block_noise(const Film& film, u32 layer, const Region& block) {
    double squares = 0;
    double light = 0;
    u32 pixels = 0;
    for (u32 y = block.y0; y < block.y1; ++y) {
        for (u32 x = block.x0; x < block.x1; ++x) {
            // Find the samples of both halves.
            const std::span<const ExactSum> half = film.aov_sums(layer, x, y);
            const auto first = static_cast<u32>(static_cast<u64>(half[kColours].value() >> 32));
            const u32 count = film.sample_count(x, y);
            if (first == 0 || first == count) {
                continue;
            }
            // With A of `first` samples and the mean M of all, A - B = (A - M) · count / |B|.
            const std::array<float, kFilmChannels> mean = film.pixel(x, y);
            double difference = 0;
            for (u32 c = 0; c < kColours; ++c) {
                difference += std::fabs(static_cast<double>(exact_mean(half[c], first)) -
                                        static_cast<double>(mean[c]));
                light += static_cast<double>(mean[c]);
            }
            const double error = difference * count / (2.0 * (count - first));
            squares += error * error;
            ++pixels;
        }
    }
    if (pixels == 0) {
        return std::numeric_limits<float>::infinity();
    }
    const double brightness = std::fmax(light / pixels, 0.0);
    return static_cast<float>(std::sqrt(squares / pixels) / (kDark + std::sqrt(brightness)));
}

bool is_clean_or_whole(const Film& film, float threshold, u32 samples) {
    const u32 layer = noise_layer(film);
    if (layer == kNone) {
        return false;
    }
    const Region crop = film.crop();
    const auto is_whole = [&](const Region& block) {
        for (u32 y = block.y0; y < block.y1; ++y) {
            for (u32 x = block.x0; x < block.x1; ++x) {
                if (film.sample_count(x, y) < samples) {
                    return false;
                }
            }
        }
        return true;
    };
    for (u32 y = crop.y0; y < crop.y1; y += kNoiseBlock) {
        for (u32 x = crop.x0; x < crop.x1; x += kNoiseBlock) {
            const Region block{
                x, y, std::min(x + kNoiseBlock, crop.x1), std::min(y + kNoiseBlock, crop.y1)};
            if (!is_whole(block) && !(block_noise(film, layer, block) <= threshold)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace weft::film
