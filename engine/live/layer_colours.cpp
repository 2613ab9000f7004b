#include "engine/live/layer_colours.h"

#include <algorithm>
#include <cmath>

#include "shaders/host/scalar_math.h"

namespace weft::live {

namespace {

using film::Aov;
using Rgb = std::array<float, 3>;

// The scale of false colours covers so many stops on both sides of middle grey.
constexpr float kStops = 6;
constexpr float kMiddleGrey = 0.18F;

float log2_of(float value) {
    constexpr float kTiny = 1e-30F;
    return static_cast<float>(shaders::log2_of(static_cast<double>(std::max(value, kTiny))));
}

float power_of_two(float power) {
    return static_cast<float>(shaders::exp2_of(static_cast<double>(power)));
}

void put(const Rgb& display, u8* rgba) {
    for (std::size_t c = 0; c < 3; ++c) {
        rgba[c] = film::to_byte(display[c]);
    }
    rgba[3] = 255;
}

Rgb false_luminance(const float* rgb, float scale) {
    const float luminance = 0.2126F * rgb[0] + 0.7152F * rgb[1] + 0.0722F * rgb[2];
    const float stops = log2_of(luminance * scale / kMiddleGrey);
    return false_colour((stops + kStops) / (2 * kStops));
}

// The ends of the scale of noise: clean, and that of a few samples of a dim room.
constexpr float kLeastNoise = 0.01F;
constexpr float kMostNoise = 2;

Rgb noise_colour(float noise) {
    const float place =
        (log2_of(noise) - log2_of(kLeastNoise)) / (log2_of(kMostNoise) - log2_of(kLeastNoise));
    return noise > 0 ? false_colour(place) : Rgb{};
}

Rgb depth_colour(float depth_m, const LiveView& view) {
    if (view.has_false_colours) {
        const float nearest = log2_of(view.depth_range_m[0]);
        const float farthest = log2_of(view.depth_range_m[1]);
        return depth_m > 0 ? false_colour((log2_of(depth_m) - nearest) / (farthest - nearest))
                           : Rgb{};
    }
    const float grey = depth_m > 0 ? 1 / (1 + 0.2F * depth_m) : 0;
    return {grey, grey, grey};
}

// Neighbouring numbers get very different colours.
Rgb instance_colour(u32 instance) {
    if (instance == kNone) {
        return {};
    }
    u32 hash = (instance + 1) * 0x9e3779b1u;
    hash ^= hash >> 15;
    hash *= 0x85ebca77u;
    hash ^= hash >> 13;
    const auto part = [&](u32 shift) {
        return 0.25F + 0.75F * static_cast<float>(hash >> shift & 255) / 255;
    };
    return {part(0), part(8), part(16)};
}

float fraction(float value) {
    return value - std::floor(value);
}

}  // namespace

std::array<float, 3> false_colour(float at) {
    constexpr std::array<Rgb, 7> kScale = {{{0, 0, 0.1F},
                                            {0.1F, 0.1F, 0.75F},
                                            {0, 0.6F, 0.75F},
                                            {0.1F, 0.7F, 0.1F},
                                            {0.95F, 0.9F, 0.1F},
                                            {0.9F, 0.15F, 0.05F},
                                            {1, 1, 1}}};
    const float place = std::clamp(at, 0.0F, 1.0F) * (kScale.size() - 1);
    const auto step = std::min(static_cast<std::size_t>(place), kScale.size() - 2);
    const float part = place - static_cast<float>(step);
    Rgb colour{};
    for (std::size_t c = 0; c < 3; ++c) {
        colour[c] = kScale[step][c] + part * (kScale[step + 1][c] - kScale[step][c]);
    }
    return colour;
}

std::optional<std::array<float, 2>> false_colour_range(const LiveView& view) {
    if (view.layer == Aov::Noise) {
        return std::array{kLeastNoise, kMostNoise};
    }
    const bool is_light = !view.layer || film::is_light_aov(*view.layer);
    const bool has_scale = is_light || view.layer == Aov::Depth || view.layer == Aov::Albedo;
    if (!view.has_false_colours || !has_scale) {
        return std::nullopt;
    }
    if (view.layer == Aov::Depth) {
        return view.depth_range_m;
    }
    const float middle = is_light ? kMiddleGrey * power_of_two(-view.exposure_stops) : kMiddleGrey;
    return std::array{middle * power_of_two(-kStops), middle * power_of_two(kStops)};
}

film::DisplayConfig display_of(const LiveView& view) {
    return {view.transform, film::exposure_scale(view.exposure_stops), true, view.config_view};
}

void beauty_bytes(const float* mean,
                  const LiveView& view,
                  const film::DisplayConfig& display,
                  u8* rgba) {
    if (view.has_false_colours) {
        put(false_luminance(mean, display.scale), rgba);
        return;
    }
    film::display_pixel({mean[0], mean[1], mean[2], mean[3]}, display, rgba);
}

void layer_bytes(const LiveView& view,
                 const film::DisplayConfig& display,
                 const float* values,
                 u32 instance,
                 u8* rgba) {
    if (view.layer == Aov::Instance) {
        put(instance_colour(instance), rgba);
    } else if (view.layer == Aov::Noise) {
        put(noise_colour(values[0]), rgba);
    } else if (view.layer == Aov::Depth) {
        put(depth_colour(values[0], view), rgba);
    } else if (view.layer == Aov::Normal) {
        put({0.5F + 0.5F * values[0], 0.5F + 0.5F * values[1], 0.5F + 0.5F * values[2]}, rgba);
    } else if (view.layer == Aov::Position) {
        put({fraction(values[0]), fraction(values[1]), fraction(values[2])}, rgba);
    } else if (film::is_light_aov(*view.layer)) {
        const std::array<float, 4> opaque = {values[0], values[1], values[2], 1};
        beauty_bytes(opaque.data(), view, display, rgba);
    } else if (view.has_false_colours) {
        put(false_luminance(values, 1), rgba);
    } else {
        const std::array<u8, 3> shown =
            film::shown_bytes(display, {values[0], values[1], values[2]});
        std::copy(shown.begin(), shown.end(), rgba);
        rgba[3] = 255;
    }
}

}  // namespace weft::live
