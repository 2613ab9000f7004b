#include "app/view/models/material_users.h"

#include "engine/scene/edit/edit.h"

namespace weft::app {

MaterialUsers count_users(const scene::Scene& scene, u32 material, const std::string& object) {
    MaterialUsers users;
    const scene::Instance* maybe_last = nullptr;
    for (const scene::Instance& instance : scene.instances) {
        if (instance.material != material) {
            continue;
        }
        // The parts of one object are adjacent.
        const bool is_same_object = maybe_last != nullptr && maybe_last->place == instance.place &&
                                    maybe_last->node == instance.node;
        users.objects += is_same_object ? 0U : 1U;
        maybe_last = &instance;
    }
    for (const u32 part : scene::node_instances(scene, object)) {
        users.parts += scene.instances[part].material == material ? 1U : 0U;
    }
    return users;
}

std::string users_text(const MaterialUsers& users) {
    if (users.objects != 1) {
        return users.objects == 0 ? "no object" : std::to_string(users.objects) + " objects";
    }
    return users.parts == 0   ? "1 object"
           : users.parts == 1 ? "this object alone"
                              : std::to_string(users.parts) + " parts of this object";
}

}  // namespace weft::app
