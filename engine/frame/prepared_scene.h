// prepared_scene.h — what rays need of a scene under one look: what its lists draw, tables, tree.
//
// Immutable and shared: frames of one scene at several sizes read the same one, and after an edit
// the next one keeps whatever the edit did not change. Made by the thread that prepares a frame;
// building fans out. Any thread may read.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/embree_reference.h"
#include "engine/accel/tree_pool.h"
#include "engine/frame/render_settings.h"
#include "engine/frame/scene_lists.h"
#include "engine/scene/edit/edit_effect.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::frame {

struct PreparedScene {
    std::shared_ptr<const scene::Scene> scene;
    std::shared_ptr<const DrawnScene> drawn;
    std::shared_ptr<const trace::SceneTables> tables;
    std::shared_ptr<const accel::Acceleration> acceleration;
    std::shared_ptr<const accel::EmbreeReference> embree;  // null but in Embree mode
    std::shared_ptr<const trace::HeatMap> heat;            // null but where heat is counted
    // What it was made for.
    std::vector<std::string> hidden;
    std::vector<shaders::ClipPlane> clip_planes;
    bool is_environment_visible = true;
    bool has_fine_tree = true;  // built in high quality, not patched
    u32 leaf_fill = 4;
    // What it took.
    double lists_s = 0;
    double tables_s = 0;
    double build_s = 0;
    bool has_new_tables = true;  // not those of the former scene
    bool has_new_tree = true;
    bool has_built_tree = true;  // new, and neither patched nor found in the reserve
};

struct SceneRequest {
    std::shared_ptr<const scene::Scene> scene;
    const RenderSettings* settings = nullptr;
    std::vector<std::string> hidden;
    // The scene before, and what of it has changed since (scene::Effect); null: make everything.
    const PreparedScene* maybe_former = nullptr;
    u32 effect = scene::kEffectAll;
    // For a first picture: the tree before may be patched where another one is needed, or this one,
    // which holds more (null: there is none). No heat is counted then.
    bool may_patch = false;
    std::shared_ptr<const accel::Acceleration> maybe_reserve{};
    std::shared_ptr<accel::TreePool> pool{};  // where may_patch
    // Ends the building of a tree with an error (accel::BuildConfig). Empty: never.
    std::function<bool()> should_stop{};
};

// Errors: no such node, too many planes, too large for the limits, out of memory.
base::Result<PreparedScene> prepare_scene(const SceneRequest& request);

// What kernels are told of the settings; the filter table must outlive it.
shaders::RenderParams render_params(const RenderSettings& settings,
                                    const std::vector<float>& filter_table);

}  // namespace weft::frame
