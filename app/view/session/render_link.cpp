#include "app/view/session/render_link.h"

#include <algorithm>
#include <utility>

#include "app/command/colour_options.h"

namespace weft::app {

void follow_status(RenderLink& link) {
    link.status = link.live->status();
    link.pace.look(link.status,
                   u64{link.settings.width} * link.settings.height,
                   static_cast<double>(link.settings.noise_threshold));
}

void show_denoised(RenderLink& link, live::LiveDenoise denoise) {
    if (link.view.denoise != live::LiveDenoise::Off) {
        link.denoise_before = link.view.denoise;
    }
    link.view.denoise = denoise;
    link.effect |= scene::kEffectView;
}

frame::RenderSettings frame_settings(const RenderLink& link) {
    frame::RenderSettings all = link.settings;
    all.width = link.frame[0];
    all.height = link.frame[1];
    if (all.crop) {
        const auto low = [](u32 at, u32 from, u32 to) {
            return static_cast<u32>(u64{at} * to / from);
        };
        const auto high = [](u32 at, u32 from, u32 to) {
            return static_cast<u32>((u64{at} * to + from - 1) / from);
        };
        const auto [width, height] = std::pair(link.settings.width, link.settings.height);
        all.crop = film::Region{low(all.crop->x0, width, all.width),
                                low(all.crop->y0, height, all.height),
                                high(all.crop->x1, width, all.width),
                                high(all.crop->y1, height, all.height)};
    }
    return all;
}

frame::RenderSettings rendered_settings(const RenderLink& link, const Document& document) {
    frame::RenderSettings all = link.settings;
    all.has_autofocus = document.context().has_autofocus;
    all.clip_planes = document.context().clip_planes;
    // Blocks end by the noise that this layer tells.
    const bool has_noise =
        std::find(all.aovs.begin(), all.aovs.end(), film::Aov::Noise) != all.aovs.end();
    if (all.noise_threshold > 0 && !has_noise) {
        all.aovs.push_back(film::Aov::Noise);
    }
    return all;
}

live::LiveView shown_view(const RenderLink& link, const Document& document) {
    const scene::EditContext& context = document.context();
    live::LiveView all = link.view;
    all.exposure_stops = context.exposure_stops;
    all.transform = own_view(context);
    const auto of_config = scene::config_view(context);
    all.config_view = of_config.is_ok() ? of_config.value() : nullptr;
    return all;
}

}  // namespace weft::app
