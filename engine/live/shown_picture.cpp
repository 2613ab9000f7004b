#include "engine/live/shown_picture.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/film/parallel_rows.h"
#include "engine/live/layer_colours.h"

namespace weft::live {

namespace {

constexpr std::size_t kChannels = 4;  // of means and of bytes

// The index of an AOV in the film; kNone: the beauty, or the film lacks it.
u32 index_of(const film::Film& film, std::optional<film::Aov> aov) {
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        if (film.aovs()[layer].aov == aov) {
            return layer;
        }
    }
    return kNone;
}

u64 next_number() {
    static std::atomic<u64> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;  // only has to be unique
}

// The place of an enlarged picture's pixel in the small one: its two neighbours and the weight of
// the second, in 1/256.
struct Between {
    u32 first = 0;
    u32 second = 0;
    u32 part = 0;
};

Between between(u32 at, u32 large, u32 small) {
    const i64 place = (i64{2} * at + 1) * small * 128 / large - 128;  // in 1/256, centre to centre
    const i64 inside = std::clamp<i64>(place, 0, (i64{small} - 1) * 256);
    const auto first = static_cast<u32>(inside / 256);
    return {first, std::min(first + 1, small - 1), static_cast<u32>(inside % 256)};
}

u8 mixed(const u8* top, const u8* bottom, const Between& x, u32 y_part, std::size_t c) {
    const auto along = [&](const u8* row) {
        return row[x.first * kChannels + c] * (256 - x.part) +
               row[x.second * kChannels + c] * x.part;
    };
    return static_cast<u8>((along(top) * (256 - y_part) + along(bottom) * y_part + (1U << 15)) >>
                           16);
}

u32 least(const std::vector<u32>& numbers) {
    return *std::min_element(numbers.begin(), numbers.end());
}

}  // namespace

ShownFrame::ShownFrame(const film::Film& film, const LiveView& view, const ShownPlace& place)
    : film_(film),
      view_(view),
      scale_(film::exposure_scale(view.exposure_stops)),
      layer_(index_of(film, view.layer)),
      place_(place),
      job_(place.job),
      number_(next_number()),
      crop_(film.crop()),
      tiles_x_((crop_.width() + kTileSize - 1) / kTileSize),
      tile_count_(tiles_x_ * ((crop_.height() + kTileSize - 1) / kTileSize)),
      tiles_(std::make_unique<Tile[]>(tile_count_)),
      open_tiles_(tile_count_) {}

ShownFrame::Tile& ShownFrame::tile_of(const film::Region& tile) const {
    return tiles_[(tile.y0 - crop_.y0) / kTileSize * tiles_x_ + (tile.x0 - crop_.x0) / kTileSize];
}

film::Region ShownFrame::region_of(u32 tile) const {
    film::Region region;
    region.x0 = crop_.x0 + tile % tiles_x_ * kTileSize;
    region.y0 = crop_.y0 + tile / tiles_x_ * kTileSize;
    region.x1 = std::min(region.x0 + kTileSize, crop_.x1);
    region.y1 = std::min(region.y0 + kTileSize, crop_.y1);
    return region;
}

void ShownFrame::resolve(const film::Region& region, u32 samples) {
    Tile& tile = tile_of(region);
    make_means(region, tile.means);
    tile.mean_samples = samples;
}

void ShownFrame::make_means(const film::Region& region, std::vector<float>& means) const {
    means.resize(std::size_t{region.width()} * region.height() * kChannels);
    float* mean = means.data();
    for (u32 y = region.y0; y < region.y1; ++y) {
        for (u32 x = region.x0; x < region.x1; ++x, mean += kChannels) {
            if (layer_ == kNone) {
                const std::array<float, film::kFilmChannels> beauty = film_.pixel(x, y);
                std::copy(beauty.begin(), beauty.end(), mean);
            } else if (film_.aovs()[layer_].channels == 0) {
                mean[0] = std::bit_cast<float>(film_.instance(x, y));
            } else {
                film_.aov_pixel(layer_, x, y, mean);
            }
        }
    }
}

void ShownFrame::tone(const film::Region& region) {
    Tile& tile = tile_of(region);
    thread_local std::vector<u8> bytes;
    bytes.resize(tile.means.size());
    for (std::size_t k = 0; k < bytes.size(); k += kChannels) {
        const float* const mean = tile.means.data() + k;
        if (layer_ == kNone) {
            beauty_bytes(mean, view_, scale_, bytes.data() + k);
        } else {
            layer_bytes(view_, mean, std::bit_cast<u32>(mean[0]), bytes.data() + k);
        }
    }
    put_bytes(tile, bytes, tile.mean_samples);
    toned_.fetch_add(1, std::memory_order_relaxed);
}

