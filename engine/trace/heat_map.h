// heat_map.h — maps each key of the tree to an object, so that cost can be summed by mesh and
// material.
//
// An *object* is a pair of mesh and material: all instances that have both. A node, block or
// placement of the TLAS belongs to an object if everything below it does, else to many_objects().
// Made from scene and tree before a frame that counts heat (heat.h), by one thread; about 10 ns per
// node. Read-only afterwards; any thread.
#pragma once

#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/scene/model/scene.h"

namespace weft::trace {

struct HeatObject {
    u32 mesh = 0;
    u32 material = 0;
    u32 instance = 0;  // the first instance with both
};

struct HeatMap {
    std::vector<HeatObject> objects;
    std::vector<u32> object_of_instance;
    std::vector<u32> of_node;  // nodes of the TLAS; nodes of BLASes have many_objects()
    std::vector<u32> of_block;
    std::vector<u32> of_placement;

    // The object of keys above several objects.
    [[nodiscard]] u32 many_objects() const { return static_cast<u32>(objects.size()); }

    // The object of a reference into the TLAS.
    [[nodiscard]] u32 object_of(u32 ref) const {
        const u32 index = ref & shaders::kRefIndex;
        switch (ref & shaders::kRefKind) {
            case shaders::kRefNode:
                return of_node[index];
            case shaders::kRefLeaf:
                return of_block[index];
            default:
                return of_placement[index];
        }
    }
};

HeatMap make_heat_map(const scene::Scene& scene, const accel::Acceleration& acceleration);

}  // namespace weft::trace
