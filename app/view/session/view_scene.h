// view_scene.h — what the viewer does with scenes, cameras and files: open, show, frame, save.
//
// Called by actions, panels, drops and scripts alike, so that each way does the same. Interface
// thread only; what takes long runs on threads of the loader, the renderer or the saver.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Begins to load; the scene that is open stays until the new one is there.
void open_scene(Session& session, RenderLink& link, const std::vector<std::string>& sources);

// What the loader is to open: the options of the scene that is open where the sources are its own,
// else without what was said of that scene; how the picture is shown stays.
RenderOptions wanted_options(const Session& session,
                             const RenderLink& link,
                             const std::vector<std::string>& sources);

// Begins to read the scene that is open another time, with this folder as one more where its files
// are looked for; edits and the view stay.
void look_for_missing(Session& session, const std::string& folder);

// Opens the scene that the loader has finished; reports a failure.
void take_loaded(ViewState& state);

// Takes scene, frame and effect bits from the document.
void follow_document(Session& session, RenderLink& link, Selection& selection);

// Whether the picture still shows a section open that is to be closed.
bool is_closing_section(const Session& session, const RenderLink& link);

// Takes the caps of a section when they are ready; reports a failure. Once per turn.
void take_section(Session& session, Ui& ui);

// Fits the scale of depths in false colours to the picture.
void follow_depths(RenderLink& link, DepthWatch& depth);

// Shows the renderer what has changed since the last job.
void show_changes(ViewState& state);

// This part of the picture is refined first while the rest goes on; none: all alike.
void attend_to(RenderLink& link, std::optional<film::Region> part);

// The next click in the picture chooses the point in focus.
void begin_focus(Ui& ui, CameraMotion& motion);

void frame_selection(ViewState& state);
void frame_scene(ViewState& state);
void next_camera(ViewState& state);
// To a camera of the file: its place and projection; aperture and focus stay, since files bring
// none.
void go_to_camera(Session& session, Ui& ui, CameraMotion& motion, const scene::Camera& camera);

// Places of this scene to come back to.
std::vector<Bookmark>& bookmarks_of(Session& session);
void add_bookmark(ViewState& state);
void go_to_bookmark(ViewState& state, std::size_t index);
// The one after the present one.
void next_bookmark(ViewState& state);

// Begins to write a file on the saver's thread, and says `written` at its end. False, with a
// message: the saver still writes another file.
bool begin_saving(ViewState& state,
                  const std::string& path,
                  const std::string& written,
                  std::function<base::Status()> write);

// Begins to write the picture as it will be when every pixel has equally many samples.
void save_picture(ViewState& state, const std::string& path);
// Reports how the saving ended.
void take_saved(RenderLink& link, Ui& ui);

}  // namespace weft::app
