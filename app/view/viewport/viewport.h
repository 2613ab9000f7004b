// viewport.h — the picture in its part of the window: its place, its newest pixels, snapshot A.
//
// Draws the newest picture at the place of picture_zoom.h. A coarse picture is stretched to the
// same place, so that nothing jumps while it refines; during a region render the previous picture
// stays around the region. Interface thread only.
#pragma once

#include "app/view/viewport/snapshot_wipe.h"
#include "app/view/window/picture_texture.h"
#include "engine/live/shown_picture.h"

namespace weft::app {

struct CameraMotion;
struct RenderLink;
struct Session;
struct Ui;

class Viewport {
public:
    // Takes the newest picture of the renderer, if there is one. True: the screen must be redrawn.
    bool take_picture(const Session& session, const RenderLink& link, CameraMotion& motion);

    // Fills the free space of the current ImGui window and sets the picture's place in it. Returns
    // whether the mouse is over it. The picture is the last item of ImGui then.
    bool place(const RenderLink& link, PictureSight& sight, Ui& ui);

    // Draws the picture and the outlines of its regions.
    void draw(const RenderLink& link, const PictureSight& sight) const;

    // Keeps the picture as snapshot A if an action wants it.
    void keep_snapshot(const RenderLink& link, PictureSight& sight, Ui& ui);

    [[nodiscard]] SnapshotWipe& snapshot() { return snapshot_; }

    // The job of the picture on the screen.
    [[nodiscard]] u64 shown_job() const { return picture_.job; }

    [[nodiscard]] const live::LivePicture& picture() const { return picture_; }

private:
    live::LivePicture picture_;
    PictureTexture whole_;   // of the whole picture
    PictureTexture region_;  // newest pixels of a region render
    bool has_region_ = false;
    SnapshotWipe snapshot_;
};

}  // namespace weft::app
