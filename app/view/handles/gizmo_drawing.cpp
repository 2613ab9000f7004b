#include "app/view/handles/gizmo_drawing.h"

#include <algorithm>
#include <array>

#include <imgui.h>

#include "app/view/session/object_edits.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/window/theme.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

namespace {

constexpr std::array<ImU32, 4> kColours = {IM_COL32(226, 84, 76, 255),
                                           IM_COL32(116, 190, 84, 255),
                                           IM_COL32(82, 138, 230, 255),
                                           IM_COL32(225, 225, 225, 255)};
constexpr ImU32 kBracket = IM_COL32(255, 150, 30, 255);
constexpr ImU32 kHot = IM_COL32(255, 200, 70, 255);

// Whether some section plane cuts away an instance's whole box.
bool is_instance_cut_away(const Session& session, u32 index, const BoxCorners& box) {
    const scene::Instance& instance = session.document.scene().instances[index];
    const scene::Material& material = session.document.scene().materials[instance.material];
    const std::vector<shaders::ClipPlane>& planes = session.document.context().clip_planes;
    bool is_away = false;
    for (std::size_t k = 0; k < planes.size() && !is_away; ++k) {
        const bool is_cut = (instance.clip_planes >> k & 1U) != 0 &&
                            (material.record.flags & shaders::kMaterialWhole) == 0;
        const auto is_beyond = [&plane = planes[k]](const Vec3& p) {
            return dot(math::vec3_at(plane.normal), p) + plane.offset < 0;
        };
        is_away = is_cut && std::all_of(box.begin(), box.end(), is_beyond);
    }
    return is_away;
}

// Whether section planes hide the whole node: its handles would float in empty space. `first`: the
// instance of the first box.
bool is_cut_away(const Session& session, u32 first, const std::vector<BoxCorners>& boxes) {
    bool is_away = true;
    for (u32 k = 0; k < boxes.size() && is_away; ++k) {
        is_away = is_instance_cut_away(session, first + k, boxes[k]);
    }
    return is_away;
}

ImVec2 point_of(const ScreenPoint& at) {
    return {at.x, at.y};
}

// Draws brackets round the selection, dark and light, so that they stand out on any picture.
void draw_boxes(const GizmoView& view, const std::vector<BoxCorners>& boxes) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(
        point_of(view.origin), {view.origin.x + view.width, view.origin.y + view.height}, true);
    for (const BoxCorners& box : boxes) {
        for (const ScreenLine& line : bracket_lines(view, box)) {
            list.AddLine(point_of(line.from), point_of(line.to), IM_COL32(0, 0, 0, 120), 3.2F);
            list.AddLine(point_of(line.from), point_of(line.to), kBracket, 1.8F);
        }
    }
    list.PopClipRect();
}

// Draws what the selected cameras see, a little way ahead.
void draw_cameras(const scene::Scene& scene,
                  const GizmoView& view,
                  const std::vector<MovedThing>& things) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const MovedThing& thing : things) {
        if (thing.kind != MovedThing::Kind::Camera) {
            continue;
        }
        const Vec3 away = math::column(thing.matrix, 3) - math::column(view.camera.to_world, 3);
        for (const ScreenLine& line :
             camera_lines(view, scene.cameras[thing.index], 0.15F * length(away))) {
            list.AddLine(point_of(line.from), point_of(line.to), IM_COL32(0, 0, 0, 120), 3.2F);
            list.AddLine(point_of(line.from), point_of(line.to), kBracket, 1.8F);
        }
    }
}

bool has_same_things(const HandledSet& a, const HandledSet& b) {
    return std::equal(a.things.begin(),
                      a.things.end(),
                      b.things.begin(),
                      b.things.end(),
                      [](const MovedThing& x, const MovedThing& y) { return x.path == y.path; });
}

void draw_handles(Ui& ui, const Gizmo& gizmo, const std::optional<u32>& hot) {
    constexpr std::array<const char*, 4> kNames = {"X", "Y", "Z", "Middle"};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float scale = interface_scale();
    const float dot = 5 * scale;  // radius
    for (const Gizmo::Handle& handle : gizmo.handles()) {
        const ImU32 colour = handle.axis == hot ? kHot : kColours[handle.axis];
        const ImVec2 end = point_of(handle.line.back());
        ui.marks.mark(std::string("Handle/") + kNames[handle.axis], {end, end});
        if (handle.line.size() == 1) {
            list.AddCircleFilled(end, dot, colour);
            continue;
        }
        std::vector<ImVec2> points;
        std::transform(
            handle.line.begin(), handle.line.end(), std::back_inserter(points), point_of);
        // A dark line below the light one, so that the line stands out on any picture.
        const auto count = static_cast<int>(points.size());
        list.AddPolyline(points.data(), count, IM_COL32(0, 0, 0, 110), 0, 4.5F * scale);
        list.AddPolyline(points.data(), count, colour, 0, 2.2F * scale);
        if (gizmo.tool == GizmoTool::Scale) {
            list.AddRectFilled({end.x - dot, end.y - dot}, {end.x + dot, end.y + dot}, colour);
        } else if (gizmo.tool == GizmoTool::Move) {
            list.AddCircleFilled(end, 5.5F * scale, colour);
        }
    }
}

}  // namespace

