#include "engine/scene/model/scene_tree.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/scene/model/scene_boxes.h"
#include "scheduler/base/ensure.h"

namespace weft::scene {

namespace {

constexpr const char* kGroups = "groups/";
constexpr std::string_view kNodes = "nodes/";

// One move of a group under way; the scene stays as it is until the end.
class GroupMover {
public:
    GroupMover(const Scene& scene, u32 group)
        : scene_(scene),
          groups_(scene.groups.items()),
          is_below_(below_group(scene.groups, group)) {}

    // Moves the group and the groups below it. False: one would be out of reach.
    bool move(u32 group, const math::Affine& to_world, const Hold* maybe_hold) {
        groups_[group].to_world = to_world;
        groups_[group].hold = maybe_hold ? kept(*maybe_hold) : kNone;
        bool fits = can_place(to_world);
        for (u32 k = group + 1; k < groups_.size() && fits; ++k) {
            if (is_below_[k]) {
                groups_[k].to_world =
                    followed(groups_[k].parent, groups_[k].to_world, groups_[k].hold);
                fits = can_place(groups_[k].to_world);
            }
        }
        return fits;
    }

    [[nodiscard]] bool takes(u32 group) const { return is_in(is_below_, group); }

    // Where something at `place` in a moved group goes. Gives it a hold if it has none.
    math::Affine followed(u32 group, const math::Affine& place, u32& hold) {
        if (hold == kNone) {
            hold = kept({place, scene_.groups[group].to_world});
        }
        return place_in_group(held(hold), groups_[group].to_world);
    }

    [[nodiscard]] const Hold& held(u32 hold) const {
        const std::size_t known = scene_.holds.size();
        return hold < known ? scene_.holds[hold] : fresh_[hold - known];
    }

    // Where the group is after the move.
    [[nodiscard]] const math::Affine& now(u32 group) const { return groups_[group].to_world; }

    // Writes groups and holds.
    void finish(Scene& scene) && {
        scene.groups = std::move(groups_);
        if (!fresh_.empty()) {
            std::vector<Hold>& holds = scene.holds.own(fresh_.size());
            holds.insert(holds.end(), fresh_.begin(), fresh_.end());
        }
    }

private:
    u32 kept(const Hold& hold) {
        fresh_.push_back(hold);
        return static_cast<u32>(scene_.holds.size() + fresh_.size() - 1);
    }

