// aov_facts.h — what a layer holds, for people and for files: its channels, their unit, their
// meaning.
//
// `weft render --aov-list` prints all of it, and the writer of EXR files takes the channels from
// here. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/film/aov.h"

namespace weft::film {

struct AovFacts {
    std::vector<std::string> channels;  // as in an EXR, such as "albedo.R"
    const char* unit;                   // "1" for a pure number
    const char* meaning;                // a phrase
};

// Its channels begin with the name of the layer.
AovFacts aov_facts(Aov aov, std::string_view layer);

inline AovFacts aov_facts(Aov aov) {
    return aov_facts(aov, aov_name(aov));
}

}  // namespace weft::film
