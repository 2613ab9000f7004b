#include "engine/live/shown_frame.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/film/display.h"
#include "engine/film/noise.h"
#include "engine/film/parallel_rows.h"
#include "engine/live/layer_colours.h"

namespace weft::live {

namespace {

constexpr std::size_t kChannels = 4;  // of means and of bytes
constexpr u32 kTileSize = 64;         // of change_view()

// The index of an AOV in the film; kNone: the beauty, or the film lacks it.
u32 index_of(const film::Film& film, std::optional<film::Aov> aov) {
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        if (film.aovs()[layer].aov == aov) {
            return layer;
        }
    }
    return kNone;
}

double mean_of(const std::vector<float>& numbers) {
    double sum = 0;
    for (const float number : numbers) {
        sum += std::isfinite(number) ? static_cast<double>(number) : 0;
    }
    return sum / static_cast<double>(numbers.size());
}

u32 blocks_of(u32 pixels) {
    return (pixels + film::kNoiseBlock - 1) / film::kNoiseBlock;
}

// The bytes between four nodes, `x` and `y` of `step` from the first.
void mix(const std::array<const u8*, 4>& nodes, u32 x, u32 y, u32 step, u8* rgba) {
    for (std::size_t c = 0; c < kChannels; ++c) {
        const u32 top = nodes[0][c] * (step - x) + nodes[1][c] * x;
        const u32 bottom = nodes[2][c] * (step - x) + nodes[3][c] * x;
        rgba[c] =
            static_cast<u8>((top * (step - y) + bottom * y + step * step / 2) / (step * step));
    }
}

}  // namespace

ShownFrame::ShownFrame(const film::Film& film,
                       const LiveView& view,
                       const ShownPlace& place,
                       LiveFilter& filter)
    : film_(film),
      crop_(film.crop()),
      view_(view),
      display_(display_of(view)),
      layer_(index_of(film, view.layer)),
      place_(place),
      job_(place.job),
      noise_(std::size_t{blocks_of(crop_.width())} * blocks_of(crop_.height())),
      filter_(filter),
      shown_filter_(film, filter) {
    shown_filter_.set_view(view);
}

void ShownFrame::begin_after(u32 width) {
    step_before_ = (crop_.width() + width - 1) / width;
}

void ShownFrame::use_surfaces(std::shared_ptr<const SurfacePixels> surfaces,
                              std::shared_ptr<const PictureHistory> maybe_history) {
    light_.use_surfaces(std::move(surfaces));
    light_.use_history(std::move(maybe_history));
}

bool ShownFrame::spread(std::shared_ptr<const SurfacePixels> surfaces,
                        std::shared_ptr<const PictureHistory> maybe_history,
                        u32 reduction) {
    if (!light_.is_filtered() || !is_complete() || !filter_.holds(filtered_picture())) {
        return false;
    }
    light_.use_surfaces(std::move(surfaces));
    light_.use_history(std::move(maybe_history));
    light_.widen(reduction);
    light_.end(true, filter_.albedo());
    make_room();
    tone_all();
    show();
    return true;
}

FormerPicture ShownFrame::former(const shaders::CameraRecord& camera) const {
    const std::shared_ptr<const ShownImage> shown = image();
    const bool is_good = shown && !shown->light.empty();
    return is_good ? FormerPicture{shown, light_.shared_surfaces(), camera} : FormerPicture{};
}

// A lattice is worth a picture where it is finer than what is shown.
bool ShownFrame::wants(const frame::Generation& generation, u64 new_samples) {
    new_samples_ = new_samples;
    if (generation.step_log2 > 0) {
        return 1U << generation.step_log2 < step_before_;
    }
    const bool is_first = !is_complete() || generation_.step_log2 > 0;
    return generation.is_last || is_first || shown_filter_.is_quality_due(generation) ||
           (!shown_filter_.keeps_quality() && pace_.is_due(new_samples));
}

void ShownFrame::begin(const frame::Generation& generation) {
    pace_.begin_picture(new_samples_);
    generation_ = generation;
    const auto nodes = [&](u32 pixels) { return ((pixels - 1) >> generation.step_log2) + 1; };
    light_.begin({generation.step_log2, nodes(crop_.width()), nodes(crop_.height())},
                 generation.samples,
                 generation.is_last);
    is_open_ = true;
    shown_filter_.begin(generation);
    begin_filter(generation.is_last);
    make_room();
}

LiveFilter::Picture ShownFrame::filtered_picture() const {
    return {&film_, light_.grid().width, light_.grid().height, generation_.samples};
}

