// test_same_lists.cpp — a scene that is read again shares what did not change, and tells what did.
#include <string>

#include <doctest/doctest.h>

#include "app/serve/same_lists.h"
#include "engine/scene/edit/edit_effect.h"
#include "engine/scene/import.h"

namespace {

using namespace weft;
using app::serve::share_same_lists;
using scene::Scene;

Scene read_cornell() {
    auto read = scene::import_scene({WEFT_SOURCE_DIR "/scenes/cornell.gltf"}, {});
    REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
    scene::complete_scene(read.value());
    return std::move(read.value());
}

}  // namespace

TEST_SUITE("app/serve/same_lists") {
    TEST_CASE("an unchanged scene shares all and has no effect") {
        const Scene before = read_cornell();
        Scene again = read_cornell();
        REQUIRE(!again.positions.shares_with(before.positions));
        CHECK(share_same_lists(before, again) == scene::kEffectNone);
        CHECK(again.positions.shares_with(before.positions));
        CHECK(again.indices.shares_with(before.indices));
        CHECK(again.meshes.shares_with(before.meshes));
        CHECK(again.materials.shares_with(before.materials));
        CHECK(again.environment.pixels.shares_with(before.environment.pixels));
    }

    TEST_CASE("a moved object keeps shapes and shading") {
        const Scene before = read_cornell();
        Scene again = read_cornell();
        again.instances[0].object_to_world[3] += 1;
        CHECK(share_same_lists(before, again) == scene::kEffectPlacement);
        CHECK(again.positions.shares_with(before.positions));
    }

    TEST_CASE("another material or light is shading alone") {
        const Scene before = read_cornell();
        Scene again = read_cornell();
        again.materials[0].record.roughness += 0.25F;
        CHECK(share_same_lists(before, again) == scene::kEffectShading);
        again = read_cornell();
        again.lights.push_back({.name = "new"});
        CHECK(share_same_lists(before, again) == scene::kEffectShading);
        CHECK(again.lights.size() == before.lights.size() + 1);
    }

    TEST_CASE("another environment is that alone") {
        const Scene before = read_cornell();
        Scene again = read_cornell();
        again.environment.strength += 1;
        CHECK(share_same_lists(before, again) == scene::kEffectEnvironment);
    }

    TEST_CASE("another vertex changes all but textures and environment") {
        const Scene before = read_cornell();
        Scene again = read_cornell();
        again.positions[0] += 1;
        const u32 effect = share_same_lists(before, again);
        CHECK((effect & scene::kEffectVertices) != 0);
        CHECK((effect & scene::kEffectPlacement) != 0);
        CHECK((effect & scene::kEffectTextures) == 0);
        CHECK((effect & scene::kEffectEnvironment) == 0);
        CHECK(!again.positions.shares_with(before.positions));
        CHECK(again.indices.shares_with(before.indices));
    }
}
