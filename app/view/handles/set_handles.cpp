#include "app/view/handles/set_handles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/view/models/object_name.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "engine/scene/edit/edit_value.h"
#include "engine/scene/model/scene_tree.h"

namespace weft::app {

namespace {

using Kind = MovedThing::Kind;

constexpr std::size_t kMostOutlines = 24;  // more things have one around all

BoxCorners corners_of(const math::Box& box) {
    BoxCorners corners{};
    for (u32 corner = 0; corner < corners.size(); ++corner) {
        corners[corner] = box.corner(corner);
    }
    return corners;
}

// Where the thing itself is: a sun has no place.
bool has_place(const scene::Scene& scene, const MovedThing& thing) {
    return thing.kind != Kind::Light ||
           scene.lights[thing.index].kind != shaders::LightKind::Directional;
}

void add_light(const scene::Light& light,
               const std::string& path,
               const math::Affine& moved,
               std::vector<scene::Edit>& edits) {
    using scene::edits::floats_text;
    if (light.kind != shaders::LightKind::Directional) {
        edits.push_back(
            {path + "/position", floats_text(math::components(math::column(moved, 3)))});
    }
    if (light.kind != shaders::LightKind::Point) {
        const Vec3 direction = math::normalize(math::column(moved, 2), light.direction);
        edits.push_back({path + "/direction", floats_text(math::components(direction))});
    }
}

}  // namespace

const HandledSet& HandledSets::of(const Session& session, const Selection& selection) {
    const std::string_view family = family_of(selection.path);
    const bool is_own = selection.others.empty() && (family == "nodes" || family == "lights");
    if (is_own || !session.document.is_open() || !is_placed(selection.path)) {
        scene_ = nullptr;
        set_ = {};
        return set_;
    }
    std::vector<std::string> selected = all_selected(selection);
    if (scene_ != session.document.shared_scene() || selected_ != selected) {
        scene_ = session.document.shared_scene();
        selected_ = std::move(selected);
        set_ = {moved_things(session, selection)};
        find(*scene_);
    }
    return set_;
}

void HandledSets::find(const scene::Scene& scene) {
    math::Box whole;
    if (set_.things.size() <= kMostOutlines) {
        for (const MovedThing& thing : set_.things) {
            const math::Box box = boxes_.of(scene, instances_of(scene, {&thing, 1}));
            if (!box.is_empty()) {
                set_.outlines.push_back(corners_of(box));
                whole.include(box);
            }
        }
    } else {
        whole = boxes_.of(scene, instances_of(scene, set_.things));
        if (!whole.is_empty()) {
            set_.outlines.push_back(corners_of(whole));
        }
    }
    for (const MovedThing& thing : set_.things) {
        const bool is_point = thing.kind == Kind::Light || thing.kind == Kind::Camera;
        if ((is_point || whole.is_empty()) && has_place(scene, thing)) {
            whole.include(math::column(thing.matrix, 3));
        }
    }
    const bool is_one = set_.things.size() == 1;
    set_.pivot = whole.is_empty() ? Vec3{} : (whole.low + whole.high) * 0.5F;
    if (is_one && set_.things.front().kind == Kind::Camera) {
        set_.pivot = math::column(set_.things.front().matrix, 3);
    }
    set_.matrix = is_one ? set_.things.front().matrix : math::translation(set_.pivot);
}

std::vector<scene::Edit> edits_of_move(const scene::Scene& scene,
                                       const HandledSet& set,
                                       const math::Affine& matrix) {
    const std::optional<math::DAffine> back = math::inverse(math::to_double(set.matrix));
    const math::DAffine way =
        back ? math::compose(math::to_double(matrix), *back) : math::kDIdentity;
    std::vector<scene::Edit> edits;
    for (const MovedThing& thing : set.things) {
        const bool is_alone = set.things.size() == 1;
        const math::DAffine exact = math::compose(way, math::to_double(thing.matrix));
        const math::Affine moved = is_alone ? matrix : math::to_float(exact);
        if (thing.kind == Kind::Light) {
            add_light(scene.lights[thing.index], thing.path, moved, edits);
        } else {
            const bool is_rigid = thing.kind == Kind::Camera;
            edits.push_back(
                {thing.path + "/transform",
                 scene::edits::floats_text(
                     is_rigid ? scene::rigid_matrix(is_alone ? math::to_double(moved) : exact)
                              : moved)});
        }
    }
    return edits;
}

std::vector<ScreenLine> camera_lines(const GizmoView& view,
                                     const scene::Camera& camera,
                                     float distance_m) {
    const float aspect = camera.aspect > 0 ? camera.aspect : view.width / view.height;
    const float up =
        camera.is_orthographic ? camera.ymag : distance_m * std::tan(camera.yfov_rad / 2);
    const Vec3 eye = math::column(camera.to_world, 3);
    std::array<Vec3, 4> corners{};
    for (u32 k = 0; k < 4; ++k) {
        const float x = (k == 1 || k == 2 ? 1.0F : -1.0F) * up * aspect;
        const float y = (k >= 2 ? 1.0F : -1.0F) * up;
        corners[k] = math::transform_point(camera.to_world, Vec3{x, y, -distance_m});
    }
    std::vector<ScreenLine> lines;
    const auto add = [&](const Vec3& from, const Vec3& to) {
        const auto a = project(view, from);
        const auto b = project(view, to);
        if (a && b) {
            lines.push_back({*a, *b});
        }
    };
    for (u32 k = 0; k < 4; ++k) {
        add(eye, corners[k]);
        add(corners[k], corners[(k + 1) % 4]);
    }
    return lines;
}

}  // namespace weft::app
