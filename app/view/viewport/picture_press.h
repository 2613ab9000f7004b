// picture_press.h — a press of the left button on the picture: a click, or a drag that chooses a
// part of it.
//
// By the tool and the keys, a drag turns the camera (camera_mouse.h), chooses the region to render,
// the part to refine first, or a box whose objects are selected; a click selects or focuses.
// Interface thread only.
#pragma once

#include <optional>
#include <utility>

#include <imgui.h>

#include "app/view/viewport/pivot.h"
#include "engine/film/film.h"

namespace weft::app {

struct Selection;
struct Ui;

class PicturePress {
public:
    PicturePress(RenderLink& link, CameraMotion& motion, const PictureSight& sight, Ui& ui)
        : link_(link), motion_(motion), sight_(sight), ui_(ui) {}

    // Takes the mouse of this frame. `is_over`: it is over the picture.
    void begin(bool is_over);

    // The place of a click that has ended in this frame. Call after begin().
    std::optional<ImVec2> end();

    // The box of objects to select that was drawn until this frame, once. Call after end().
    std::optional<film::Region> take_box() { return std::exchange(box_, std::nullopt); }

    [[nodiscard]] bool is_held() const { return pressed_.has_value(); }

    // Whether the drag turns the camera.
    [[nodiscard]] bool is_turning() const;

    // Draws the rectangle of a region that is being chosen.
    void draw() const;

private:
    void choose_region();
    void tell_attention();

    RenderLink& link_;
    CameraMotion& motion_;
    const PictureSight& sight_;
    Ui& ui_;
    std::optional<ImVec2> pressed_;  // where the button went down
    bool is_dragged_ = false;
    std::optional<film::Region> box_;
    bool is_attending_ = false;  // the drag chooses the part to refine first
};

// Selects what the surface belongs to, and makes it the pivot; none: selects nothing.
void select_surface(
    Session& session, Selection& selection, CameraMotion& motion, Ui& ui, const Surface& surface);

// Adds what the surface belongs to to the selection, or takes it out.
void toggle_surface(Session& session, Selection& selection, const Surface& surface);

// Focuses on the surface; says so if there is none.
void focus_on(Session& session, const Selection& selection, Ui& ui, const Surface& surface);

}  // namespace weft::app
