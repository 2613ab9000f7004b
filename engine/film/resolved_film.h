// resolved_film.h — what files are made of: the means of a film's layers, and for 8-bit formats
// the display bytes of the beauty.
//
// The tasks of a frame resolve and tone it part by part (engine/frame/tile_waves.h); the writers
// only encode it. A part is resolved by one thread at a time, then toned; distinct parts by any
// threads at once. All memory is taken by the constructor.
#pragma once

#include <vector>

#include "engine/film/display.h"
#include "engine/film/film.h"

namespace weft::film {

// Which bytes are wanted beside the means.
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

    // Means of all layers in the region, which lies in the crop. Nobody adds to it meanwhile, nor
    // to the pixels up to a multiple of 8 above and left of it. A pixel without any sample shows
    // shown_pixel() of it.
    void resolve(const Region& part);
    // Display bytes from those means; does nothing where none are wanted.
    void tone(const Region& part);
    // Both, of everything, over the machine's threads: for films that no frame has resolved.
    void finish();

    [[nodiscard]] const Film& film() const { return film_; }

    [[nodiscard]] const ResolveConfig& config() const { return config_; }

    // The pixel itself where it has samples; else the nearest to the upper left with samples among
    // those of every second, fourth, eighth row and column of the crop, which frames sample first;
    // the pixel itself where they have none. The film and its hash know nothing of this.
    struct Place {
        u32 x = 0;
        u32 y = 0;
    };

    [[nodiscard]] Place shown_pixel(u32 x, u32 y) const;

    // Rows of the crop from the top: RGBA premultiplied; an AOV's channels ("instance" has none: it
    // is read from the film); 3 or 4 bytes of a pixel.
    [[nodiscard]] const float* beauty_row(u32 row) const;
    [[nodiscard]] const float* aov_row(u32 layer, u32 row) const;
    [[nodiscard]] const u8* shown_row(u32 row) const;

    [[nodiscard]] u32 shown_channels() const { return config_.display.has_alpha ? 4 : 3; }

private:
    [[nodiscard]] std::size_t place_of(u32 x, u32 y) const;

    const Film& film_;
    ResolveConfig config_;
    Region crop_;
    base::PageArray<float> beauty_;
    std::vector<base::PageArray<float>> aovs_;
    base::PageArray<u8> shown_;
};

}  // namespace weft::film
