#include "app/view/session/view_scene.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include <imgui.h>

#include "app/command/edit_file.h"
#include "app/command/edit_options.h"
#include "app/command/version.h"
#include "app/view/models/view_camera.h"
#include "app/view/session/comparison.h"
#include "app/view/session/keep_edits.h"
#include "app/view/session/object_edits.h"

namespace weft::app {

namespace {

void frame(ViewState& state, const Vec3& low, const Vec3& high) {
    scene::Camera camera = state.session.camera();
    state.motion.pivot_m = frame_box(camera, low, high, state.link.aspect());
    set_camera(state.session, state.link, state.motion, camera);
}

// The distance of the scene's centre along the view, if it lies ahead.
float middle_ahead(const Bounds& bounds, const scene::Camera& camera) {
    const auto& [low, high] = bounds;
    if (!(low[0] <= high[0])) {
        return 1;
    }
    const Vec3 eye = eye_of(camera);
    const Vec3 forward = forward_of(camera);
    float along = 0;
    float size = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        along += ((low[k] + high[k]) / 2 - eye[k]) * forward[k];
        size = std::max(size, high[k] - low[k]);
    }
    return along > 0 ? along : std::max(size / 2, 1e-3F);
}

film::ImageConfig image_config(const Session& session, const RenderLink& link) {
    film::ImageConfig config = pick_image_config(session.options);
    const live::LiveView view = shown_view(link, session.document);
    config.view = view.transform;
    config.exposure_stops = view.exposure_stops;
    config.layers = link.settings.aovs;
    config.metadata = {{"version", kVersion},
                       {"seed", std::to_string(link.settings.seed)},
                       {"camera_name", session.camera().name}};
    return config;
}

// At a new frame size the region of the old picture means nothing: clear it.
void follow_frame(Session& session, RenderLink& link) {
    const auto [width, height] = framed_size(session.document.context());
    frame::RenderSettings& settings = link.settings;
    if (width != settings.width || height != settings.height) {
        settings.width = width;
        settings.height = height;
        settings.crop.reset();
        attend_to(link, std::nullopt);
        link.effect |= scene::kEffectCamera;
    }
}

// Remembers the scene's folder for choosing scenes and edits.
void remember_folders(Session& session) {
    if (is_scene_file(session.options.scenes.front())) {
        const std::filesystem::path file = session.files.bookmarks;  // the absolute path
        session.remembered.folders["scene"] = file.parent_path().string();
    }
    session.remembered.folders.erase("edits");
}

bool has_no_scene(const Session& session) {
    return !session.document.is_open();
}

bool has_bookmarks(const Session& session) {
    const auto known = session.remembered.bookmarks.find(session.files.bookmarks);
    return known != session.remembered.bookmarks.end() && !known->second.empty();
}

bool wants_caps(const Session& session) {
    const scene::EditContext& context = session.document.context();
    return context.has_clip_cap && !context.clip_planes.empty();
}

// Chooses the scene to render: the document's, or the one with closed sections once its caps are
// ready. The caps come after all other instances. During a drag the section stays open.
void follow_section(Session& session, RenderLink& link) {
    const std::shared_ptr<const scene::Scene>& open = session.document.shared_scene();
    std::shared_ptr<const scene::Scene> seen = open;
    if (!wants_caps(session)) {
        session.section.forget();
    } else if (auto closed = session.section.closed(open, session.document.context().clip_planes)) {
        seen = std::move(closed);
    } else if (!ImGui::IsAnyMouseDown()) {
        session.section.begin(open, session.document.context().clip_planes);
    }
    if (link.scene == nullptr || !SectionCloser::has_same_shapes(*link.scene, *seen)) {
        link.effect = scene::kEffectAll;
    }
    link.scene = std::move(seen);
}

// The open scene, if it has unsaved edits and is not the next scene; else empty.
std::string unsaved_scene(const Session& session, const LoadedScene& next) {
    const bool is_unsaved = session.document.is_open() && session.document.is_changed() &&
                            session.options.scenes != next.options.scenes;
    return is_unsaved ? session.options.scenes.front() : std::string();
}

// Takes the open scene after it was read again: its steps are repeated in it.
void take_again(ViewState& state, LoadedScene& loaded) {
    const std::size_t before = state.session.missing.size();
    const std::size_t after = loaded.missing.size();
    state.session.missing = std::move(loaded.missing);
    state.session.options = std::move(loaded.options);
    const base::Status made =
        state.session.document.reopen(loaded.document.shared_scene(), loaded.document.context());
    state.session.section.clear();
    state.panels.thumbnails.clear();  // some show placeholders
    state.session.picture_reader.forget();
    end_comparison(state.link, state.ui, state.panels.compare, true);
    follow_document(state.session, state.link, state.selection);
    const std::string& folder = state.session.options.asset_roots.back();
    state.ui.say(
        after == 0 ? fmt::format("All missing pictures were found in {}", folder)
        : after < before
            ? fmt::format(
                  "{} of {} missing pictures were found in {}", before - after, before, folder)
            : fmt::format("None of the missing pictures is in {}", folder));
    if (!made.is_ok()) {
        state.ui.say(made.error());
    }
}

}  // namespace

