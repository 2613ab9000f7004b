#include "app/view/shell/viewer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <imgui.h>

#include "app/command/edit_file.h"
#include "app/command/edit_options.h"
#include "app/command/messages.h"
#include "app/command/signals.h"
#include "app/view/session/keep_edits.h"
#include "app/view/session/render_link.h"
#include "app/view/session/save_picture.h"
#include "app/view/session/view_cameras.h"
#include "app/view/session/view_pictures.h"
#include "app/view/session/view_scene.h"
#include "app/view/shell/layout.h"
#include "app/view/shell/view_files.h"
#include "app/view/window/lost_display.h"

namespace weft::app {

namespace {

constexpr double kFrameS = 1.0 / 60;
constexpr double kIdleS = 0.25;    // longest delay until a signal is handled
constexpr double kStatusS = 0.25;  // how often the figures in the status line change

// For this long after the person's last input, the GPU that drives the display draws the window and
// does not render.
constexpr double kDrawingS = 0.3;

constexpr const char* kNoDisplay = "the display of the window is gone";

// ImGui needs some frames after an event: for windows that open and widgets that highlight.
constexpr u32 kFramesAfterInput = 4;

// Paths in flight per worker where they wait for pages. A sample of each pixel of rubble:1M within
// 16 MiB takes 15.1, 6.4, 3.8 and 2.8 s of processor time with 2^12, 2^14, 2^16 and 2^18, as pages
// are read for ever more rays; with 2^18 paths nothing is shown before nearly all of them end.
constexpr u32 kLivePagedPaths = 1U << 16;

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Checks --edits as far as possible before the scene is loaded.
base::Status check_edits(const RenderOptions& options) {
    if (!options.edits_file.empty()) {
        const auto file = read_edit_file(options.edits_file);
        WEFT_TRY(file);
    }
    return base::Done{};
}

PicturePlace in_window_pixels(const PicturePlace& place) {
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    return {place.x * scale.x, place.y * scale.y, place.width * scale.x, place.height * scale.y};
}

// --denoise, which is a matter of the view here: the film and files have no part in it.
base::Status take_denoise(std::string& word, live::LiveView& view) {
    const std::string wanted = std::exchange(word, "");
    const bool is_quality = wanted.empty() || wanted == kNoValue || wanted == "quality";
    if (!is_quality && wanted != "fast" && wanted != "off") {
        return base::Error{base::ErrorKind::Usage,
                           "--denoise=" + wanted + ": expected quality, fast or off"};
    }
    view.denoise = is_quality         ? live::LiveDenoise::Quality
                   : wanted == "fast" ? live::LiveDenoise::Fast
                                      : live::LiveDenoise::Off;
    return base::Done{};
}

}  // namespace

base::Result<std::unique_ptr<Viewer>> Viewer::open(const ViewOptions& options,
                                                   const std::string& command_line) {
    std::unique_ptr<Viewer> viewer(new Viewer);
    ViewState& state = viewer->state_;
    state.session.options = options.render;
    state.session.command_line = command_line;
    state.session.remembered = state.session.settings_keeper.begin();
    if (!state.session.settings_keeper.fault().empty()) {
        say(Level::Warning, state.session.settings_keeper.fault());
        state.ui.say(base::Error{base::ErrorKind::Scene, state.session.settings_keeper.fault()});
    }
    WEFT_TRY(check_whole_tree(options.render));
    WEFT_TRY(take_denoise(state.session.options.denoise, state.link.view));
    auto settings = pick_settings(state.session.options, scene::Camera{});
    WEFT_TRY(settings);
    state.link.settings = std::move(settings.value());
    state.link.frame = {state.link.settings.width, state.link.settings.height};
    if (options.render.geometry_memory_bytes != 0 && !options.render.paths) {
        trace::IntegratorConfig& integrator = state.link.settings.integrator;
        integrator.path_count = kLivePagedPaths;
        integrator.trace_batch = std::min(integrator.trace_batch, kLivePagedPaths);
    }
    state.link.view.display = state.session.remembered.display;
    state.link.effect = scene::kEffectView;
    const base::Status edits = check_edits(options.render);
    WEFT_TRY(edits);
    if (!options.script_file.empty()) {
        auto lines = read_script(options.script_file);
        WEFT_TRY(lines);
        viewer->script_.emplace(options.script_file, std::move(lines.value()));
    }
    state.ui.interface_scale = options.interface_scale > 0
                                   ? options.interface_scale
                                   : state.session.remembered.interface_scale;
    auto window = Window::open({.width = state.session.remembered.window_width,
                                .height = state.session.remembered.window_height,
                                .interface_scale = state.ui.interface_scale},
                               viewer->input_);
    WEFT_TRY(window);
    viewer->window_ = std::move(window.value());
    end_with_display([&state] { return keep_at_end(state.session, kNoDisplay); });
    state.link.live = std::make_unique<live::LiveRender>(options.render.threads);
    if (!options.render.scenes.empty()) {
        state.session.loader.start(options.render, state.session.remembered.pictures);
    }
    return viewer;
}

Viewer::~Viewer() {
    end_with_display([] { return kNoDisplay; });
}

double Viewer::wait_s() const {
    if (window_->is_minimised() && !script_) {
        return kIdleS;
    }
    const bool is_busy = frames_to_draw_ > 0 || script_ || !input_.is_empty() ||
                         state_.session.loader.is_loading() || state_.session.loader.is_ending() ||
                         state_.link.saver.is_busy() || state_.session.picture_reader.is_busy() ||
                         state_.session.section.is_busy();
    const bool is_rendering = state_.link.status.state == live::LiveState::Preparing ||
                              state_.link.status.state == live::LiveState::Rendering;
    if (!is_busy && !is_rendering && state_.link.status.job == state_.link.job) {
        return kIdleS;
    }
    return std::clamp(turn_begin_s_ + kFrameS - now_s(), 0.0, kFrameS);
}

bool Viewer::awaits_text() {
    const bool was_choosing = std::exchange(is_choosing_, state_.ui.chooser.is_open());
    if (is_choosing_ && !was_choosing) {
        state_.ui.keyboard.await_text();
    }
    u32& frames = state_.ui.keyboard.frames_until_text;
    frames = ImGui::GetIO().WantTextInput || frames == 0 ? 0 : frames - 1;
    return frames > 0;
}

// Takes the scene that the loader has finished, or says why it could not be read.
void Viewer::take_loaded() {
    ViewState& s = state_;
    auto outcome = s.session.loader.poll();
    if (!outcome) {
        return;
    }
    if (!outcome->is_ok()) {
        s.ui.say(outcome->error());
        return;
    }
    LoadedScene& loaded = outcome->value();
    end_comparison(s.link, s.ui, s.comparison, true);
    if (loaded.is_again) {
        s.picture_rows.forget_thumbnails();
        s.ui.message = take_again(s.session, s.link, s.selection, loaded);
        return;
    }
    const std::string opened = take_scene(s.session, s.link, s.selection, loaded);
    set_pivot_inside(s.session, s.motion);
    s.transform.forget();
    s.missing.reopen();
    if (loaded.unread_because.empty()) {
        say_of_edits(s.ui, s.session, opened);
    } else {
        s.ui.say(base::Error{base::ErrorKind::Scene, loaded.unread_because});
    }
}

base::Status Viewer::turn() {
    // Wait for input, or until the next turn is due.
    const bool was_lively = is_lively_;
    const double before_s = now_s();
    window_->wait_events(wait_s());
    const double begin_s = now_s();
    turn_begin_s_ = begin_s;
    // Take input from the script or the window.
    if (script_) {
        base::Status stepped = script_->step({state_.session,
                                              state_.link,
                                              state_.ui,
                                              state_.sight,
                                              state_.viewport,
                                              *window_,
                                              input_});
        WEFT_TRY(stepped);
    }
    if (awaits_text() || input_.feed(ImGui::GetIO()) || !input_.is_empty()) {
        frames_to_draw_ = kFramesAfterInput;
        used_s_ = begin_s;
    }
    if (input_.take_leave()) {
        state_.ui.keyboard.is_alt_alone = false;  // the window lost the focus, such as by Alt+Tab
    }
    state_.link.live->set_drawing(used_s_ >= 0 && begin_s - used_s_ < kDrawingS);
    state_.dropped.take(input_.take_files(), state_.sight);
    // Take what other threads finished.
    const std::string message = state_.ui.message.text;
    const bool was_ending = state_.session.loader.is_ending();
    take_loaded();
    take_saved(state_.link, state_.ui);
    take_read(state_.session, state_.ui);
    take_section(state_.session, state_.ui);
    step_comparison(
        state_.link, state_.ui, state_.comparison, state_.session.remembered.has_bottom);
    // Take the newest picture.
    follow_status(state_.link);
    follow_depths(state_.link);
    const bool has_picture =
        state_.viewport.take_picture(state_.session, state_.link, state_.motion);
    // Decide whether to draw.
    const bool has_news =
        message != state_.ui.message.text || (was_ending && !state_.session.loader.is_ending()) ||
        (begin_s - drawn_s_ > kStatusS &&
         (state_.link.status.state == live::LiveState::Rendering ||
          state_.session.loader.is_loading() || state_.session.loader.is_ending() ||
          state_.session.picture_reader.is_busy()));
    if (has_picture || has_news || is_closing_section(state_.session, state_.link) ||
        state_.inspector.is_waiting() || state_.link.depth.is_waiting() ||
        state_.box.is_waiting() || state_.heat.watch.is_waiting() ||
        state_.comparison.run.is_running()) {
        frames_to_draw_ = std::max(frames_to_draw_, 1U);
    }
    // Draw the interface.
    const std::string screenshot = script_ ? script_->take_screenshot() : "";
    is_lively_ = frames_to_draw_ > 0 || (script_ && !script_->awaits_work());
    base::Status drawn = base::Done{};
    if (is_lively_) {
        frames_to_draw_ -= frames_to_draw_ > 0 ? 1 : 0;
        window_->set_interface_scale(state_.ui.interface_scale);
        window_->begin_frame();
        draw_interface();
        drawn = window_->end_frame(screenshot);
        state_.ui.marks.end_frame();
        state_.link.pane = in_window_pixels(state_.sight.pane);
        follow_document(state_.session, state_.link, state_.selection);
        show_changes(state_.session, state_.link, state_.ui, state_.comparison);
        drawn_s_ = now_s();
        state_.ui.frame_times.add(1000 * (drawn_s_ - (was_lively ? before_s : begin_s)));
    }
    // Also in turns that draw nothing: an edit made while the previous write ran is written as soon
    // as that is done.
    const bool is_handle_held =
        state_.node_handles.gizmo.is_held() || state_.light_handles.gizmo.is_held();
    keep_unsaved(state_.session, state_.ui, is_handle_held);
    keep_bookmarks(state_.session, state_.ui);
    return drawn;
}

void Viewer::draw_interface() {
    use_keys(actions_, state_.session, state_.ui);
    draw_layout(state_, actions_, tabs_);
}

base::Status Viewer::run() {
    stop_on_signal();  // unsaved edits are autosaved
    turn_begin_s_ = now_s();
    base::Status status = base::Done{};
    while (status.is_ok() && !state_.ui.is_quit_wanted && !was_interrupted()) {
        status = turn();
        if (window_->take_close()) {
            leave(state_.session, state_.ui);
            frames_to_draw_ = kFramesAfterInput;
        }
    }
    if (!window_->is_minimised() && !script_) {
        state_.session.remembered.window_width = window_->width();
        state_.session.remembered.window_height = window_->height();
    }
    window_->hide();  // wait for the other threads without a visible window
    if (status.is_ok() && was_interrupted()) {
        say(Level::Info, keep_at_end(state_.session, "interrupted"));
    }
    const base::Status kept = state_.session.settings_keeper.end(state_.session.remembered);
    return status.is_ok() ? kept : status;
}

}  // namespace weft::app
