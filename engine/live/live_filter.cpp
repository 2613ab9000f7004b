#include "engine/live/live_filter.h"

#include <algorithm>
#include <ctime>
#include <thread>

#include "engine/film/parallel_rows.h"
#include "scheduler/base/clock.h"

namespace weft::live {

namespace {

constexpr std::size_t kRgb = 3;
constexpr std::array<film::Aov, 4> kRead = {
    film::Aov::Albedo, film::Aov::Normal, film::Aov::Depth, film::Aov::Noise};

u32 place_of_layer(const film::Film& film, film::Aov aov) {
    const std::vector<film::FilmLayer>& layers = film.aovs();
    const auto found = std::find_if(
        layers.begin(), layers.end(), [aov](const auto& layer) { return layer.aov == aov; });
    return found == layers.end() ? kNone : static_cast<u32>(found - layers.begin());
}

// Processor time of this thread.
u64 processor_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<u64>(now.tv_sec) * 1'000'000'000 + static_cast<u64>(now.tv_nsec);
}

// Planes keep their memory for larger pictures: clearing it takes longer than an edit may wait.
void grow(std::vector<float>& plane, std::size_t count) {
    if (plane.size() < count) {
        plane.resize(count);
    }
}

}  // namespace

bool LiveFilter::can_filter(const film::Film& film) {
    return std::all_of(kRead.begin(), kRead.end(), [&](film::Aov aov) {
        return place_of_layer(film, aov) != kNone;
    });
}

bool LiveFilter::can_filter(std::span<const film::Aov> aovs) {
    return std::all_of(kRead.begin(), kRead.end(), [&](film::Aov aov) {
        return std::find(aovs.begin(), aovs.end(), aov) != aovs.end();
    });
}

bool LiveFilter::holds(const Picture& picture) const {
    return picture_.film == picture.film && picture_.width == picture.width &&
           picture_.height == picture.height;
}

// Surfaces change little with more samples: they are read again when there are twice as many.
void LiveFilter::begin(const Picture& picture, bool must_be_exact) {
    has_new_surfaces_ = must_be_exact || !has_surfaces_ || !holds(picture) ||
                        picture.samples >= 2 * surface_samples_;
    surface_samples_ = has_new_surfaces_ ? picture.samples : surface_samples_;
    has_surfaces_ = !has_new_surfaces_;
    picture_ = picture;
    for (std::size_t k = 0; k < kRead.size(); ++k) {
        layers_[k] = place_of_layer(*picture.film, kRead[k]);
    }
    const std::size_t pixels = std::size_t{picture.width} * picture.height;
    for (std::vector<float>* plane : {&albedo_, &normal_, &first_half_, &second_half_}) {
        grow(*plane, kRgb * pixels);
    }
    grow(depth_, pixels);
}

void LiveFilter::resolve(u32 x, u32 y, std::size_t pixel) {
    if (has_new_surfaces_) {
        resolve_surface(x, y, pixel);
    }
    if (picture_.samples > 1) {
        resolve_halves(x, y, pixel);
    }
}

void LiveFilter::resolve_surface(u32 x, u32 y, std::size_t pixel) {
    picture_.film->aov_pixel(layers_[0], x, y, albedo_.data() + kRgb * pixel);
    picture_.film->aov_pixel(layers_[1], x, y, normal_.data() + kRgb * pixel);
    picture_.film->aov_pixel(layers_[2], x, y, depth_.data() + pixel);
}

// The second half is what the first leaves of the sums.
void LiveFilter::resolve_halves(u32 x, u32 y, std::size_t pixel) {
    const film::Film& film = *picture_.film;
    const std::span<const film::ExactSum> half = film.aov_sums(layers_[3], x, y);
    const auto first_count = static_cast<u32>(static_cast<u64>(half[kRgb].value() >> 32));
    const u32 count = film.sample_count(x, y);
    const u32 second_count = count - std::min(count, first_count);
    const std::array<float, film::kFilmChannels> mean = film.pixel(x, y);
    for (std::size_t c = 0; c < kRgb; ++c) {
        const float first = film::exact_mean(half[c], first_count);
        const float rest =
            mean[c] * static_cast<float>(count) - first * static_cast<float>(first_count);
        first_half_[kRgb * pixel + c] = first;
        second_half_[kRgb * pixel + c] =
            second_count > 0 ? rest / static_cast<float>(second_count) : mean[c];
    }
}

bool LiveFilter::run(const std::vector<float>& rgba,
                     std::vector<float>& rgb,
                     const std::function<bool()>& should_stop) {
    const base::Clock::time_point begin = base::Clock::now();
    const u64 begin_ns = processor_ns();
    helpers_ns_.store(0, std::memory_order_relaxed);
    const bool is_whole = run_filter(rgba, rgb, should_stop);
    if (is_whole && has_all_pixels()) {
        const std::lock_guard lock(mutex_);
        wall_log_.add(base::seconds_since(begin) * 1e3);
        processor_log_.add(1e-6 * static_cast<double>(processor_ns() - begin_ns +
                                                      helpers_ns_.load(std::memory_order_relaxed)));
    }
    return is_whole;
}

FilterTimes LiveFilter::times() const {
    const std::lock_guard lock(mutex_);
    return {wall_log_.figures(), processor_log_.figures()};
}

bool LiveFilter::has_all_pixels() const {
    return picture_.width == picture_.film->crop().width();
}

bool LiveFilter::run_filter(const std::vector<float>& rgba,
                            std::vector<float>& rgb,
                            const std::function<bool()>& should_stop) {
    const std::size_t pixels = std::size_t{picture_.width} * picture_.height;
    has_surfaces_ = true;
    grow(rgb, kRgb * pixels);
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        std::copy_n(rgba.data() + 4 * pixel, kRgb, rgb.data() + kRgb * pixel);
    }
    denoise::FastInput input;
    input.width = picture_.width;
    input.height = picture_.height;
    const auto first = [](const std::vector<float>& plane, std::size_t count) {
        return std::span<const float>(plane).first(count);
    };
    const std::span<float> out = std::span<float>(rgb).first(kRgb * pixels);
    input.colour = out;
    input.albedo = first(albedo_, kRgb * pixels);
    input.normal = first(normal_, kRgb * pixels);
    input.depth = first(depth_, pixels);
    if (picture_.samples > 1) {
        input.first_half = first(first_half_, kRgb * pixels);
        input.second_half = first(second_half_, kRgb * pixels);
    }
    input.sample_count = picture_.samples;
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> is_stopped = false;  // relaxed: joining the threads orders it
    const denoise::RunJobs run_unless_stopped = [&](u32 count,
                                                    const std::function<void(u32)>& job) {
        film::for_rows(count, [&](u32 k) {
            if (!is_stopped.load(std::memory_order_relaxed)) {
                const u64 begin_ns = processor_ns();
                job(k);
                if (std::this_thread::get_id() != caller) {
                    helpers_ns_.fetch_add(processor_ns() - begin_ns, std::memory_order_relaxed);
                }
                if (should_stop()) {
                    is_stopped.store(true, std::memory_order_relaxed);
                }
            }
        });
    };
    denoise::FastFilter& filter = has_all_pixels() ? whole_filter_ : lattice_filter_;
    // A picture with values that are not finite has no pixel to blame here: it is shown as it is.
    const base::Status filtered = filter.filter(input, out, run_unless_stopped);
    if (!filtered.is_ok()) {
        for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
            std::copy_n(rgba.data() + 4 * pixel, kRgb, rgb.data() + kRgb * pixel);
        }
    }
    return !is_stopped.load(std::memory_order_relaxed);
}

}  // namespace weft::live
