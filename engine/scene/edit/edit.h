// edit.h — an edit: one change of a scene as a path and a JSON value, for `--set`, `--edits` and
// the viewer's undo.
//
// Paths, names as in the scene:
//   materials/NAME/FIELD        every number of the material, "alpha_mode", "solid", ..., and
//                               base_color_texture and its kin: "FILE", an object, or null
//   materials/NAME              {"copy_of": "materials/OTHER", FIELD: ...} adds a copy with changed
//                               fields; fields alone add a material; null deletes an unused one
//   nodes/NAME/transform        12 numbers, row-major 3×4      nodes/NAME/visible  true or false
//   nodes/NAME/material         "materials/OTHER"; a list has one for each part of the node
//   nodes/NAME/name             what it is called in mattes, light groups and lists; null: as in
//                               the file. Paths keep NAME. So have groups, lights and cameras
//   nodes/NAME                  null deletes; {"copy_of": "nodes/OTHER"} adds a copy, at its place
//                               or at "transform"; "visible", "insert_at": see below
//   groups/NAME/transform       12 numbers: moves all below it  groups/NAME/visible  of all below
//   collections/NAME            {"members": [paths of nodes, groups, lights, cameras], "visible"}
//                               adds or replaces a named set, null deletes it; as fields, too
//   cameras/NAME/transform      12 numbers: of a camera of the file
//   lights/NAME                 an object adds or replaces, null deletes
//   lights/NAME/FIELD           kind, position, direction, intensity, radius_m, angle_deg,
//                               inner_deg, outer_deg; visible, of all lights of the name
//   environment/FIELD           file (or an installed map: "studio"), color, rotation_deg, strength
//   camera                      an object with any of its fields    camera/FIELD
//   frame/FIELD                 size, [width, height] in pixels, null: 720 lines by the camera's
//                               aspect; percent of it that is rendered
//   view/FIELD                  exposure, transform, clip_planes, clip_cap; with a colour config,
//                               display and look
// A group is a node of the file with others below it. A new node comes after all instances; with
// "insert_at" that is the number of its first one. The value {"parts": [{"mesh", "material",
// "insert_at"}, ...], "transform"} restores a deleted node. In a NAME '~' is written ~0, '/' ~1 and
// '#' ~2; NAME#2 is the second of several of one name. editable_fields() lists the fields of an
// object. The program and the viewer call these functions on the thread that owns the scene.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/colour/colour_config.h"
#include "engine/scene/edit/edit_effect.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::scene {

namespace edits {
struct NameTables;
}

struct Edit {
    std::string path;
    std::string value;  // JSON text

    bool operator==(const Edit&) const = default;
};

// A named set of objects.
struct Collection {
    std::string name;
    std::vector<std::string> members = {};  // their paths; sorted, each once
    bool is_hidden = false;                 // all of them
};

// The state that edits may change beside the scene, and the folders of their files.
struct EditContext {
    Camera camera;                    // the one that renders
    bool has_autofocus = false;       // focus on the surface in the middle of the picture
    std::array<u32, 2> frame_size{};  // width, height; 0, 0: by the camera's aspect
    float frame_percent = 100;        // of both sides
    float exposure_stops = 0;
    std::string view_transform = "standard";      // one of view_transforms, or a view of the config
    std::string display = {};                     // of the config, if there is one
    std::string look = colour::kLookOfView;       // as of colour::ViewChoice
    std::vector<shaders::ClipPlane> clip_planes;  // at most kMaxClipPlanes, unit normals
    bool has_clip_cap = false;                    // the renderer caps cut solids (section_caps.h)
    // nodes/NAME#k of nodes, lights/NAME of lights, groups/NAME#k of groups, names as in the scene;
    // sorted. hidden_names() adds those of collections.
    std::vector<std::string> hidden;
    std::vector<Collection> collections = {};  // by name
    std::string folder;  // of relative file names in edits; empty: the current one
    std::vector<std::string> view_transforms = {"standard", "filmic", "aces", "raw"};
    // The config of views, and of the file rules for pictures that edits name; null: none.
    std::shared_ptr<const colour::ColourConfig> colours = {};
    std::vector<Environment> environments = {};  // replaced ones, found by name
    // Whether an edit may open the file at this path. Empty: any file, as for edits that a person
    // makes; edits that came with a scene stay in its folders (asset_root.h).
    std::function<bool(const std::string& path)> may_open = {};
    // Set by with_names() and while apply_edits() runs; null: lookups search the lists.
    std::shared_ptr<edits::NameTables> names = nullptr;
};

