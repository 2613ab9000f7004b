// denoise_layers.h — what the denoiser reads of a picture: its means, those of two halves of its
// samples, and the first surface of each pixel.
//
// Plain data; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/film/film.h"
#include "engine/film/image_file.h"
#include "scheduler/base/result.h"

namespace weft::denoise {

// The layers of a film that denoising needs beside the beauty.
inline constexpr std::array<film::Aov, 4> kNeededAovs = {
    film::Aov::Albedo, film::Aov::Normal, film::Aov::Depth, film::Aov::Noise};

// Pictures of one size, with 3 channels (depth 1). Where a pixel has no sample of a half, that half
// is zero there; where nothing is hit, so are albedo, normal and depth.
struct DenoiseLayers {
    film::Picture colour;      // linear radiance
    film::Picture first_half;  // of the samples: their noise is independent
    film::Picture second_half;
    film::Picture albedo;
    film::Picture normal;
    film::Picture depth;  // metres
};

// The layers with their names, such as "albedo", in the order of declaration.
struct NamedLayer {
    const char* name;
    const film::Picture* picture;
};

std::array<NamedLayer, 6> named_layers(const DenoiseLayers& layers);

// An error of kind Scene that names the layer: another size or number of channels than its place
// has, or a value that is not finite, with its pixel.
base::Status check_layers(const DenoiseLayers& layers);

// The layers of a film's crop, as files show them. An error of kind Scene names the first layer
// that the film lacks.
base::Result<DenoiseLayers> layers_of(const film::ResolvedFilm& picture);

}  // namespace weft::denoise
