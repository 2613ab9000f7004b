// layered_scene.h — the rich scene in layers, with textures and with instances that only some clip
// planes may cut; and the comparison of what lists draw of it.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/drawn_scene.h"
#include "tests/engine/frame/rich_scene.h"

namespace weft::tests {

using ListsPtr = std::shared_ptr<const frame::SceneLists>;

// The rich scene in layers of their own names, some with planes of their own, with two textures.
inline scene::Scene layered_scene() {
    scene::Scene scene = rich_scene();
    const u32 slot = add_slot(scene, 8, Meaning::Color, [](u32 x, u32 y) {
        const auto level = static_cast<u8>((x + y) % 2 == 0 ? 230 : 40);
        return Byte4{level, level, static_cast<u8>(30 * x), 255};
    });
    scene.materials[scene.instances[0].material].record.base_color_slot = slot;
    const u32 other = add_slot(scene, 8, Meaning::Color, [](u32 x, u32) {
        return Byte4{static_cast<u8>(20 * x), 90, 200, 255};
    });
    scene.slots[other].is_nearest = 1;
    scene.materials[scene.instances[3].material].record.base_color_slot = other;
    for (std::size_t k = 0; k < scene.instances.size(); ++k) {
        scene.instances[k].node = k < 6 ? "part " + std::to_string(k) : "pebbles";
        scene.instances[k].clip_planes = k % 4 == 1 ? 0b10 : ~0U;
    }
    return scene;
}

inline const std::vector<shaders::ClipPlane> kTwoPlanes = {{{1, 0, 0}, 2}, {{0, 0, -1}, 2.2F}};

inline ListsPtr must_record(const scene::Scene& scene,
                            const frame::SceneListsConfig& config = {},
                            const ListsPtr& former = nullptr) {
    auto lists = frame::SceneLists::record(scene, config, former);
    REQUIRE(lists.is_ok());
    return lists.value();
}

inline frame::DrawnScene must_draw(const ListsPtr& lists,
                                   const frame::SceneLook& look = {},
                                   const frame::DrawnScene* former = nullptr) {
    auto drawn = frame::draw_scene(lists, look, former);
    REQUIRE(drawn.is_ok());
    return std::move(drawn.value());
}

template <typename T>
bool has_same_rows(const std::vector<T>& left, const std::vector<T>& right) {
    return left.size() == right.size() &&
           std::memcmp(left.data(), right.data(), left.size() * sizeof(T)) == 0;
}

// Whether tables and trees of both are the same.
inline bool is_drawn_alike(const frame::DrawnScene& left, const frame::DrawnScene& right) {
    return left.tables.is_visible == right.tables.is_visible &&
           left.is_flagged == right.is_flagged && left.tables.cut_by == right.tables.cut_by &&
           left.tables.instance_materials == right.tables.instance_materials &&
           left.tables.environment_is_visible == right.tables.environment_is_visible &&
           has_same_rows(left.tables.clip_planes, right.tables.clip_planes) &&
           has_same_rows(left.tables.materials, right.tables.materials) &&
           has_same_rows(left.tables.slots, right.tables.slots);
}

}  // namespace weft::tests
