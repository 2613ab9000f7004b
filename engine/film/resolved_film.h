// resolved_film.h — the input of file writers: the means of a film's layers, and for 8-bit formats
// the display bytes of the beauty.
//
// The tasks of a frame resolve and tone it part by part (engine/frame/tile_waves.h); the writers
// only encode it. One thread at a time resolves a part, then tones it; any threads work on distinct
// parts at once. The constructor takes all memory.
#pragma once

#include <vector>

#include "engine/film/display.h"
#include "engine/film/film.h"

namespace weft::film {

// The display bytes to make beside the means.
struct ResolveConfig {
    bool has_display = false;
    DisplayConfig display;

    bool operator==(const ResolveConfig&) const = default;
};

class ResolvedFilm {
public:
    // The film outlives this. Ask is_allocated().
    ResolvedFilm(const Film& film, const ResolveConfig& config);

    [[nodiscard]] bool is_allocated() const;

    // Computes the means of all layers in the region, which lies in the crop; its sides are those
    // of blocks of 8x8 pixels that begin at the crop's corner, or the crop's. No thread may add to
    // it meanwhile, nor to the pixels up to a multiple of 8 above and left of it. A pixel without
    // samples gets the means of its shown_pixel().
    void resolve(const Region& part);
    // Computes display bytes from those means, if there are any.
    void tone(const Region& part);
    // Resolves and tones everything on the machine's threads: for films outside a frame.
    void finish();

    [[nodiscard]] const Film& film() const { return film_; }

    [[nodiscard]] const ResolveConfig& config() const { return config_; }

    // The pixel itself where it has samples; otherwise the nearest pixel to the upper left that has
    // samples, among those of every second, fourth, eighth row and column of the crop, which frames
    // sample first; or the pixel itself where those have none either. Film and hash do not change.
    struct Place {
        u32 x = 0;
        u32 y = 0;
    };

    [[nodiscard]] Place shown_pixel(u32 x, u32 y) const;

    // Rows of the crop from the top: RGBA premultiplied; an AOV's values ("instance" and "samples"
    // have none: they are read from the film); 3 or 4 bytes of a pixel.
    [[nodiscard]] const float* beauty_row(u32 row) const;
    [[nodiscard]] const float* aov_row(u32 layer, u32 row) const;
    [[nodiscard]] const u8* shown_row(u32 row) const;

    [[nodiscard]] u32 shown_channels() const { return config_.display.has_alpha ? 4 : 3; }

private:
    [[nodiscard]] std::size_t place_of(u32 x, u32 y) const;
    void resolve_aov(u32 layer, const Region& part);
    void resolve_noise(u32 layer, const Region& part);

    const Film& film_;
    ResolveConfig config_;
    Region crop_;
    base::PageArray<float> beauty_;
    std::vector<base::PageArray<float>> aovs_;
    base::PageArray<u8> shown_;
};

}  // namespace weft::film
