#include "app/view/panels/panel_material.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include <imgui.h>

#include "app/view/models/object_name.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panel_textures.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/selection.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

namespace {

// A field belongs to the first group that has a prefix of its name.
struct FieldGroup {
    const char* title;
    std::array<std::string_view, 6> words;
    // The parameter that enables the lobe; empty: the group is always open.
    std::string_view strength;
};

// clang-format off
constexpr std::array<FieldGroup, 10> kGroups = {{
    {"Coat", {"coat"}, "coat"},
    {"Sheen", {"sheen"}, "sheen_color"},
    {"Iridescence", {"iridescence"}, "iridescence"},
    {"Anisotropy", {"anisotropy"}, "anisotropy"},
    {"Transmission",
     {"transmission", "absorption", "dispersion", "medium", "solid"}, "transmission"},
    {"Emission", {"emissive"}, "emissive"},
    {"Specular", {"specular_color", "specular", "ior"}, ""},
    {"Normals", {"normal"}, ""},
    {"Surface", {"base_color", "metallic", "roughness"}, ""},
    {"Alpha and faces", {"alpha", "double_sided", "unlit"}, ""},
}};
// The order on the screen.
constexpr std::array<std::size_t, 10> kOrder = {8, 6, 7, 5, 4, 0, 1, 2, 3, 9};

// clang-format on

std::size_t group_of(std::string_view name) {
    for (std::size_t group = 0; group < kGroups.size(); ++group) {
        for (const std::string_view word : kGroups[group].words) {
            if (!word.empty() && name.starts_with(word)) {
                return group;
            }
        }
    }
    return kGroups.size() - 1;
}

// Whether the lobe of a group is in use: its strength is not zero.
bool is_in_use(const Session& session,
               const std::vector<scene::EditField>& fields,
               const FieldGroup& group) {
    const scene::EditField* const strength =
        group.strength.empty() ? nullptr : find_field(fields, group.strength);
    if (strength == nullptr) {
        return true;
    }
    const auto value =
        scene::read_value(session.document.scene(), session.document.context(), strength->path);
    return value.is_ok() && value.value().find_first_of("123456789") != std::string::npos;
}

void draw_group(const Session& session,
                Ui& ui,
                PictureRows& pictures,
                const std::vector<scene::EditField>& fields,
                std::size_t group) {
    const FieldGroup& which = kGroups[group];
    const bool is_used = is_in_use(session, fields, which);
    if (!begin_part(ui, "Material", which.title, is_used)) {
        return;
    }
    for (const scene::EditField& field : fields) {
        if (group_of(field_name(field)) == group) {
            pictures.draw("Material", field);
        }
    }
    ImGui::Spacing();
}

// Assigns a material to the parts of the selected object that have the shown one; without an
// object, shows that material instead.
void choose_material(Session& session, Selection& selection, Ui& ui, u32 shown, u32 chosen) {
    const scene::Scene& scene = session.document.scene();
    if (chosen == shown || !selection.path.starts_with("nodes/")) {
        selection = {};
        selection.path = scene::material_path(scene, chosen);
        selection.material = chosen;
        return;
    }
    nlohmann::json list = nlohmann::json::array();
    for (const u32 part : scene::node_instances(scene, selection.path)) {
        const u32 now = scene.instances[part].material;
        list.push_back(scene::material_path(scene, now == shown ? chosen : now));
    }
    session.dragged.clear();
    if (send_edit(session,
                  ui,
                  selection.path + "/material",
                  (list.size() == 1 ? list[0] : list).dump())) {
        selection.material = chosen;
        say_of_edits(
            ui,
            session,
            shown_name(selection.path) + " · " + session.document.scene().materials[chosen].name);
    }
    session.dragged.clear();
}

// Draws the list of all materials.
void draw_choice(Session& session, Selection& selection, Ui& ui, u32 material) {
    const scene::Scene& scene = session.document.scene();
    std::optional<u32> chosen;
    const std::string shown = shown_name(scene::material_path(scene, material));
    const int flags = begin_choice(
        "Material", "What the selected part is made of; a choice gives it another.", shown.c_str());
    if (ImGui::BeginCombo("##material", shown.c_str(), flags)) {
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(scene.materials.size()));
        while (clipper.Step()) {
            for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
                const auto index = static_cast<u32>(k);
                ImGui::PushID(k);
                if (ImGui::Selectable(scene.materials[index].name.c_str(), index == material)) {
                    chosen = index;
                }
                ui.marks.mark("Material/Material " + scene.materials[index].name);
                ImGui::PopID();
            }
        }
        clipper.End();
        ImGui::EndCombo();
    }
    end_numbers();
    ui.marks.mark("Material/Material");
    ui.marks.mark("Material/Shows " + scene.materials[material].name);
    if (chosen) {
        choose_material(session, selection, ui, material, *chosen);
    }
}

}  // namespace

const MaterialUsers& MaterialPanel::users() {
    const std::shared_ptr<const scene::Scene>& scene = session_.document.shared_scene();
    const bool is_known = scene_ && scene_->instances.shares_with(scene->instances) &&
                          material_ == selection_.material && object_ == selection_.path;
    if (!is_known) {
        scene_ = scene;
        material_ = selection_.material;
        object_ = selection_.path;
        users_ = count_users(*scene, material_, object_);
    }
    return users_;
}

// Says which objects a change affects, and offers to make the material their own.
void MaterialPanel::draw_users() {
    const MaterialUsers seen = users();
    const std::string text = "Used by " + users_text(seen);
    ImGui::AlignTextToFramePadding();
    faint_text(text);
    mark_row(ui_, "Material", text);
    if (ImGui::IsItemHovered()) {
        ImGui::SetTooltip("A change of this material shows on every object that has it");
    }
    const bool is_shared = seen.parts > 0 && (seen.objects > 1 || seen.parts > 1);
    if (!is_shared) {
        return;
    }
    const float margin = 2 * ImGui::GetStyle().FramePadding.x;
    same_line_if_fits(ImGui::CalcTextSize("Make own").x + margin);
    const bool is_part_alone = seen.objects == 1;
    if (ImGui::Button("Make own")) {
        make_own_material(session_, selection_, ui_, is_part_alone);
    }
    if (ImGui::IsItemHovered()) {
        ImGui::SetTooltip("%s",
                          is_part_alone ? "The selected part gets a copy of its own"
                                        : "The selected object gets a copy of its own");
    }
    mark_row(ui_, "Material", "Make own");
}

void MaterialPanel::draw() {
    if (selection_.material >= session_.document.scene().materials.size()) {
        faint_text("Click on the picture or in the outliner to select what to change.");
        return;
    }
    draw_choice(session_, selection_, ui_, selection_.material);
    draw_users();
    // The scene and the selected material may have changed above.
    const scene::Scene& scene = session_.document.scene();
    const u32 material = selection_.material;
    const std::vector<scene::EditField> fields = scene::editable_fields(
        scene, session_.document.context(), scene::material_path(scene, material));
    ImGui::PushID(static_cast<int>(material));
    for (const std::size_t group : kOrder) {
        draw_group(session_, ui_, pictures_, fields, group);
    }
    ImGui::PopID();
}

}  // namespace weft::app
