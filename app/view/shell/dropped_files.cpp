#include "app/view/shell/dropped_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <imgui.h>

#include "app/view/models/object_name.h"
#include "app/view/models/view_folder.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
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

// Whether the file's ending is that of a picture.
bool is_picture_file(const std::string& file) {
    static constexpr std::array kEndings = {
        ".png", ".jpg", ".jpeg", ".webp", ".tga", ".bmp", ".tif", ".tiff", ".tx", ".dds"};
    return is_map_file(file) ||
           std::find(kEndings.begin(), kEndings.end(), ending_of(file)) != kEndings.end();
}

}  // namespace

void DroppedFiles::take_picture(const std::string& file, const PictureSight& sight) {
    if (!session_.document.is_open()) {
        ui_.say_while("Open a scene first: a picture goes on an object or on the background",
                      [&session = session_] { return !session.document.is_open(); });
        return;
    }
    const auto [x, y] = ImGui::GetIO().MousePos;
    if (const auto picked = surface_under(link_, sight, x, y)) {
        const scene::Instance& instance = picked->scene->instances[picked->instance];
        select_path(session_,
                    selection_,
                    scene::node_path(*picked->scene, picked->instance),
                    picked->instance);
        prefer_material(session_, selection_, instance.material);
        const scene::Scene& scene = session_.document.scene();
        drop_ = {file, scene::material_path(scene, instance.material), instance.node, true};
    } else if (sight.visible().holds(x, y) || is_map_file(file)) {
        light_with(session_, ui_, file);
    } else {
        ui_.say(
            "Drop a picture on an object for its material, or on the background to light "
            "the scene");
    }
}

void DroppedFiles::take_edits(const std::vector<std::string>& files) {
    if (session_.document.is_open()) {
        for (const std::string& file : files) {
            read_edits(session_, ui_, file);
        }
    } else if (!files.empty()) {
        ui_.say_while(files.front() + " holds edits: open the scene that they are for first",
                      [&session = session_] { return !session.document.is_open(); });
    }
}

void DroppedFiles::take(const std::vector<std::string>& files, const PictureSight& sight) {
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
        ui_.say(edits[0] + " and " + edits[1] +
                " hold edits: drop a scene with one file of them, the others on the scene");
        return;
    }
    if (pictures.size() > 1) {
        ui_.say(pictures[0] + " and " + pictures[1] + ": drop one picture at a time");
        return;
    }
    if (sources.empty()) {
        take_edits(edits);
    }
    if (!sources.empty()) {
        RenderOptions wanted = wanted_options(session_, link_, sources);
        if (!edits.empty()) {
            wanted.edits_file = edits.front();  // belong to the scene dropped with them
        }
        if (!pictures.empty()) {
            wanted.environment_file = pictures.front();
            wanted.environment_color.reset();
        }
        session_.loader.start(wanted, session_.remembered.pictures);
    } else if (!pictures.empty()) {
        take_picture(pictures.front(), sight);
    }
}

void DroppedFiles::draw_slots(const PictureDrop& drop) {
    for (const scene::EditField& field : scene::editable_fields(
             session_.document.scene(), session_.document.context(), drop.material)) {
        if (field.kind != scene::EditKind::Texture) {
            continue;
        }
        const std::string title = field.label.ends_with("map") ? field.label : field.label + " map";
        if (ImGui::MenuItem(title.c_str())) {
            paint_with(session_, field.path, field.meaning, drop.file);
        }
        ui_.marks.mark("Drop/" + title);
    }
}

void DroppedFiles::draw_menu() {
    if (!drop_) {
        return;
    }
    if (std::exchange(drop_->is_new, false)) {
        ImGui::OpenPopup(kTitle);
    }
    if (!ImGui::BeginPopup(kTitle)) {
        drop_.reset();
        return;
    }
    ImGui::TextColored(kFaint,
                       "%s on %s, material %s, as",
                       std::filesystem::path(drop_->file).filename().c_str(),
                       drop_->object.c_str(),
                       shown_name(drop_->material).c_str());
    ImGui::Separator();
    draw_slots(*drop_);
    ImGui::Separator();
    if (ImGui::MenuItem("Environment of the scene")) {
        light_with(session_, ui_, drop_->file);
    }
    ui_.marks.mark("Drop/Environment");
    if (ImGui::MenuItem("Cancel")) {
        ImGui::CloseCurrentPopup();
    }
    ui_.marks.mark("Drop/Cancel");
    ImGui::EndPopup();
}

}  // namespace weft::app
