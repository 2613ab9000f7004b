// comparison.h — compares the current view in three modes that render in turns.
//
// The picture pauses while a comparison runs. The Compare panel and the overlay over the picture
// show it. Code that changes the view ends it. Interface thread only.
#pragma once

#include <array>
#include <memory>

#include "app/view/models/compare_run.h"
#include "app/view/window/picture_texture.h"

namespace weft::app {

struct RenderLink;
struct Session;
struct Ui;

// How the three compared pictures are shown.
enum class CompareLook {
    Small,       // in the panel only
    SideBySide,  // strips side by side over the picture
    Wipe,        // over the picture, separated by two lines
};

struct Comparison {
    CompareRun run;
    CompareLook look = CompareLook::Small;
    u32 samples = 16;          // of each mode
    bool is_outdated = false;  // the view changed since
    std::array<std::unique_ptr<PictureTexture>, kComparedModes> textures;
    std::array<u32, kComparedModes> uploaded{};  // versions

    // Whether the compared pictures lie over the picture.
    [[nodiscard]] bool is_large() const { return look != CompareLook::Small && run.has_begun(); }
};

// Starts a comparison of the current view.
void begin_comparison(const Session& session, RenderLink& link, Ui& ui, Comparison& comparison);

// Ends it; the picture resumes, unless the person paused it.
void stop_comparison(RenderLink& link, Comparison& comparison);

// Chooses the mode that renders next; ends the comparison with its panel. Call once per turn.
void step_comparison(RenderLink& link, Ui& ui, Comparison& comparison, bool is_panel_open);

// Ends a running comparison because the view changed. `is_forgotten` also drops its pictures, since
// their scene is closed.
void end_comparison(RenderLink& link, Ui& ui, Comparison& comparison, bool is_forgotten);

// The newest picture of a mode; nullptr before the first. Uploads it if it is new.
const PictureTexture* compared_picture(Comparison& comparison, u32 index);

}  // namespace weft::app
