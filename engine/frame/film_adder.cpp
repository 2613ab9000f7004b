#include "engine/frame/film_adder.h"

#include <algorithm>
#include <array>

#include "engine/film/noise.h"
#include "engine/frame/motion.h"
#include "engine/trace/launch_walk.h"

namespace weft::frame {

namespace {

// How many dropped samples are kept with pixel and sample number; all are counted.
constexpr std::size_t kRememberedDrops = 16;

// The sums of so many pixels are on their way from memory.
constexpr u32 kPixelsAhead = 8;

// Where the values of an AOV begin in a result slot; kNone: they do not come from there.
u32 aov_offset(film::Aov aov) {
    switch (aov) {
        case film::Aov::Albedo:
            return 0;
        case film::Aov::Normal:
            return 3;
        case film::Aov::Position:
            return 6;
        case film::Aov::Depth:
            return 9;
        case film::Aov::Uv:
            return 10;
        default:
            return kNone;
    }
}

// The words of a layer's part behind those of all light (trace::ResultView::split).
u32 split_offset(trace::PathLayers layers, film::Aov aov) {
    const u32 part =
        film::is_light_group(aov)
            ? static_cast<u32>(aov) - static_cast<u32>(film::Aov::Light0)
            : layers.light_groups + static_cast<u32>(aov) - static_cast<u32>(film::Aov::Emission);
    return 3 * (1 + part);
}

std::vector<film::Aov> aovs_of(const film::Film& film) {
    std::vector<film::Aov> aovs;
    for (const film::FilmLayer& layer : film.aovs()) {
        aovs.push_back(layer.aov);
    }
    return aovs;
}

}  // namespace

trace::PathLayers path_layers(std::span<const film::Aov> aovs) {
    return {.has_aovs = film::has_path_aov(aovs),
            .has_seen = film::has_seen_aov(aovs),
            .has_lobes = film::has_lobe_aov(aovs),
            .light_groups = film::light_group_count(aovs)};
}

FilmAdder::FilmAdder(film::Film& film,
                     const Continued& continued,
                     const SurfaceIds* maybe_ids,
                     const Motion* maybe_motion)
    : film_(film),
      continued_(continued),
      maybe_ids_(maybe_ids),
      maybe_motion_(maybe_motion),
      layers_(path_layers(aovs_of(film))) {}

// The first sample of a pixel that a continued film lacks.
u32 FilmAdder::next_sample(u32 x, u32 y) const {
    return continued_.begin + film_.samples_tried(x, y);
}

u32 FilmAdder::least_held(const film::Region& tile, u64 blocks) const {
    if (!continued_.is_continued) {
        return 0;
    }
    u32 least = kNone;
    for (u32 y = tile.y0; y < tile.y1; ++y) {
        for (u32 x = tile.x0; x < tile.x1; ++x) {
            const u32 bit = trace::kBlockSide * ((y - tile.y0) / trace::kBlockSide) +
                            (x - tile.x0) / trace::kBlockSide;
            if (blocks == trace::kAllBlocks || (blocks >> bit & 1) != 0) {
                least = std::min(least, next_sample(x, y));
            }
        }
    }
    return least;
}

u64 FilmAdder::add(const trace::SampleBlock& block, const trace::ResultView& results) {
    std::vector<u32> dropped(block.sample_count);  // of one pixel
    u64 samples = 0;
    // The first sample's launches are the pixels in order; past the end `ahead` begins again.
    trace::LaunchWalk here(block, 0);
    trace::LaunchWalk ahead(block, kPixelsAhead % block.pixel_count());
    for (u32 pixel = 0; pixel < block.pixel_count(); ++pixel) {
        film_.prefetch_aovs(ahead.place().x, ahead.place().y);
        samples += add_pixel(block, pixel, here.place(), results, dropped.data());
        here.advance();
        ahead.advance();
    }
    return samples;
}

// Adds the samples of a pixel of the block, which lies at `place`.
u32 FilmAdder::add_pixel(const trace::SampleBlock& block,
                         u32 pixel,
                         const trace::PixelPlace& place,
                         const trace::ResultView& results,
                         u32* dropped) {
    u32 sample_begin = block.sample_begin;
    if (continued_.is_continued) {
        const u32 block_end = block.sample_begin + block.sample_count;
        sample_begin = std::clamp(next_sample(place.x, place.y), sample_begin, block_end);
    }
    // Add the beauty; remember samples that were dropped.
    const u32 held = sample_begin - block.sample_begin;
    const u32 count = block.sample_count - held;
    const std::size_t first_slot = std::size_t{pixel} * block.sample_count + held;
    const u32 dropped_count =
        film_.add_samples(place.x, place.y, results.rgba + 4 * first_slot, count, dropped);
    for (u32 k = 0; k < dropped_count; ++k) {
        remember_dropped({place.x, place.y, sample_begin + dropped[k]});
    }
    // Add the AOVs of the samples that were not dropped, in runs between those that were.
    u32 begin = 0;
    for (u32 k = 0; k <= dropped_count && !film_.aovs().empty(); ++k) {
        const u32 end = k < dropped_count ? dropped[k] : count;
        if (begin < end) {
            add_aovs(place, {sample_begin + begin, end - begin}, results, first_slot + begin);
        }
        begin = end + 1;
    }
    return count;
}

// Adds the AOVs of consecutive samples of a pixel, whose results begin at `slot`.
void FilmAdder::add_aovs(const trace::PixelPlace& place,
                         const Samples& samples,
                         const trace::ResultView& results,
                         std::size_t slot) {
    for (u32 layer = 0; layer < film_.aovs().size(); ++layer) {
        const film::Aov aov = film_.aovs()[layer].aov;
        if (aov_offset(aov) != kNone) {
            film_.add_aov_samples(layer,
                                  place.x,
                                  place.y,
                                  results.aovs + trace::kAovFloats * slot + aov_offset(aov),
                                  trace::kAovFloats,
                                  samples.count);
        } else if (film::is_number_aov(aov) && samples.begin == 0) {
            film_.set_number(layer, place.x, place.y, id_of(layer, results.instance[slot]));
        } else if (film::is_matte_aov(aov)) {
            add_mattes(layer, place, {results.instance + slot, samples.count});
        } else if (aov == film::Aov::Noise) {
            add_first_half(layer, place, samples, results.rgba + 4 * slot);
        } else if (aov == film::Aov::SeenAlbedo || aov == film::Aov::SeenNormal) {
            film_.add_aov_samples(
                layer,
                place.x,
                place.y,
                results.seen + trace::kSeenFloats * slot + (aov == film::Aov::SeenNormal ? 3 : 0),
                trace::kSeenFloats,
                samples.count);
        } else if (aov == film::Aov::Direct) {
            add_direct(layer, place, samples, results.seen + trace::kSeenFloats * slot + 6);
        } else if (aov == film::Aov::Motion) {
            add_motion(layer, place, samples, results, slot);
        } else if (aov == film::Aov::Indirect) {
            add_indirect(layer, place, samples, results, slot);
        } else if (film::is_lobe_aov(aov) || film::is_light_group(aov)) {
            add_split(layer, place, samples, results.split + trace::split_words(layers_) * slot);
        }
    }
}

// Neighbouring samples mostly hit one name.
void FilmAdder::add_mattes(u32 layer,
                           const trace::PixelPlace& place,
                           std::span<const u32> instances) {
    film::MatteCount run;
    for (const u32 instance : instances) {
        const u32 id = instance == kNone ? 0 : id_of(layer, instance);
        if (id != run.id && run.samples != 0) {
            film_.add_matte(layer, place.x, place.y, run);
            run.samples = 0;
        }
        run = {id, id == 0 ? 0 : run.samples + 1};
    }
    if (run.samples != 0) {
        film_.add_matte(layer, place.x, place.y, run);
    }
}

u32 FilmAdder::id_of(u32 layer, u32 instance) const {
    return maybe_ids_ ? maybe_ids_->of(layer, instance) : instance;
}

// Every second sample, with a one that counts it.
void FilmAdder::add_first_half(u32 layer,
                               const trace::PixelPlace& place,
                               const Samples& samples,
                               const float* rgba) {
    constexpr u32 kAtOnce = 16;
    std::array<float, std::size_t{4} * kAtOnce> values{};
    u32 count = 0;
    for (u32 k = film::is_in_first_half(samples.begin) ? 0 : 1; k < samples.count; k += 2) {
        float* const value = values.data() + std::size_t{4} * count;
        std::copy_n(rgba + std::size_t{4} * k, 3, value);
        value[3] = 1;
        if (++count == kAtOnce) {
            film_.add_aov_samples(layer, place.x, place.y, values.data(), 4, count);
            count = 0;
        }
    }
    film_.add_aov_samples(layer, place.x, place.y, values.data(), 4, count);
}

// Direct light of all samples, and of every second one.
void FilmAdder::add_direct(u32 layer,
                           const trace::PixelPlace& place,
                           const Samples& samples,
                           const float* direct) {
    for (u32 k = 0; k < samples.count; ++k) {
        std::array<float, 6> values{};
        std::copy_n(direct + std::size_t{trace::kSeenFloats} * k, 3, values.data());
        if (film::is_in_first_half(samples.begin + k)) {
            std::copy_n(values.data(), 3, values.data() + 3);
        }
        film_.add_aov(layer, place.x, place.y, values.data());
    }
}

// The quanta that the beauty has more than direct light. Direct light is the radiance at some point
// of the path, so it has no more.
void FilmAdder::add_indirect(u32 layer,
                             const trace::PixelPlace& place,
                             const Samples& samples,
                             const trace::ResultView& results,
                             std::size_t slot) {
    for (u32 k = 0; k < samples.count; ++k) {
        const float* const whole = results.rgba + 4 * (slot + k);
        const float* const direct = results.seen + trace::kSeenFloats * (slot + k) + 6;
        std::array<i64, 3> rest{};
        std::array<i64, 3> taken{};
        bool has_direct = true;
        for (u32 c = 0; c < rest.size(); ++c) {
            has_direct = film::to_quanta(direct[c], taken[c]) && has_direct;
            film::to_quanta(whole[c], rest[c]);
        }
        for (u32 c = 0; c < rest.size(); ++c) {
            rest[c] -= has_direct ? taken[c] : 0;
        }
        film_.add_quanta(layer, place.x, place.y, rest);
    }
}

// The vectors of samples that hit something, with a one that counts these.
void FilmAdder::add_motion(u32 layer,
                           const trace::PixelPlace& place,
                           const Samples& samples,
                           const trace::ResultView& results,
                           std::size_t slot) {
    for (u32 k = 0; k < samples.count; ++k) {
        const u32 instance = results.instance[slot + k];
        if (instance == kNone) {
            continue;
        }
        std::array<float, 5> values{0, 0, 0, 0, 1};
        if (maybe_motion_) {
            const float* const aovs = results.aovs + trace::kAovFloats * (slot + k);
            const std::array<float, 4> vector =
                maybe_motion_->vector_of(instance, aovs + aov_offset(film::Aov::Position));
            std::copy(vector.begin(), vector.end(), values.begin());
        }
        film_.add_aov(layer, place.x, place.y, values.data());
    }
}

void FilmAdder::add_split(u32 layer,
                          const trace::PixelPlace& place,
                          const Samples& samples,
                          const i64* split) {
    const i64* part = split + split_offset(layers_, film_.aovs()[layer].aov);
    for (u32 k = 0; k < samples.count; ++k, part += trace::split_words(layers_)) {
        film_.add_quanta(layer, place.x, place.y, std::span<const i64, 3>(part, 3));
    }
}

void FilmAdder::remember_dropped(const DroppedSample& sample) {
    const std::lock_guard lock(dropped_mutex_);
    ++dropped_count_;
    if (dropped_.size() < kRememberedDrops) {
        dropped_.push_back(sample);
    }
}

}  // namespace weft::frame
