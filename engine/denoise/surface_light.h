// surface_light.h — the quantities of a picture that denoising computes with: the light that falls
// on surfaces, means over neighbours, and the brightness of the whole.
//
// Results of passes that were stopped are worth nothing, and box_mean() may be empty then.
#pragma once

#include <vector>

#include "engine/denoise/denoise_layers.h"
#include "engine/denoise/passes.h"
#include "engine/denoise/planes.h"

namespace weft::denoise {

// Added to the albedo before the division: black surfaces reflect a little, too.
inline constexpr float kAlbedoFloor = 0.05F;

// What a surface of this albedo reflects of the light: max(albedo, 0) + kAlbedoFloor.
float reflected_share(float albedo);

// Colours: those of a picture, or what a part of its light leaves of them.
struct PartOfLight {
    const film::Picture& whole;
    const film::Picture* maybe_less = nullptr;
};

// The light that falls on surfaces: the colours divided by what the surfaces reflect.
Planes surface_light(const PartOfLight& colour, const film::Picture& albedo, const Passes& passes);

// A radiance far below that of a typical pixel: 0.4 of the square of the mean root. 1 for a black
// picture.
float dark_light(const film::Picture& colour, const Passes& passes);

// The mean of each pixel's neighbours of at most `reach` columns and rows away, without those
// outside of the picture.
std::vector<float> box_mean(
    const std::vector<float>& values, u32 width, u32 height, u32 reach, const Passes& passes);

// Writes one value per pixel into a channel.
void put_values(Planes& planes,
                u32 channel,
                const std::vector<float>& values,
                const Passes& passes);

}  // namespace weft::denoise
