// live_filter.h — denoises the pictures of live frames: what the fast filter of engine/denoise
// reads of a film, and its result.
//
// One picture after the other, also of several frames: the memory is used again. The film, its sums
// and what is saved stay as they are.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "engine/denoise/fast_filter.h"
#include "engine/film/film.h"
#include "engine/live/time_log.h"

namespace weft::live {

// How long pictures of all pixels of a film took to filter.
struct FilterTimes {
    TimeFigures wall;       // from the begin of run() to its end
    TimeFigures processor;  // of the filter's threads, together
};

class LiveFilter {
public:
    // Whether the film holds the layers that the filter reads.
    static bool can_filter(const film::Film& film);
    // The same of a film with these layers.
    static bool can_filter(std::span<const film::Aov> aovs);

    // The pixels that one picture takes of a film.
    struct Picture {
        const film::Film* film = nullptr;
        u32 width = 0;
        u32 height = 0;
        u32 samples = 0;  // of each pixel
    };

    // Before the first resolve() of a picture of a film that outlives it. `must_be_exact`: surfaces
    // are read although they have changed little since the picture before.
    void begin(const Picture& picture, bool must_be_exact);

    // Whether the planes hold pixels of this film and size: tiles that are not new may be left out.
    [[nodiscard]] bool holds(const Picture& picture) const;

    // The albedo of the picture's pixels, RGB, once their surfaces are read.
    [[nodiscard]] std::span<const float> albedo() const {
        return std::span<const float>(albedo_).first(3 * std::size_t{picture_.width} *
                                                     picture_.height);
    }

    // Reads pixel (x, y) of the film, which is number `pixel` of the picture. Any thread, each
    // pixel once.
    void resolve(u32 x, u32 y, std::size_t pixel);

    // Writes the RGB of `rgba`, a picture of four channels, without most of its noise; `rgb` grows
    // if it is too small. False: given up because `should_stop` said so. Pictures that cannot be
    // filtered are copied. On several threads.
    bool run(const std::vector<float>& rgba,
             std::vector<float>& rgb,
             const std::function<bool()>& should_stop);

    // Of pictures that were not given up. Any thread.
    [[nodiscard]] FilterTimes times() const;

private:
    bool run_filter(const std::vector<float>& rgba,
                    std::vector<float>& rgb,
                    const std::function<bool()>& should_stop);
    [[nodiscard]] bool has_all_pixels() const;
    void resolve_surface(u32 x, u32 y, std::size_t pixel);
    void resolve_halves(u32 x, u32 y, std::size_t pixel);

    Picture picture_;
    u32 surface_samples_ = 0;        // of the surfaces in the planes
    bool has_new_surfaces_ = false;  // this picture reads them
    bool has_surfaces_ = false;      // of all pixels
    std::array<u32, 4> layers_{};    // in the film: albedo, normal, depth, noise
    std::vector<float> albedo_;
    std::vector<float> normal_;
    std::vector<float> depth_;
    std::vector<float> first_half_;
    std::vector<float> second_half_;
    // Of all pixels of a film, and of lattices, so that neither makes the other allocate.
    denoise::FastFilter whole_filter_;
    denoise::FastFilter lattice_filter_;
    // Processor time of threads beside the caller's. Relaxed: joining them orders it.
    std::atomic<u64> helpers_ns_{0};
    mutable std::mutex mutex_;  // guards the logs
    TimeLog wall_log_;
    TimeLog processor_log_;
};

}  // namespace weft::live
