// scene_tables.h — the flat tables that kernels read, made once from the scene model.
//
// Materials, instances and lights become records; lights get choice probabilities and an alias
// table, the environment its cells; albedo tables are integrated. No libm. Threads compute entries
// (table_work.h); sums run in a fixed order. Read-only afterwards; any thread. The tables point
// into the Scene, which must outlive them and must not change.
#pragma once

#include <vector>

#include "engine/scene/model/scene.h"
#include "engine/scene/model/scene_boxes.h"
#include "engine/trace/environment_tables.h"
#include "scheduler/fibre/data_manager.h"
#include "shaders/host/path_view.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

struct SceneTables {
    std::vector<shaders::MeshRecord> meshes;
    std::vector<shaders::InstanceRecord> instances;
    std::vector<shaders::MaterialRecord> materials;
    std::vector<shaders::TextureSlot> slots;
    std::vector<shaders::TextureRecord> textures;
    std::vector<shaders::LightRecord> lights;
    std::vector<shaders::LightNode> light_nodes;  // empty: the alias table alone chooses lights
    std::vector<shaders::EnvironmentCell> environment_cells;
    EnvironmentMoments environment_moments;
    std::vector<shaders::ClipPlane> clip_planes;
    scene::SceneBoxes boxes;  // of the scene, hidden instances included
    shaders::SceneView view{};
    fibre::DataCounters geometry;  // threads that made instances and triangles
    fibre::DataCounters computed;  // threads that made materials and the environment

    // Whether a material only bounds a medium (kMaterialBoundary).
    [[nodiscard]] bool has_boundaries() const;

    // Whether a material's alpha may be a probability (AlphaMode::Blend).
    [[nodiscard]] bool has_blends() const;

    // Whether shadow rays pass a material, which may tint their light (shadow_tint).
    [[nodiscard]] bool has_tints() const;

    // Whether light samples choose among lights by the point that is lit.
    [[nodiscard]] bool has_light_tree() const { return view.light_nodes != nullptr; }

    SceneTables() = default;
    SceneTables(SceneTables&&) = default;
    SceneTables& operator=(SceneTables&&) = default;
    SceneTables(const SceneTables&) = delete;
    SceneTables& operator=(const SceneTables&) = delete;
};

// How a light sample chooses its light.
enum class LightChoice {
    Tree,   // by what it may contribute to the point, with a light tree; an eighth by power
    Power,  // by power, whatever the point
};

// The light group of everything that shines (shaders/bsdf.md section 8). Empty: group 0.
struct GroupedLights {
    std::vector<u32> of_instance;
    std::vector<u32> of_light;  // of scene::Scene::lights
    u32 of_environment = 0;
};

struct TablesConfig {
    u32 thread_count = 1;  // workers
    // Tables of a scene with the same environment, to copy its cells. null: none
    const SceneTables* same_environment = nullptr;
    // Tables of a former scene, to reuse the boxes of unchanged instances. null: none
    const SceneTables* former = nullptr;
    bool environment_is_visible = true;  // to camera rays
    LightChoice light_choice = LightChoice::Tree;
    bool is_regularized = false;   // paths are: smooth glass needs the tables of rough glass
    std::vector<bool> is_visible;  // by instance (--hide); hidden emitters do not emit. Empty: all
    std::vector<shaders::ClipPlane> clip_planes;
    GroupedLights light_groups;
    std::vector<u32> cut_by;  // by instance: mask of the planes that cut it. Empty: none
    // Replacements of the scene's materials (records without derived flags), of its texture slots
    // and of the materials by instance. Empty: the scene's own.
    std::vector<shaders::MaterialRecord> materials;
    std::vector<shaders::TextureSlot> slots;
    std::vector<u32> instance_materials;
};

// Tables keep pointers to their own vectors: a SceneTables may be moved but not copied.
SceneTables make_scene_tables(const scene::Scene& scene, const TablesConfig& config);

// The filter table of RenderParams: box, blackman-harris (radius 1.5) or gaussian (radius 1.5, σ
// 0.5).
enum class PixelFilter { Box, BlackmanHarris, Gaussian };
std::vector<float> make_filter_table(PixelFilter filter);

// Converts a camera for a picture of width × height. The vertical field of view is that of the
// camera, whatever the aspect.
shaders::CameraRecord make_camera(const scene::Camera& camera, u32 width, u32 height);

}  // namespace weft::trace
