// view_state.h — everything that the menu, the viewport and the panels see and change.
//
// One per window, made and used by the interface thread alone. Panels draw from it and ask for
// changes through it; the loop (viewer.cpp) shows the renderer what became of it once per frame.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "app/view/background/file_saver.h"
#include "app/view/background/section_closer.h"
#include "app/view/models/frame_times.h"
#include "app/view/models/picture_zoom.h"
#include "app/view/models/view_camera.h"
#include "app/view/session/document.h"
#include "app/view/session/document_file.h"
#include "app/view/session/panel_state.h"
#include "app/view/session/picture_reader.h"
#include "app/view/session/scene_loader.h"
#include "app/view/session/settings_keeper.h"
#include "app/view/session/view_settings.h"
#include "app/view/window/widget_marks.h"
#include "engine/live/live_render.h"
#include "engine/scene/edit/edit_effect.h"

namespace weft::app {

// What a drag or click with the left button does in the picture.
enum class Tool {
    Orbit,   // drag turns, a click selects
    Region,  // a drag says which part is rendered
    Focus,   // a click says what is in focus
};

// What is selected: a path as edits name it ("nodes/NAME", "materials/NAME", "lights/NAME",
// "environment"), empty for nothing; and the instance where it was picked in the picture.
struct Selection {
    std::string path;
    u32 instance = kNone;
    u32 material = kNone;
};

struct ViewState;

// One line for the person: what was done, what to do, or the sentence of an error. It goes when it
// is no longer true.
struct Message {
    using Test = std::function<bool(const ViewState&)>;

    std::string text;
    bool is_error = false;
    Test holds = nullptr;  // empty: true until the next message
};

// Edits on the disk, and what is asked about them (view_files.h).
struct FileState {
    std::string bookmarks;               // key of the scene's (bookmarks.h)
    std::string edits_file;              // they were read from or saved to; empty: none yet
    std::string edits_text;              // what was read from or written to it
    std::unique_ptr<Autosave> autosave;  // nullptr: no scene was opened yet
    std::string left_behind;             // of an earlier session: the question is open
    bool is_leaving = false;             // likewise, whether to save before
};

struct ViewState {
    RenderOptions options;  // as given; of the scene that is open
    ViewSettings remembered;
    SettingsKeeper settings_keeper;  // of `remembered`
    float interface_scale = 0;       // wanted: as --ui-scale says or remembered; 0: the monitor's
    SceneLoader loader;

    // The scene with the person's edits. What is seen follows it (view_scene.h, follow_document).
    Document document;
    FileState files;

    // What is seen.
    std::shared_ptr<const scene::Scene> scene;  // nullptr: none is open
    std::vector<MissingPicture> missing;        // pictures of it
    SectionCloser section;                      // of the document's scene
    Bounds bounds{};                            // of all of it
    frame::RenderSettings settings;        // but for what the document has: rendered_settings()
    live::LiveView view;                  // likewise: shown_view()
    std::optional<film::Region> attended;  // refined first; none: all alike
    u32 effect = scene::kEffectNone;       // changed since the renderer was told

    // The renderer.
    std::unique_ptr<live::LiveRender> live;
    live::LiveStatus status;  // of this frame
    u64 job = 0;              // that the renderer was told last
    bool is_paused = false;
    PictureReader picture_reader;
    FileSaver saver;    // after `live`: what it has begun ends before the renderer does
    PanelState panels;  // likewise

    // What the person is about.
    Tool tool = Tool::Orbit;
    u64 gesture = 1;         // of moving the camera about
    u64 looked_gesture = 0;  // as it was after a look along an axis
    Selection selection;
    float pivot_m = 1;            // distance of the point that the camera turned about last
    bool is_pivot_stale = false;  // to be set to what the middle of the next picture shows
    bool is_help_open = false;
    bool is_snapshot_wanted = false;  // the next frame keeps its picture as A
    bool is_wipe_on = false;          // A left of the line, the picture right of it
    float wipe = 0.5F;                // where the line is, of the picture's width
    bool is_quit_wanted = false;
    Message message;

    // Where the picture lies in the window, and what of the window is for it; by the viewport, each
    // frame.
    PictureZoom zoom;
    PicturePlace place;
    PicturePlace pane;
    WidgetMarks marks;
    FrameTimes frame_times;

    [[nodiscard]] const scene::Camera& camera() const { return document.context().camera; }

    // With the section planes and the autofocus of the document.
    [[nodiscard]] frame::RenderSettings rendered_settings() const {
        frame::RenderSettings all = settings;
        all.has_autofocus = document.context().has_autofocus;
        all.clip_planes = document.context().clip_planes;
        return all;
    }

    // With the exposure and the view transform of the document.
    [[nodiscard]] live::LiveView shown_view() const {
        live::LiveView all = view;
        const scene::EditContext& context = document.context();
        all.exposure_stops = context.exposure_stops;
        all.transform = film::view_transform_named(context.view_transform)
                            .value_or(film::ViewTransform::Standard);
        return all;
    }

    [[nodiscard]] float aspect() const {
        return static_cast<float>(settings.width) / static_cast<float>(settings.height);
    }

    // The part of the picture that is in sight.
    [[nodiscard]] PicturePlace sight() const { return common_part(place, pane); }

    void say(std::string text) { message = {std::move(text)}; }

    void say(const base::Error& error) { message = {error.sentence, true}; }

    void say_while(std::string text, Message::Test holds) {
        message = {std::move(text), false, std::move(holds)};
    }

    // What is true of the scene as it is now: until the next edit, undo or redo.
    void say_of_edits(std::string text) {
        say_while(std::move(text), [number = document.state_number()](const ViewState& state) {
            return state.document.state_number() == number;
        });
    }

    // The same of the view: until the camera moves or something else is selected, too.
    void say_of_view(std::string text) {
        say_while(std::move(text),
                  [steps = document.done().size(),
                   place = camera().to_world,
                   selected = selection.path](const ViewState& state) {
                      return state.document.done().size() == steps &&
                             state.camera().to_world == place && state.selection.path == selected;
                  });
    }

    // Once per frame.
    void end_message() {
        if (message.holds && !message.holds(*this)) {
            message = {};
        }
    }

    // Part of the present gesture, which is one step of undo. Where no scene is open there is
    // nothing to move in.
    void move_camera(const scene::Camera& changed) {
        if (!document.is_open()) {
            return;
        }
        document.move_camera(changed, gesture);
        effect |= scene::kEffectCamera;
    }

    // A move of its own.
    void set_camera(const scene::Camera& changed) {
        ++gesture;
        move_camera(changed);
        ++gesture;
    }

    // An edit: another camera, with its lens and projection.
    void replace_camera(const scene::Camera& changed) {
        if (!document.is_open()) {
            return;
        }
        ++gesture;
        const base::Status replaced = document.replace_camera(changed);
        if (!replaced.is_ok()) {
            say(replaced.error());
        }
    }
};

}  // namespace weft::app
