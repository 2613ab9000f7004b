// multi_selection.h — several selected things: chosen one by one, in ranges and in boxes.
//
// Nodes, groups, lights and cameras can be selected together; materials and the environment alone.
// Interface thread only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/scene/edit/edit.h"

namespace weft::app {

struct Selection;
struct Session;

// Whether a path names a thing that can be selected with others.
bool is_placed(const std::string& path);

[[nodiscard]] bool is_selected(const Selection& selection, const std::string& path);

// All selected paths; the one that panels show first.
[[nodiscard]] std::vector<std::string> all_selected(const Selection& selection);

// Selects one more thing, or deselects it. `instance`: as of select_path().
void toggle_selected(Session& session,
                     Selection& selection,
                     const std::string& path,
                     u32 instance = kNone);

// Selects all of them, besides what is selected already or (`adds` false) instead; the last one is
// shown by panels.
void select_all(Session& session,
                Selection& selection,
                std::span<const std::string> paths,
                bool adds);

// Drops what the scene no longer has. Call after select_path() has renewed the first one.
void renew_others(const Session& session, Selection& selection);

// A selected thing that no selected group takes along when it moves.
struct MovedThing {
    enum class Kind { Node, Group, Light, Camera };

    std::string path;
    Kind kind = Kind::Node;
    u32 index = kNone;      // of the first instance, or of the group, light or camera
    math::Affine matrix{};  // a light's as light_matrix() gives it
};

// In the order in which they were selected.
[[nodiscard]] std::vector<MovedThing> moved_things(const Session& session,
                                                   const Selection& selection);

// The instances that stand in these things, ascending, each once.
[[nodiscard]] std::vector<u32> instances_of(const scene::Scene& scene,
                                            std::span<const MovedThing> things);

// The lights among these things and in the groups among them, from the last one on.
[[nodiscard]] std::vector<u32> lights_of(const scene::Scene& scene,
                                         std::span<const MovedThing> things);

}  // namespace weft::app
