// shown_picture.h — what the interface shows of a film: 8-bit display values, handed over whole.
//
// The render thread puts pictures in, the interface takes the newest one out; neither waits for
// the other: a picture is made apart and changed for the former one in a few steps.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "engine/film/film.h"
#include "engine/film/view_transform.h"

namespace weft::frame {

// How a film becomes a picture.
struct LiveView {
    film::ViewTransform transform = film::ViewTransform::Standard;
    float exposure_stops = 0;
    std::string layer;               // empty: the beauty; else an AOV of render_settings.h
    bool has_false_colours = false;  // brightness as a scale of colours

    bool operator==(const LiveView&) const = default;
};

// 8-bit display values. The owner keeps it, so that its memory is used again.
struct LivePicture {
    u32 width = 0;  // of the pixels here: fewer than the region has while the picture is coarse
    u32 height = 0;
    std::vector<u8> rgba;  // rows from the top, alpha straight
    u32 full_width = 0;    // of the job's picture
    u32 full_height = 0;
    film::Region region{};   // the part of it that the pixels here cover
    u32 samples = 0;         // per pixel, at least
    bool is_coarse = false;  // a first picture of few pixels
    u64 job = 0;             // number that show() returned
};

class ShownPicture {
public:
    // The film as the view shows it. One thread; the film must not change meanwhile.
    void put(const film::Film& film, const LiveView& view, u32 samples, u64 job);

    // False: nothing newer than what was taken last. One thread.
    bool take(LivePicture& picture);

private:
    LivePicture made_;  // of the thread that puts
    std::mutex mutex_;
    LivePicture newest_;
    bool is_new_ = false;
};

}  // namespace weft::frame
