// prepared_scene.h — a scene ready for rays: the drawn instances, shading tables and trees.
//
// Immutable and shared: frames of one scene at several sizes read the same one, and after an edit
// the next prepared scene keeps whatever the edit did not change. The thread that prepares a frame
// makes it; building uses several threads. Any thread may read.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/embree_reference.h"
#include "engine/accel/tree_pool.h"
#include "engine/frame/drawn_scene.h"
#include "engine/frame/render_settings.h"
#include "engine/scene/edit/edit_effect.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::frame {

struct PreparedScene {
    std::shared_ptr<const scene::Scene> scene;
    std::shared_ptr<const DrawnScene> drawn;
    std::shared_ptr<const trace::SceneTables> tables;
    std::shared_ptr<const accel::Acceleration> acceleration;
    // The built tree that `acceleration` was patched from for a frame of an animation, and the
    // arrays of its patches; else null.
    std::shared_ptr<const accel::Acceleration> built_tree;
    std::shared_ptr<accel::TreePool> pool;
    std::shared_ptr<const accel::EmbreeReference> embree;  // null but in Embree mode
    std::shared_ptr<const trace::HeatMap> heat;            // null but where heat is counted
    // The request that it was made for.
    std::vector<std::string> hidden;
    std::vector<shaders::ClipPlane> clip_planes;
    bool is_environment_visible = true;
    bool has_fine_tree = true;  // of high quality, not patched for a first picture
    u32 leaf_fill = 4;
    // Seconds that it took.
    double lists_s = 0;
    double tables_s = 0;
    double build_s = 0;
    bool has_new_tables = true;  // not those of the former scene
    bool has_new_tree = true;
    bool has_built_tree = true;  // the tree was built, neither kept, patched nor from the reserve
};

struct SceneRequest {
    std::shared_ptr<const scene::Scene> scene;
    const RenderSettings* settings = nullptr;
    std::vector<std::string> hidden;
    // The scene before, and what has changed since (scene::Effect); null: make everything.
    const PreparedScene* maybe_former = nullptr;
    u32 effect = scene::kEffectAll;
    // For a first picture: where another tree is needed, patch the tree before instead of building,
    // or patch the reserve, which holds more triangles (null: there is none). A patched tree counts
    // no heat.
    bool may_patch = false;
    std::shared_ptr<const accel::Acceleration> maybe_reserve{};
    // For a frame of an animation: where another tree is needed, patch this one if the picture
    // keeps its bits. Let go of before a build, with the pool. Null: build.
    std::shared_ptr<const accel::Acceleration> maybe_built_tree{};
    std::shared_ptr<accel::TreePool> pool{};  // needed for patches
    u64 sample_count = 0;                     // that the scene is rendered with; 0: unknown
    // True ends the building of a tree with an error (accel::BuildConfig). Empty: never.
    std::function<bool()> should_stop{};
};

// Errors: an unknown hidden node, too many clip planes, more memory than the limit, out of memory.
base::Result<PreparedScene> prepare_scene(SceneRequest request);

// The kernels' parameters from the settings; the filter table must outlive them.
shaders::RenderParams render_params(const RenderSettings& settings,
                                    const std::vector<float>& filter_table);

}  // namespace weft::frame
