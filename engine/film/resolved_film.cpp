#include "engine/film/resolved_film.h"

#include <algorithm>

#include "engine/film/parallel_rows.h"

namespace weft::film {

ResolvedFilm::ResolvedFilm(const Film& film, const ResolveConfig& config)
    : film_(film), config_(config), crop_(film.crop()) {
    const std::size_t pixels = std::size_t{crop_.width()} * crop_.height();
    beauty_ = base::PageArray<float>(pixels * kFilmChannels);
    for (const FilmLayer& layer : film.aovs()) {
        aovs_.emplace_back(pixels * layer.channels);
    }
    if (config.has_display) {
        shown_ = base::PageArray<u8>(pixels * shown_channels());
    }
}

bool ResolvedFilm::is_allocated() const {
    bool is_whole = beauty_.is_allocated() && (!config_.has_display || shown_.is_allocated());
    for (u32 layer = 0; layer < aovs_.size(); ++layer) {
        is_whole = is_whole && (film_.aovs()[layer].channels == 0 || aovs_[layer].is_allocated());
    }
    return is_whole;
}

std::size_t ResolvedFilm::place_of(u32 x, u32 y) const {
    return std::size_t{y - crop_.y0} * crop_.width() + (x - crop_.x0);
}

ResolvedFilm::Place ResolvedFilm::shown_pixel(u32 x, u32 y) const {
    for (u32 step = 1; step <= 8; step *= 2) {
        const Place place = {x - (x - crop_.x0) % step, y - (y - crop_.y0) % step};
        if (film_.sample_count(place.x, place.y) > 0) {
            return place;
        }
    }
    return {x, y};
}

void ResolvedFilm::resolve(const Region& part) {
    for (u32 y = part.y0; y < part.y1; ++y) {
        float* mean = beauty_.data() + kFilmChannels * place_of(part.x0, y);
        for (u32 x = part.x0; x < part.x1; ++x, mean += kFilmChannels) {
            const Place place = shown_pixel(x, y);
            const std::array<float, kFilmChannels> beauty = film_.pixel(place.x, place.y);
            std::copy(beauty.begin(), beauty.end(), mean);
        }
        for (u32 layer = 0; layer < aovs_.size(); ++layer) {
            const u32 channels = film_.aovs()[layer].channels;
            float* value = aovs_[layer].data() + channels * place_of(part.x0, y);
            for (u32 x = part.x0; channels != 0 && x < part.x1; ++x, value += channels) {
                const Place place = shown_pixel(x, y);
                film_.aov_pixel(layer, place.x, place.y, value);
            }
        }
    }
}

void ResolvedFilm::tone(const Region& part) {
    if (!config_.has_display) {
        return;
    }
    const u32 channels = shown_channels();
    for (u32 y = part.y0; y < part.y1; ++y) {
        const std::size_t place = place_of(part.x0, y);
        const float* mean = beauty_.data() + kFilmChannels * place;
        u8* bytes = shown_.data() + channels * place;
        for (u32 x = part.x0; x < part.x1; ++x, mean += kFilmChannels, bytes += channels) {
            display_pixel({mean[0], mean[1], mean[2], mean[3]}, config_.display, bytes);
        }
    }
}

void ResolvedFilm::finish() {
    for_rows(crop_.height(), [this](u32 row) {
        const Region part{crop_.x0, crop_.y0 + row, crop_.x1, crop_.y0 + row + 1};
        resolve(part);
        tone(part);
    });
}

const float* ResolvedFilm::beauty_row(u32 row) const {
    return beauty_.data() + std::size_t{kFilmChannels} * row * crop_.width();
}

const float* ResolvedFilm::aov_row(u32 layer, u32 row) const {
    return aovs_[layer].data() + std::size_t{film_.aovs()[layer].channels} * row * crop_.width();
}

const u8* ResolvedFilm::shown_row(u32 row) const {
    return shown_.data() + std::size_t{shown_channels()} * row * crop_.width();
}

}  // namespace weft::film
