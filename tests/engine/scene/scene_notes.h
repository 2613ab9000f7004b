// scene_notes.h — finds a note of an import.
#pragma once

#include <string>

#include "engine/scene/model/scene.h"

namespace weft::scene::testing {

inline bool has_note(const Scene& scene, Note::Kind kind, const std::string& part) {
    for (const Note& note : scene.notes) {
        if (note.kind == kind && note.sentence.find(part) != std::string::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace weft::scene::testing
