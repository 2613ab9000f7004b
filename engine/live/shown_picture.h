// shown_picture.h — the pictures that the interface takes: whole ones, each replaced by the next.
//
// A worker of a frame makes a picture and then swaps a pointer to it; the interface copies the
// bytes of a picture that nobody changes any more. So neither waits for the other, and no picture
// has tiles of two moments.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/film/display.h"
#include "engine/film/film.h"
#include "engine/math/vector.h"

namespace weft::live {

// What is shown of a job.
enum class LiveDisplay {
    Rendered,   // its film
    Solid,      // what the camera hits, under a lamp at the camera (solid_picture.h)
    Wireframe,  // the same with the edges of triangles
};

// Whether the beauty is shown without most of its noise.
enum class LiveDenoise {
    Off,
    Fast,     // each picture by the fast filter
    Quality,  // the same, and by the quality filter once the picture rests (quality_pace.h)
};

// How a film becomes a picture.
struct LiveView {
    film::ViewTransform transform = film::ViewTransform::Standard;
    std::shared_ptr<const colour::Transform> config_view;  // in its place, if there is one
    float exposure_stops = 0;
    std::optional<film::Aov> layer;                       // none: the beauty
    bool has_false_colours = false;                       // values as a scale of colours
    std::array<float, 2> depth_range_m = {0.125F, 4096};  // ends of that scale; 0 < near < far

    LiveDenoise denoise = LiveDenoise::Off;       // where the film holds the layers for it
    bool has_linear = false;                      // pictures hold the scene-linear beauty, too
    LiveDisplay display = LiveDisplay::Rendered;  // others need nothing of the above

    bool operator==(const LiveView&) const = default;
};

// 8-bit display values, and scene-linear ones where the view asks for them. The interface keeps it
// between calls, so that a picture is copied once.
struct LivePicture {
    u32 width = 0;  // of the pixels here; smaller than the region where it is a first picture
    u32 height = 0;
    std::vector<u8> rgba;       // rows from the top, alpha straight
    std::vector<float> linear;  // four per pixel, premultiplied, without exposure; or empty
    u32 full_width = 0;         // of the job's picture
    u32 full_height = 0;
    film::Region region{};   // the part of the job's picture that the pixels here cover
    u32 samples = 0;         // the least of all pixels of the region; 0 while coarse
    bool is_coarse = false;  // some pixels have no sample of their own yet
    LiveDenoise denoised = LiveDenoise::Off;  // the filter that made it
    LiveDisplay display = LiveDisplay::Rendered;
    u64 job = 0;      // the number that show() returned
    u64 version = 0;  // another one for each picture; 0: none is taken
};

// Where a picture belongs.
struct ShownPlace {
    u64 job = 0;
    u32 full_width = 0;
    u32 full_height = 0;
    film::Region region{};  // of the full picture
    bool is_coarse = false;
    LiveDisplay display = LiveDisplay::Rendered;
};

// The light of a pixel: scene-linear, and how many samples it is worth.
struct LightPixel {
    math::Vec3 rgb{};
    float samples = 0;
};

// A picture that nobody changes any more.
struct ShownImage {
    u64 version = 0;  // unique
    u32 width = 0;
    u32 height = 0;
    std::vector<u8> rgba;
    std::vector<float> linear;
    std::vector<LightPixel> light;  // of the beauty, where later pictures may use it; or empty
    u32 samples = 0;
    bool is_coarse = false;
    LiveDenoise denoised = LiveDenoise::Off;
};

// The version of the next image; never twice the same. Any thread.
u64 next_version();

// Copies an image of that place. False: `picture` is that one already.
bool copy_image(const ShownImage& image, const ShownPlace& place, LivePicture& picture);

// What makes one whole picture after the other.
class PictureSource {
public:
    virtual ~PictureSource() = default;
    // Copies the newest. False: the picture is that one already, or there is none. Any thread.
    virtual bool copy_to(LivePicture& picture) const = 0;
};

// The source that is shown. Any thread.
class ShownPicture {
public:
    void show(std::shared_ptr<const PictureSource> source);
    // LiveRender::take_picture. The interface's thread.
    bool take(LivePicture& picture) const;

private:
    mutable std::mutex mutex_;  // held to copy a pointer
    std::shared_ptr<const PictureSource> source_;
};

}  // namespace weft::live
