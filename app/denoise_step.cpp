#include "app/denoise_step.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/command/messages.h"
#include "engine/denoise/fast_filter.h"

namespace weft::app {

const char* denoised_by(denoise::Method method) {
    return method == denoise::Method::Fast ? "weft fast" : "weft quality";
}

base::Result<std::shared_ptr<const film::Picture>> denoised_picture(
    const film::ResolvedFilm& picture, const denoise::DenoiseConfig& config) {
    const base::Result<denoise::DenoiseLayers> layers = denoise::layers_of(picture, config.method);
    WEFT_TRY(layers);
    base::Result<film::Picture> denoised = denoise::denoise(layers.value(), config);
    WEFT_TRY(denoised);
    return std::make_shared<const film::Picture>(std::move(denoised.value()));
}

base::Result<film::Picture> denoised_layers(const film::StoredLayers& layers) {
    // The colour without alpha.
    film::Picture picture = layers.colour;
    picture.channels = 3;
    const std::size_t pixels = std::size_t{picture.width} * picture.height;
    for (std::size_t k = 0; k < pixels; ++k) {
        std::copy_n(&layers.colour.pixels[4 * k], 3, &picture.pixels[3 * k]);
    }
    picture.pixels.resize(3 * pixels);
    denoise::FastInput input;
    input.width = picture.width;
    input.height = picture.height;
    input.colour = picture.pixels;
    input.albedo = layers.albedo.pixels;
    input.normal = layers.normal.pixels;
    input.depth = layers.depth.pixels;
    input.sample_count = layers.samples_per_pixel;
    denoise::FastFilter filter;
    WEFT_TRY(filter.filter(input, picture.pixels, denoise::run_on_tbb));
    return picture;
}

void say_denoised(base::Clock::time_point begin) {
    say(Level::Info, fmt::format("denoised in {:.2f} s", base::seconds_since(begin)));
}

}  // namespace weft::app
