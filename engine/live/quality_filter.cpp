#include "engine/live/quality_filter.h"

#include <new>
#include <utility>

#include "engine/denoise/denoiser.h"
#include "engine/film/parallel_rows.h"
#include "engine/film/resolved_film.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"

namespace weft::live {

namespace {

using Ended = QualityFilter::Ended;

// The layers that are read of a film: at most eight colours and the depth.
constexpr u64 kLayerBytes = (8 * 3 + 1) * sizeof(float);

void run_on_rows(u32 count, const std::function<void(u32)>& job) {
    film::for_rows(count, job);
}

Ended filtered(const film::Film& film,
               const denoise::DenoiseConfig& config,
               std::vector<float>& rgb) {
    const film::Region crop = film.crop();
    const base::Result<base::MemoryClaim> claim = base::claim_memory(
        kLayerBytes * crop.width() * crop.height(), "the layers of a denoised picture");
    if (!claim.is_ok()) {
        return Ended::Refused;
    }
    const denoise::Passes passes(config.run, config.should_stop);
    const film::ResolvedFilm places(film, {});  // takes no memory until it is resolved
    const auto layers = denoise::layers_of(places, config.method, passes);
    if (!layers.is_ok() || passes.is_stopped()) {
        return passes.is_stopped() ? Ended::Stopped : Ended::Refused;
    }
    base::Result<film::Picture> picture = denoise::denoise(layers.value(), config);
    if (!picture.is_ok()) {
        return picture.error().kind == base::ErrorKind::Render ? Ended::Stopped : Ended::Refused;
    }
    rgb = std::move(picture.value().pixels);
    return Ended::Done;
}

}  // namespace

Ended QualityFilter::run(const film::Film& film,
                         shaders::Isa isa,
                         std::vector<float>& rgb,
                         const std::function<bool()>& should_stop) {
    {
        const std::lock_guard lock(mutex_);
        ++figures_.begun;
    }
    const base::Clock::time_point begin = base::Clock::now();
    denoise::DenoiseConfig config;
    config.isa = isa;
    config.should_stop = should_stop;
    config.run = run_on_rows;
    Ended ended = Ended::Refused;
    try {
        ended = filtered(film, config, rgb);
    } catch (const std::bad_alloc&) {
        ended = Ended::Refused;
    }
    const double seconds = base::seconds_since(begin);
    const std::lock_guard lock(mutex_);
    if (ended == Ended::Done) {
        pixel_s_ = seconds / (static_cast<double>(film.crop().width()) * film.crop().height());
        log_.add(seconds * 1e3);
    }
    figures_.stopped += ended == Ended::Stopped ? 1U : 0U;
    return ended;
}

double QualityFilter::expected_s(u64 pixels) const {
    const std::lock_guard lock(mutex_);
    return pixel_s_ * static_cast<double>(pixels);
}

QualityFigures QualityFilter::figures() const {
    const std::lock_guard lock(mutex_);
    QualityFigures figures = figures_;
    figures.wall = log_.figures();
    return figures;
}

}  // namespace weft::live
