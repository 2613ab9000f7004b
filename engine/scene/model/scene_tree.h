// scene_tree.h — the tree of groups: what is below a group, what follows a group that is moved, and
// which groups are hidden.
//
// A group's place is absolute, as an instance's is. What follows a group stands where its Hold
// says: that depends on the group's place alone, not on the moves that led there, so a move that is
// undone or repeated from a file gives the same bits. Everything below works on lists, without
// recursion. Any thread that may use the scene.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::scene {

// By group: whether it is `group` or below it.
std::vector<bool> below_group(const Arena<Group>& groups, u32 group);

// Whether a list by group holds for the group of something; false for kNone and for an empty list.
bool is_in(const std::vector<bool>& by_group, u32 group);

// Sets Group::place.
void number_groups(Scene& scene);

// The matrix as a group's: its place alone where it cannot be inverted in floats.
math::Affine group_matrix(const math::DAffine& to_world);

// The place and axes of a matrix without its scale, as of a camera: keeps its third axis, makes the
// second one orthogonal to it, and derives the first. A third axis of no length counts as +Z.
math::Affine rigid_matrix(const math::DAffine& m);

// Where something with this hold stands while its group is at `group`.
math::Affine place_in_group(const Hold& hold, const math::Affine& group);

// A light's direction and position as third and fourth column, as in Hold::put; and a light put
// where place_in_group() says for its hold.
math::Affine light_matrix(const Light& light);
void set_light_matrix(Light& light, const math::Affine& matrix, const Hold& hold);

// The same of a camera, which keeps its size in a group that is scaled.
math::Affine camera_in_group(const Hold& hold, const math::Affine& group);

// The hold of something in `group` if that group was moved since; else null.
const Hold* maybe_hold(const Scene& scene, u32 group, u32 hold);

// Whether the matrix is within kReach_m and can be inverted in floats.
bool can_place(const math::Affine& matrix);

// What a move of a group took along.
struct GroupMove {
    bool has_instances = false;
    bool has_lights = false;
    bool has_cameras = false;
};

// Moves a group, and all that is below it. With a `maybe_hold` the group stands in its own group by
// that hold. None: something would leave the reach of can_place(), and nothing has changed.
std::optional<GroupMove> move_group(Scene& scene,
                                    u32 group,
                                    const math::Affine& to_world,
                                    const Hold* maybe_hold);

// The name of a group and of a node in a list of hidden names: "groups/NAME#1", "nodes/NAME#1".
std::string hidden_name(const Group& group);
std::string hidden_name(const std::string& node, u32 place);

// One node: those of one name are numbered by their place.
struct NodePlace {
    std::string_view node;
    u32 place = 0;

    friend bool operator==(const NodePlace&, const NodePlace&) = default;
};

// The node that a hidden name means; none for other names.
std::optional<NodePlace> hidden_node(std::string_view name);

// By group: whether it, or one above it, is among the hidden names. Empty if none is.
std::vector<bool> hidden_groups(const Arena<Group>& groups, const std::vector<std::string>& hidden);

}  // namespace weft::scene