RenderOptions wanted_options(const Session& session,
                             const RenderLink& link,
                             const std::vector<std::string>& sources) {
    RenderOptions wanted = session.options;
    if (sources != session.options.scenes) {
        // The options of the previous scene do not apply to another one.
        wanted.scenes = sources;
        wanted.camera.clear();
        wanted.look_at.reset();
        wanted.hide.clear();
        wanted.show.clear();
        wanted.clip_planes.clear();
        wanted.clip_cap = false;
        wanted.asset_roots.clear();
        wanted.edits_file.clear();
        wanted.sets.clear();
    }
    // Keep how the picture is shown.
    if (session.document.is_open()) {
        const live::LiveView view = shown_view(link, session.document);
        wanted.exposure_stops = view.exposure_stops;
        wanted.view_transform = view.transform;
    }
    return wanted;
}

void look_for_missing(Session& session, const std::string& folder) {
    RenderOptions wanted = session.options;
    std::erase(wanted.asset_roots, folder);
    wanted.asset_roots.push_back(folder);
    session.loader.start_again(wanted, session.document);
}

void open_scene(Session& session, RenderLink& link, const std::vector<std::string>& sources) {
    session.loader.start(wanted_options(session, link, sources), session.remembered.pictures);
}

void take_loaded(ViewState& state) {
    auto outcome = state.session.loader.poll();
    if (!outcome) {
        return;
    }
    if (!outcome->is_ok()) {
        state.ui.say(outcome->error());
        return;
    }
    LoadedScene& loaded = outcome->value();
    if (loaded.is_again) {
        take_again(state, loaded);
        return;
    }
    const std::string left = unsaved_scene(state.session, loaded);
    state.session.options = std::move(loaded.options);
    state.session.document = std::move(loaded.document);
    state.session.section.clear();
    state.session.files.edits_file = std::move(loaded.edits_file);
    state.session.files.edits_text = std::move(loaded.edits_text);
    state.session.files.is_leaving = false;
    state.session.bounds = loaded.bounds;
    follow_document(state.session, state.link, state.selection);
    look_for_unsaved(state.session);
    state.session.dragged.clear();
    state.panels.transform.shown.clear();
    state.session.missing = std::move(loaded.missing);
    state.panels.is_missing_closed = false;
    end_comparison(state.link, state.ui, state.panels.compare, true);
    state.selection = {};
    state.link.settings.crop.reset();
    attend_to(state.link, std::nullopt);
    state.session.picture_reader.forget();
    state.motion.pivot_m = middle_ahead(state.session.bounds, state.session.camera());
    state.motion.is_pivot_stale = true;
    state.link.effect = scene::kEffectAll;
    const std::string& source = state.session.options.scenes.front();
    state.session.files.bookmarks = bookmark_key(source);
    remember_scene(state.session.remembered, state.session.files.bookmarks);
    remember_folders(state.session);
    const scene::SceneSize size = scene::scene_size(*state.link.scene);
    const std::size_t others = state.session.options.scenes.size() - 1;
    say_of_edits(
        state.ui,
        state.session,
        fmt::format("{}{}: {} triangles in {} instances, {} materials{}{}{}{}{}",
                    source,
                    others == 0 ? "" : fmt::format(" and {} more", others),
                    size.triangles,
                    state.link.scene->instances.size(),
                    state.link.scene->materials.size(),
                    state.session.files.edits_file.empty() ? "" : "; with the edits of ",
                    state.session.files.edits_file,
                    left.empty() ? "" : "; when it is opened again, unsaved edits wait in ",
                    left,
                    loaded.far_note));
    if (!loaded.unread_because.empty()) {
        state.ui.say(base::Error{base::ErrorKind::Scene, loaded.unread_because});
    }
}

