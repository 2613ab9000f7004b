// scene_groups.h — which instances share a command list, and the numbers by which lists name
// instances, materials and textures.
//
// A group holds instances of one surface: of one material, cut by the same clip planes. Numbers
// stay with what they name while the scene is edited (C5), and instances stay in their group, so
// that an edit changes only the groups that instances leave or join. Bindings say where the
// numbered things are in the scene as it is now. Immutable once made; any thread.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::frame {

// The parts of a scene that its lists depend on, shared with the scene.
struct ListedScene {
    scene::Arena<scene::Instance> instances;
    scene::Arena<scene::Group> groups;
    scene::Arena<scene::Material> materials;
    scene::Arena<shaders::TextureSlot> slots;
    std::size_t texture_count = 0;

    ListedScene() = default;
    explicit ListedScene(const scene::Scene& scene);
};

struct Surface {
    u32 material = kNone;  // its number
    u32 planes = ~0U;      // those that may cut its instances

    friend bool operator==(const Surface&, const Surface&) = default;
};

// One instance in its group.
struct GroupedInstance {
    u32 number = kNone;
    u32 layer = kNone;  // the number of its node's name and its group
    u32 group = kNone;
};

// What is shown or hidden as one: the nodes of one name in one group of the scene.
struct Layer {
    std::string node;
    u32 group = kNone;

    friend bool operator==(const Layer&, const Layer&) = default;
};

struct LayerHash {
    std::size_t operator()(const Layer& layer) const {
        return std::hash<std::string>()(layer.node) ^
               (std::size_t{layer.group} * 0x9e3779b97f4a7c15U);
    }
};

using LayerNumbers = std::unordered_map<Layer, u32, LayerHash>;

struct SceneGroups {
    u32 group_size = 256;                    // the most instances of a group
    std::vector<u32> materials;              // numbers, in the order of the scene's materials
    std::vector<u32> textures;               // numbers, in the order of the scene's textures
    std::vector<GroupedInstance> instances;  // in the scene's order
    std::vector<Surface> surfaces;           // some without a group
    std::vector<u32> surface_of_group;       // kNone: the group is empty
    std::vector<u32> order;           // groups that are not empty, those of a surface together
    std::vector<bool> is_changed;     // by group: its members differ from the former ones
    std::vector<bool> is_layer_used;  // by layer
    std::shared_ptr<const LayerNumbers> layers;  // also of names that no node bears any more
    std::vector<u64> bindings;                   // by number: the place in the scene; or kUnbound
};

// Groups for the scene `now`, going on from those of the scene `before`; the former groups
// themselves where all stay as they are.
std::shared_ptr<const SceneGroups> regrouped(const std::shared_ptr<const SceneGroups>& former,
                                             const ListedScene& before,
                                             const ListedScene& now);

// Groups of no scene, to begin with.
std::shared_ptr<const SceneGroups> no_groups(u32 group_size);

}  // namespace weft::frame
