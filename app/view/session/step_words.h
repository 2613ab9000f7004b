// step_words.h — describes a step of undo in a few words: "moved dome by 0.10 m".
//
// For the history panel, and for the status line after undo and redo. Pure; any thread that may
// read the scene.
#pragma once

#include <string>

#include "app/view/session/document.h"

namespace weft::app {

// What the step did: "set the roughness of jade to 0.25", "hid short box", "added Light 2",
// "changed 3 values of jade". Field names are those of the panels.
std::string step_words(const Document& document, const Document::Step& step);

}  // namespace weft::app
