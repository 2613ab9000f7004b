// gltf_variants.h — the materials that a variant gives to the primitives of a glTF file
// (KHR_materials_variants).
//
// Private to the glTF importer, on its thread.
#pragma once

#include <string>

#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/gltf/gltf_notes.h"
#include "scheduler/base/result.h"

namespace weft::scene::gltf {

// Gives each primitive the material that the variant maps it to; primitives without a mapping keep
// theirs. `variant` is a name, or an index where no variant has it as its name; empty: all
// materials stay as they are. Notes the file's variants. Errors: the file has variants, but not
// this one; a mapping that leads to no material. Before the document is posed.
base::Status choose_variant(const std::string& variant, Document& document, Notes& notes);

}  // namespace weft::scene::gltf
