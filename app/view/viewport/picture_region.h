// picture_region.h — rectangles of the picture between its pixels and the window.
//
// Used by the viewport for region renders and attention. Pure but for drawing; interface thread.
#pragma once

#include <imgui.h>

#include "app/view/session/view_state.h"
#include "engine/film/film.h"

namespace weft::app {

// The pixels between two points of the window; none where they are less than two apart.
std::optional<film::Region> region_between(const RenderLink& link,
                                           const PictureSight& sight,
                                           ImVec2 a,
                                           ImVec2 b);

// Where a region of a picture of so many pixels lies in the window.
MarkedPlace place_of(const PicturePlace& place, const film::Region& part, u32 width, u32 height);

// The same of the picture that is rendered now.
MarkedPlace place_of(const RenderLink& link, const PictureSight& sight, const film::Region& part);

// An outline of it over the picture.
void draw_region(const RenderLink& link,
                 const PictureSight& sight,
                 const film::Region& part,
                 const ImVec4& colour);

}  // namespace weft::app
