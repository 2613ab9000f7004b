#include "app/film_picture.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/command/version.h"
#include "engine/film/light_groups.h"
#include "engine/frame/film_origin.h"

namespace weft::app {

film::ImageConfig film_picture_config(const RenderOptions& options,
                                      const std::string& output,
                                      const film::SavedFilm& saved,
                                      const std::string& command_line) {
    const film::FilmRecord& record = saved.record;
    const film::Region crop = saved.film.crop();
    u32 least = ~0U;
    u64 samples = 0;
    u64 empty = 0;
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const u32 count = saved.film.sample_count(x, y);
            least = std::min(least, count);
            samples += count;
            empty += count == 0 ? 1U : 0U;
        }
    }
    const double pixels = static_cast<double>(crop.width()) * crop.height();
    film::ImageConfig config = pick_image_config(options);
    config.keep_film = film::is_exr_file(output);
    config.layers.reset();  // sums go with all of their layers
    config.has_alpha = film::origin_value(record, "transparent film") == "yes";
    config.record = record;
    config.matte_names = record.names;
    const base::Result<film::LightGroups> groups =
        film::parse_light_groups(film::origin_value(record, frame::kLightGroupsOrigin));
    if (groups.is_ok()) {
        config.light_layers = film::light_layer_names(groups.value());
    }
    config.metadata = {
        {"version", kVersion},
        {"command_line", command_line},
        {"samples_per_pixel", std::to_string(least)},
        {"samples_per_pixel_mean", fmt::format("{}", static_cast<double>(samples) / pixels)},
        {"pixels_without_samples", std::to_string(empty)},
        {"seed", film::origin_value(record, "seed")},
        {"sample_version", film::origin_value(record, "version of the samples")},
        {"arithmetic_class", film::origin_value(record, "arithmetic class")},
        {"camera_name", record.camera_name},
        {"camera_to_world", film::origin_value(record, "camera matrix")},
        {"dropped_samples", std::to_string(record.dropped_samples)}};
    const std::string lens = film::origin_value(record, frame::kLensOrigin);
    config.pixel_aspect = frame::pixel_aspect(lens);
    if (!frame::is_orthographic(lens)) {
        config.metadata.emplace_back("camera_yfov_rad",
                                     film::origin_value(record, "field of view in radians"));
    }
    if (!saved.noise_threshold.empty()) {
        config.metadata.emplace_back("noise_threshold", saved.noise_threshold);
    }
    if (const std::string bias = frame::bias_text(record.origin); !bias.empty()) {
        config.metadata.emplace_back("bias", bias);
    }
    return config;
}

}  // namespace weft::app
