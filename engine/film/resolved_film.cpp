#include "engine/film/resolved_film.h"

#include <algorithm>

#include "engine/film/noise.h"
#include "engine/film/parallel_rows.h"

namespace weft::film {

namespace {

// Of the lattices that frames sample first.
constexpr u32 kCoarsestStep = 8;

// No pixel of the part shows a sample.
bool is_empty(const Film& film, const Region& part) {
    const Region crop = film.crop();
    const u32 x0 = part.x0 - (part.x0 - crop.x0) % kCoarsestStep;
    const u32 y0 = part.y0 - (part.y0 - crop.y0) % kCoarsestStep;
    for (u32 y = y0; y < part.y1; ++y) {
        for (u32 x = x0; x < part.x1; ++x) {
            if (film.sample_count(x, y) > 0) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

ResolvedFilm::ResolvedFilm(const Film& film, const ResolveConfig& config)
    : film_(film), config_(config), crop_(film.crop()) {
    const std::size_t pixels = std::size_t{crop_.width()} * crop_.height();
    beauty_ = base::PageArray<float>(pixels * kFilmChannels);
    for (const FilmLayer& layer : film.aovs()) {
        aovs_.emplace_back(pixels * aov_values(layer.aov));
    }
    if (config.has_display) {
        shown_ = base::PageArray<u8>(pixels * shown_channels());
    }
}

bool ResolvedFilm::is_allocated() const {
    bool is_whole = beauty_.is_allocated() && (!config_.has_display || shown_.is_allocated());
    for (u32 layer = 0; layer < aovs_.size(); ++layer) {
        const bool has_values = aov_values(film_.aovs()[layer].aov) != 0;
        is_whole = is_whole && (!has_values || aovs_[layer].is_allocated());
    }
    return is_whole;
}

std::size_t ResolvedFilm::place_of(u32 x, u32 y) const {
    return std::size_t{y - crop_.y0} * crop_.width() + (x - crop_.x0);
}

ResolvedFilm::Place ResolvedFilm::shown_pixel(u32 x, u32 y) const {
    for (u32 step = 1; step <= kCoarsestStep; step *= 2) {
        const Place place = {x - (x - crop_.x0) % step, y - (y - crop_.y0) % step};
        if (film_.sample_count(place.x, place.y) > 0) {
            return place;
        }
    }
    return {x, y};
}

// Means without samples are 0, as the memory is from the start.
void ResolvedFilm::resolve(const Region& part) {
    if (is_empty(film_, part)) {
        return;
    }
    for (u32 y = part.y0; y < part.y1; ++y) {
        float* mean = beauty_.data() + kFilmChannels * place_of(part.x0, y);
        for (u32 x = part.x0; x < part.x1; ++x, mean += kFilmChannels) {
            const Place place = shown_pixel(x, y);
            const std::array<float, kFilmChannels> beauty = film_.pixel(place.x, place.y);
            std::copy(beauty.begin(), beauty.end(), mean);
        }
    }
    for (u32 layer = 0; layer < aovs_.size(); ++layer) {
        if (film_.aovs()[layer].aov == Aov::Noise) {
            resolve_noise(layer, part);
        } else {
            resolve_aov(layer, part);
        }
    }
}

void ResolvedFilm::resolve_aov(u32 layer, const Region& part) {
    const u32 channels = aov_values(film_.aovs()[layer].aov);
    for (u32 y = part.y0; channels != 0 && y < part.y1; ++y) {
        float* value = aovs_[layer].data() + channels * place_of(part.x0, y);
        for (u32 x = part.x0; x < part.x1; ++x, value += channels) {
            const Place place = shown_pixel(x, y);
            film_.aov_pixel(layer, place.x, place.y, value);
        }
    }
}

// Every pixel of a block shows the block's noise. Parts begin and end at the sides of blocks.
void ResolvedFilm::resolve_noise(u32 layer, const Region& part) {
    for (u32 y0 = part.y0; y0 < part.y1; y0 += kNoiseBlock) {
        for (u32 x0 = part.x0; x0 < part.x1; x0 += kNoiseBlock) {
            const Region block{
                x0, y0, std::min(x0 + kNoiseBlock, part.x1), std::min(y0 + kNoiseBlock, part.y1)};
            const float noise = block_noise(film_, layer, block);
            for (u32 y = block.y0; y < block.y1; ++y) {
                std::fill_n(aovs_[layer].data() + place_of(x0, y), block.width(), noise);
            }
        }
    }
}

void ResolvedFilm::tone(const Region& part) {
    if (!config_.has_display) {
        return;
    }
    const u32 channels = shown_channels();
    if (is_empty(film_, part)) {
        std::array<u8, 4> empty{};
        display_pixel({0, 0, 0, 0}, config_.display, empty.data());
        if (empty == std::array<u8, 4>{}) {
            return;
        }
    }
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
    const u32 bands = (crop_.height() + kCoarsestStep - 1) / kCoarsestStep;
    for_rows(bands, [this](u32 band) {
        const u32 y0 = crop_.y0 + band * kCoarsestStep;
        const u32 y1 = std::min(y0 + kCoarsestStep, crop_.y1);
        constexpr u32 kColumns = 128;
        for (u32 x0 = crop_.x0; x0 < crop_.x1; x0 += kColumns) {
            const Region part{x0, y0, std::min(x0 + kColumns, crop_.x1), y1};
            resolve(part);
            tone(part);
        }
    });
}

const float* ResolvedFilm::beauty_row(u32 row) const {
    return beauty_.data() + std::size_t{kFilmChannels} * row * crop_.width();
}

const float* ResolvedFilm::aov_row(u32 layer, u32 row) const {
    const std::size_t values = aov_values(film_.aovs()[layer].aov);
    return aovs_[layer].data() + values * row * crop_.width();
}

const u8* ResolvedFilm::shown_row(u32 row) const {
    return shown_.data() + std::size_t{shown_channels()} * row * crop_.width();
}

}  // namespace weft::film
