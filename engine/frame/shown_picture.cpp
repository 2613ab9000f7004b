#include "engine/frame/shown_picture.h"

#include <algorithm>
#include <utility>

#include "engine/frame/layer_colours.h"

namespace weft::frame {

namespace {

void put_row(const film::Film& film, const LiveView& view, u32 layer, u32 y, u8* rgba) {
    const film::Region crop = film.crop();
    for (u32 x = crop.x0; x < crop.x1; ++x, rgba += 4) {
        if (layer == kNone) {
            beauty_bytes(film.pixel(x, y), view, rgba);
            continue;
        }
        float values[3] = {};
        const bool is_index = film.aovs()[layer].channels == 0;
        if (!is_index) {
            film.aov_pixel(layer, x, y, values);
        }
        layer_bytes(view, values, is_index ? film.instance(x, y) : kNone, rgba);
    }
}

}  // namespace

void ShownPicture::put(const film::Film& film, const LiveView& view, u32 samples, u64 job) {
    const auto layer = std::find_if(film.aovs().begin(), film.aovs().end(), [&](const auto& aov) {
        return aov.name == view.layer;
    });
    const u32 shown_layer =
        layer == film.aovs().end() ? kNone : static_cast<u32>(layer - film.aovs().begin());
    made_.region = film.crop();
    made_.full_width = film.width();
    made_.full_height = film.height();
    made_.width = made_.region.width();
    made_.height = made_.region.height();
    made_.samples = samples;
    made_.job = job;
    made_.rgba.resize(std::size_t{made_.width} * made_.height * 4);
    for (u32 row = 0; row < made_.height; ++row) {
        put_row(film,
                view,
                shown_layer,
                made_.region.y0 + row,
                made_.rgba.data() + std::size_t{row} * made_.width * 4);
    }
    const std::lock_guard lock(mutex_);
    std::swap(made_, newest_);
    is_new_ = true;
}

bool ShownPicture::take(LivePicture& picture) {
    const std::lock_guard lock(mutex_);
    if (is_new_) {
        std::swap(picture, newest_);
    }
    return std::exchange(is_new_, false);
}

}  // namespace weft::frame
