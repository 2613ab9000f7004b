// step_words.h — a step of undo in a few words: "roughness of jade".
//
// For the status line after undo and redo. Pure; any thread that may read the scene.
#pragma once

#include <string>

#include "app/view/document.h"

namespace weft::app {

// What the step changed, as it was done: "hiding short box", "adding Lamp 2", "3 changes of jade".
// Fields are named as the panels name them.
std::string step_words(const Document& document, const Document::Step& step);

}  // namespace weft::app
