#include "engine/denoise/denoise_layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "engine/denoise/planes.h"
#include "engine/film/noise.h"

namespace weft::denoise {

namespace {

base::Error wrong_layer(const char* name, const std::string& sentence) {
    return {base::ErrorKind::Scene, fmt::format("layer {}: {}", name, sentence)};
}

film::Picture empty_picture(const film::Region& crop, u32 channels) {
    film::Picture picture;
    picture.width = crop.width();
    picture.height = crop.height();
    picture.channels = channels;
    picture.pixels.assign(std::size_t{picture.width} * picture.height * channels, 0.0F);
    return picture;
}

u32 index_of(const film::Film& film, film::Aov aov) {
    const std::vector<film::FilmLayer>& aovs = film.aovs();
    const auto found = std::find_if(
        aovs.begin(), aovs.end(), [aov](const film::FilmLayer& each) { return each.aov == aov; });
    return found == aovs.end() ? kNone : static_cast<u32>(found - aovs.begin());
}

// The means of both halves of a pixel's samples. The second is what the first leaves of the sums.
void split_halves(const film::Film& film,
                  const std::array<film::ExactSum, film::kFilmChannels>& half,
                  u32 x,
                  u32 y,
                  float* first,
                  float* second) {
    const auto first_count = static_cast<u32>(static_cast<u64>(half[kColours].value() >> 32));
    const u32 count = film.sample_count(x, y);
    const u32 second_count = count - std::min(count, first_count);
    const std::array<float, film::kFilmChannels> mean = film.pixel(x, y);
    for (u32 c = 0; c < kColours; ++c) {
        first[c] = film::exact_mean(half[c], first_count);
        if (second_count > 0) {
            const double rest =
                static_cast<double>(mean[c]) * count - static_cast<double>(first[c]) * first_count;
            second[c] = static_cast<float>(rest / second_count);
        }
    }
}

}  // namespace

std::array<NamedLayer, 6> named_layers(const DenoiseLayers& layers) {
    return {{{"rgba", &layers.colour},
             {"first half", &layers.first_half},
             {"second half", &layers.second_half},
             {"albedo", &layers.albedo},
             {"normal", &layers.normal},
             {"depth", &layers.depth}}};
}

base::Status check_layers(const DenoiseLayers& layers) {
    const u32 width = layers.colour.width;
    const u32 height = layers.colour.height;
    for (const NamedLayer& layer : named_layers(layers)) {
        const film::Picture& picture = *layer.picture;
        const u32 channels = layer.picture == &layers.depth ? 1 : kColours;
        if (picture.width != width || picture.height != height || picture.channels != channels) {
            return wrong_layer(layer.name,
                               fmt::format("{}x{} pixels of {} channels; expected {}x{} of {}",
                                           picture.width,
                                           picture.height,
                                           picture.channels,
                                           width,
                                           height,
                                           channels));
        }
        const auto bad = std::find_if(picture.pixels.begin(),
                                      picture.pixels.end(),
                                      [](float value) { return !std::isfinite(value); });
        if (bad != picture.pixels.end()) {
            const auto pixel = static_cast<u64>(bad - picture.pixels.begin()) / channels;
            return wrong_layer(
                layer.name, fmt::format("not finite at pixel {},{}", pixel % width, pixel / width));
        }
    }
    return base::Done{};
}

base::Result<DenoiseLayers> layers_of(const film::ResolvedFilm& picture) {
    const film::Film& film = picture.film();
    std::array<u32, kNeededAovs.size()> index{};
    for (std::size_t k = 0; k < kNeededAovs.size(); ++k) {
        index[k] = index_of(film, kNeededAovs[k]);
        if (index[k] == kNone) {
            return wrong_layer(film::aov_name(kNeededAovs[k]),
                               "missing; expected albedo, normal, depth and noise");
        }
    }
    const film::Region crop = film.crop();
    DenoiseLayers layers;
    for (film::Picture* const layer : {&layers.colour,
                                       &layers.first_half,
                                       &layers.second_half,
                                       &layers.albedo,
                                       &layers.normal}) {
        *layer = empty_picture(crop, kColours);
    }
    layers.depth = empty_picture(crop, 1);
    std::size_t pixel = 0;
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x, ++pixel) {
            const film::ResolvedFilm::Place shown = picture.shown_pixel(x, y);
            const std::array<float, film::kFilmChannels> mean = film.pixel(shown.x, shown.y);
            std::copy_n(mean.data(), kColours, &layers.colour.pixels[kColours * pixel]);
            film.aov_pixel(index[0], shown.x, shown.y, &layers.albedo.pixels[kColours * pixel]);
            film.aov_pixel(index[1], shown.x, shown.y, &layers.normal.pixels[kColours * pixel]);
            film.aov_pixel(index[2], shown.x, shown.y, &layers.depth.pixels[pixel]);
            split_halves(film,
                         film.aov_sums(index[3], shown.x, shown.y),
                         shown.x,
                         shown.y,
                         &layers.first_half.pixels[kColours * pixel],
                         &layers.second_half.pixels[kColours * pixel]);
        }
    }
    return layers;
}

}  // namespace weft::denoise
