// edit.h — one change of a scene as a path and a JSON value: what `--set`, `--edits` and the
// viewer's undo speak.
//
// Paths, names as in the scene:
//   materials/NAME/FIELD        every number of the material, "alpha_mode", "solid", ..., and
//                               base_color_texture and its kin: "FILE", an object, or null
//   materials/NAME              {"copy_of": "materials/OTHER"} adds a copy, with any of the fields
//                               beside it, or one of these alone; null deletes one that is unused
//   nodes/NAME/transform        12 numbers, row-major 3×4      nodes/NAME/visible  true or false
//   nodes/NAME/material         "materials/OTHER"; a list has one for each part of the node
//   nodes/NAME                  null deletes; {"copy_of": "nodes/OTHER"} adds a copy, at its place
//                               or where "transform" says; "visible", "insert_at": see below
//   lights/NAME                 an object adds or replaces, null deletes
//   lights/NAME/FIELD           kind, position, direction, intensity, radius_m, angle_deg,
//                               inner_deg, outer_deg; visible, of all lights of the name
//   environment/FIELD           file, color, rotation_deg, strength
//   camera                      an object with any of its fields    camera/FIELD
//   frame/FIELD                 size, [width, height] in pixels, null: 720 lines as wide as the
//                               camera's aspect wants; percent of it that is rendered
//   view/FIELD                  exposure, transform, clip_planes, clip_cap
// A node is added after all instances, or so that "insert_at" is the number of its first one. One
// that was deleted comes back by {"parts": [{"mesh", "material", "insert_at"}, ...], "transform"}.
// In a NAME '~' is written ~0, '/' ~1 and '#' ~2; NAME#2 is the second of several of one name.
// editable_fields() lists the fields of an object. Called by the program and the viewer on the
// thread that owns the scene.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

// What edits may change beside the scene, and where they find files.
struct EditContext {
    Camera camera;                    // that is rendered from
    bool has_autofocus = false;       // the lens focuses on what the middle of the picture shows
    std::array<u32, 2> frame_size{};  // width, height; 0, 0: as the camera's aspect wants
    float frame_percent = 100;        // of both sides
    float exposure_stops = 0;
    std::string view_transform = "standard";
    std::vector<shaders::ClipPlane> clip_planes;  // at most kMaxClipPlanes, unit normals
    bool has_clip_cap = false;        // whoever renders closes what they cut (section_caps.h)
    std::vector<std::string> hidden;  // names of nodes, and lights/NAME of lights; sorted
    std::string folder;  // files of edits with relative names lie here; empty: the current one
    std::vector<std::string> view_transforms = {"standard", "filmic", "aces", "raw"};
    std::vector<Environment> environments = {};  // that were replaced: found again by name
    // Whether an edit may open the file at this path. Empty: any, as for edits that a person makes;
    // those that came with a scene are held to its folders (asset_root.h).
    std::function<bool(const std::string& path)> may_open = {};
    // Set by with_names() and while apply_edits() runs; null: names are looked for in the lists.
    std::shared_ptr<edits::NameTables> names = nullptr;
};

enum class EditKind {
    Number,     // one number
    Colour,     // [r, g, b], linear
    Vector,     // some numbers: as many as `count`
    Flag,       // true or false
    Choice,     // one of `choices`
    Texture,    // a picture: "FILE", null, or an object as read_value() gives
    File,       // "FILE" or null
    PlaneList,  // [[nx, ny, nz, d], ...]
    Materials,  // "materials/NAME" of all parts, or a list with one for each
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
    double least = 0;  // what is taken at all
    double most = 1;
    bool is_logarithmic = false;
    std::vector<std::string> choices = {};
    TexelMeaning meaning = TexelMeaning::Linear;  // of a picture
};

// The fields of "materials/NAME", "nodes/NAME", "lights/NAME", "environment", "camera", "frame" or
// "view"; empty where there is no such object.
std::vector<EditField> editable_fields(const Scene& scene,
                                       const EditContext& context,
                                       const std::string& object_path);

// Paths of all objects of one family ("materials", "nodes", "lights"), in the scene's order; nodes
// once each.
std::vector<std::string> object_paths(const Scene& scene, const std::string& family);

// The path of one object by its index; of the node that an instance belongs to.
std::string material_path(const Scene& scene, u32 material);
std::string light_path(const Scene& scene, u32 light);
std::string node_path(const Scene& scene, u32 instance);

// The instances of the node that a path names, rising; none: there is no such node.
std::vector<u32> node_instances(const Scene& scene, const std::string& path);

// The present value as JSON text that apply_edit() turns back into the same bits.
base::Result<std::string> read_value(const Scene& scene,
                                     const EditContext& context,
                                     const std::string& path);

// The edit that undoes `edit` if it is applied after it. Ask before applying; an error where
// `edit` names nothing that can be changed.
base::Result<Edit> inverse_edit(const Scene& scene, const EditContext& context, const Edit& edit);

// Makes the change; Effect bits of what has to be made again. On error nothing has changed.
base::Result<u32> apply_edit(Scene& scene, EditContext& context, const Edit& edit);

// What becomes of a list of edits.
struct EditsMade {
    u32 effect = kEffectNone;
    std::vector<Edit> inverses;  // of those that were made, in their order; where asked for

    struct Fault {
        std::size_t index;
        base::Error error;
    };

    std::vector<Fault> faults;  // edits that were not made, in their order
};

enum class OnFault {
    Stop,  // the first one ends the list; those before it are made
    Skip,  // the others are made
};

// Makes the changes in their order, in time that grows as their number and the scene do.
EditsMade apply_edits(Scene& scene,
                      EditContext& context,
                      std::span<const Edit> edits,
                      OnFault on_fault,
                      bool has_inverses);

// A context for reading many values: as long as the scene does not change.
EditContext with_names(EditContext context);

}  // namespace weft::scene
