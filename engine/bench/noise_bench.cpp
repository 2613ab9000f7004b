#include "engine/bench/noise_bench.h"

#include <algorithm>
#include <cmath>

#include "engine/bench/interleaved.h"
#include "engine/denoise/denoiser.h"
#include "engine/film/image_compare.h"
#include "engine/film/noise.h"
#include "engine/film/resolved_film.h"
#include "scheduler/base/clock.h"

namespace weft::bench {

namespace {

using NoiseContender = FrameContender<NoiseRow>;

// Far from the seeds that people choose, so that no sample of the reference is one of a picture.
constexpr u32 kReferenceSeed = 0x5eed0000U;

film::Picture colours_of(const film::Film& film) {
    const film::Region crop = film.crop();
    film::Picture picture;
    picture.x0 = static_cast<i32>(crop.x0);
    picture.y0 = static_cast<i32>(crop.y0);
    picture.width = crop.width();
    picture.height = crop.height();
    picture.channels = 3;
    picture.pixels.reserve(u64{picture.width} * picture.height * 3);
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const std::array<float, film::kFilmChannels> rgba = film.pixel(x, y);
            picture.pixels.insert(picture.pixels.end(), rgba.begin(), rgba.begin() + 3);
        }
    }
    return picture;
}

denoise::Method method_of(NoiseFilter filter) {
    return filter == NoiseFilter::Quality ? denoise::Method::Quality : denoise::Method::Fast;
}

base::Result<film::Picture> denoised(const film::Film& film,
                                     NoiseFilter filter,
                                     const frame::FrameFigures& figures) {
    film::ResolvedFilm resolved(film, {});
    if (!resolved.is_allocated()) {
        return base::Error{base::ErrorKind::Memory, "out of memory for the means of a picture"};
    }
    resolved.finish();
    denoise::DenoiseConfig config;
    config.method = method_of(filter);
    const base::Result<denoise::DenoiseLayers> layers = denoise::layers_of(resolved, config.method);
    WEFT_TRY(layers);
    config.isa = figures.isa;
    return denoise::denoise(layers.value(), config);
}

// The largest √relmse of a block, from √relmse of each pixel.
double worst_block_of(const film::Picture& errors) {
    double worst = 0;
    for (u32 top = 0; top < errors.height; top += film::kNoiseBlock) {
        for (u32 left = 0; left < errors.width; left += film::kNoiseBlock) {
            const u32 bottom = std::min(top + film::kNoiseBlock, errors.height);
            const u32 right = std::min(left + film::kNoiseBlock, errors.width);
            const u32 count = (bottom - top) * (right - left);
            double sum = 0;
            for (u32 y = top; y < bottom; ++y) {
                for (u32 x = left; x < right; ++x) {
                    const auto error = static_cast<double>(errors.at(x, y, 0));
                    sum += error * error;
                }
            }
            worst = std::max(worst, sum / static_cast<double>(count));
        }
    }
    return std::sqrt(worst);
}

base::Status measure_errors(const film::Picture& reference,
                            const film::Picture& picture,
                            NoiseRow& row) {
    const auto relative =
        film::compare_pictures(reference, picture, {.metric = film::Metric::RelMse});
    WEFT_TRY(relative);
    const auto flip = film::compare_pictures(reference, picture, {.metric = film::Metric::Flip});
    WEFT_TRY(flip);
    row.relmse = relative.value().value;
    row.worst_block = worst_block_of(relative.value().errors);
    row.flip = flip.value().value;
    return base::Done{};
}

frame::RenderSettings settings_of(const frame::RenderSettings& usual, const NoiseVariant& variant) {
    frame::RenderSettings settings = usual;
    settings.samples_per_pixel = variant.samples;
    settings.noise_threshold = variant.noise_threshold;
    settings.light_choice = variant.light_choice;
    const std::span<const film::Aov> aovs = denoise::wanted_aovs(method_of(variant.filter));
    settings.aovs.assign(aovs.begin(), aovs.end());
    settings.picture.reset();
    return settings;
}

std::vector<NoiseContender> contenders_of(const NoiseBenchConfig& config) {
    std::vector<NoiseContender> contenders;
    const auto add = [&](const NoiseVariant& variant) {
        contenders.push_back({{.variant = variant}, {}});
    };
    for (const u32 samples : config.samples) {
        for (const NoiseFilter filter :
             {NoiseFilter::None, NoiseFilter::Fast, NoiseFilter::Quality}) {
            add({.samples = samples, .filter = filter});
        }
        add({.samples = samples, .light_choice = trace::LightChoice::Power});
    }
    for (const float threshold : config.noise_thresholds) {
        add({.samples = std::max(config.reference_samples / 4, 1U), .noise_threshold = threshold});
    }
    return contenders;
}

}  // namespace

base::Result<std::vector<NoiseRow>> compare_noise(const scene::Scene& scene,
                                                  const scene::Camera& camera,
                                                  const frame::RenderSettings& settings,
                                                  const std::vector<std::string>& hidden,
                                                  const NoiseBenchConfig& config) {
    const auto prepared = [&](const frame::RenderSettings& wanted) {
        return frame::Renderer::prepare(scene, camera, wanted, hidden);
    };
    // Render the reference.
    frame::RenderSettings best = settings_of(settings, {.samples = config.reference_samples});
    best.aovs.clear();
    best.seed = settings.seed ^ kReferenceSeed;
    auto renderer = prepared(best);
    WEFT_TRY(renderer);
    // It takes minutes: a signal ends it at once.
    const auto is_stopped = [&] { return config.is_stopped && config.is_stopped(); };
    WEFT_TRY(renderer.value()->render([&](const frame::FrameProgress&) {
        if (is_stopped()) {
            renderer.value()->request_stop();
        }
    }));
    if (is_stopped()) {
        return std::vector<NoiseRow>{};
    }
    const film::Picture reference = colours_of(renderer.value()->film());
    renderer.value().reset();
    // Render and compare the others in turn.
    const auto render = [&](NoiseContender& contender) -> base::Status {
        NoiseRow& row = contender.row;
        auto own = prepared(settings_of(settings, row.variant));
        WEFT_TRY(own);
        WEFT_TRY(own.value()->render({}));
        const film::Film& film = own.value()->film();
        const frame::FrameFigures& figures = own.value()->figures();
        const base::Clock::time_point begin = base::Clock::now();
        base::Result<film::Picture> picture = row.variant.filter == NoiseFilter::None
                                                  ? base::Result<film::Picture>(colours_of(film))
                                                  : denoised(film, row.variant.filter, figures);
        WEFT_TRY(picture);
        const bool is_denoised = row.variant.filter != NoiseFilter::None;
        contender.seconds.push_back(figures.render_s +
                                    (is_denoised ? base::seconds_since(begin) : 0));
        ++row.repeats;
        const std::string hash = film.film_hash();
        if (row.repeats > 1) {
            row.is_repeatable = row.is_repeatable && hash == row.film_hash;
            return base::Done{};
        }
        row.film_hash = hash;
        const double pixels = static_cast<double>(reference.width) * reference.height;
        row.mean_samples = static_cast<double>(figures.samples) / pixels;
        return measure_errors(reference, picture.value(), row);
    };
    return interleaved_rows(contenders_of(config), config, render);
}

}  // namespace weft::bench
