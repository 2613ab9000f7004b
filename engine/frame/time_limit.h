// time_limit.h — when a frame with a time limit stops, so that its means are made by then.
//
// The means and display bytes of a picture are made after its last sample and count as rendering. A
// frame therefore stops sampling before the limit, by the time that they will take: a measured cost
// of a pixel, the pixels that have samples, and the processor time that the frame gets from the
// machine. Pure arithmetic, but for means_cost_s().
#pragma once

#include <limits>

#include "engine/film/resolved_film.h"

namespace weft::frame {

// How a frame ends; each includes those before it.
enum class TimeLeft {
    Enough,
    EndWave,    // the wave that is under way ends for all pixels, and no other starts
    EndShares,  // no share starts
    GiveUp,     // shares that are out are given up
};

struct TimeLimit {
    double limit_s = std::numeric_limits<double>::infinity();
    double means_cost_s = 0;  // of a pixel, in processor time
    u32 thread_count = 1;

    // What a frame has used when it asks.
    struct Spent {
        double elapsed_s = 0;
        double processor_s = 0;  // of all threads
        u64 begun_pixels = 0;    // in tiles that have samples
    };

    [[nodiscard]] TimeLeft left(const Spent& spent) const;
    // Until left() may change, at most `most_s`.
    [[nodiscard]] double until_next_s(const Spent& spent, double most_s) const;
    // For the means of all pixels that have begun; at most half of the limit.
    [[nodiscard]] double reserve_s(const Spent& spent) const;
};

// Processor time of means and display bytes of one pixel of the film, measured on a small film of
// the same layers.
double means_cost_s(const film::Film& film, const film::ResolveConfig& config);

// Of all threads of the process, since it began.
double processor_seconds();

}  // namespace weft::frame
