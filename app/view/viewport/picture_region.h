// picture_region.h — converts rectangles between pixels of the picture and the window.
//
// The viewport uses it for region renders and attention. Pure but for drawing; interface thread.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/view/models/picture_zoom.h"
#include "app/view/window/widget_marks.h"
#include "engine/film/film.h"

namespace weft::app {

struct PictureSight;
struct RenderLink;

// The pixels between two points of the window; none if they are fewer than two apart.
std::optional<film::Region> region_between(const RenderLink& link,
                                           const PictureSight& sight,
                                           ImVec2 a,
                                           ImVec2 b);

// The place in the window of a region, for a picture of this size.
MarkedPlace place_of(const PicturePlace& place, const film::Region& part, u32 width, u32 height);

// The same for the picture that is rendered now.
MarkedPlace place_of(const RenderLink& link, const PictureSight& sight, const film::Region& part);

// Draws an outline of the region over the picture.
void draw_region(const RenderLink& link,
                 const PictureSight& sight,
                 const film::Region& part,
                 const ImVec4& colour);

}  // namespace weft::app
