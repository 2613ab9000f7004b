#include "app/view/session/bookmarks.h"

#include <algorithm>

#include "app/command/edit_file.h"

namespace weft::app {

std::string bookmark_key(const std::string& source) {
    return whole_scene_name(source);
}

std::string free_name(const std::vector<Bookmark>& others) {
    for (u32 number = 1;; ++number) {
        std::string name = "View " + std::to_string(number);
        const bool is_free = std::none_of(others.begin(), others.end(), [&](const Bookmark& other) {
            return other.name == name;
        });
        if (is_free) {
            return name;
        }
    }
}

Bookmark bookmark_of(const scene::Camera& camera, const std::vector<Bookmark>& others) {
    Bookmark bookmark;
    bookmark.name = free_name(others);
    scene::EditContext context;
    context.camera = camera;
    const auto text = scene::read_value(scene::Scene{}, context, "camera");
    bookmark.camera = text.is_ok() ? text.value() : "{}";
    return bookmark;
}

std::optional<scene::Camera> camera_of(const Bookmark& bookmark, const scene::Camera& now) {
    scene::Scene nothing;
    scene::EditContext context;
    context.camera = now;
    const auto applied = scene::apply_edit(nothing, context, {"camera", bookmark.camera});
    return applied.is_ok() ? std::optional(context.camera) : std::nullopt;
}

}  // namespace weft::app
