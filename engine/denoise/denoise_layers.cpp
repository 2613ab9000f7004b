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

// The layer that shows albedo or normal to the method: of the surface seen or of the first one,
// each in place of the other where the film lacks that.
u32 surface_index(const film::Film& film, film::Aov aov, Method method) {
    const bool is_albedo = aov == film::Aov::Albedo;
    const u32 own = index_of(film, aov);
    if (!is_albedo && aov != film::Aov::Normal) {
        return own;
    }
    const u32 seen = index_of(film, is_albedo ? film::Aov::SeenAlbedo : film::Aov::SeenNormal);
    const bool takes_seen = own == kNone || (method == Method::Quality && seen != kNone);
    return takes_seen ? seen : own;
}

// The samples of a pixel in both halves.
struct HalfCounts {
    u32 first;
    u32 second;
};

// The means of both halves of a pixel's samples, of their sums and the mean of all. The second is
// what the first leaves of the sums.
void split_halves(std::span<const film::ExactSum> half,
                  const float* mean,
                  HalfCounts counts,
                  float* first,
                  float* second) {
    const u32 count = counts.first + counts.second;
    for (u32 c = 0; c < kColours; ++c) {
        first[c] = film::exact_mean(half[c], counts.first);
        if (counts.second > 0) {
            const double rest =
                static_cast<double>(mean[c]) * count - static_cast<double>(first[c]) * counts.first;
            second[c] = static_cast<float>(rest / counts.second);
        }
    }
}

}  // namespace

std::vector<NamedLayer> named_layers(const DenoiseLayers& layers) {
    std::vector<NamedLayer> named = {{"rgba", &layers.colour},
                                     {"first half", &layers.first_half},
                                     {"second half", &layers.second_half},
                                     {"albedo", &layers.albedo},
                                     {"normal", &layers.normal},
                                     {"depth", &layers.depth}};
    if (layers.has_direct()) {
        named.push_back({"direct", &layers.direct});
        named.push_back({"first half of direct", &layers.first_direct});
        named.push_back({"second half of direct", &layers.second_direct});
    }
    return named;
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

std::span<const film::Aov> wanted_aovs(Method method) {
    return method == Method::Quality ? std::span<const film::Aov>(kQualityAovs)
                                     : std::span<const film::Aov>(kNeededAovs);
}

base::Result<DenoiseLayers> layers_of(const film::ResolvedFilm& picture, Method method) {
    const film::Film& film = picture.film();
    std::array<u32, kNeededAovs.size()> index{};
    for (std::size_t k = 0; k < kNeededAovs.size(); ++k) {
        index[k] = surface_index(film, kNeededAovs[k], method);
        if (index[k] == kNone) {
            return wrong_layer(film::aov_name(kNeededAovs[k]),
                               "missing; expected albedo, normal, depth and noise");
        }
    }
    const u32 direct = method == Method::Quality ? index_of(film, film::Aov::Direct) : kNone;
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
    if (direct != kNone) {
        layers.direct = empty_picture(crop, kColours);
        layers.first_direct = empty_picture(crop, kColours);
        layers.second_direct = empty_picture(crop, kColours);
    }
    std::size_t pixel = 0;
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x, ++pixel) {
            const film::ResolvedFilm::Place shown = picture.shown_pixel(x, y);
            const std::array<float, film::kFilmChannels> mean = film.pixel(shown.x, shown.y);
            std::copy_n(mean.data(), kColours, &layers.colour.pixels[kColours * pixel]);
            film.aov_pixel(index[0], shown.x, shown.y, &layers.albedo.pixels[kColours * pixel]);
            film.aov_pixel(index[1], shown.x, shown.y, &layers.normal.pixels[kColours * pixel]);
            film.aov_pixel(index[2], shown.x, shown.y, &layers.depth.pixels[pixel]);
            const std::span<const film::ExactSum> half = film.aov_sums(index[3], shown.x, shown.y);
            const u32 count = film.sample_count(shown.x, shown.y);
            const auto first =
                std::min(count, static_cast<u32>(static_cast<u64>(half[kColours].value() >> 32)));
            const HalfCounts counts{first, count - first};
            split_halves(half,
                         mean.data(),
                         counts,
                         &layers.first_half.pixels[kColours * pixel],
                         &layers.second_half.pixels[kColours * pixel]);
            if (layers.has_direct()) {
                float* const direct_mean = &layers.direct.pixels[kColours * pixel];
                film.aov_pixel(direct, shown.x, shown.y, direct_mean);
                split_halves(film.aov_sums(direct, shown.x, shown.y).subspan(kColours),
                             direct_mean,
                             counts,
                             &layers.first_direct.pixels[kColours * pixel],
                             &layers.second_direct.pixels[kColours * pixel]);
            }
        }
    }
    return layers;
}

}  // namespace weft::denoise