// The view transform, or the default view of a display that has no view of that name.
std::string shown_transform(const EditContext& context);
// That view of the config; null: one of view_transforms, or there is no config. Error: as of
// ColourConfig::view(). Equal contexts give the same object.
base::Result<std::shared_ptr<const colour::Transform>> config_view(const EditContext& context);

enum class EditKind {
    Number,     // one number
    Colour,     // [r, g, b], linear
    Vector,     // some numbers: as many as `count`
    Flag,       // true or false
    Choice,     // one of `choices`
    Texture,    // a picture: "FILE", null, or an object as read_value() gives
    File,       // "FILE" or null
    PlaneList,  // [[nx, ny, nz, d], ...]
    PathList,   // ["nodes/NAME", ...]
    Materials,  // "materials/NAME" of all parts, or a list with one for each
    Name,       // "NAME" or null
};

// What a panel shows for one field.
struct EditField {
    std::string path;   // of the field, for apply_edit
    std::string label;  // as people read it
    std::string unit;   // empty: a plain number
    EditKind kind = EditKind::Number;
    u32 count = 1;   // of numbers
    double low = 0;  // the range of a slider
    double high = 1;
    double least = 0;  // the range that apply_edit() accepts
    double most = 1;
    bool is_logarithmic = false;
    std::vector<std::string> choices = {};
    TexelMeaning meaning = TexelMeaning::Linear;  // of a picture
};

// The fields of "materials/NAME", "nodes/NAME" and so on, "environment", "camera", "frame" or
// "view"; empty for an object that does not exist.
std::vector<EditField> editable_fields(const Scene& scene,
                                       const EditContext& context,
                                       const std::string& object_path);

// Paths of all objects of one family ("materials", "nodes", "groups", "lights", "cameras"), in the
// scene's order; nodes once each.
std::vector<std::string> object_paths(const Scene& scene, const std::string& family);

// The names of all that is not drawn: what a renderer takes as hidden.
std::vector<std::string> hidden_names(const Scene& scene, const EditContext& context);

// The path of a material, light, group or camera by its index, and of the node of an instance.
std::string material_path(const Scene& scene, u32 material);
std::string light_path(const Scene& scene, u32 light);
std::string group_path(const Scene& scene, u32 group);
std::string camera_path(const Scene& scene, u32 camera);
std::string node_path(const Scene& scene, u32 instance);

// The group at a path.
std::optional<u32> find_group(const Scene& scene, const std::string& path);

// The instances of the node at a path, ascending; empty for a node that does not exist.
std::vector<u32> node_instances(const Scene& scene, const std::string& path);

// The present value as JSON text that apply_edit() turns back into the same bits.
base::Result<std::string> read_value(const Scene& scene,
                                     const EditContext& context,
                                     const std::string& path);

// The edit that undoes `edit`. Call it before apply_edit(). Error: `edit` names nothing that can be
// changed.
base::Result<Edit> inverse_edit(const Scene& scene, const EditContext& context, const Edit& edit);

// Makes the change; returns its Effect bits. After an error nothing has changed.
base::Result<u32> apply_edit(Scene& scene, EditContext& context, const Edit& edit);

// The result of a list of edits.
struct EditsMade {
    u32 effect = kEffectNone;
    std::vector<Edit> inverses;  // of the applied edits, in their order; if requested

    struct Fault {
        std::size_t index;
        base::Error error;
    };

    std::vector<Fault> faults;  // edits that failed, in their order
};

enum class OnFault {
    Stop,  // the first fault ends the list; edits before it stay
    Skip,  // all other edits are applied
};

// Applies the edits in their order, in time linear in their number and the size of the scene.
EditsMade apply_edits(Scene& scene,
                      EditContext& context,
                      std::span<const Edit> edits,
                      OnFault on_fault,
                      bool has_inverses);

// A context with name tables, for reading many values while the scene does not change.
EditContext with_names(EditContext context);

}  // namespace weft::scene
