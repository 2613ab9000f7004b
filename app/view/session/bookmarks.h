// bookmarks.h — places to come back to, of each scene, kept from session to session.
//
// A bookmark is a name and a camera as edits write it (engine/scene/edit/edit.h), so that it comes
// back with the same bits. Kept in the settings (view_settings.h) under the scene's path. Pure; any
// thread.
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

// Where a scene's bookmarks are: its whole path, or its name where it is no file.
std::string bookmark_key(const std::string& source);

// The first "View N" that none of them is called.
std::string free_name(const std::vector<Bookmark>& others);

// This camera under a free name.
Bookmark bookmark_of(const scene::Camera& camera, const std::vector<Bookmark>& others);

// None where the text was damaged. What it does not say is as in `now`.
std::optional<scene::Camera> camera_of(const Bookmark& bookmark, const scene::Camera& now);

}  // namespace weft::app
