// gltf_moving_light.h — animations that turn light on and off.
//
// A scene that is dark for some of its frames is meant to be: without this, each dark frame would
// get the default environment. Read-only on the document at rest; any thread.
#pragma once

#include <span>
#include <string>

#include "engine/scene/gltf/gltf_document.h"

namespace weft::scene::gltf {

// Whether keys of the property at `pointer` (a JSON pointer into the document, with all numbers of
// one key after those of another) light something: they give a lamp or a material light, or show
// and hide, or shrink to nothing, a node with one of these in or below it.
bool moves_light(const Document& document,
                 const std::string& pointer,
                 std::span<const double> keys);

}  // namespace weft::scene::gltf
