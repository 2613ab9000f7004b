// material_users.h — counts the objects that use a material, so that a panel can say what a change
// affects.
//
// Pure; visits each instance once. Interface thread.
#pragma once

#include <string>

#include "engine/scene/model/scene.h"

namespace weft::app {

struct MaterialUsers {
    u32 objects = 0;
    u32 parts = 0;  // of the given object

    friend bool operator==(const MaterialUsers&, const MaterialUsers&) = default;
};

// `object`: the path of a node; empty: count no parts.
MaterialUsers count_users(const scene::Scene& scene, u32 material, const std::string& object);

// "12 objects", "this object alone", "2 parts of this object", "no object".
std::string users_text(const MaterialUsers& users);

}  // namespace weft::app
