// scene_lists.h — a scene as command lists, recorded by several threads and kept as long as the
// scene: one list per surface and one per group of its instances (clause C8).
//
// A surface's list sets what its groups inherit: material, textures, samplers and planes. A group's
// list names the layer of its instances by a predicate and draws them. All lists name things by
// numbers that stay while the scene is edited, so an edit records only the lists of groups and
// surfaces that it changed, and shares the others with the scene before. draw_scene() submits them.
// Immutable; any thread. Recording uses several.
#pragma once

#include <memory>
#include <vector>

#include "engine/frame/scene_groups.h"
#include "scheduler/base/result.h"
#include "scheduler/command/recorder.h"

namespace weft::frame {

struct SceneListsConfig {
    u32 thread_count = 1;
    u32 group_size = 256;  // the most instances of a list
};

// The list before each surface's: nothing leaks into what follows from what came before (C6), and
// what follows inherits the scene's planes (C2). One for the program.
const command::ListPtr& look_list();

class SceneLists {
public:
    // Shares with `maybe_former`, the lists of the scene before an edit, what the edit did not
    // change; where it changed nothing that lists say, the result is `maybe_former` itself.
    static base::Result<std::shared_ptr<const SceneLists>> record(
        const scene::Scene& scene,
        const SceneListsConfig& config,
        const std::shared_ptr<const SceneLists>& maybe_former = nullptr);

    [[nodiscard]] const ListedScene& scene() const { return scene_; }

    [[nodiscard]] const SceneGroups& groups() const { return *groups_; }

    // By surface and by group; null where that is empty.
    [[nodiscard]] const std::vector<command::ListPtr>& surface_lists() const {
        return surface_lists_;
    }

    [[nodiscard]] const std::vector<command::ListPtr>& group_lists() const { return group_lists_; }

    // Lists of surfaces and groups; and those of them that this recording made.
    [[nodiscard]] u64 list_count() const { return list_count_; }

    [[nodiscard]] u64 recorded_count() const { return recorded_count_; }

private:
    explicit SceneLists(const scene::Scene& scene) : scene_(scene) {}

    struct Recording;

    ListedScene scene_;
    std::shared_ptr<const SceneGroups> groups_;
    std::vector<command::ListPtr> surface_lists_;
    std::vector<command::ListPtr> group_lists_;
    u64 list_count_ = 0;
    u64 recorded_count_ = 0;
};

}  // namespace weft::frame
