// view_settings.h — what the viewer remembers between sessions: window, panels, preferences, recent
// scenes, bookmarks.
//
// A small JSON file, $XDG_CONFIG_HOME/weft/view.json (or ~/.config/weft/view.json). A damaged file,
// or one of another version, does not stop the viewer: unreadable parts get their defaults.
// Interface thread only.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "app/view/session/bookmarks.h"
#include "engine/live/shown_picture.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::app {

inline constexpr float kMostInterfaceScale = 4;

// The names of displays in the file and in the window, in the order of LiveDisplay.
inline constexpr std::array<const char*, 3> kDisplayNames = {"rendered", "solid", "wireframe"};
// In the order of live::LiveDenoise.
inline constexpr std::array<const char*, 3> kDenoiseNames = {"off", "fast", "quality"};

// What ViewSettings::pixel_side may be, and how the window calls it.
inline constexpr std::array<u32, 4> kPixelSides = {0, 1, 2, 4};
inline constexpr std::array<const char*, 4> kPixelSideNames = {"frame", "1 : 1", "1 : 2", "1 : 4"};

struct ViewSettings {
    u32 window_width = 1440;
    u32 window_height = 860;
    bool has_left = true;  // whether the panels beside and below the picture show
    bool has_right = true;
    bool has_bottom = false;
    float left_width = 250;
    float right_width = 350;
    float bottom_height = 230;
    float orbit_speed = 1;
    float interface_scale = 0;  // of text and handles; 0: the monitor's
    live::LiveDisplay display = live::LiveDisplay::Rendered;
    // Pixels of the window for each rendered one, 1, 2 or 4 to a side; 0: the frame's are rendered.
    u32 pixel_side = 0;
    std::vector<std::string> recent;                         // scenes, newest first
    std::vector<std::string> pictures;                       // chosen by the person, newest first
    std::map<std::string, std::string> folders;              // last folder of each kind of file
    std::map<std::string, std::vector<Bookmark>> bookmarks;  // by bookmark_key()
};

inline constexpr std::size_t kMostRecent = 12;
inline constexpr std::size_t kMostPictures = 500;

// The folder for settings and unsaved edits; empty if neither XDG_CONFIG_HOME nor HOME is set. This
// function does not make it.
std::string settings_folder();

// view.json in that folder.
std::string settings_file();

// `otherwise`: the result if there is no file or all of it is damaged.
ViewSettings read_settings(const ViewSettings& otherwise = {});

// Error: the folder or file cannot be written.
base::Status write_settings(const ViewSettings& settings);

// Remembers a picture that the person chose: edits beside a scene may name it again, wherever it
// lies.
void remember_picture(ViewSettings& settings, const std::string& file);

// Moves a scene to the top of the recent scenes.
void remember_scene(ViewSettings& settings, const std::string& scene);

}  // namespace weft::app
