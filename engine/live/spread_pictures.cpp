#include "engine/live/spread_pictures.h"

#include <optional>

#include "engine/live/reprojection.h"

namespace weft::live {

namespace {

// First pictures with fewer than every third pixel to a side are spread.
constexpr u32 kCoarse = 3;
// A picture from the one before is better than coarse ones where it shows most of the pixels.
constexpr double kMost = 0.6;

}  // namespace

// Surfaces are those of pictures without a lens, and of opaque ones.
bool SpreadPictures::is_worth(const LiveFrame& frame, const LiveView& view) const {
    const frame::RenderSettings& settings = frame.job.settings;
    const bool is_filtered = view.is_denoised && !view.has_linear && !view.layer &&
                             !view.has_false_colours &&
                             LiveFilter::can_filter(frame.renderer->film());
    return is_filtered && first_picture_.reduction() >= kCoarse && !settings.crop &&
           frame.job.camera.lens_radius_m == 0 && !settings.is_film_transparent &&
           settings.geometry_memory_bytes == 0;
}

void SpreadPictures::begin(const LiveFrame& frame, const LiveView& view) {
    if (!is_worth(frame, view)) {
        return;
    }
    const std::shared_ptr<const SurfacePixels> surfaces = read_surfaces(
        hit_request(preparer_.prepared(), frame.job), region_of(frame.job.settings), [this] {
            return queue_.is_outdated();
        });
    if (surfaces) {
        frame.shown->use_surfaces(surfaces);
        show_first(frame, view, surfaces);
    }
}

void SpreadPictures::show_first(const LiveFrame& frame,
                                const LiveView& view,
                                const std::shared_ptr<const SurfacePixels>& surfaces) {
    const LiveFrame& first = *first_picture_.shown();
    const std::shared_ptr<LiveFrame> aside = frames_.aside();
    const FormerPicture former = aside && is_turned(aside->job, frame.job)
                                     ? aside->shown->former(view, aside->renderer->camera())
                                     : FormerPicture{};
    const std::optional<double> share =
        first.shown->spread(surfaces, first_picture_.reduction(), former);
    if (!share) {
        return;
    }
    presenter_.present(first);
    if (*share >= kMost) {
        frame.shown->begin_after(surfaces->width);
    }
}

}  // namespace weft::live
