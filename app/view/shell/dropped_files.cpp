#include "app/view/shell/dropped_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <imgui.h>

#include "app/view/models/object_name.h"
#include "app/view/models/view_folder.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/view_pictures.h"
#include "app/view/session/view_scene.h"
#include "app/view/shell/view_files.h"
#include "app/view/viewport/pivot.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr const char* kTitle = "Use the picture as";

// Environment maps have high dynamic range.
bool is_map_file(const std::string& file) {
    const std::string ending = ending_of(file);
    return ending == ".hdr" || ending == ".exr";
}

void ask(Session& session,
         PanelState& panels,
         const std::string& file,
         u32 material,
         const std::string& object) {
    const scene::Scene& scene = session.document.scene();
    panels.drop = {file, scene::material_path(scene, material), object, true};
}

void draw_slots(Session& session, Ui& ui, const PictureDrop& drop) {
    for (const scene::EditField& field : scene::editable_fields(
             session.document.scene(), session.document.context(), drop.material)) {
        if (field.kind != scene::EditKind::Texture) {
            continue;
        }
        const std::string title = field.label.ends_with("map") ? field.label : field.label + " map";
        if (ImGui::MenuItem(title.c_str())) {
            paint_with(session, ui, field.path, field.meaning, drop.file);
        }
        ui.marks.mark("Drop/" + title);
    }
}

// Whether the file's ending is that of a picture.
bool is_picture_file(const std::string& file) {
    static constexpr std::array kEndings = {
        ".png", ".jpg", ".jpeg", ".webp", ".tga", ".bmp", ".tif", ".tiff", ".tx", ".dds"};
    return is_map_file(file) ||
           std::find(kEndings.begin(), kEndings.end(), ending_of(file)) != kEndings.end();
}

// Handles a picture dropped at this point of the window.
void take_picture_drop(ViewState& state, const std::string& file, float x, float y) {
    if (!state.session.document.is_open()) {
        state.ui.say_while("Open a scene first: a picture goes on an object or on the background",
                           [&state] { return !state.session.document.is_open(); });
        return;
    }
    if (const auto picked = surface_under(state.link, state.sight, x, y)) {
        const scene::Instance& instance = picked->scene->instances[picked->instance];
        select_path(state.session,
                    state.selection,
                    scene::node_path(*picked->scene, picked->instance),
                    picked->instance);
        prefer_material(state.session, state.selection, instance.material);
        ask(state.session, state.panels, file, instance.material, instance.node);
    } else if (state.sight.visible().holds(x, y) || is_map_file(file)) {
        light_with(state.session, state.ui, file);
    } else {
        state.ui.say(
            "Drop a picture on an object for its material, or on the background to light "
            "the scene");
    }
}

bool has_no_scene(const ViewState& state) {
    return !state.session.document.is_open();
}

}  // namespace

void take_dropped(ViewState& state, const std::vector<std::string>& files) {
    std::vector<std::string> sources;
    std::vector<std::string> edits;
    std::vector<std::string> pictures;
    for (const std::string& file : files) {
        (is_picture_file(file)        ? pictures
         : ending_of(file) == ".json" ? edits
                                      : sources)
            .push_back(file);
    }
    if (!sources.empty() && edits.size() > 1) {
        state.ui.say(edits[0] + " and " + edits[1] +
                     " hold edits: drop a scene with one file of them, the others on the scene");
        return;
    }
    if (pictures.size() > 1) {
        state.ui.say(pictures[0] + " and " + pictures[1] + ": drop one picture at a time");
        return;
    }
    if (sources.empty() && state.session.document.is_open()) {
        for (const std::string& file : edits) {
            read_edits(state.session, state.ui, file);
        }
    } else if (!edits.empty() && sources.empty()) {
        state.ui.say_while(edits.front() + " holds edits: open the scene that they are for first",
                           [&state] { return has_no_scene(state); });
    }
    if (!sources.empty()) {
        RenderOptions wanted = wanted_options(state.session, state.link, sources);
        if (!edits.empty()) {
            wanted.edits_file = edits.front();  // belong to the scene dropped with them
        }
        if (!pictures.empty()) {
            wanted.environment_file = pictures.front();
            wanted.environment_color.reset();
        }
        state.session.loader.start(wanted, state.session.remembered.pictures);
    } else if (!pictures.empty()) {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        take_picture_drop(state, pictures.front(), mouse.x, mouse.y);
    }
}

void draw_picture_drop(Session& session, Ui& ui, PanelState& panels) {
    std::optional<PictureDrop>& drop = panels.drop;
    if (!drop) {
        return;
    }
    if (std::exchange(drop->is_new, false)) {
        ImGui::OpenPopup(kTitle);
    }
    if (!ImGui::BeginPopup(kTitle)) {
        drop.reset();
        return;
    }
    ImGui::TextColored(kFaint,
                       "%s on %s, material %s, as",
                       std::filesystem::path(drop->file).filename().c_str(),
                       drop->object.c_str(),
                       shown_name(drop->material).c_str());
    ImGui::Separator();
    draw_slots(session, ui, *drop);
    ImGui::Separator();
    if (ImGui::MenuItem("Environment of the scene")) {
        light_with(session, ui, drop->file);
    }
    ui.marks.mark("Drop/Environment");
    if (ImGui::MenuItem("Cancel")) {
        ImGui::CloseCurrentPopup();
    }
    ui.marks.mark("Drop/Cancel");
    ImGui::EndPopup();
}

}  // namespace weft::app
