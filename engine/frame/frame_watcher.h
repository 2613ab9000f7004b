// frame_watcher.h — what makes pictures of a frame while it is rendered, one whole picture after
// the other.
//
// A *generation* is the state of a frame in which every pixel of a lattice (every pixel, in the
// end) has the same number of samples. Where a watcher wants its picture, the frame finishes all
// waves before it starts another one, so the film stands still meanwhile:
//
//     waves of all tiles ── wants() ── join ──> resolve(tile) … ── join ──> filter() ──> tone(tile)
//     …
//         ▲                                                                                  │ join
//         └──────────────────────────────── show() ◄─────────────────────────────────────────┘
//
// All calls are from workers of the frame, and each sees what the ones before it wrote.
#pragma once

#include <functional>

#include "engine/film/film.h"

namespace weft::frame {

struct Generation {
    // The pixels (i, j) · 2^step_log2 from the corner of the crop have samples.
    u32 step_log2 = 0;
    u32 samples = 0;  // of each of these pixels; attended tiles may have more
    // Only attended tiles have got samples since the picture before: these alone are resolved.
    bool is_of_attended = false;
    bool is_last = false;  // the frame ends with it
};

class FrameWatcher {
public:
    virtual ~FrameWatcher() = default;

    // Whether the generation becomes a picture; the frame then waits for its last paths.
    // `new_samples` are new since the picture before. One call at a time.
    virtual bool wants(const Generation& generation, u64 new_samples) = 0;
    // Before the first resolve() of a picture. One call at a time, as filter() and show().
    virtual void begin(const Generation& generation) = 0;
    // Several tiles at once.
    virtual void resolve(const film::Region& tile) = 0;
    // False: given up because `should_stop` said so; it is called again when the frame goes on.
    virtual bool filter(const std::function<bool()>& should_stop) = 0;
    // Several tiles at once; all of the frame's.
    virtual void tone(const film::Region& tile) = 0;
    virtual void show() = 0;
};

}  // namespace weft::frame