void ShownFrame::put_bytes(Tile& tile, std::vector<u8>& bytes, u32 samples) {
    bool is_first = false;
    {
        const std::lock_guard lock(tile.mutex);
        std::swap(tile.rgba, bytes);
        is_first = tile.version == 0;
        ++tile.version;
        tile.samples = samples;
    }
    if (is_first) {
        open_tiles_.fetch_sub(1, std::memory_order_release);  // pairs with is_complete
    }
}

void ShownFrame::change_view(const LiveView& view) {
    if (view == view_) {
        return;
    }
    const u32 layer = index_of(film_, view.layer);
    const bool is_other_layer = layer != layer_;
    view_ = view;
    scale_ = film::exposure_scale(view.exposure_stops);
    layer_ = layer;
    film::for_rows(tile_count_, [&](u32 number) {
        Tile& tile = tiles_[number];
        if (tile.mean_samples == 0) {
            return;
        }
        if (is_other_layer) {
            make_means(region_of(number), tile.means);
        }
        tone(region_of(number));
    });
}

void ShownFrame::begin_with(const LivePicture& coarse) {
    film::for_rows(tile_count_, [&](u32 number) {
        const film::Region region = region_of(number);
        std::vector<u8> bytes(std::size_t{region.width()} * region.height() * kChannels);
        u8* byte = bytes.data();
        for (u32 y = region.y0; y < region.y1; ++y) {
            const Between row = between(y - crop_.y0, crop_.height(), coarse.height);
            const std::size_t row_bytes = std::size_t{coarse.width} * kChannels;
            const u8* const top = coarse.rgba.data() + row_bytes * row.first;
            const u8* const bottom = coarse.rgba.data() + row_bytes * row.second;
            for (u32 x = region.x0; x < region.x1; ++x, byte += kChannels) {
                const Between column = between(x - crop_.x0, crop_.width(), coarse.width);
                for (std::size_t c = 0; c < kChannels; ++c) {
                    byte[c] = mixed(top, bottom, column, row.part, c);
                }
            }
        }
        put_bytes(tiles_[number], bytes, 0);
    });
}

// With the tile's lock held.
void ShownFrame::copy_tile(u32 number, const Tile& tile, LivePicture& picture) const {
    const film::Region region = region_of(number);
    const std::size_t row_bytes = region.width() * kChannels;
    for (u32 y = region.y0; y < region.y1; ++y) {
        const std::size_t target =
            (std::size_t{y - crop_.y0} * picture.width + (region.x0 - crop_.x0)) * kChannels;
        std::memcpy(picture.rgba.data() + target,
                    tile.rgba.data() + row_bytes * (y - region.y0),
                    row_bytes);
    }
    picture.versions[number] = tile.version;
    picture.tile_samples[number] = tile.samples;
}

bool ShownFrame::copy_to(LivePicture& picture) const {
    const bool is_all_new = picture.frame != number_;
    if (is_all_new) {
        picture.width = crop_.width();
        picture.height = crop_.height();
        picture.rgba.resize(std::size_t{picture.width} * picture.height * kChannels);
        picture.versions.assign(tile_count_, 0);
        picture.tile_samples.assign(tile_count_, 0);
    }
    bool is_any_new = false;
    for (u32 number = 0; number < tile_count_; ++number) {
        const Tile& tile = tiles_[number];
        const std::unique_lock lock(tile.mutex, std::try_to_lock);
        if (lock.owns_lock() && tile.version != picture.versions[number]) {
            copy_tile(number, tile, picture);
            is_any_new = true;
        } else if (is_all_new) {
            picture.frame = 0;  // it has tiles of two frames now
            return false;
        }
    }
    picture.frame = number_;
    picture.job = job_.load(std::memory_order_relaxed);
    picture.full_width = place_.full_width;
    picture.full_height = place_.full_height;
    picture.region = place_.region;
    picture.samples = place_.is_coarse ? 0 : least(picture.tile_samples);
    picture.is_coarse = picture.samples == 0;
    return is_any_new;
}

void ShownPicture::show(std::shared_ptr<ShownFrame> frame) {
    const std::lock_guard lock(mutex_);
    std::swap(frame_, frame);
}

std::shared_ptr<ShownFrame> ShownPicture::shown() const {
    const std::lock_guard lock(mutex_);
    return frame_;
}

bool ShownPicture::take(LivePicture& picture) {
    const std::shared_ptr<ShownFrame> frame = shown();
    if (!frame) {
        return false;
    }
    if (frame->number() == picture.frame) {
        return frame->copy_to(picture);
    }
    // Another frame: keep the old picture until all of the new one can be copied.
    if (!frame->copy_to(next_)) {
        return false;
    }
    std::swap(picture, next_);
    next_.frame = 0;
    return true;
}

}  // namespace weft::live
