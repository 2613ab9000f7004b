#include "app/view/session/view_scene.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include <imgui.h>

#include "app/command/edit_file.h"
#include "app/command/edit_options.h"
#include "app/command/version.h"
#include "app/view/session/comparison.h"
#include "app/view/session/keep_edits.h"
#include "app/view/session/object_edits.h"

namespace weft::app {

namespace {

void frame(ViewState& state, const Vec3& low, const Vec3& high) {
    scene::Camera camera = state.camera();
    state.pivot_m = frame_box(camera, low, high, state.aspect());
    state.set_camera(camera);
}

// The distance of the middle of the scene along the view, where it lies ahead.
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

film::ImageConfig image_config(const ViewState& state) {
    film::ImageConfig config = pick_image_config(state.options);
    const live::LiveView view = state.shown_view();
    config.view = view.transform;
    config.exposure_stops = view.exposure_stops;
    config.layers = state.settings.aovs;
    config.metadata = {{"version", kVersion},
                       {"seed", std::to_string(state.settings.seed)},
                       {"camera_name", state.camera().name}};
    return config;
}

// A picture of another size is another one: parts of the one before are none of it.
void follow_frame(ViewState& state) {
    const auto [width, height] = framed_size(state.document.context());
    frame::RenderSettings& settings = state.settings;
    if (width != settings.width || height != settings.height) {
        settings.width = width;
        settings.height = height;
        settings.crop.reset();
        attend_to(state, std::nullopt);
        state.effect |= scene::kEffectCamera;
    }
}

// Scenes are looked for where this one lies, its edits beside it.
void remember_folders(ViewState& state) {
    if (is_scene_file(state.options.scenes.front())) {
        const std::filesystem::path file = state.files.bookmarks;  // the whole path
        state.remembered.folders["scene"] = file.parent_path().string();
    }
    state.remembered.folders.erase("edits");
}

bool has_no_scene(const ViewState& state) {
    return !state.document.is_open();
}

bool has_bookmarks(const ViewState& state) {
    const auto known = state.remembered.bookmarks.find(state.files.bookmarks);
    return known != state.remembered.bookmarks.end() && !known->second.empty();
}

bool wants_caps(const ViewState& state) {
    const scene::EditContext& context = state.document.context();
    return context.has_clip_cap && !context.clip_planes.empty();
}

// What is seen is the document's scene or, where its section is to be closed and is, another one,
// whose caps come after all other instances. While a drag is in progress the section stays open.
void follow_section(ViewState& state) {
    const std::shared_ptr<const scene::Scene>& open = state.document.shared_scene();
    std::shared_ptr<const scene::Scene> seen = open;
    if (!wants_caps(state)) {
        state.section.forget();
    } else if (auto closed = state.section.closed(open, state.document.context().clip_planes)) {
        seen = std::move(closed);
    } else if (!ImGui::IsAnyMouseDown()) {
        state.section.begin(open, state.document.context().clip_planes);
    }
    if (state.scene == nullptr || !SectionCloser::has_same_shapes(*state.scene, *seen)) {
        state.effect = scene::kEffectAll;
    }
    state.scene = std::move(seen);
}

// The scene that is open, where its edits are not saved and it is another one than the next; else
// empty.
std::string unsaved_scene(const ViewState& state, const LoadedScene& next) {
    const bool is_unsaved = state.document.is_open() && state.document.is_changed() &&
                            state.options.scenes != next.options.scenes;
    return is_unsaved ? state.options.scenes.front() : std::string();
}

// The scene that is open, read another time: its steps are made in it again.
void take_again(ViewState& state, LoadedScene& loaded) {
    const std::size_t before = state.missing.size();
    const std::size_t after = loaded.missing.size();
    state.missing = std::move(loaded.missing);
    state.options = std::move(loaded.options);
    const base::Status made =
        state.document.reopen(loaded.document.shared_scene(), loaded.document.context());
    state.section.clear();
    state.panels.thumbnails.clear();  // of stand-ins
    state.picture_reader.forget();
    end_comparison(state, true);
    follow_document(state);
    const std::string& folder = state.options.asset_roots.back();
    state.say(
        after == 0 ? fmt::format("All missing pictures were found in {}", folder)
        : after < before
            ? fmt::format(
                  "{} of {} missing pictures were found in {}", before - after, before, folder)
            : fmt::format("None of the missing pictures is in {}", folder));
    if (!made.is_ok()) {
        state.say(made.error());
    }
}

}  // namespace

RenderOptions wanted_options(const ViewState& state, const std::vector<std::string>& sources) {
    RenderOptions wanted = state.options;
    if (sources != state.options.scenes) {
        // What was said of the scene before does not hold for another one.
        wanted.scenes = sources;
        wanted.camera.clear();
        wanted.look_at.clear();
        wanted.hide.clear();
        wanted.show.clear();
        wanted.clip_planes.clear();
        wanted.clip_cap = false;
        wanted.asset_roots.clear();
        wanted.edits_file.clear();
        wanted.sets.clear();
    }
    // How the picture is shown stays.
    if (state.document.is_open()) {
        const live::LiveView view = state.shown_view();
        wanted.exposure_stops = view.exposure_stops;
        wanted.view_transform = film::view_transform_name(view.transform);
    }
    return wanted;
}

void look_for_missing(ViewState& state, const std::string& folder) {
    RenderOptions wanted = state.options;
    std::erase(wanted.asset_roots, folder);
    wanted.asset_roots.push_back(folder);
    state.loader.start_again(wanted, state.document);
}

void open_scene(ViewState& state, const std::vector<std::string>& sources) {
    state.loader.start(wanted_options(state, sources), state.remembered.pictures);
}

void take_loaded(ViewState& state) {
    auto outcome = state.loader.poll();
    if (!outcome) {
        return;
    }
    if (!outcome->is_ok()) {
        state.say(outcome->error());
        return;
    }
    LoadedScene& loaded = outcome->value();
    if (loaded.is_again) {
        take_again(state, loaded);
        return;
    }
    const std::string left = unsaved_scene(state, loaded);
    state.options = std::move(loaded.options);
    state.document = std::move(loaded.document);
    state.section.clear();
    state.files.edits_file = std::move(loaded.edits_file);
    state.files.edits_text = std::move(loaded.edits_text);
    state.files.is_leaving = false;
    state.bounds = loaded.bounds;
    follow_document(state);
    look_for_unsaved(state);
    state.panels.dragged.clear();
    state.panels.transform.shown.clear();
    state.missing = std::move(loaded.missing);
    state.panels.is_missing_closed = false;
    end_comparison(state, true);
    state.selection = {};
    state.settings.crop.reset();
    attend_to(state, std::nullopt);
    state.picture_reader.forget();
    state.pivot_m = middle_ahead(state.bounds, state.camera());
    state.is_pivot_stale = true;
    state.effect = scene::kEffectAll;
    const std::string& source = state.options.scenes.front();
    state.files.bookmarks = bookmark_key(source);
    remember_scene(state.remembered, state.files.bookmarks);
    remember_folders(state);
    const scene::SceneSize size = scene::scene_size(*state.scene);
    const std::size_t others = state.options.scenes.size() - 1;
    state.say_of_edits(
        fmt::format("{}{}: {} triangles in {} instances, {} materials{}{}{}{}{}",
                    source,
                    others == 0 ? "" : fmt::format(" and {} more", others),
                    size.triangles,
                    state.scene->instances.size(),
                    state.scene->materials.size(),
                    state.files.edits_file.empty() ? "" : "; with the edits of ",
                    state.files.edits_file,
                    left.empty() ? "" : "; when it is opened again, unsaved edits wait in ",
                    left,
                    loaded.far_note));
    if (!loaded.unread_because.empty()) {
        state.say(base::Error{base::ErrorKind::Scene, loaded.unread_because});
    }
}

void follow_document(ViewState& state) {
    if (!state.document.is_open()) {
        return;
    }
    const u32 effect = state.document.take_effect();
    state.effect |= effect;
    if ((effect & scene::kEffectPlacement) != 0) {
        renew_selection(state);
    }
    if ((effect & scene::kEffectShading) != 0) {
        renew_material(state);
    }
    follow_frame(state);
    follow_section(state);
}

bool is_closing_section(const ViewState& state) {
    return wants_caps(state) && state.scene == state.document.shared_scene();
}

void take_section(ViewState& state) {
    const base::Status made = state.section.poll();
    if (!made.is_ok()) {
        static_cast<void>(state.document.edit({"view/clip_cap", "false"}));
        state.say(made.error());
    }
}

// While a drag is in progress the scale stays, too.
void follow_depths(ViewState& state) {
    const bool is_wanted = state.view.layer == "depth" && state.view.has_false_colours;
    const bool is_at_rest =
        state.status.prepared_job == state.job && !ImGui::IsAnyMouseDown() && state.scene;
    if (!state.panels.depth.is_waiting() && !(is_wanted && is_at_rest)) {
        return;
    }
    const auto range = state.panels.depth.poll(
        *state.live, state.settings.width, state.settings.height, state.job);
    if (range && *range != state.view.depth_range_m) {
        state.view.depth_range_m = *range;
        state.effect |= scene::kEffectView;
    }
}

void show_changes(ViewState& state) {
    follow_document(state);
    if (state.scene == nullptr || state.effect == scene::kEffectNone) {
        return;
    }
    CompareRun& compared = state.panels.compare.run;
    if ((state.effect & scene::kEffectView) != 0) {
        state.live->set_view(state.shown_view());
        compared.set_view(state.shown_view());
    }
    if (state.effect != scene::kEffectView) {
        end_comparison(state, false);
        state.job = state.live->show({.scene = state.scene,
                                      .camera = state.camera(),
                                      .settings = state.rendered_settings(),
                                      .hidden = state.document.context().hidden,
                                      .effect = state.effect});
    }
    state.effect = scene::kEffectNone;
}

void attend_to(ViewState& state, std::optional<film::Region> part) {
    state.attended = part;
    state.live->attend(part.value_or(film::Region{}));
}

void begin_focus(ViewState& state) {
    state.tool = Tool::Focus;
    state.say_while("Click a point to focus on it; Esc cancels",
                    [](const ViewState& s) { return s.tool == Tool::Focus; });
}

void frame_selection(ViewState& state) {
    const std::optional<SelectedNode> node = selected_node(state);
    if (!node) {
        frame_scene(state);
        return;
    }
    Vec3 low = {INFINITY, INFINITY, INFINITY};
    Vec3 high = {-INFINITY, -INFINITY, -INFINITY};
    for (const BoxCorners& box :
         state.panels.gizmo.boxes.of(state.document.scene(), node->path, node->instance)) {
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
    if (state.scene != nullptr) {
        frame(state, state.bounds[0], state.bounds[1]);
    }
}

void next_camera(ViewState& state) {
    if (state.scene == nullptr) {
        return;
    }
    const std::vector<scene::Camera>& cameras = state.scene->cameras;
    const auto now = std::find_if(cameras.begin(), cameras.end(), [&](const scene::Camera& c) {
        return is_same_view(c, state.camera());
    });
    const auto next = now == cameras.end() || now + 1 == cameras.end() ? cameras.begin() : now + 1;
    go_to_camera(state, *next);
    state.say_of_view("Camera " + next->name);
}

void go_to_camera(ViewState& state, const scene::Camera& camera) {
    scene::Camera changed = camera;
    changed.lens_radius_m = state.camera().lens_radius_m;
    changed.focus_m = state.camera().focus_m;
    state.replace_camera(changed);
    state.pivot_m = middle_ahead(state.bounds, state.camera());
    state.is_pivot_stale = true;
}

std::vector<Bookmark>& bookmarks_of(ViewState& state) {
    return state.remembered.bookmarks[state.files.bookmarks];
}

void add_bookmark(ViewState& state) {
    if (state.scene != nullptr) {
        std::vector<Bookmark>& bookmarks = bookmarks_of(state);
        bookmarks.push_back(bookmark_of(state.camera(), bookmarks));
        state.say_of_view("This view is kept as " + bookmarks.back().name);
    }
}

void go_to_bookmark(ViewState& state, std::size_t index) {
    const Bookmark& bookmark = bookmarks_of(state)[index];
    const auto camera = camera_of(bookmark, state.camera());
    if (!camera) {
        state.say(bookmark.name + " cannot be read: it was damaged");
        return;
    }
    state.replace_camera(*camera);
    state.pivot_m = middle_ahead(state.bounds, state.camera());
    state.is_pivot_stale = true;
    state.say_of_view(bookmark.name);
}

void next_bookmark(ViewState& state) {
    const std::vector<Bookmark>& bookmarks = bookmarks_of(state);
    if (state.scene == nullptr || bookmarks.empty()) {
        state.say_while("No view is kept yet: Ctrl+B keeps this one",
                        [](const ViewState& s) { return !has_bookmarks(s); });
        return;
    }
    std::size_t next = 0;
    for (std::size_t k = 0; k < bookmarks.size(); ++k) {
        const auto camera = camera_of(bookmarks[k], state.camera());
        if (camera && is_same_view(*camera, state.camera())) {
            next = (k + 1) % bookmarks.size();
        }
    }
    go_to_bookmark(state, next);
}

void save_picture(ViewState& state, const std::string& path) {
    if (state.scene == nullptr) {
        state.say_while("No scene is open: there is no picture to save", has_no_scene);
        return;
    }
    const film::ImageConfig config = image_config(state);
    const base::Status target = film::check_image_target(path, config);
    if (!target.is_ok()) {
        state.say(target.error());
        return;
    }
    if (is_closing_section(state)) {
        state.say(base::Error{base::ErrorKind::Output,
                              path + ": not begun; expected the section to be closed first"});
        return;
    }
    if (begin_saving(state, path, path + " is written", [&live = *state.live, path, config] {
            return live.save(path, config);
        })) {
        state.say(path + " will be written when every pixel has the same number of samples");
    }
}

bool begin_saving(ViewState& state,
                  const std::string& path,
                  const std::string& written,
                  std::function<base::Status()> write) {
    if (state.saver.is_busy()) {
        state.say(base::Error{
            base::ErrorKind::Output,
            path + ": not begun; expected " + state.saver.path() + " to be written first"});
        return false;
    }
    state.saver.start(path, written, std::move(write));
    return true;
}

void take_saved(ViewState& state) {
    const auto outcome = state.saver.poll();
    if (!outcome) {
        return;
    }
    if (outcome->is_ok()) {
        state.say(state.saver.written());
    } else {
        state.say(outcome->error());
    }
}

}  // namespace weft::app
