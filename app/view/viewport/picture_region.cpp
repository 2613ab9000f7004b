#include "app/view/viewport/picture_region.h"

#include <algorithm>

#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"

namespace weft::app {

std::optional<film::Region> region_between(const RenderLink& link,
                                           const PictureSight& sight,
                                           ImVec2 a,
                                           ImVec2 b) {
    const PicturePlace& place = sight.place;
    const auto pixel = [](float at, float begin, float size, u32 count) {
        const float share = std::clamp((at - begin) / size, 0.0F, 1.0F);
        return static_cast<u32>(share * static_cast<float>(count) + 0.5F);
    };
    film::Region part;
    part.x0 = pixel(std::min(a.x, b.x), place.x, place.width, link.settings.width);
    part.x1 = pixel(std::max(a.x, b.x), place.x, place.width, link.settings.width);
    part.y0 = pixel(std::min(a.y, b.y), place.y, place.height, link.settings.height);
    part.y1 = pixel(std::max(a.y, b.y), place.y, place.height, link.settings.height);
    const bool is_large_enough = part.x1 >= part.x0 + 2 && part.y1 >= part.y0 + 2;
    return is_large_enough ? std::optional(part) : std::nullopt;
}

MarkedPlace place_of(const PicturePlace& place, const film::Region& part, u32 width, u32 height) {
    const float x = place.width / static_cast<float>(width);
    const float y = place.height / static_cast<float>(height);
    return {{place.x + x * static_cast<float>(part.x0), place.y + y * static_cast<float>(part.y0)},
            {place.x + x * static_cast<float>(part.x1), place.y + y * static_cast<float>(part.y1)}};
}

MarkedPlace place_of(const RenderLink& link, const PictureSight& sight, const film::Region& part) {
    return place_of(sight.place, part, link.settings.width, link.settings.height);
}

void draw_region(const RenderLink& link,
                 const PictureSight& sight,
                 const film::Region& part,
                 const ImVec4& colour) {
    const MarkedPlace place = place_of(link, sight, part);
    ImGui::GetWindowDrawList()->AddRect(
        place.low, place.high, ImGui::ColorConvertFloat4ToU32(colour));
}

}  // namespace weft::app
