// view_scene.h — opens scenes, and shows the document's to the renderer.
//
// Actions, drops and scripts all open scenes here, so that each way does the same. The loop calls
// the rest once per turn. Interface thread only; the loader and the renderer have threads of their
// own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "app/view/session/ui.h"
#include "engine/film/film.h"
#include "engine/live/shown_picture.h"

namespace weft::app {

struct Comparison;
struct LoadedScene;
struct RenderLink;

// Starts to load; the open scene stays until the new one is ready.
void open_scene(Session& session, const RenderLink& link, const std::vector<std::string>& sources);

// The options for the loader: those of the open scene if the sources are the same, else the
// defaults for everything specific to a scene; how the picture is shown stays.
RenderOptions wanted_options(const Session& session,
                             const RenderLink& link,
                             const std::vector<std::string>& sources);

// Starts to read the open scene again, with this folder added to those searched for its files;
// edits and the view stay.
void look_for_missing(Session& session, const std::string& folder);

// Opens the scene that the loader has finished. Returns the sentence that says what it is. The
// caller ends a comparison first, and sets the pivot.
std::string take_scene(Session& session,
                       RenderLink& link,
                       Selection& selection,
                       LoadedScene& loaded);

// Takes the open scene after it was read again: its steps are repeated in it. Returns what was
// found, or the error of a step.
Message take_again(Session& session, RenderLink& link, Selection& selection, LoadedScene& loaded);

// Takes scene, frame and effect bits from the document.
void follow_document(Session& session, RenderLink& link, Selection& selection);

// Whether the picture still shows an open section whose caps are pending.
bool is_closing_section(const Session& session, const RenderLink& link);

// Takes the caps of a section when they are ready; reports a failure. Call once per turn.
void take_section(Session& session, Ui& ui);

// Fits the scale of depths in false colours to the picture.
void follow_depths(RenderLink& link);

// Sends the changes since the last job to the renderer; another job ends a comparison. Call after
// follow_document().
void show_changes(const Session& session, RenderLink& link, Ui& ui, Comparison& comparison);

// Shows the picture so, in this session and later ones.
void show_display(Session& session, RenderLink& link, live::LiveDisplay display);

// Refines this part of the picture first while the rest continues; none: all alike.
void attend_to(RenderLink& link, std::optional<film::Region> part);

}  // namespace weft::app
