// bookmarks.h — named cameras of each scene, kept from session to session.
//
// A bookmark is a name and a camera in the JSON of edits (engine/scene/edit/edit.h), so that the
// camera keeps its exact bits. The settings (view_settings.h) hold them under the scene's path.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/scene/edit/edit.h"

namespace weft::app {

struct Bookmark {
    std::string name;
    std::string camera;  // JSON text

    bool operator==(const Bookmark&) const = default;
};

// The key of a scene's bookmarks: its whole path, or its name if it is not a file.
std::string bookmark_key(const std::string& source);

// The first "View N" that no bookmark has.
std::string free_name(const std::vector<Bookmark>& others);

// A bookmark of this camera with a free name.
Bookmark bookmark_of(const scene::Camera& camera, const std::vector<Bookmark>& others);

// The camera of a bookmark; none if the text is damaged. Fields that the text omits come from
// `now`.
std::optional<scene::Camera> camera_of(const Bookmark& bookmark, const scene::Camera& now);

}  // namespace weft::app
