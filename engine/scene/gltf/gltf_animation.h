// gltf_animation.h — poses a document: writes what its animations say for a time into its JSON.
//
// A file at a time is a file at rest with other numbers in its properties. So the importer reads a
// pose as it reads any file, and transforms, skins, morph targets, cameras, lights, materials and
// visibility need no second reader. glTF 2.0, section 3.11 and appendix C; KHR_animation_pointer.
// Private to the glTF importer; one thread per document.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/gltf/gltf_notes.h"
#include "engine/scene/import.h"

namespace weft::scene::gltf {

// The document as its animation says for `pose.time_s`: before the first key as the first key says,
// after the last as the last. Errors name the animation: it does not exist, or its keys cannot be
// read. A channel that this importer cannot follow is left out with a note. After an error the
// document is of no use. Returns whether the animation turns light on or off (gltf_moving_light.h).
base::Result<bool> pose_document(Document& document, const Pose& pose, Notes& notes);

// "2 animations (walk, 1.25 s; wave, 3 s)"; empty where there are none.
std::string animation_list(const Document& document);

}  // namespace weft::scene::gltf
