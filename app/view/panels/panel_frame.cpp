// panel_frame.cpp — the camera's frame: size in pixels and aspect ratio.
//
// These are edits of the scene's frame, like any other: undone, saved, used by `weft render
// --edits`. Interface thread.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include <imgui.h>

#include "app/command/edit_options.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "engine/scene/model/framing_camera.h"

namespace weft::app {

namespace {

using Size = std::array<u32, 2>;

struct Aspect {
    const char* title;
    double width;
    double height;
};

constexpr std::array<Aspect, 11> kAspects = {{{"16 : 9", 16, 9},
                                              {"3 : 2", 3, 2},
                                              {"4 : 3", 4, 3},
                                              {"2.39 : 1", 2.39, 1},
                                              {"1.85 : 1", 1.85, 1},
                                              {"2 : 1", 2, 1},
                                              {"1 : 1", 1, 1},
                                              {"4 : 5", 4, 5},
                                              {"3 : 4", 3, 4},
                                              {"2 : 3", 2, 3},
                                              {"9 : 16", 9, 16}}};
constexpr const char* kOfCamera = "the camera's";
constexpr u32 kMostSide = 32768;

// The size with this aspect; the shorter side stays.
Size with_aspect(const Size& size, const Aspect& aspect) {
    const double shorter = std::min(size[0], size[1]);
    const double longer =
        shorter * std::max(aspect.width / aspect.height, aspect.height / aspect.width);
    const u32 rounded = std::min(kMostSide, static_cast<u32>(longer + 0.5));
    const u32 kept = std::min(size[0], size[1]);
    return aspect.width >= aspect.height ? Size{rounded, kept} : Size{kept, rounded};
}

std::string size_text(const Size& size) {
    return fmt::format("[{}, {}]", size[0], size[1]);
}

float aspect_of(const Size& size) {
    return static_cast<float>(size[0]) / static_cast<float>(size[1]);
}

// Edits the frame. The default camera of a scene without cameras still shows the whole scene.
void set_size(
    Session& session, Ui& ui, const Size& before, const std::string& value, const Size& after) {
    session.dragged.clear();
    std::vector<scene::Edit> edits = {{"frame/size", value}};
    if (scene::is_framing_camera(session.camera(), session.bounds, aspect_of(before))) {
        scene::EditContext framed = session.document.context();
        framed.camera = scene::framing_camera(session.bounds, aspect_of(after));
        edits.push_back(
            {"camera", scene::read_value(session.document.scene(), framed, "camera").value()});
    }
    const base::Status done = session.document.edit_all(edits);
    if (!done.is_ok()) {
        ui.say(done.error());
    }
}

void draw_size(Session& session, Ui& ui, const scene::EditField& field, const Size& size) {
    ImGui::PushID("size");
    const bool fits = begin_numbers(
        "Size", "Pixels of the picture, whatever room there is for it in the window", 2, "88888");
    take_keyboard(ui);
    Size wanted = size;
    constexpr u32 kLeast = 1;
    bool is_changed = false;
    if (fits) {
        is_changed = ImGui::DragScalarN(
            "##value", ImGuiDataType_U32, wanted.data(), 2, 2, &kLeast, &kMostSide, "%u");
    } else {
        ImGui::BeginGroup();
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            u32& side = wanted[k];
            ImGui::PushID(static_cast<int>(k));
            ImGui::SetNextItemWidth(-reset_width() - 2);
            is_changed = ImGui::DragScalar(
                             "##value", ImGuiDataType_U32, &side, 2, &kLeast, &kMostSide, "%u") ||
                         is_changed;
            ImGui::PopID();
        }
        ImGui::EndGroup();
    }
    end_numbers();
    mark_row(ui, "Render", "Size");
    if (is_changed) {
        for (u32& side : wanted) {
            side = std::clamp(side, kLeast, kMostSide);
        }
        send_edit(session, ui, field.path, size_text(wanted));
    }
    end_drag(session);
    draw_reset(session, ui, "Render", field);
    ImGui::PopID();
}

void draw_aspect(Session& session, Ui& ui, const Size& size) {
    const bool is_of_camera = session.document.context().frame_size[0] == 0;
    const auto now = std::find_if(kAspects.begin(), kAspects.end(), [&](const Aspect& aspect) {
        return with_aspect(size, aspect) == size;
    });
    const std::string title = is_of_camera            ? kOfCamera
                              : now == kAspects.end() ? fmt::format("{:.3g} : 1", aspect_of(size))
                                                      : now->title;
    const ImGuiComboFlags flags =
        begin_choice("Aspect", "Width to height; the shorter side stays as it is", kOfCamera);
    if (ImGui::BeginCombo("##aspect", title.c_str(), flags | ImGuiComboFlags_HeightLargest)) {
        if (ImGui::Selectable(kOfCamera, is_of_camera)) {
            set_size(session, ui, size, "null", picture_size(0, 0, session.camera()));
        }
        mark_row(ui, "Render", kOfCamera);
        for (const Aspect& aspect : kAspects) {
            if (ImGui::Selectable(aspect.title, !is_of_camera && title == aspect.title)) {
                const Size wanted = with_aspect(size, aspect);
                set_size(session, ui, size, size_text(wanted), wanted);
            }
            mark_row(ui, "Render", aspect.title);
        }
        ImGui::EndCombo();
    }
    end_numbers();
    mark_row(ui, "Render", "Aspect");
}

}  // namespace

void draw_frame(Session& session, Ui& ui) {
    const scene::EditContext& context = session.document.context();
    const Size size = picture_size(context.frame_size[0], context.frame_size[1], context.camera);
    const std::vector<scene::EditField> fields =
        scene::editable_fields(session.document.scene(), context, "frame");
    const scene::EditField* const size_field = find_field(fields, "size");
    const scene::EditField* const percent = find_field(fields, "percent");
    if (size_field == nullptr || percent == nullptr) {
        return;
    }
    draw_size(session, ui, *size_field, size);
    draw_aspect(session, ui, size);
    draw_field(session, ui, "Render", *percent);
    const Size whole = framed_size(session.document.context());
    begin_row("");
    ImGui::TextDisabled("%s", fmt::format("{} × {} pixels", whole[0], whole[1]).c_str());
    ui.marks.mark(fmt::format("Render/{} × {} pixels", whole[0], whole[1]));
}

}  // namespace weft::app