void tell_beside(Ui& ui,
                 const PictureSight& sight,
                 const ScreenPoint& point,
                 const std::string& text,
                 const std::string& mark) {
    const float beside = 14 * interface_scale();
    const float margin = 4 * interface_scale();
    const ImVec2 extent = ImGui::CalcTextSize(text.c_str());
    const PicturePlace seen = sight.visible();
    const float last = seen.x + seen.width - extent.x - margin;
    const bool fits = point.x + beside <= last;
    const ImVec2 at(fits ? point.x + beside : std::max(last, seen.x + margin),
                    fits ? point.y - extent.y / 2 : point.y + beside);
    const ImVec2 low(at.x - margin, at.y - 2);
    const ImVec2 high(at.x + extent.x + margin, at.y + extent.y + 2);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(low, high, IM_COL32(20, 20, 20, 210), 3);
    list.AddText(at, kHot, text.c_str());
    ui.marks.mark(mark, {low, high});
}

bool is_pulled(const Gizmo& gizmo, bool has_moved) {
    const ImGuiIO& io = ImGui::GetIO();
    return io.MouseDelta.x != 0 || io.MouseDelta.y != 0 ||
           (has_moved && gizmo.is_snapped() != io.KeyCtrl);
}

// What the handles are of: a node with the boxes of its parts, or a set. Null: nothing, or a node
// that section planes cut away.
const HandledSet* NodeHandles::find_set() {
    const std::optional<SelectedNode> node =
        selection_.others.empty() ? selected_node(session_, selection_) : std::nullopt;
    if (!node) {
        const HandledSet& set = sets_.of(session_, selection_);
        return set.things.empty() ? nullptr : &set;
    }
    const std::vector<BoxCorners>& corners =
        boxes.of(session_.document.scene(), node->path, node->instance);
    if (!gizmo.is_held() && is_cut_away(session_, boxes.first_instance(), corners)) {
        return nullptr;
    }
    node_ = {{{node->path, MovedThing::Kind::Node, node->instance, node->matrix}},
             node->matrix,
             boxes.middle(),
             boxes.outlines()};
    return &node_;
}

std::vector<BoxCorners> NodeHandles::selected_boxes() {
    const std::optional<SelectedNode> node =
        selection_.others.empty() ? selected_node(session_, selection_) : std::nullopt;
    return node ? boxes.of(session_.document.scene(), node->path, node->instance)
                : sets_.of(session_, selection_).outlines;
}

bool NodeHandles::use(bool is_over_picture) {
    const HandledSet* const set = find_set();
    if (set == nullptr || (gizmo.is_held() && !has_same_things(held_, *set))) {
        gizmo.release();
        return false;
    }
    const GizmoView view{session_.document.context().camera,
                         {sight_.place.x, sight_.place.y},
                         sight_.place.width,
                         sight_.place.height,
                         interface_scale()};
    if (gizmo.tool != GizmoTool::None) {
        draw_boxes(view, set->outlines);
    }
    draw_cameras(session_.document.scene(), view, set->things);
    gizmo.place(view, set->matrix, set->pivot);
    const ImVec2 at = ImGui::GetIO().MousePos;
    const ScreenPoint mouse{at.x, at.y};
    if (gizmo.is_held()) {
        if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
            gizmo.release();
        } else if (is_pulled(gizmo, has_moved_)) {
            pull(mouse);
        }
    } else if (is_over_picture && ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
               gizmo.grab(mouse)) {
        held_ = *set;
        has_moved_ = false;
    }
    const std::optional<u32> hot = gizmo.is_held()   ? gizmo.held_axis()
                                   : is_over_picture ? gizmo.handle_at(mouse)
                                                     : std::nullopt;
    draw_handles(ui_, gizmo, hot);
    if (gizmo.is_held() && has_moved_) {
        tell_beside(ui_, sight_, mouse, gizmo.readout(), "Handle/Readout");
        ui_.marks.mark("Handle/" + gizmo.readout());
    }
    return hot.has_value();
}

void NodeHandles::pull(const ScreenPoint& mouse) {
    const math::Affine matrix = gizmo.pulled(mouse, ImGui::GetIO().KeyCtrl);
    const base::Status done = session_.document.edit_all(
        edits_of_move(session_.document.scene(), held_, matrix), has_moved_);
    if (done.is_ok()) {
        has_moved_ = true;
    } else {
        ui_.say(done.error());
    }
}

}  // namespace weft::app