void follow_document(Session& session, RenderLink& link, Selection& selection) {
    if (!session.document.is_open()) {
        return;
    }
    const u32 effect = session.document.take_effect();
    link.effect |= effect;
    if ((effect & scene::kEffectPlacement) != 0) {
        renew_selection(session, selection);
    }
    if ((effect & scene::kEffectShading) != 0) {
        renew_material(session, selection);
    }
    follow_frame(session, link);
    follow_section(session, link);
}

bool is_closing_section(const Session& session, const RenderLink& link) {
    return wants_caps(session) && link.scene == session.document.shared_scene();
}

void take_section(Session& session, Ui& ui) {
    const base::Status made = session.section.poll();
    if (!made.is_ok()) {
        static_cast<void>(session.document.edit({"view/clip_cap", "false"}));
        ui.say(made.error());
    }
}

// Keep the scale during a drag.
void follow_depths(RenderLink& link, DepthWatch& depth) {
    const bool is_wanted = link.view.layer == "depth" && link.view.has_false_colours;
    const bool is_at_rest =
        link.status.prepared_job == link.job && !ImGui::IsAnyMouseDown() && link.scene;
    if (!depth.is_waiting() && !(is_wanted && is_at_rest)) {
        return;
    }
    const auto range = depth.poll(*link.live, link.settings.width, link.settings.height, link.job);
    if (range && *range != link.view.depth_range_m) {
        link.view.depth_range_m = *range;
        link.effect |= scene::kEffectView;
    }
}

void show_changes(ViewState& state) {
    follow_document(state.session, state.link, state.selection);
    if (state.link.scene == nullptr || state.link.effect == scene::kEffectNone) {
        return;
    }
    CompareRun& compared = state.panels.compare.run;
    if ((state.link.effect & scene::kEffectView) != 0) {
        state.link.live->set_view(shown_view(state.link, state.session.document));
        compared.set_view(shown_view(state.link, state.session.document));
    }
    if (state.link.effect != scene::kEffectView) {
        end_comparison(state.link, state.ui, state.panels.compare, false);
        state.link.job = state.link.live->show(
            {.scene = state.link.scene,
             .camera = state.session.camera(),
             .settings = rendered_settings(state.link, state.session.document),
             .hidden = state.session.document.context().hidden,
             .effect = state.link.effect});
    }
    state.link.effect = scene::kEffectNone;
}

void attend_to(RenderLink& link, std::optional<film::Region> part) {
    link.attended = part;
    link.live->attend(part.value_or(film::Region{}));
}

void begin_focus(Ui& ui, CameraMotion& motion) {
    motion.tool = Tool::Focus;
    ui.say_while("Click a point to focus on it; Esc cancels",
                 [&motion] { return motion.tool == Tool::Focus; });
}

void frame_selection(ViewState& state) {
    const std::optional<SelectedNode> node = selected_node(state.session, state.selection);
    if (!node) {
        frame_scene(state);
        return;
    }
    Vec3 low = {INFINITY, INFINITY, INFINITY};
    Vec3 high = {-INFINITY, -INFINITY, -INFINITY};
    for (const BoxCorners& box :
         state.panels.gizmo.boxes.of(state.session.document.scene(), node->path, node->instance)) {
        for (const Vec3& corner : box) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], corner[axis]);
                high[axis] = std::max(high[axis], corner[axis]);
            }
        }
    }
    frame(state, low, high);
}

void frame_scene(ViewState& state) {
    if (state.link.scene != nullptr) {
        frame(state, state.session.bounds[0], state.session.bounds[1]);
    }
}

