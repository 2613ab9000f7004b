// panel_state.h — what panels remember from frame to frame: searches, held widgets, thumbnails.
//
// None of it is saved or changes the picture. Interface thread only.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/view/background/depth_watch.h"
#include "app/view/background/heat_watch.h"
#include "app/view/background/pixel_watch.h"
#include "app/view/models/compare_run.h"
#include "app/view/models/gizmo.h"
#include "app/view/models/heat_picture.h"
#include "app/view/models/heat_table.h"
#include "app/view/models/lamp_sizes.h"
#include "app/view/models/material_users.h"
#include "app/view/models/outliner_rows.h"
#include "app/view/models/placement.h"
#include "app/view/models/scheduler_history.h"
#include "app/view/models/selection_box.h"
#include "app/view/models/timeline.h"
#include "app/view/window/picture_texture.h"

namespace weft::app {

struct OutlinerState {
    std::shared_ptr<const scene::Scene> scene;  // scene of `stamp`
    u64 stamp = 0;                              // of the scene whose rows are listed
    OutlinerRows rows;
    std::string search;
    std::string searched = "\n";  // search that gave `found`
    std::string followed;         // path selected when the list was last drawn
    std::vector<u32> found[kOutlinerGroups];
};

// The last shown numbers of a node and their matrix, so that angles do not jump to equivalent ones.
struct ShownPlacement {
    scene::Affine matrix{};
    Placement placement;
};

struct TransformState {
    std::map<std::string, ShownPlacement> shown;  // by path, for all nodes shown so far
};

struct GizmoState {
    Gizmo gizmo;
    std::string path;        // of the held node
    bool has_moved = false;  // an edit was made since the grab
    SelectionBoxes boxes;
};

// The held size handle of a light, and its state when it was grabbed.
struct HeldSize {
    LampSize size;
    GizmoView view;
    scene::Light light;
    Vec3 at{};
    ScreenPoint mouse;
};

struct LampState {
    Gizmo gizmo;  // its tool is the nodes' tool, if it fits the light
    std::optional<HeldSize> size;
    std::string path;            // of the held light
    bool has_moved = false;      // an edit was made since the grab
    bool is_panel_seen = false;  // the panel of lights was drawn since the last picture
};

// The users of the shown material; counted again when the material, the object or the list of
// instances changes.
struct MaterialState {
    std::shared_ptr<const scene::Scene> scene;
    u32 material = kNone;
    std::string object;
    MaterialUsers users;
};

// The picture that a pixel report describes. A new report is requested when it changes.
struct InspectedFrame {
    std::optional<u32> mode;  // of a comparison over the picture; none: the picture itself
    u32 samples = 0;
    u64 job = 0;

    bool operator==(const InspectedFrame&) const = default;
};

struct InspectorState {
    PixelWatch watch;
    bool is_held = false;
    InspectedFrame seen;
};

struct SchedulerState {
    double refreshed_s = -1;
    frame::FrameFigures figures;
    SchedulerHistory history;
};

// The inputs of a heat picture or list.
struct HeatPaint {
    u32 version = 0;
    HeatMetric metric = HeatMetric::Time;
    HeatBy by = HeatBy::Mesh;
    bool is_made = false;

    friend bool operator==(const HeatPaint&, const HeatPaint&) = default;
};

struct HeatState {
    bool is_on = false;
    bool is_over_picture = true;
    HeatMetric metric = HeatMetric::Time;
    HeatBy by = HeatBy::Mesh;
    HeatWatch watch;
    HeatPaint painted;
    double most = 0;  // value of the hottest colour in the picture
    std::unique_ptr<PictureTexture> texture;
    HeatPaint listed;
    std::vector<HeatLine> lines;
    HeatColumn column = HeatColumn::Share;
    bool is_descending = true;
    u32 lanes = 16;  // of a group
};

// How the three compared pictures are shown.
enum class CompareLook {
    Small,       // in the panel only
    SideBySide,  // strips side by side over the picture
    Wipe,        // over the picture, separated by two lines
};

struct CompareState {
    CompareRun run;
    CompareLook look = CompareLook::Small;
    float middle = 0.5F;  // centre of the strips, as a share of the picture's width
    std::array<float, kComparedModes - 1> lines{1.0F / 3, 2.0F / 3};  // of the wipe, ascending
    bool is_held = false;          // the mouse went down on the picture
    std::optional<u32> held_line;  // and on this line
    u32 samples = 16;              // of each mode
    bool is_outdated = false;      // the view changed since
    std::array<std::unique_ptr<PictureTexture>, kComparedModes> textures;
    std::array<u32, kComparedModes> uploaded{};  // versions
};

// A picture dropped on an object, and the menu that asks for its field.
struct PictureDrop {
    std::string file;
    std::string material;  // path
    std::string object;    // name
    bool is_new = true;    // the menu must be opened
};

struct TimelineState {
    Timeline model;
    bool is_recording = false;
};

struct PanelState {
    std::array<u32, 3> open_tab{};  // open panel of each PanelSide
    OutlinerState outliner;
    TransformState transform;
    GizmoState gizmo;
    LampState lamps;
    MaterialState material;
    InspectorState inspector;
    DepthWatch depth;
    SchedulerState scheduler;
    HeatState heat;
    CompareState compare;
    TimelineState timeline;
    std::optional<PictureDrop> drop;
    std::optional<std::vector<std::string>>
        examples;                    // for the empty window; set when it is first drawn
    bool is_missing_closed = false;  // the person closed the list of missing pictures
    std::string chooser_path;        // field to set to the chosen file
    scene::TexelMeaning chooser_meaning = scene::TexelMeaning::Linear;  // of that field
    // Thumbnails of textures, by name and by the first word in the arena.
    std::map<std::pair<std::string, u32>, std::unique_ptr<PictureTexture>> thumbnails;
};

}  // namespace weft::app
