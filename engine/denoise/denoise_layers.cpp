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

// The first value that is not finite; without one, how many there are.
u64 first_not_finite(const film::Picture& picture, const Passes& passes) {
    const std::size_t row = std::size_t{picture.width} * picture.channels;
    std::vector<u64> first(picture.height, picture.pixels.size());
    passes.run(picture.height, [&](u32 y) {
        const auto begin = picture.pixels.begin() + static_cast<std::ptrdiff_t>(y * row);
        const auto end = begin + static_cast<std::ptrdiff_t>(row);
        const auto bad =
            std::find_if(begin, end, [](float value) { return !std::isfinite(value); });
        if (bad != end) {
            first[y] = static_cast<u64>(bad - picture.pixels.begin());
        }
    });
    return first.empty() ? 0 : *std::min_element(first.begin(), first.end());
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

// Where a film has what is read of it.
struct LayerPlaces {
    std::array<u32, kNeededAovs.size()> needed{};
    u32 direct = kNone;
};

base::Result<LayerPlaces> places_of(const film::Film& film, Method method) {
    LayerPlaces places;
    for (std::size_t k = 0; k < kNeededAovs.size(); ++k) {
        places.needed[k] = surface_index(film, kNeededAovs[k], method);
        if (places.needed[k] == kNone) {
            return wrong_layer(film::aov_name(kNeededAovs[k]),
                               "missing; expected albedo, normal, depth and noise");
        }
    }
    places.direct = method == Method::Quality ? index_of(film, film::Aov::Direct) : kNone;
    return places;
}

void make_room(DenoiseLayers& layers,
               const film::Region& crop,
               bool has_direct,
               const Passes& passes) {
    std::vector<film::Picture*> pictures = {&layers.colour,
                                            &layers.first_half,
                                            &layers.second_half,
                                            &layers.albedo,
                                            &layers.normal,
                                            &layers.depth};
    if (has_direct) {
        pictures.insert(pictures.end(),
                        {&layers.direct, &layers.first_direct, &layers.second_direct});
    }
    for (film::Picture* const picture : pictures) {
        if (!passes.must_stop()) {
            *picture = empty_picture(crop, picture == &layers.depth ? 1 : kColours);
        }
    }
}

// Reads pixel (x, y) of the film, which is number `pixel` of the layers.
void read_pixel(const film::ResolvedFilm& picture,
                const LayerPlaces& places,
                u32 x,
                u32 y,
                std::size_t pixel,
                DenoiseLayers& layers) {
    const film::Film& film = picture.film();
    const auto& [albedo, normal, depth, noise] = places.needed;
    const film::ResolvedFilm::Place shown = picture.shown_pixel(x, y);
    const std::array<float, film::kFilmChannels> mean = film.pixel(shown.x, shown.y);
    std::copy_n(mean.data(), kColours, &layers.colour.pixels[kColours * pixel]);
    film.aov_pixel(albedo, shown.x, shown.y, &layers.albedo.pixels[kColours * pixel]);
    film.aov_pixel(normal, shown.x, shown.y, &layers.normal.pixels[kColours * pixel]);
    film.aov_pixel(depth, shown.x, shown.y, &layers.depth.pixels[pixel]);
    const std::span<const film::ExactSum> half = film.aov_sums(noise, shown.x, shown.y);
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
        film.aov_pixel(places.direct, shown.x, shown.y, direct_mean);
        split_halves(film.aov_sums(places.direct, shown.x, shown.y).subspan(kColours),
                     direct_mean,
                     counts,
                     &layers.first_direct.pixels[kColours * pixel],
                     &layers.second_direct.pixels[kColours * pixel]);
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

base::Status check_layers(const DenoiseLayers& layers, const Passes& passes) {
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
        if (const u64 bad = first_not_finite(picture, passes); bad < picture.pixels.size()) {
            const u64 pixel = bad / channels;
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

base::Result<DenoiseLayers> layers_of(const film::ResolvedFilm& picture,
                                      Method method,
                                      const Passes& passes) {
    const base::Result<LayerPlaces> places = places_of(picture.film(), method);
    WEFT_TRY(places);
    const film::Region crop = picture.film().crop();
    DenoiseLayers layers;
    make_room(layers, crop, places.value().direct != kNone, passes);
    passes.run(crop.height(), [&](u32 row) {
        std::size_t pixel = std::size_t{row} * crop.width();
        for (u32 x = crop.x0; x < crop.x1; ++x, ++pixel) {
            read_pixel(picture, places.value(), x, crop.y0 + row, pixel, layers);
        }
    });
    return layers;
}

}  // namespace weft::denoise