void next_camera(ViewState& state) {
    if (state.link.scene == nullptr) {
        return;
    }
    const std::vector<scene::Camera>& cameras = state.link.scene->cameras;
    const auto now = std::find_if(cameras.begin(), cameras.end(), [&](const scene::Camera& c) {
        return is_same_view(c, state.session.camera());
    });
    const auto next = now == cameras.end() || now + 1 == cameras.end() ? cameras.begin() : now + 1;
    go_to_camera(state.session, state.ui, state.motion, *next);
    say_of_view(state.ui, state.session, state.selection, "Camera " + next->name);
}

void go_to_camera(Session& session, Ui& ui, CameraMotion& motion, const scene::Camera& camera) {
    scene::Camera changed = camera;
    changed.lens_radius_m = session.camera().lens_radius_m;
    changed.focus_m = session.camera().focus_m;
    replace_camera(session, ui, motion, changed);
    motion.pivot_m = middle_ahead(session.bounds, session.camera());
    motion.is_pivot_stale = true;
}

std::vector<Bookmark>& bookmarks_of(Session& session) {
    return session.remembered.bookmarks[session.files.bookmarks];
}

void add_bookmark(ViewState& state) {
    if (state.link.scene != nullptr) {
        std::vector<Bookmark>& bookmarks = bookmarks_of(state.session);
        bookmarks.push_back(bookmark_of(state.session.camera(), bookmarks));
        say_of_view(state.ui,
                    state.session,
                    state.selection,
                    "This view is kept as " + bookmarks.back().name);
    }
}

void go_to_bookmark(ViewState& state, std::size_t index) {
    const Bookmark& bookmark = bookmarks_of(state.session)[index];
    const auto camera = camera_of(bookmark, state.session.camera());
    if (!camera) {
        state.ui.say(bookmark.name + " cannot be read: it was damaged");
        return;
    }
    replace_camera(state.session, state.ui, state.motion, *camera);
    state.motion.pivot_m = middle_ahead(state.session.bounds, state.session.camera());
    state.motion.is_pivot_stale = true;
    say_of_view(state.ui, state.session, state.selection, bookmark.name);
}

void next_bookmark(ViewState& state) {
    const std::vector<Bookmark>& bookmarks = bookmarks_of(state.session);
    if (state.link.scene == nullptr || bookmarks.empty()) {
        state.ui.say_while("No view is kept yet: Ctrl+B keeps this one",
                           [&state] { return !has_bookmarks(state.session); });
        return;
    }
    std::size_t next = 0;
    for (std::size_t k = 0; k < bookmarks.size(); ++k) {
        const auto camera = camera_of(bookmarks[k], state.session.camera());
        if (camera && is_same_view(*camera, state.session.camera())) {
            next = (k + 1) % bookmarks.size();
        }
    }
    go_to_bookmark(state, next);
}

void save_picture(ViewState& state, const std::string& path) {
    if (state.link.scene == nullptr) {
        state.ui.say_while("No scene is open: there is no picture to save",
                           [&state] { return has_no_scene(state.session); });
        return;
    }
    const film::ImageConfig config = image_config(state.session, state.link);
    const base::Status target = film::check_image_target(path, config);
    if (!target.is_ok()) {
        state.ui.say(target.error());
        return;
    }
    if (is_closing_section(state.session, state.link)) {
        state.ui.say(base::Error{base::ErrorKind::Output,
                                 path + ": not begun; expected the section to be closed first"});
        return;
    }
    if (begin_saving(state, path, path + " is written", [&live = *state.link.live, path, config] {
            return live.save(path, config);
        })) {
        state.ui.say(path + " will be written when every pixel has the same number of samples");
    }
}

bool begin_saving(ViewState& state,
                  const std::string& path,
                  const std::string& written,
                  std::function<base::Status()> write) {
    if (state.link.saver.is_busy()) {
        state.ui.say(base::Error{
            base::ErrorKind::Output,
            path + ": not begun; expected " + state.link.saver.path() + " to be written first"});
        return false;
    }
    state.link.saver.start(path, written, std::move(write));
    return true;
}

void take_saved(RenderLink& link, Ui& ui) {
    const auto outcome = link.saver.poll();
    if (!outcome) {
        return;
    }
    if (outcome->is_ok()) {
        ui.say(link.saver.written());
    } else {
        ui.say(outcome->error());
    }
}

}  // namespace weft::app
