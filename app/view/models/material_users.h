// material_users.h — how many objects a material is on, so that a panel can say whom a change of it
// changes.
//
// Pure; takes one look at each instance. Interface thread.
#pragma once

#include <string>

#include "engine/scene/model/scene.h"

namespace weft::app {

struct MaterialUsers {
    u32 objects = 0;
    u32 parts = 0;  // of the object asked about

    friend bool operator==(const MaterialUsers&, const MaterialUsers&) = default;
};

// `object`: the path of a node; empty where none is asked about.
MaterialUsers count_users(const scene::Scene& scene, u32 material, const std::string& object);

// "12 objects", "this object alone", "2 parts of this object", "no object".
std::string users_text(const MaterialUsers& users);

}  // namespace weft::app
