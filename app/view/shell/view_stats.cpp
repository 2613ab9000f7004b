#include "app/view/shell/view_stats.h"

#include <nlohmann/json.hpp>

#include "app/command/version.h"
#include "app/view/session/render_link.h"
#include "engine/film/whole_file.h"

namespace weft::app {

base::Status write_view_stats(const std::string& path,
                              const RenderLink& link,
                              const FrameTimes& frame_times,
                              const std::string& command_line) {
    using nlohmann::json;
    const live::LiveStatus status = link.live->status();
    const live::TimeFigures& first = status.first_picture;
    json stats = {{"version", kVersion},
                  {"command_line", command_line},
                  {"interface",
                   {{"frames", frame_times.count()},
                    {"frame_ms_p50", frame_times.percentile_ms(0.50)},
                    {"frame_ms_p95", frame_times.percentile_ms(0.95)},
                    {"frame_ms_max", frame_times.longest_ms()}}},
                  {"first_picture",
                   {{"count", first.count},
                    {"ms_p50", first.p50_ms},
                    {"ms_p95", first.p95_ms},
                    {"ms_last", first.last_ms},
                    {"fallbacks", status.counters.fallbacks},
                    {"kept_trees", status.counters.kept_trees},
                    {"patched_trees", status.counters.patched_trees},
                    {"built_trees", status.counters.built_trees}}},
                  {"filter",
                   {{"count", status.filter.wall.count},
                    {"ms_p50", status.filter.wall.p50_ms},
                    {"ms_p95", status.filter.wall.p95_ms},
                    {"processor_ms_p50", status.filter.processor.p50_ms}}},
                  {"quality_filter",
                   {{"count", status.quality.wall.count},
                    {"stopped", status.quality.stopped},
                    {"ms_p50", status.quality.wall.p50_ms}}},
                  {"render",
                   {{"width", link.settings.width},
                    {"height", link.settings.height},
                    {"samples_per_pixel", status.samples_done},
                    {"elapsed_s", status.elapsed_s},
                    {"frames_begun", status.counters.frames},
                    {"stand_ins", status.counters.stand_ins}}}};
    // The samples that each unit rendered of the last frame.
    for (const unit::UnitFigures& unit : link.live->figures().run.units) {
        stats["units"].push_back(unit.work);
    }
    if (link.scene != nullptr) {
        const scene::SceneSize size = scene::scene_size(*link.scene);
        stats["scene"] = {{"name", link.scene->name},
                          {"triangles", size.triangles},
                          {"unique_triangles", size.unique_triangles},
                          {"instances", link.scene->instances.size()},
                          {"materials", link.scene->materials.size()}};
    }
    const std::string text = stats.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
    auto file = film::WholeFile::open(path);
    WEFT_TRY(file);
    file.value().write_at(text.data(), text.size(), 0);
    return file.value().commit();
}

}  // namespace weft::app
