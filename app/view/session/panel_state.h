// panel_state.h — what panels remember from frame to frame: searches, what is held, thumbnails.
//
// Nothing of it is saved or changes the picture. Interface thread only.
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
    std::shared_ptr<const scene::Scene> scene;  // that `stamp` is of
    u64 stamp = 0;                              // of the scene that the rows are of
    OutlinerRows rows;
    std::string search;
    std::string searched = "\n";  // what `found` is for
    std::string followed;         // path that was selected when the list was drawn last
    std::vector<u32> found[kOutlinerGroups];
};

// The numbers of a node that were shown last and the matrix that they make: angles do not jump to
// others that mean the same.
struct ShownPlacement {
    scene::Affine matrix{};
    Placement placement;
};

struct TransformState {
    std::map<std::string, ShownPlacement> shown;  // by path, of all nodes that were looked at
};

struct GizmoState {
    Gizmo gizmo;
    std::string path;        // of the node that is held
    bool has_moved = false;  // an edit was made since it was taken
    SelectionBoxes boxes;
};

// A size of a lamp that is held; all as it was when it was taken.
struct HeldSize {
    LampSize size;
    GizmoView view;
    scene::Light light;
    Vec3 at{};
    ScreenPoint mouse;
};

struct LampState {
    Gizmo gizmo;  // its tool is that of the nodes' gizmo, as far as it fits a lamp
    std::optional<HeldSize> size;
    std::string path;            // of the lamp that is held
    bool has_moved = false;      // an edit was made since it was taken
    bool is_panel_seen = false;  // the panel of lights was drawn since the picture was
};

// Which objects have the material shown; counted again where the material, the object or the list
// of instances has changed.
struct MaterialState {
    std::shared_ptr<const scene::Scene> scene;
    u32 material = kNone;
    std::string object;
    MaterialUsers users;
};

// The picture that a pixel report describes. A new report is requested when it changes.
struct InspectedFrame {
    std::optional<u32> mode;  // of a comparison that lies over the picture; none: the picture
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

// What a picture or list of heat was made of.
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
    double most = 0;  // of the picture, the value of the hottest colour
    std::unique_ptr<PictureTexture> texture;
    HeatPaint listed;
    std::vector<HeatLine> lines;
    HeatColumn column = HeatColumn::Share;
    bool is_descending = true;
    u32 lanes = 16;  // of a group
};

// How the three pictures of a comparison are seen.
enum class CompareLook {
    Small,       // in the panel alone
    SideBySide,  // a strip of each over the picture
    Wipe,        // over the picture, parted by two lines
};

struct CompareState {
    CompareRun run;
    CompareLook look = CompareLook::Small;
    float middle = 0.5F;  // of the strips, as a share of the picture's width
    std::array<float, kComparedModes - 1> lines{1.0F / 3, 2.0F / 3};  // of the wipe, rising
    bool is_held = false;          // the mouse went down on the picture
    std::optional<u32> held_line;  // and on this line
    u32 samples = 16;              // of each mode
    bool is_outdated = false;      // the view has changed since
    std::array<std::unique_ptr<PictureTexture>, kComparedModes> textures;
    std::array<u32, kComparedModes> uploaded{};  // versions
};

// A picture that was dropped on an object, and the question what it is to be.
struct PictureDrop {
    std::string file;
    std::string material;  // path
    std::string object;    // name
    bool is_new = true;    // the menu is yet to be opened
};

struct TimelineState {
    Timeline model;
    bool is_recording = false;
};

struct PanelState {
    std::array<u32, 3> open_tab{};  // of each PanelSide: which of its panels
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
    std::optional<std::vector<std::string>> examples;  // of the empty window, once it was drawn
    bool is_missing_closed = false;                    // the list of missing pictures of this scene
    std::string chooser_path;                          // field that the chosen file is for
    scene::TexelMeaning chooser_meaning = scene::TexelMeaning::Linear;  // of that field
    // Of textures, by the texture's name and first word in the arena.
    std::map<std::pair<std::string, u32>, std::unique_ptr<PictureTexture>> thumbnails;
};

}  // namespace weft::app
