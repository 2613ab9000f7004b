// test_scene_boxes.cpp — boxes kept from a former scene equal new ones, and only moved instances
// are computed again.
#include <doctest/doctest.h>

#include "engine/scene/import.h"
#include "engine/scene/model/scene_boxes.h"

namespace {

using namespace weft;

scene::Scene rubble() {
    auto imported = scene::import_scene({"procedural:rubble:10K"}, {});
    REQUIRE(imported.is_ok());
    return std::move(imported.value());
}

}  // namespace

TEST_SUITE("engine/scene/scene_boxes") {
    TEST_CASE(
        "after a move only the box of the moved instance is computed and the whole box is right") {
        const scene::Scene before = rubble();
        const scene::SceneBoxes first = scene::make_scene_boxes(before, nullptr);
        CHECK(first.made == before.instances.size());
        CHECK(first.whole == scene::scene_bounds(before));

        scene::Scene moved = before;
        moved.instances[moved.instances.size() - 1].object_to_world[3] += 100;
        const scene::SceneBoxes second = scene::make_scene_boxes(moved, &first);
        CHECK(second.made == 1);
        CHECK(second.whole == scene::scene_bounds(moved));
        CHECK(second.whole != first.whole);

        const scene::SceneBoxes back = scene::make_scene_boxes(before, &second);
        CHECK(back.made == 1);
        CHECK(back.whole == first.whole);
    }

    TEST_CASE("a deletion and changed triangles change the boxes") {
        const scene::Scene before = rubble();
        const scene::SceneBoxes first = scene::make_scene_boxes(before, nullptr);
        scene::Scene fewer = before;
        fewer.instances.own().pop_back();
        const scene::SceneBoxes second = scene::make_scene_boxes(fewer, &first);
        CHECK(second.made == 0);
        CHECK(second.whole == scene::scene_bounds(fewer));

        scene::Scene other = before;
        for (float& position : other.positions.own()) {
            position *= 2;
        }
        const scene::SceneBoxes third = scene::make_scene_boxes(other, &first);
        CHECK(third.made == before.instances.size());
        CHECK(third.whole == scene::scene_bounds(other));
    }

    TEST_CASE("triangles out of reach are counted with each instance and in no box") {
        scene::Scene scene = rubble();
        const scene::SceneBoxes near = scene::make_scene_boxes(scene, nullptr);
        CHECK(near.far_triangles == 0);
        CHECK(scene::far_note(near).empty());
        const u64 moved = scene.meshes[scene.instances[0].mesh].record.triangle_count;
        scene.instances[0].object_to_world[3] = 2e38f;
        const scene::SceneBoxes far = scene::make_scene_boxes(scene, &near);
        CHECK(far.far_triangles == moved);
        CHECK(far.whole.high.x < 1e6f);
        CHECK(scene::make_scene_boxes(scene, &far).far_triangles == moved);
        CHECK(scene::far_note(far).starts_with(std::to_string(moved) + " triangles"));
    }

    TEST_CASE("far instances of a mesh with too many placed corners are left out") {
        scene::Scene scene;
        const std::array<float, 9> corners = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        scene.positions.assign(corners.begin(), corners.end());
        for (u32 k = 0; k < 3 * 4096; ++k) {
            scene.indices.push_back(k % 3);
        }
        scene::Mesh mesh;
        mesh.record.triangle_count = 4096;
        scene.meshes.push_back(mesh);
        scene.instances.resize(3000);
        scene.instances[1].object_to_world[7] = 3e38f;
        scene.instances[2].object_to_world[3] = -2e18f;
        const scene::SceneBoxes boxes = scene::make_scene_boxes(scene, nullptr);
        REQUIRE(boxes.is_by_mesh);
        CHECK(boxes.far_triangles == 2 * 4096);
        CHECK(boxes.whole == math::Box{{0, 0, 0}, {1, 1, 0}});
    }
}
