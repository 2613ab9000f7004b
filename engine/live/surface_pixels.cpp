#include "engine/live/surface_pixels.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "engine/trace/scene_tables.h"

namespace weft::live {

std::shared_ptr<const SurfacePixels> read_surfaces(HitRequest request,
                                                   const film::Region& crop,
                                                   u32 step,
                                                   const std::function<bool()>& should_stop) {
    const std::shared_ptr<const trace::SceneTables> tables = request.scene.tables;
    HitRows rows(std::move(request));
    if (!rows.is_allocated()) {
        return nullptr;
    }
    auto read = std::make_shared<SurfacePixels>();
    read->width = (crop.width() + step - 1) / step;
    read->height = (crop.height() + step - 1) / step;
    if (tables->instances.size() <= SurfacePixels::kMostPlaces) {
        for (const shaders::InstanceRecord& placed : tables->instances) {
            read->places.push_back(std::to_array(placed.object_to_world));
        }
    }
    const float middle = static_cast<float>(step) / 2;
    read->pixels.resize(std::size_t{read->width} * read->height);
    if (std::any_of(tables->materials.begin(), tables->materials.end(), frame::may_be_mirror)) {
        read->mirrored.resize(read->pixels.size());
    }
    const auto read_row = [&](frame::CameraHits& hits, u32 y) {
        thread_local std::vector<frame::PicturePoint> points;
        thread_local std::vector<frame::CameraHit> found;
        points.resize(read->width);
        found.resize(read->width);
        for (u32 x = 0; x < read->width; ++x) {
            points[x] = {static_cast<float>(crop.x0 + x * step) + middle,
                         static_cast<float>(crop.y0 + y * step) + middle};
        }
        hits.trace(points, found);
        SurfacePixel* const row = read->pixels.data() + std::size_t{y} * read->width;
        for (u32 x = 0; x < read->width; ++x) {
            row[x] = {found[x].position, found[x].normal, found[x].albedo, found[x].instance};
        }
        if (!read->mirrored.empty()) {
            const std::span<frame::MirroredPoint> shown(read->mirrored);
            hits.trace_mirrored(found, shown.subspan(std::size_t{y} * read->width, read->width));
        }
    };
    return rows.run(0, read->height, read_row, should_stop) ? read : nullptr;
}

}  // namespace weft::live
