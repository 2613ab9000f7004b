// test_section_closer.cpp — when caps are made, and which edits keep them.

#include <doctest/doctest.h>

#include "app/view/background/section_closer.h"
#include "engine/scene/import.h"
#include "engine/scene/model/section_caps.h"
#include "tests/rest.h"

using namespace weft;
using namespace weft::app;

namespace {

SectionCloser::Shared spheres() {
    scene::Scene scene;
    REQUIRE(scene::make_procedural("procedural:spheres:2K", {}, scene).is_ok());
    return std::make_shared<const scene::Scene>(std::move(scene));
}

SectionCloser::Planes across(float height_m) {
    shaders::ClipPlane plane{};
    plane.normal[1] = -1;
    plane.offset = height_m;
    return {plane};
}

SectionCloser::Shared wait_for(SectionCloser& closer,
                               const SectionCloser::Shared& scene,
                               const SectionCloser::Planes& planes) {
    closer.begin(scene, planes);
    while (closer.is_busy()) {
        REQUIRE(closer.poll().is_ok());
        tests::rest();
    }
    return closer.closed(scene, planes);
}

}  // namespace

TEST_SUITE("app/view/section_closer") {
    TEST_CASE("a closed section has the caps that a render has") {
        const auto scene = spheres();
        SectionCloser closer;
        CHECK(closer.closed(scene, across(0.5F)) == nullptr);
        const auto closed = wait_for(closer, scene, across(0.5F));
        REQUIRE(closed != nullptr);
        scene::Scene expected = *scene;
        CHECK(scene::append_caps(expected, across(0.5F)).caps > 0);
        CHECK(closed->positions == expected.positions);
        CHECK(closed->indices == expected.indices);
        CHECK(closed->instances.size() == expected.instances.size());
        CHECK(closer.closed(scene, across(0.5F)) == closed);
        CHECK(closer.closed(scene, across(0.6F)) == nullptr);
    }

    TEST_CASE("an edit of a material keeps the caps and one of a transform does not") {
        const auto scene = spheres();
        SectionCloser closer;
        const auto closed = wait_for(closer, scene, across(0.5F));
        REQUIRE(closed != nullptr);
        scene::Scene painted = *scene;
        painted.materials[0].record.roughness = 0.125F;
        const auto repainted =
            closer.closed(std::make_shared<const scene::Scene>(painted), across(0.5F));
        REQUIRE(repainted != nullptr);
        CHECK(SectionCloser::has_same_shapes(*repainted, *closed));
        CHECK(repainted->instances.shares_with(closed->instances));
        CHECK(std::as_const(*repainted).materials[0].record.roughness == 0.125F);
        scene::Scene whole = *scene;
        whole.materials[0].record.flags |= shaders::kMaterialWhole;
        CHECK(closer.closed(std::make_shared<const scene::Scene>(whole), across(0.5F)) == nullptr);
        scene::Scene moved = *scene;
        moved.instances[0].object_to_world[3] += 1;
        CHECK(closer.closed(std::make_shared<const scene::Scene>(moved), across(0.5F)) == nullptr);
    }

    TEST_CASE("the newest request wins") {
        const auto scene = spheres();
        SectionCloser closer;
        closer.begin(scene, across(0.25F));
        const auto closed = wait_for(closer, scene, across(0.5F));
        CHECK(closed != nullptr);
        CHECK(closer.closed(scene, across(0.25F)) == nullptr);
        closer.begin(scene, across(0.25F));
        closer.forget();
        CHECK(!closer.is_busy());
        CHECK(closer.closed(scene, across(0.5F)) == closed);
        closer.clear();
        CHECK(closer.closed(scene, across(0.5F)) == nullptr);
    }
}
