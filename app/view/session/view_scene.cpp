#include "app/view/session/view_scene.h"

#include <filesystem>
#include <fmt/format.h>

#include <imgui.h>

#include "app/command/colour_options.h"
#include "app/command/edit_file.h"
#include "app/command/edit_options.h"
#include "app/view/session/comparison.h"
#include "app/view/session/keep_edits.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/render_link.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"

namespace weft::app {

namespace {

// At a new size the region of the old picture means nothing: clear it.
void follow_frame(const Session& session, RenderLink& link) {
    link.frame = framed_size(session.document.context());
    const auto [width, height] =
        rendered_size(link.pane, link.frame, session.remembered.pixel_side);
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

// What was opened, in a sentence. `left`: the scene before, if its edits are unsaved.
std::string scene_sentence(const Session& session,
                           const std::string& left,
                           const std::string& far_note) {
    const scene::Scene& scene = session.document.scene();
    const scene::SceneSize size = scene::scene_size(scene);
    const std::size_t others = session.options.scenes.size() - 1;
    return fmt::format("{}{}: {} triangles in {} instances, {} materials{}{}{}{}{}",
                       session.options.scenes.front(),
                       others == 0 ? "" : fmt::format(" and {} more", others),
                       size.triangles,
                       scene.instances.size(),
                       scene.materials.size(),
                       session.files.edits_file.empty() ? "" : "; with the edits of ",
                       session.files.edits_file,
                       left.empty() ? "" : "; when it is opened again, unsaved edits wait in ",
                       left,
                       far_note);
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
        wanted.variant.clear();
        wanted.edits_file.clear();
        wanted.sets.clear();
    }
    // Keep how the picture is shown.
    if (session.document.is_open()) {
        wanted.exposure_stops = shown_view(link, session.document).exposure_stops;
        take_view(session.document.context(), wanted);
    }
    return wanted;
}

void look_for_missing(Session& session, const std::string& folder) {
    RenderOptions wanted = session.options;
    std::erase(wanted.asset_roots, folder);
    wanted.asset_roots.push_back(folder);
    session.loader.start_again(wanted, session.document);
}

void open_scene(Session& session, const RenderLink& link, const std::vector<std::string>& sources) {
    session.loader.start(wanted_options(session, link, sources), session.remembered.pictures);
}

std::string take_scene(Session& session,
                       RenderLink& link,
                       Selection& selection,
                       LoadedScene& loaded) {
    const std::string left = unsaved_scene(session, loaded);
    session.options = std::move(loaded.options);
    session.document = std::move(loaded.document);
    session.section.clear();
    session.files.edits_file = std::move(loaded.edits_file);
    session.files.edits_text = std::move(loaded.edits_text);
    session.files.is_leaving = false;
    session.bounds = loaded.bounds;
    follow_document(session, link, selection);
    look_for_unsaved(session);
    session.dragged.clear();
    session.missing = std::move(loaded.missing);
    selection = {};
    link.settings.crop.reset();
    attend_to(link, std::nullopt);
    session.picture_reader.forget();
    link.effect = scene::kEffectAll;
    session.files.bookmarks = bookmark_key(session.options.scenes.front());
    remember_scene(session.remembered, session.files.bookmarks);
    remember_folders(session);
    return scene_sentence(session, left, loaded.far_note);
}

Message take_again(Session& session, RenderLink& link, Selection& selection, LoadedScene& loaded) {
    const std::size_t before = session.missing.size();
    const std::size_t after = loaded.missing.size();
    session.missing = std::move(loaded.missing);
    session.options = std::move(loaded.options);
    const base::Status made =
        session.document.reopen(loaded.document.shared_scene(), loaded.document.context());
    session.section.clear();
    session.picture_reader.forget();
    follow_document(session, link, selection);
    if (!made.is_ok()) {
        return {made.error().sentence, true};
    }
    const std::string& folder = session.options.asset_roots.back();
    return {after == 0 ? fmt::format("All missing pictures were found in {}", folder)
            : after < before
                ? fmt::format(
                      "{} of {} missing pictures were found in {}", before - after, before, folder)
                : fmt::format("None of the missing pictures is in {}", folder)};
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
void follow_depths(RenderLink& link) {
    const bool is_wanted = link.view.layer == film::Aov::Depth && link.view.has_false_colours;
    const bool is_at_rest =
        link.status.prepared_job == link.job && !ImGui::IsAnyMouseDown() && link.scene;
    if (!link.depth.is_waiting() && !(is_wanted && is_at_rest)) {
        return;
    }
    const auto range =
        link.depth.poll(*link.live, link.settings.width, link.settings.height, link.job);
    if (range && *range != link.view.depth_range_m) {
        link.view.depth_range_m = *range;
        link.effect |= scene::kEffectView;
    }
}

namespace {

// Each place of a dragged object would have pages of its own, which takes seconds and room on the
// disk: with a budget of the tree, the picture follows when the drag ends.
bool must_rest(const RenderLink& link) {
    constexpr u32 kMoving = scene::kEffectPlacement | scene::kEffectVertices;
    return link.settings.geometry_memory_bytes != 0 && link.job != 0 &&
           (link.effect & kMoving) != 0 && ImGui::IsAnyMouseDown();
}

}  // namespace

void show_changes(const Session& session, RenderLink& link, Ui& ui, Comparison& comparison) {
    if (link.scene == nullptr || link.effect == scene::kEffectNone) {
        return;
    }
    if (must_rest(link)) {
        ui.say_while("The picture follows when the mouse is released: its pages are written anew",
                     [] { return ImGui::IsAnyMouseDown(); });
        return;
    }
    if ((link.effect & scene::kEffectView) != 0) {
        link.live->set_view(shown_view(link, session.document));
        comparison.run.set_view(shown_view(link, session.document));
    }
    if (link.effect != scene::kEffectView) {
        end_comparison(link, ui, comparison, false);
        link.job = link.live->show(
            {.scene = link.scene,
             .camera = session.camera(),
             .settings = rendered_settings(link, session.document),
             .hidden = scene::hidden_names(session.document.scene(), session.document.context()),
             .effect = link.effect});
    }
    link.effect = scene::kEffectNone;
}

void show_display(Session& session, RenderLink& link, live::LiveDisplay display) {
    link.view.display = display;
    link.effect |= scene::kEffectView;
    session.remembered.display = display;
}

void attend_to(RenderLink& link, std::optional<film::Region> part) {
    link.attended = part;
    link.live->attend(part.value_or(film::Region{}));
}

}  // namespace weft::app
