// quality_filter.h — denoises the picture of a frame that has rested: RGB that `weft denoise` makes
// of a film with the same samples and layers, bit for bit.
//
// It takes seconds of all processors, so the caller may end it at any moment: it returns within
// some milliseconds, and nothing of it is left. One picture after the other, also of several
// frames.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "engine/film/film.h"
#include "engine/live/time_log.h"
#include "shaders/host/shade_kernels.h"

namespace weft::live {

struct QualityFigures {
    TimeFigures wall;  // of whole pictures
    u64 begun = 0;
    u64 stopped = 0;
};

class QualityFilter {
public:
    enum class Ended {
        Done,
        Stopped,  // `should_stop` said so
        Refused,  // too little memory, or a value that is not finite
    };

    // Writes RGB of the crop's pixels, row by row; `rgb` stays as it is unless it is done. The film
    // has the layers that LiveFilter::can_filter() names; nobody adds to it meanwhile. On several
    // threads, which inherit the caller's niceness and ask `should_stop`.
    Ended run(const film::Film& film,
              shaders::Isa isa,
              std::vector<float>& rgb,
              const std::function<bool()>& should_stop);

    // How long a picture of so many pixels will take, by the last one.
    [[nodiscard]] double expected_s(u64 pixels) const;

    // Any thread.
    [[nodiscard]] QualityFigures figures() const;

private:
    mutable std::mutex mutex_;  // guards all that follows
    double pixel_s_ = 2e-6;     // before the first picture: a guess for two processors
    QualityFigures figures_;
    TimeLog log_;
};

}  // namespace weft::live
