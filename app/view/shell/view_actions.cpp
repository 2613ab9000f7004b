// view_actions.cpp — actions on the render and on what the window shows.
#include <array>
#include <string>

#include <imgui.h>

#include "app/view/panels/panel_inspector.h"
#include "app/view/session/camera_motion.h"
#include "app/view/session/comparison.h"
#include "app/view/session/heat_count.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"
#include "app/view/session/selection.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_scene.h"
#include "app/view/shell/action_lists.h"
#include "app/view/viewport/compare_overlay.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

void toggle_region(CameraMotion& motion, Ui& ui) {
    motion.tool = motion.tool == Tool::Region ? Tool::Orbit : Tool::Region;
    if (motion.tool == Tool::Region) {
        ui.say_while("Drag a rectangle: only that part will be rendered; Esc cancels",
                     [&motion] { return motion.tool == Tool::Region; });
    }
}

void end_region(RenderLink& link, Ui& ui) {
    link.settings.crop.reset();
    link.effect |= scene::kEffectCamera;
    ui.say_while("The whole picture is rendered again", [&link] { return !link.settings.crop; });
}

// Ends the innermost mode; without one, selects nothing.
void leave_modes(const RenderParts& p) {
    if (p.ui.is_help_open) {
        p.ui.is_help_open = false;
    } else if (p.comparison.is_large()) {
        p.comparison.look = CompareLook::Small;
    } else if (p.motion.tool != Tool::Orbit) {
        p.motion.tool = Tool::Orbit;
    } else if (p.link.settings.crop) {
        end_region(p.link, p.ui);
    } else {
        p.selection = {};
    }
}

void toggle_pause(RenderLink& link, const Comparison& comparison) {
    link.is_paused = !link.is_paused;
    // A comparison keeps the picture paused.
    link.live->set_paused(link.is_paused || comparison.run.is_running());
}

void change_exposure(Session& session, Ui& ui, float stops) {
    if (session.document.is_open()) {
        send_edit(session,
                  ui,
                  "view/exposure",
                  std::to_string(session.document.context().exposure_stops + stops));
    }
}

// Off, or what was on before.
void toggle_denoising(RenderLink& link) {
    const bool is_off = link.view.denoise == live::LiveDenoise::Off;
    show_denoised(link, is_off ? link.denoise_before : live::LiveDenoise::Off);
}

// Chooses a display, or the rendered picture where that one is shown.
void toggle_display(Session& session, RenderLink& link, live::LiveDisplay display) {
    const bool is_on = link.view.display == display;
    show_display(session, link, is_on ? live::LiveDisplay::Rendered : display);
}

void show_pixels(const RenderLink& link, PictureSight& sight) {
    const float scale = 1 / ImGui::GetIO().DisplayFramebufferScale.x;
    sight.zoom.set_scale(sight.pane, link.frame[0], link.frame[1], scale);
}

// Chooses the next text size above (1) or below (-1) the present one; the settings keep it.
void change_interface(Session& session, Ui& ui, int way) {
    constexpr std::array<float, 10> kScales = {
        0.75F, 0.9F, 1.0F, 1.1F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};
    const float now = interface_scale();
    float wanted = now;
    for (const float scale : kScales) {
        const bool is_beyond = way > 0 ? scale > now * 1.01F : scale < now * 0.99F;
        if (is_beyond && (way < 0 || wanted == now)) {
            wanted = scale;
        }
    }
    ui.interface_scale = wanted;
    session.remembered.interface_scale = wanted;
}

void follow_monitor(Session& session, Ui& ui) {
    ui.interface_scale = 0;
    session.remembered.interface_scale = 0;
}

void toggle_panels(ViewSettings& settings) {
    const bool has_any = settings.has_left || settings.has_right;
    settings.has_left = !has_any;
    settings.has_right = !has_any;
}

void enter_fields(Session& session, Ui& ui) {
    session.remembered.has_right = true;
    ui.keyboard.is_field_wanted = true;
    ui.keyboard.await_text();
}

// The overlay shows only with its panel.
void show_compared(const MeasureParts& p) {
    if (next_compare_look(p.ui, p.comparison)) {
        p.session.remembered.has_bottom = true;
    }
}

}  // namespace

// clang-format off
Actions render_actions(const RenderParts& parts) {
    return {
        {"Render", "Region ...", "R", "drag a rectangle: only that part is rendered",
         [p = parts] { toggle_region(p.motion, p.ui); },
         [p = parts] { return p.motion.tool == Tool::Region; }},
        {"Render", "Whole picture", "escape", "ends a tool, a region, a selection",
         [p = parts] { leave_modes(p); }, nullptr, false, ActionNeeds::Nothing},
        {"Render", "Pause", "P", "no more samples until P is pressed again",
         [p = parts] { toggle_pause(p.link, p.comparison); },
         [p = parts] { return p.link.is_paused; }},
    };
}

