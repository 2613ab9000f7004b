// test_scene_boxes.cpp — boxes that are kept of a former scene are those of a fresh one, and only
// what has moved is looked at again.
#include <doctest/doctest.h>

#include "engine/scene/import.h"
#include "engine/scene/scene_boxes.h"

namespace {

using namespace weft;

scene::Scene rubble() {
    auto imported = scene::import_scene({"procedural:rubble:10K"}, {});
    REQUIRE(imported.is_ok());
    return std::move(imported.value());
}

}  // namespace

TEST_SUITE("engine/scene/scene_boxes") {
    TEST_CASE("after a move only the moved instance is looked at and the box is that of all") {
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

    TEST_CASE("a deletion and other triangles are seen") {
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
}
