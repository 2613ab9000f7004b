// panels.h — the panels without a state of their own: each draws its part of the shared state.
//
// Panels that keep something from frame to frame are classes in headers of their own
// (panel_outliner.h ...). shell/panel_table.h arranges all of them in tabs. Each function draws
// into the current ImGui window and is in the panel_*.cpp of its name. Interface thread only.
#pragma once

namespace weft::app {

class PictureRows;
struct CameraMotion;
struct Comparison;
struct RenderLink;
struct Selection;
struct Session;
struct Ui;

void draw_history(Session& session, Ui& ui);
void draw_lights(Session& session, Selection& selection, const CameraMotion& motion, Ui& ui);
void draw_environment(const Session& session, PictureRows& pictures);
void draw_camera(Session& session, const Selection& selection, CameraMotion& motion, Ui& ui);
void draw_view_panel(Session& session, RenderLink& link, Ui& ui);
void draw_section(Session& session, const CameraMotion& motion, Ui& ui);
void draw_frame(Session& session, Ui& ui);
void draw_render_settings(Session& session, RenderLink& link, Ui& ui);
void draw_compare(const Session& session, RenderLink& link, Comparison& comparison, Ui& ui);

}  // namespace weft::app