Actions picture_actions(const PictureParts& parts) {
    return {
        {"View", "Brighter", "]", "a third of a stop more",
         [p = parts] { change_exposure(p.session, p.ui, 1.0F / 3); }},
        {"View", "Darker", "[", "a third of a stop less",
         [p = parts] { change_exposure(p.session, p.ui, -1.0F / 3); }},
        {"View", "Denoised", "D", "takes the noise out of the picture that is shown; files keep it",
         [p = parts] { toggle_denoising(p.link); },
         [p = parts] { return p.link.view.denoise != live::LiveDenoise::Off; }, true},
        {"View", "Solid", "Z", "materials under a lamp at the camera, at once: for placing things",
         [p = parts] { toggle_display(p.session, p.link, live::LiveDisplay::Solid); },
         [p = parts] { return p.link.view.display == live::LiveDisplay::Solid; }, true},
        {"View", "Wireframe", "shift+Z", "the same with the edges of triangles",
         [p = parts] { toggle_display(p.session, p.link, live::LiveDisplay::Wireframe); },
         [p = parts] { return p.link.view.display == live::LiveDisplay::Wireframe; }},
        {"View", "The frame's pixels", "", "renders the pixels that a saved picture has",
         [&settings = parts.session.remembered] { settings.pixel_side = 0; },
         [&settings = parts.session.remembered] { return settings.pixel_side == 0; }, true},
        {"View", "The window's pixels", "", "renders as many pixels as the window shows",
         [&settings = parts.session.remembered] { settings.pixel_side = 1; },
         [&settings = parts.session.remembered] { return settings.pixel_side == 1; }},
        {"View", "Half the window's pixels", "", "to a side: pictures come four times as fast",
         [&settings = parts.session.remembered] { settings.pixel_side = 2; },
         [&settings = parts.session.remembered] { return settings.pixel_side == 2; }},
        {"View", "A quarter of the window's pixels", "", "to a side: 16 times as fast",
         [&settings = parts.session.remembered] { settings.pixel_side = 4; },
         [&settings = parts.session.remembered] { return settings.pixel_side == 4; }},
        {"View", "Fit the picture", "0", "shows all of it, as large as there is room",
         [p = parts] { p.sight.zoom.fit(); },
         [p = parts] { return p.sight.zoom.is_fit(); }, true},
        {"View", "Pixel by pixel", "shift+0",
         "one pixel of the picture for each of the screen; Ctrl and the wheel zoom on",
         [p = parts] { show_pixels(p.link, p.sight); }},
        {"View", "Snapshot A", "A", "keeps the picture to compare with",
         [p = parts] { p.sight.is_snapshot_wanted = true; }, nullptr, true},
        {"View", "Wipe A | B", "W", "shows the snapshot left of a line that you drag",
         [p = parts] { p.sight.is_wipe_on = !p.sight.is_wipe_on; },
         [p = parts] { return p.sight.is_wipe_on; }},
        {"View", "Hold the pixel", "I", "the panel Pixel stays with the one under the mouse",
         [p = parts] { p.inspector.is_held = !p.inspector.is_held; },
         [p = parts] { return p.inspector.is_held; }},
    };
}

Actions interface_actions(Session& session, Ui& ui) {
    return {
        {"View", "Panels", "N", "shows or hides all panels",
         [&settings = session.remembered] { toggle_panels(settings); },
         [&settings = session.remembered] { return settings.has_left || settings.has_right; },
         true, ActionNeeds::Nothing},
        {"View", "Larger interface", "ctrl+=", "text, panels and handles",
         [&session, &ui] { change_interface(session, ui, 1); },
         nullptr, false, ActionNeeds::Nothing},
        {"View", "Smaller interface", "ctrl+-", "text, panels and handles",
         [&session, &ui] { change_interface(session, ui, -1); },
         nullptr, false, ActionNeeds::Nothing},
        {"View", "Interface as the monitor", "ctrl+0", "the scale that the desktop has set",
         [&session, &ui] { follow_monitor(session, ui); },
         [&ui] { return ui.interface_scale == 0; }, false, ActionNeeds::Nothing},
        {"View", "Number fields", "tab",
         "into the panel on the right: Tab and Shift+Tab go on, Enter ends",
         [&session, &ui] { enter_fields(session, ui); }},
        {"View", "Menus", "F10", "opens the menus: arrows and Enter choose, Escape leaves",
         [&ui] { enter_menus(ui.keyboard); }, nullptr, false, ActionNeeds::Nothing},
        {"View", "Scheduler", "B", "figures and timeline below the picture",
         [&settings = session.remembered] { settings.has_bottom = !settings.has_bottom; },
         [&settings = session.remembered] { return settings.has_bottom; },
         false, ActionNeeds::Nothing},
    };
}

Actions measure_actions(const MeasureParts& parts) {
    return {
        {"View", "Heat", "K", "what each object costs, over the picture",
         [p = parts] { count_heat(p.link, p.ui, p.heat, !p.heat.is_on); },
         [p = parts] { return p.heat.is_on; }},
        {"View", "Modes side by side", "M",
         "what is compared over the picture: side by side, divided by two lines, not at all",
         [p = parts] { show_compared(p); },
         [p = parts] { return p.comparison.is_large(); }},
    };
}

// clang-format on

}  // namespace weft::app