// Where only some tiles are resolved, the filter needs the others from before.
void ShownFrame::begin_filter(bool must_be_exact) {
    is_filter_begun_ = shown_filter_.is_wanted();
    if (is_filter_begun_) {
        lacks_guides_ = generation_.is_of_attended && !filter_.holds(filtered_picture());
        filter_.begin(filtered_picture(), must_be_exact);
    }
}

// Takes memory for the next picture: that of the one before the last, if nobody copies it.
void ShownFrame::make_room() {
    // use_count() orders nothing. The copy changes the count with acquire order (libstdc++), so the
    // last reader's reads happen before this frame writes the memory again.
    const bool is_free =
        spare_ && spare_.use_count() == 1 && std::shared_ptr<ShownImage>(spare_) != nullptr;
    next_ = is_free ? std::exchange(spare_, nullptr) : std::make_shared<ShownImage>();
    size_next();
    if (layer_ != kNone) {
        values_.resize(kChannels * light_.grid().size());
    }
}

void ShownFrame::size_next() {
    next_->width = light_.is_wider() ? light_.surfaces()->width : crop_.width();
    next_->height = light_.is_wider() ? light_.surfaces()->height : crop_.height();
    next_->rgba.resize(kChannels * next_->width * next_->height);
    next_->linear.resize(view_.has_linear ? next_->rgba.size() : 0);
    next_->light.resize(light_.has_pixels() ? next_->rgba.size() / kChannels : 0);
}

// Calls visit(x, y, node) for the nodes in a tile.
template <typename Visit>
void ShownFrame::for_nodes(const film::Region& tile, const Visit& visit) const {
    const NodeGrid& grid = light_.grid();
    const u32 step = 1U << grid.step_log2;
    const auto first = [step](u32 begin, u32 corner) { return (begin - corner + step - 1) / step; };
    for (u32 j = first(tile.y0, crop_.y0); crop_.y0 + j * step < tile.y1; ++j) {
        for (u32 i = first(tile.x0, crop_.x0); crop_.x0 + i * step < tile.x1; ++i) {
            visit(crop_.x0 + i * step, crop_.y0 + j * step, std::size_t{j} * grid.width + i);
        }
    }
}

void ShownFrame::resolve(const film::Region& tile) {
    for_nodes(tile, [this](u32 x, u32 y, std::size_t node) {
        const std::array<float, film::kFilmChannels> mean = film_.pixel(x, y);
        std::copy(
            mean.begin(), mean.end(), light_.means().begin() + static_cast<i64>(kChannels * node));
    });
    if (light_.grid().step_log2 == 0 && generation_.samples > 1) {
        make_noise(tile);
    }
    if (is_filter_begun_) {
        make_guides(tile);
    }
    if (layer_ != kNone) {
        make_layer(tile);
    }
}

void ShownFrame::make_guides(const film::Region& tile) {
    for_nodes(tile, [this](u32 x, u32 y, std::size_t node) { filter_.resolve(x, y, node); });
}

void ShownFrame::make_noise(const film::Region& tile) {
    const u32 layer = film::noise_layer(film_);
    if (layer == kNone) {
        return;
    }
    for (u32 y = tile.y0; y < tile.y1; y += film::kNoiseBlock) {
        for (u32 x = tile.x0; x < tile.x1; x += film::kNoiseBlock) {
            const film::Region block{x,
                                     y,
                                     std::min(x + film::kNoiseBlock, tile.x1),
                                     std::min(y + film::kNoiseBlock, tile.y1)};
            noise_[block_at(x, y)] = film::block_noise(film_, layer, block);
        }
    }
}

std::size_t ShownFrame::block_at(u32 x, u32 y) const {
    return std::size_t{(y - crop_.y0) / film::kNoiseBlock} * blocks_of(crop_.width()) +
           (x - crop_.x0) / film::kNoiseBlock;
}

void ShownFrame::make_layer(const film::Region& tile) {
    for_nodes(tile, [this](u32 x, u32 y, std::size_t node) {
        float* const values = values_.data() + kChannels * node;
        if (view_.layer == film::Aov::Noise) {
            values[0] = noise_[block_at(x, y)];
        } else if (film_.aovs()[layer_].channels == 0) {
            values[0] = std::bit_cast<float>(film_.number(layer_, x, y));
        } else {
            film_.aov_pixel(layer_, x, y, values);
        }
    });
}

