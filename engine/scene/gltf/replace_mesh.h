// replace_mesh.h — other triangles for one mesh of a scene, from a glTF file that holds that mesh
// alone.
//
// For hosts that send what changed instead of a whole scene (app/serve). The scene becomes what
// reading a file of all of it again would give: arrays keep their order, so pictures have the same
// bits. One thread per scene; reading fans out.
#pragma once

#include <string>

#include "engine/scene/import.h"

namespace weft::scene {

// Replaces the parts of the mesh `name` by the meshes of the file at `path`, in their order; they
// keep their materials. Copies all triangles and vertices of the scene once. Errors, which leave
// the scene as it was: the file cannot be read, the scene has no such mesh or one of another number
// of parts, the arrays outgrow 32-bit indices.
base::Status replace_mesh(Scene& scene,
                          const std::string& name,
                          const std::string& path,
                          const ImportConfig& config);

}  // namespace weft::scene
