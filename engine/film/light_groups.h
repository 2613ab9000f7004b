// light_groups.h — groups of lights, whose light a picture holds apart: what a user writes of them,
// and the names of their layers.
//
//     key=lamp_*;windows=sun,environment
//
// names the group `key` of all whose name matches `lamp_*`, and the group `windows` of two names.
// `*` stands for any letters and `?` for one byte. A light belongs to the first group that matches;
// those that none matches are the group `rest`. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/film/aov.h"
#include "scheduler/base/result.h"

namespace weft::film {

struct LightGroup {
    std::string name;
    std::vector<std::string> patterns;
};

using LightGroups = std::vector<LightGroup>;

inline constexpr std::string_view kRestGroup = "rest";

// Letters of a name, so that its channels fit into the 63 that Blender reads; EXR allows 255.
inline constexpr std::size_t kMostGroupLetters = 55;

// Errors (of kind Usage): no groups, too many, one without a pattern, a name that no channel can
// have, that is given twice, or that is `rest`.
base::Result<LightGroups> parse_light_groups(const std::string& text);

// The text that gives the same groups.
std::string text_of(const LightGroups& groups);

// The names of the layers light_group(0), light_group(1) and so on: light_key, light_windows, and
// light_rest at the end. Empty without groups.
std::vector<std::string> light_layer_names(const LightGroups& groups);

// The layers of the groups: none without groups.
std::vector<Aov> light_layers(const LightGroups& groups);

// Whether a name matches a pattern.
bool is_match(std::string_view pattern, std::string_view name);

}  // namespace weft::film