bool ShownFrame::filter(const std::function<bool()>& should_stop) {
    if (is_filter_begun_ && std::exchange(lacks_guides_, false)) {
        for_tiles([this](const film::Region& tile) { make_guides(tile); });
    }
    if (is_filter_begun_ && !shown_filter_.run(light_, should_stop)) {
        return false;
    }
    light_.end(is_filter_begun_, filter_.albedo());
    size_next();
    return true;
}

void ShownFrame::node_bytes(std::size_t node, u8* rgba) const {
    if (layer_ == kNone) {
        beauty_bytes(light_.node(node).data(), view_, display_, rgba);
    } else {
        const float* const values = values_.data() + kChannels * node;
        layer_bytes(view_, display_, values, std::bit_cast<u32>(values[0]), rgba);
    }
}

void ShownFrame::tone(const film::Region& tile) {
    const film::Region part{
        tile.x0 - crop_.x0, tile.y0 - crop_.y0, tile.x1 - crop_.x0, tile.y1 - crop_.y0};
    if (light_.has_pixels()) {
        tone_pixels(part);
    } else {
        tone_nodes(part);
    }
}

// The nodes' bytes, and where scene-linear pixels are wanted, these beside them.
void ShownFrame::tone_nodes(const film::Region& part) {
    if (light_.grid().step_log2 > 0) {
        tone_lattice(part);
    }
    for (u32 y = part.y0; y < part.y1; ++y) {
        for (u32 x = part.x0; x < part.x1; ++x) {
            const std::size_t pixel = std::size_t{y} * next_->width + x;
            if (light_.grid().step_log2 == 0) {
                node_bytes(pixel, next_->rgba.data() + kChannels * pixel);
            }
            if (!next_->linear.empty()) {
                const ShownLight::Mean mean = light_.mixed(x, y);
                std::copy(mean.begin(), mean.end(), &next_->linear[kChannels * pixel]);
            }
        }
    }
}

// `part`: of the picture's pixels.
void ShownFrame::tone_pixels(const film::Region& part) {
    for (u32 y = part.y0; y < part.y1; ++y) {
        for (u32 x = part.x0; x < part.x1; ++x) {
            const std::size_t pixel = std::size_t{y} * next_->width + x;
            const LightPixel light = light_.pixel(x, y);
            const ShownLight::Mean mean = {light.rgb.x, light.rgb.y, light.rgb.z, 1};
            next_->light[pixel] = light;
            beauty_bytes(mean.data(), view_, display_, next_->rgba.data() + kChannels * pixel);
            if (!next_->linear.empty()) {
                std::copy(mean.begin(), mean.end(), &next_->linear[kChannels * pixel]);
            }
        }
    }
}

// All pixels of the picture, on several threads.
void ShownFrame::tone_all() {
    if (light_.is_wider()) {
        film::for_rows(next_->height, [this](u32 y) { tone_pixels({0, y, next_->width, y + 1}); });
    } else {
        for_tiles([this](const film::Region& tile) { tone(tile); });
    }
}

// Tones the nodes in and around the tile, and mixes the bytes of the pixels between them.
void ShownFrame::tone_lattice(const film::Region& at) {
    const NodeGrid& grid = light_.grid();
    const u32 log2 = grid.step_log2;
    const u32 step = 1U << log2;
    const film::Region nodes{at.x0 >> log2,
                             at.y0 >> log2,
                             std::min((at.x1 >> log2) + 2, grid.width),
                             std::min((at.y1 >> log2) + 2, grid.height)};
    thread_local std::vector<u8> bytes;
    bytes.resize(kChannels * nodes.width() * nodes.height());
    for (u32 j = nodes.y0; j < nodes.y1; ++j) {
        for (u32 i = nodes.x0; i < nodes.x1; ++i) {
            const std::size_t place = std::size_t{j - nodes.y0} * nodes.width() + (i - nodes.x0);
            node_bytes(std::size_t{j} * grid.width + i, bytes.data() + kChannels * place);
        }
    }
    const auto node = [&](u32 i, u32 j) {
        const u32 x = std::min(i, nodes.x1 - 1) - nodes.x0;
        const u32 y = std::min(j, nodes.y1 - 1) - nodes.y0;
        return bytes.data() + kChannels * (std::size_t{y} * nodes.width() + x);
    };
    for (u32 y = at.y0; y < at.y1; ++y) {
        for (u32 x = at.x0; x < at.x1; ++x) {
            const u32 i = x >> log2;
            const u32 j = y >> log2;
            mix({node(i, j), node(i + 1, j), node(i, j + 1), node(i + 1, j + 1)},
                x - (i << log2),
                y - (j << log2),
                step,
                next_->rgba.data() + kChannels * (std::size_t{y} * crop_.width() + x));
        }
    }
}

