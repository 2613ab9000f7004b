// viewport.h — the picture in the window, and what the mouse does on it.
//
// Draws the newest picture where picture_zoom.h has its place, a coarse one stretched to the same
// place, so that nothing jumps while it refines; under a region render the picture before it stays.
// Interface thread only.
#pragma once

#include "app/view/models/view_camera.h"
#include "app/view/session/view_state.h"
#include "app/view/viewport/snapshot_wipe.h"
#include "app/view/window/picture_texture.h"

namespace weft::app {

class Viewport {
public:
    // Takes the newest picture of the renderer, if there is one. True: something new is to be seen.
    bool take_picture(ViewState& state);

    // Within the current ImGui window, all of its free space; reacts to mouse and keys in it.
    void draw(ViewState& state);

    // Number of the job that the picture on the screen belongs to.
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
    bool is_attending_ = false;  // the drag says which part comes first
    Vec3 pivot_{};               // of the drag
    u64 pivot_gesture_ = 0;      // that it was taken for
    u64 flight_gesture_ = 0;
    float flight_m_ = 1;  // how far it was to what lay ahead where that flight began
    u64 wheel_gesture_ = 0;
    double wheel_s_ = 0;  // when it was turned last
};

// Selects what is seen at a point of the window, and makes it what the camera turns about.
void pick_at(ViewState& state, float x, float y);

// What is seen there comes into focus.
void focus_at(ViewState& state, float x, float y);

}  // namespace weft::app
