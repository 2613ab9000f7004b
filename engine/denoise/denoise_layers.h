// denoise_layers.h — what the denoiser reads of a picture: its means, those of two halves of its
// samples, and the surface that each pixel shows.
//
// Plain data; any thread. What is read in passes that were stopped is worth nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/denoise/passes.h"
#include "engine/film/film.h"
#include "engine/film/image_file.h"
#include "scheduler/base/result.h"

namespace weft::denoise {

// Quality takes seconds; fast is the viewer's filter (denoiser.h).
enum class Method { Quality, Fast };

// The layers of a film that denoising needs beside the beauty.
inline constexpr std::array<film::Aov, 4> kNeededAovs = {
    film::Aov::Albedo, film::Aov::Normal, film::Aov::Depth, film::Aov::Noise};
// Those that quality makes the most of: what mirrors and clear glass show in place of the first
// surface, and direct light.
inline constexpr std::array<film::Aov, 5> kQualityAovs = {film::Aov::SeenAlbedo,
                                                          film::Aov::SeenNormal,
                                                          film::Aov::Depth,
                                                          film::Aov::Noise,
                                                          film::Aov::Direct};

// The layers that a film should have for the method.
std::span<const film::Aov> wanted_aovs(Method method);

// Pictures of one size, with 3 channels (depth 1). Where a pixel has no sample of a half, that half
// is zero there; where nothing is hit, so are albedo, normal and depth.
struct DenoiseLayers {
    film::Picture colour;      // linear radiance
    film::Picture first_half;  // of the samples: their noise is independent
    film::Picture second_half;
    film::Picture albedo;
    film::Picture normal;
    film::Picture depth;  // metres
    // Direct light (film::Aov::Direct), of all samples and of both halves; no pixels where the film
    // has none.
    film::Picture direct = {};
    film::Picture first_direct = {};
    film::Picture second_direct = {};

    [[nodiscard]] bool has_direct() const { return !direct.pixels.empty(); }
};

// The layers with their names, such as "albedo", in the order of declaration.
struct NamedLayer {
    const char* name;
    const film::Picture* picture;
};

std::vector<NamedLayer> named_layers(const DenoiseLayers& layers);

// An error of kind Scene that names the layer: another size or number of channels than its place
// has, or a value that is not finite, with its pixel.
base::Status check_layers(const DenoiseLayers& layers, const Passes& passes = Passes());

// The layers of a film's crop, as files show them. Quality takes what mirrors and glass show where
// the film has it, and direct light; fast takes the first surface where the film has that. An error
// of kind Scene names the first layer of kNeededAovs that the film lacks. Throws std::bad_alloc.
base::Result<DenoiseLayers> layers_of(const film::ResolvedFilm& picture,
                                      Method method,
                                      const Passes& passes = Passes());

}  // namespace weft::denoise
