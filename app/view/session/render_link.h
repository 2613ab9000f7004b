// render_link.h — the live renderer, and the scene and settings that it shows.
//
// Interface thread only.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "app/view/background/depth_watch.h"
#include "app/view/background/file_saver.h"
#include "app/view/models/live_pace.h"
#include "app/view/models/picture_zoom.h"
#include "app/view/session/document.h"
#include "engine/live/live_render.h"
#include "engine/scene/edit/edit_effect.h"

namespace weft::app {

struct RenderLink {
    std::shared_ptr<const scene::Scene> scene;  // the rendered scene, with caps; nullptr: none
    frame::RenderSettings settings;             // without the document's part: rendered_settings()
    live::LiveView view;                        // without the document's part: shown_view()
    live::LiveDenoise denoise_before = live::LiveDenoise::Quality;  // while the view's is off
    std::array<u32, 2> frame{};            // the document's size; settings have what is rendered
    PicturePlace pane;                     // for the picture, in pixels of the window
    std::optional<film::Region> attended;  // refined first; none: all alike
    u32 effect = scene::kEffectNone;       // changes since the last job

    std::unique_ptr<live::LiveRender> live;
    live::LiveStatus status;  // of this frame
    LivePace pace;            // of the statuses so far
    u64 job = 0;              // the last job
    bool is_paused = false;
    // Declared after `live`: their tasks end before the renderer is destroyed.
    FileSaver saver;
    DepthWatch depth;  // for the scale of false colours

    [[nodiscard]] float aspect() const {
        return static_cast<float>(frame[0]) / static_cast<float>(frame[1]);
    }
};

// Takes the newest status of the live render, and the pace from it.
void follow_status(RenderLink& link);

// The rendered pixels are those of the frame.
[[nodiscard]] inline bool is_frame_rendered(const RenderLink& link) {
    return link.frame == std::array{link.settings.width, link.settings.height};
}

// Which filter takes the noise out of what is shown. Off remembers what was on before.
void show_denoised(RenderLink& link, live::LiveDenoise denoise);

// The settings of the job at the size of the frame, with the region of it that is rendered.
frame::RenderSettings frame_settings(const RenderLink& link);

// The settings of a job, with the section planes and the autofocus of the document.
frame::RenderSettings rendered_settings(const RenderLink& link, const Document& document);

// The view with the exposure and the view transform of the document.
live::LiveView shown_view(const RenderLink& link, const Document& document);

}  // namespace weft::app
