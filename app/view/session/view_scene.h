// view_scene.h — what the viewer does with scenes, cameras and files: open, show, frame, save.
//
// Actions, panels, drops and scripts all call these, so that each way does the same. Interface
// thread only; long work runs on threads of the loader, the renderer or the saver.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Starts to load; the open scene stays until the new one is ready.
void open_scene(Session& session, RenderLink& link, const std::vector<std::string>& sources);

// The options for the loader: those of the open scene if the sources are the same, else the
// defaults for everything specific to a scene; how the picture is shown stays.
RenderOptions wanted_options(const Session& session,
                             const RenderLink& link,
                             const std::vector<std::string>& sources);

// Starts to read the open scene again, with this folder added to those searched for its files;
// edits and the view stay.
void look_for_missing(Session& session, const std::string& folder);

// Opens the scene that the loader has finished; reports a failure.
void take_loaded(ViewState& state);

// Takes scene, frame and effect bits from the document.
void follow_document(Session& session, RenderLink& link, Selection& selection);

// Whether the picture still shows an open section whose caps are pending.
bool is_closing_section(const Session& session, const RenderLink& link);

// Takes the caps of a section when they are ready; reports a failure. Call once per turn.
void take_section(Session& session, Ui& ui);

// Fits the scale of depths in false colours to the picture.
void follow_depths(RenderLink& link, DepthWatch& depth);

// Sends the changes since the last job to the renderer.
void show_changes(ViewState& state);

// Refines this part of the picture first while the rest continues; none: all alike.
void attend_to(RenderLink& link, std::optional<film::Region> part);

// Makes the next click in the picture choose the focus point.
void begin_focus(Ui& ui, CameraMotion& motion);

void frame_selection(ViewState& state);
void frame_scene(ViewState& state);
void next_camera(ViewState& state);
// Goes to a camera of the file: its place and projection. Aperture and focus stay, since files have
// none.
void go_to_camera(Session& session, Ui& ui, CameraMotion& motion, const scene::Camera& camera);

// The bookmarks of this scene.
std::vector<Bookmark>& bookmarks_of(Session& session);
void add_bookmark(ViewState& state);
void go_to_bookmark(ViewState& state, std::size_t index);
// Goes to the bookmark after the present one.
void next_bookmark(ViewState& state);

// Starts to write a file on the saver's thread, and shows `written` when it is done. False, with a
// message: the saver is still writing another file.
bool begin_saving(ViewState& state,
                  const std::string& path,
                  const std::string& written,
                  std::function<base::Status()> write);

// Starts to write the picture, once every pixel has equally many samples.
void save_picture(ViewState& state, const std::string& path);
// Reports how the saving ended.
void take_saved(RenderLink& link, Ui& ui);

}  // namespace weft::app
