// shutter.h — motion blur: the moments of an exposure, and the samples that show each of them.
//
// The samples of every pixel are cut into equal parts, one for each moment, and the scene stands
// still while a part is rendered. So transforms, skins, morph targets and everything else that an
// animation moves are blurred exactly at those moments, and no ray carries a time. Moments are
// visited in the order of van der Corput's sequence: a render that ends early is spread over the
// exposure as well. Pure functions.
#pragma once

#include <vector>

#include "app/command/render_options.h"

namespace weft::app {

// The pixel samples [begin, end) show the scene `frame_offset` frames after the frame's own time.
struct Moment {
    double frame_offset = 0;
    u32 begin = 0;
    u32 end = 0;
};

// The moments of `samples` per pixel, by rising sample; one moment without --shutter.
std::vector<Moment> shutter_moments(const RenderOptions& options, u32 samples);

}  // namespace weft::app