    const Scene& scene_;
    std::vector<Group> groups_;
    std::vector<bool> is_below_;
    std::vector<Hold> fresh_;  // behind those of the scene
};

// The instances of a moved group, where they go. None: one would be out of reach.
std::optional<Arena<Instance>> moved_instances(const Scene& scene, GroupMover& mover) {
    Arena<Instance> moved = scene.instances;
    std::vector<Instance>* maybe_own = nullptr;  // copied at the first that moves
    for (std::size_t k = 0; k < scene.instances.size(); ++k) {
        if (!mover.takes(scene.instances[k].group)) {
            continue;
        }
        maybe_own = maybe_own ? maybe_own : &moved.own();
        Instance& instance = (*maybe_own)[k];
        instance.object_to_world =
            mover.followed(instance.group, instance.object_to_world, instance.hold);
        if (!can_place(instance.object_to_world)) {
            return std::nullopt;
        }
    }
    return moved;
}

// Moves a light by the group that it is in. False: it would be out of reach.
bool move_light(GroupMover& mover, Light& light) {
    const math::Affine now = mover.followed(light.group, light_matrix(light), light.hold);
    set_light_matrix(light, now, mover.held(light.hold));
    return is_in_reach(light.position);
}

}  // namespace

std::vector<bool> below_group(const Arena<Group>& groups, u32 group) {
    std::vector<bool> is_below(groups.size(), false);
    is_below[group] = true;
    for (std::size_t k = group + 1; k < groups.size(); ++k) {
        is_below[k] = is_in(is_below, groups[k].parent);
    }
    return is_below;
}

bool is_in(const std::vector<bool>& by_group, u32 group) {
    return group < by_group.size() && by_group[group];
}

void number_groups(Scene& scene) {
    std::unordered_map<std::string, u32> met;
    if (!scene.groups.empty()) {
        for (Group& group : scene.groups.own()) {
            group.place = met[group.name]++;
        }
    }
}

bool can_place(const math::Affine& matrix) {
    const auto size = static_cast<float>(math::determinant(math::to_double(matrix)));
    return std::isnormal(size) && std::all_of(matrix.begin(), matrix.end(), [](float entry) {
               return std::abs(entry) <= kReach_m;
           });
}

math::Affine group_matrix(const math::DAffine& to_world) {
    const math::Affine matrix = math::to_float(to_world);
    if (can_place(matrix)) {
        return matrix;
    }
    const math::Affine place = math::translation(math::column(matrix, 3));
    return can_place(place) ? place : math::kIdentity;
}

math::Affine rigid_matrix(const math::DAffine& m) {
    const math::DVec3 axis = math::normalize(math::column(m, 2));
    const math::DVec3 back = axis == math::DVec3{} ? math::DVec3{0, 0, 1} : axis;
    const math::DVec3 upright =
        std::abs(back.y) < 0.9 ? math::DVec3{0, 1, 0} : math::DVec3{1, 0, 0};
    const math::DVec3 right =
        math::normalize(cross(math::column(m, 1), back), math::normalize(cross(upright, back)));
    return math::to_float(math::from_columns(right, cross(back, right), back, math::column(m, 3)));
}

math::Affine place_in_group(const Hold& hold, const math::Affine& group) {
    if (hold.group == group) {
        return hold.put;
    }
    const std::optional<math::DAffine> back = math::inverse(math::to_double(hold.group));
    ENSURE(back.has_value(), ==, true);
    const math::DAffine way = math::compose(math::to_double(group), *back);
    return math::to_float(math::compose(way, math::to_double(hold.put)));
}

math::Affine camera_in_group(const Hold& hold, const math::Affine& group) {
    const math::Affine place = place_in_group(hold, group);
    return place == hold.put ? place : rigid_matrix(math::to_double(place));
}

math::Affine light_matrix(const Light& light) {
    return math::from_columns(math::Vec3{}, math::Vec3{}, light.direction, light.position);
}

void set_light_matrix(Light& light, const math::Affine& matrix, const Hold& hold) {
    const math::Vec3 direction = math::column(matrix, 2);
    light.direction = matrix == hold.put ? direction : math::normalize(direction, light.direction);
    light.position = math::column(matrix, 3);
}

const Hold* maybe_hold(const Scene& scene, u32 group, u32 hold) {
    const bool is_held =
        hold != kNone && group != kNone && scene.holds[hold].group != scene.groups[group].to_world;
    return is_held ? &scene.holds[hold] : nullptr;
}

std::optional<GroupMove> move_group(Scene& scene,
                                    u32 group,
                                    const math::Affine& to_world,
                                    const Hold* maybe_hold) {
    GroupMover mover(scene, group);
    if (!mover.move(group, to_world, maybe_hold)) {
        return std::nullopt;
    }
    std::optional<Arena<Instance>> instances = moved_instances(scene, mover);
    if (!instances) {
        return std::nullopt;
    }
    GroupMove done;
    done.has_instances = !instances->shares_with(scene.instances);
    std::vector<Light> lights = scene.lights;
    for (Light& light : lights) {
        if (mover.takes(light.group)) {
            done.has_lights = true;
            if (!move_light(mover, light)) {
                return std::nullopt;
            }
        }
    }
    std::vector<Camera> cameras = scene.cameras;
    for (Camera& camera : cameras) {
        if (mover.takes(camera.group)) {
            done.has_cameras = true;
            mover.followed(camera.group, camera.to_world, camera.hold);  // gives it a hold
            camera.to_world = camera_in_group(mover.held(camera.hold), mover.now(camera.group));
        }
    }
    std::move(mover).finish(scene);
    scene.instances = std::move(*instances);
    scene.lights = std::move(lights);
    scene.cameras = std::move(cameras);
    return done;
}

std::string hidden_name(const Group& group) {
    return kGroups + group.name + '#' + std::to_string(group.place + 1);
}

std::string hidden_name(const std::string& node, u32 place) {
    return std::string(kNodes) + node + '#' + std::to_string(place + 1);
}

std::optional<NodePlace> hidden_node(std::string_view name) {
    const std::size_t mark = name.rfind('#');
    if (!name.starts_with(kNodes) || mark == std::string_view::npos || mark < kNodes.size()) {
        return std::nullopt;
    }
    u32 ordinal = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + mark + 1, end, ordinal);
    if (error != std::errc{} || rest != end || ordinal == 0) {
        return std::nullopt;
    }
    return NodePlace{name.substr(kNodes.size(), mark - kNodes.size()), ordinal - 1};
}

std::vector<bool> hidden_groups(const Arena<Group>& groups,
                                const std::vector<std::string>& hidden) {
    std::unordered_set<std::string> names;
    std::copy_if(hidden.begin(),
                 hidden.end(),
                 std::inserter(names, names.end()),
                 [](const std::string& name) { return name.starts_with(kGroups); });
    if (names.empty()) {
        return {};
    }
    std::vector<bool> is_hidden(groups.size(), false);
    for (std::size_t k = 0; k < groups.size(); ++k) {
        is_hidden[k] = is_in(is_hidden, groups[k].parent) || names.contains(hidden_name(groups[k]));
    }
    return is_hidden;
}

}  // namespace weft::scene
