// scene_lists.h — a scene as command lists: one per group of instances, recorded by several
// threads, executed in order (clause C8).
//
// A group's list binds materials and textures for its instances, names their layer by a predicate
// and their clip planes by a patch, and draws them. Executing the lists gives everything that the
// tree and the tables are built from: the visible instances, their materials, texture slots and
// planes. prepare_scene() records and submits the lists whenever it makes new tables; a submission
// adds the look: hidden layers, clip planes and environment. One thread owns a SceneLists;
// recording uses several.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/scene/model/scene.h"
#include "engine/trace/scene_tables.h"
#include "scheduler/base/result.h"
#include "scheduler/command/recorder.h"
#include "scheduler/command/submitter.h"

namespace weft::frame {

struct SceneListsConfig {
    u32 thread_count = 1;
    u32 group_size = 256;  // instances of a list
};

// What a submission adds to the recorded lists.
struct SceneLook {
    std::vector<std::string> hidden;  // layers (node names) that are not drawn; all must exist
    std::vector<shaders::ClipPlane> clip_planes;
    bool environment_is_visible = true;  // to the camera
};

// The result of executing the lists.
struct DrawnScene {
    trace::TablesConfig tables;    // for make_scene_tables()
    std::vector<bool> is_flagged;  // for the tree: hits that traversal asks about, by instance
    command::SubmitFigures figures;
};

class SceneLists {
public:
    // The scene must outlive the lists and must not change.
    static base::Result<SceneLists> record(const scene::Scene& scene,
                                           const SceneListsConfig& config);

    // Errors: an unknown layer, or more than kMaxClipPlanes planes.
    [[nodiscard]] base::Result<DrawnScene> submit(const SceneLook& look) const;

    // The groups' lists in the order of their instances.
    [[nodiscard]] const std::vector<command::ListPtr>& lists() const { return lists_; }

private:
    explicit SceneLists(const scene::Scene& scene) : scene_(&scene) {}

    void name_layers();
    [[nodiscard]] base::Result<command::ListPtr> record_group(command::Recorder& recorder,
                                                              u32 group,
                                                              u32 group_size) const;

    const scene::Scene* scene_;
    std::unordered_map<std::string, u32> layer_of_node_;
    std::vector<u32> layer_;  // by instance: number of its predicate
    std::vector<command::ListPtr> lists_;
};

}  // namespace weft::frame