// Blocks that were clean ended before the others, and have fewer than the generation says.
u32 ShownFrame::least_samples() const {
    const std::span<const u32> counts = film_.sample_counts();
    return std::min(generation_.samples, *std::min_element(counts.begin(), counts.end()));
}

void ShownFrame::show() {
    next_->version = next_version();
    const bool is_coarse = place_.is_coarse || generation_.step_log2 > 0;
    next_->samples = is_coarse ? 0 : least_samples();
    shown_samples_ = generation_.samples;
    next_->is_coarse = is_coarse;
    next_->denoised =
        light_.is_filtered() && layer_ == kNone ? shown_filter_.made_by() : LiveDenoise::Off;
    {
        const std::lock_guard lock(mutex_);
        spare_ = std::exchange(image_, std::move(next_));
    }
    is_open_ = false;
    mean_noise_.store(mean_of(noise_), std::memory_order_relaxed);
    pictures_.fetch_add(1, std::memory_order_relaxed);
    pace_.end_picture();
    if (on_shown_) {
        on_shown_();
    }
}

std::shared_ptr<const ShownImage> ShownFrame::image() const {
    const std::lock_guard lock(mutex_);
    return image_;
}

// Calls visit for all tiles, on several threads.
void ShownFrame::for_tiles(const std::function<void(const film::Region& tile)>& visit) const {
    const u32 columns = (crop_.width() + kTileSize - 1) / kTileSize;
    const u32 rows = (crop_.height() + kTileSize - 1) / kTileSize;
    film::for_rows(columns * rows, [&](u32 tile) {
        film::Region region;
        region.x0 = crop_.x0 + tile % columns * kTileSize;
        region.y0 = crop_.y0 + tile / columns * kTileSize;
        region.x1 = std::min(region.x0 + kTileSize, crop_.x1);
        region.y1 = std::min(region.y0 + kTileSize, crop_.y1);
        visit(region);
    });
}

bool ShownFrame::complete(u32 samples, const std::function<bool()>& should_stop) {
    const std::shared_ptr<const ShownImage> shown = image();
    const bool is_shown = shown && !shown->is_coarse && shown_samples_ >= samples;
    const frame::Generation last{.samples = samples, .is_last = true};
    if (is_shown &&
        (shown_filter_.has_quality_of(samples) || !shown_filter_.is_quality_due(last))) {
        return true;
    }
    begin(last);
    for_tiles([this](const film::Region& tile) { resolve(tile); });
    const bool is_filtered = filter(should_stop);
    if (is_filtered) {
        tone_all();
        show();
    }
    is_open_ = false;
    return is_filtered;
}

void ShownFrame::change_view(const LiveView& view) {
    if (view == view_) {
        return;
    }
    const u32 layer = index_of(film_, view.layer);
    const bool is_other_layer = std::exchange(layer_, layer) != layer;
    view_ = view;
    shown_filter_.set_view(view);
    display_ = display_of(view);
    if (!is_complete() && !is_open_) {
        return;
    }
    // Finish a picture that is begun here: its tasks make it once more, by the quality filter if
    // that is due, for which nobody waits here.
    const bool was_open = is_open_;
    const bool was_due = shown_filter_.set_due(false);
    const bool must_filter = shown_filter_.is_wanted() &&
                             (was_open || !light_.is_filtered() || !shown_filter_.is_of_wanted());
    make_room();
    if (must_filter || was_open) {
        begin_filter(true);
    }
    for_tiles([&](const film::Region& tile) {
        if (was_open) {
            resolve(tile);
        } else if (must_filter) {
            make_guides(tile);
        } else if (is_other_layer && layer_ != kNone) {
            make_layer(tile);
        }
    });
    if (must_filter || was_open) {
        filter([] { return false; });
    }
    if (!shown_filter_.is_wanted()) {
        light_.drop_filter();
    }
    size_next();
    tone_all();
    show();
    if (was_open) {
        is_open_ = true;
        shown_filter_.set_due(was_due);
        make_room();
    }
}

bool ShownFrame::copy_to(LivePicture& picture) const {
    const std::shared_ptr<const ShownImage> shown = image();
    ShownPlace place = place_;
    place.job = job_.load(std::memory_order_relaxed);
    return shown && copy_image(*shown, place, picture);
}

}  // namespace weft::live
