// viewport.h — draws the picture in the window and handles the mouse over it.
//
// Draws the newest picture at the place of picture_zoom.h. A coarse picture is stretched to the
// same place, so that nothing jumps while it refines; during a region render the previous picture
// stays around the region. Interface thread only.
#pragma once

#include "app/view/models/view_camera.h"
#include "app/view/session/view_state.h"
#include "app/view/viewport/snapshot_wipe.h"
#include "app/view/window/picture_texture.h"

namespace weft::app {

class Viewport {
public:
    // Takes the newest picture of the renderer, if there is one. True: the screen must be redrawn.
    bool take_picture(ViewState& state);

    // Fills the free space of the current ImGui window; reacts to mouse and keys in it.
    void draw(ViewState& state);

    // The job of the picture on the screen.
    [[nodiscard]] u64 shown_job() const { return picture_.job; }

    [[nodiscard]] const live::LivePicture& picture() const { return picture_; }

private:
    void draw_picture(const ViewState& state) const;
    static void use_zoom(ViewState& state, bool is_over);
    void use_mouse(ViewState& state, bool is_over);
    void move_camera(ViewState& state);
    const Vec3& pivot_of_drag(ViewState& state, ImGuiMouseButton button);
    void fly(ViewState& state);
    void use_wheel(ViewState& state);
    void finish_region(ViewState& state);
    void finish_press(ViewState& state);
    void keep_snapshot(ViewState& state);

    live::LivePicture picture_;
    PictureTexture whole_;   // of the whole picture
    PictureTexture region_;  // newest pixels of a region render
    bool has_region_ = false;
    SnapshotWipe snapshot_;
    std::optional<ImVec2> pressed_;  // where the left button went down on the picture
    bool is_dragged_ = false;
    bool is_attending_ = false;  // the drag chooses the part to refine first
    Vec3 pivot_{};               // of the drag
    u64 pivot_gesture_ = 0;      // gesture of that pivot
    u64 flight_gesture_ = 0;
    float flight_m_ = 1;  // distance ahead when the flight began
    u64 wheel_gesture_ = 0;
    double wheel_s_ = 0;  // time of the last wheel step
};

// Selects the object at a point of the window, and makes the point the pivot.
void pick_at(ViewState& state, float x, float y);

// Focuses on the surface at a point of the window.
void focus_at(ViewState& state, float x, float y);

}  // namespace weft::app
