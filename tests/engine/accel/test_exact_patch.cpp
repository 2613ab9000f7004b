// test_exact_patch.cpp — trees patched for frames of an animation find every hit with the bits that
// a built tree finds, and keep what has not moved.
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/accel/tree_patch.h"
#include "tests/engine/accel/yard.h"

namespace {

using namespace weft;
using namespace weft::accel;

constexpr u32 kMovable = 3;  // meshes 0 to 2 are the smaller part of the yard

TreePtr patch_exactly(const TreePtr& tree, const Yard& yard, u64 ray_count = 0) {
    static const auto kPool = std::make_shared<TreePool>();
    BuildConfig config = config_of(yard);
    config.ray_count = ray_count;
    base::Result<TreePtr> patched =
        patch_acceleration(tree, yard.scene, config, kPool, PatchMode::Exact);
    REQUIRE(patched.is_ok());
    return patched.value();
}

// Moves the vertices of a mesh, each by another amount.
void deform(Yard& yard, u32 mesh, float size, Dice& dice) {
    const shaders::MeshRecord& record = std::as_const(yard.scene.meshes)[mesh].record;
    float* position = yard.scene.positions.data() + std::size_t{3} * record.first_position;
    for (u32 k = 0; k < 9 * record.triangle_count; ++k) {
        position[k] += dice.between(-size, size);
    }
}

// Gives a mesh's first triangle no area.
void flatten_first(Yard& yard, u32 mesh) {
    const shaders::MeshRecord& record = std::as_const(yard.scene.meshes)[mesh].record;
    float* position = yard.scene.positions.data() + std::size_t{3} * record.first_position;
    std::copy(position, position + 3, position + 3);
}

// A moment of an animation, far or near from the one before.
void pose(Yard& yard, Dice& dice) {
    const u32 instance = dice.bits() % kMovable;
    switch (dice.bits() % 8) {
        case 0:
            deform(yard, instance, 0.02F, dice);
            break;
        case 1:
            flatten_first(yard, instance);
            break;
        case 2:  // no height, so no triangles
            yard.scene.instances[instance].object_to_world[5] = 0;
            break;
        case 3:
            yard.is_visible[instance] = !yard.is_visible[instance];
            break;
        case 4:
            yard.scene.instances[instance].material ^= 1;
            break;
        case 5:  // one of the placed instances
            yard.scene.instances[kShared + dice.bits() % 4].object_to_world = somewhere(dice);
            break;
        case 6:  // where one placed instance is left, a build bakes it
            yard.is_visible[kShared + dice.bits() % 4] = dice.bits() % 2 == 0;
            break;
        default:
            yard.scene.instances[instance].object_to_world = somewhere(dice);
    }
}

// Rays whose hits in both trees differ in a bit, in all ways to trace them.
u32 count_wrong(const Acceleration& patched,
                const Acceleration& built,
                const Yard& yard,
                u64 seed) {
    const Stage stage(yard.scene);
    u32 wrong = 0;
    for (const bool is_any : {false, true}) {
        const Rays rays = random_rays(160, 2, seed);
        for (const shaders::Isa isa : runnable_isas()) {
            const Rays expected = trace_group(stage, built, rays, isa, is_any);
            CHECK(count_hits(expected) > 20);
            wrong += count_differences(trace_group(stage, patched, rays, isa, is_any), expected);
            KeyedStream keyed(stage, patched, isa, is_any, 8);
            wrong += count_differences(keyed.trace(rays), expected);
        }
    }
    return wrong;
}

constexpr u32 kSheetSide = 90;  // squares; more triangles than a refit needs

Point on_sheet(u32 x, u32 y, float bend) {
    const float u = 2 * static_cast<float>(x) / kSheetSide - 1;
    const float v = 2 * static_cast<float>(y) / kSheetSide - 1;
    return {u, v, bend * (u * u * u - v * v + 0.3F * u)};
}

std::vector<Corners> bent_sheet(float bend) {
    std::vector<Corners> triangles;
    for (u32 y = 0; y < kSheetSide; ++y) {
        for (u32 x = 0; x < kSheetSide; ++x) {
            const Point corner = on_sheet(x + 1, y + 1, bend);
            const Point first = on_sheet(x, y, bend);
            triangles.push_back({first, on_sheet(x + 1, y, bend), corner});
            triangles.push_back({first, corner, on_sheet(x, y + 1, bend)});
        }
    }
    return triangles;
}

constexpr u32 kSheetTriangles = 2 * kSheetSide * kSheetSide;

// A sheet that bends, beside `still` triangles.
Yard make_sheet(u32 still) {
    Stage stage;
    stage.add(bent_sheet(0));
    stage.add(triangle_soup(still, 0.1F, 31));
    Yard yard{stage.scene(), {}};
    yard.scene.instances[0].node = "sheet";
    yard.scene.instances[1].node = "soup";
    yard.is_visible.assign(2, true);
    return yard;
}

void bend_sheet(Yard& yard, float bend) {
    float* position = yard.scene.positions.data();
    for (const Corners& triangle : bent_sheet(bend)) {
        for (const Point& corner : triangle) {
            position = std::copy(&corner.x, &corner.x + 3, position);
        }
    }
}

// Rays whose hits differ in a bit from those of a brute force.
u32 count_unlike_brute(const Acceleration& tree, const Yard& yard, u64 seed) {
    const Stage stage(yard.scene);
    const Rays rays = random_rays(120, 2, seed);
    const Rays expected = trace_brute(stage, tree, rays, false, yard.is_visible);
    u32 wrong = 0;
    for (const shaders::Isa isa : runnable_isas()) {
        wrong += count_differences(trace_group(stage, tree, rays, isa, false), expected);
    }
    return wrong;
}

}  // namespace

TEST_SUITE("engine/accel/exact_patch") {
    TEST_CASE("an exactly patched tree has the hits of a built tree, bit for bit, in any pose") {
        u32 patches = 0;
        for (u64 seed = 1; seed <= 6; ++seed) {
            CAPTURE(seed);
            Dice dice(seed * 91);
            Yard yard = make_yard(seed * 1000);
            TreePtr base = build(yard);
            for (u32 step = 0; step < 40; ++step) {
                CAPTURE(step);
                pose(yard, dice);
                const TreePtr built = build(yard);
                const TreePtr patched = patch_exactly(base, yard);
                if (!patched) {
                    base = built;
                    continue;
                }
                ++patches;
                CHECK(patched->is_exact);
                CHECK(patched->is_high_quality);
                REQUIRE(count_wrong(*patched, *built, yard, seed + step) == 0);
            }
        }
        CHECK(patches > 120);
    }

    TEST_CASE("nodes and blocks of what stands still keep their rows and contents") {
        Yard yard = make_yard(20);
        const TreePtr base = build(yard);
        Dice dice(20);
        yard.scene.instances[1].object_to_world = somewhere(dice);
        deform(yard, 2, 0.1F, dice);
        const TreePtr patched = patch_exactly(base, yard);
        REQUIRE(patched != nullptr);
        CHECK(patched->is_patched);
        CHECK(patched->figures.built_triangles == 100 + 160);
        CHECK(patched->figures.kept_triangles == 1 + 220 + 280 + 340 + 90);
        // Look at all former blocks without a triangle that moved.
        u32 kept = 0;
        for (u32 block = 0; block < base->block_count; ++block) {
            const auto& instance = base->blocks[block].instance;
            if (std::none_of(instance, instance + 4, [](u32 i) { return i == 1 || i == 2; })) {
                ++kept;
                CHECK(std::memcmp(&base->blocks[block],
                                  &patched->blocks[block],
                                  sizeof(shaders::LeafBlock)) == 0);
            }
        }
        CHECK(kept > 50);
        // A pose that the base has needs no other tree.
        CHECK(patch_exactly(base, make_yard(20)) == nullptr);  // other arrays
        yard.scene.instances = base->source.instances;
        yard.scene.positions = base->source.positions;
        CHECK(patch_exactly(base, yard) == base);
    }

    TEST_CASE("an exact patch refuses what needs a build") {
        const Yard yard = make_yard(21);
        const TreePtr base = build(yard);
        Dice dice(21);
        // A deformed mesh with a BLAS.
        Yard other = yard;
        deform(other, kShared, 0.1F, dice);
        CHECK(patch_exactly(base, other) == nullptr);
        // More that moves than that stands still.
        other = yard;
        for (u32 instance = 2; instance < kShared; ++instance) {
            other.scene.instances[instance].object_to_world = somewhere(dice);
        }
        CHECK(patch_exactly(base, other) == nullptr);
        // A tree that was patched for a first picture.
        other = yard;
        other.scene.instances[1].object_to_world = somewhere(dice);
        const auto pool = std::make_shared<TreePool>();
        const base::Result<TreePtr> quick =
            patch_acceleration(base, other.scene, config_of(other), pool);
        REQUIRE(quick.is_ok());
        REQUIRE(quick.value() != nullptr);
        CHECK(!quick.value()->is_exact);
        CHECK(patch_exactly(quick.value(), yard) == nullptr);
    }

    TEST_CASE("a refitted tree has the hits of a built tree and of a brute force in every pose") {
        Yard yard = make_sheet(3000);
        const TreePtr base = build(yard);
        for (const float bend : {0.1F, 0.3F, 0.5F, 0.7F, -0.2F}) {
            CAPTURE(bend);
            bend_sheet(yard, bend);
            yard.scene.instances[0].object_to_world[3] = bend / 2;
            const TreePtr refitted = patch_exactly(base, yard);
            REQUIRE(refitted != nullptr);
            CHECK(refitted->figures.refitted_triangles == kSheetTriangles);
            CHECK(refitted->figures.kept_triangles == 3000);
            CHECK(refitted->figures.built_triangles == 0);
            CHECK(count_wrong(*refitted, *build(yard), yard, 3) == 0);
            CHECK(count_unlike_brute(*refitted, yard, 4) == 0);
        }
    }

    TEST_CASE("what many rays will traverse is built and not refitted") {
        Yard yard = make_sheet(kSheetTriangles + 1);
        const TreePtr base = build(yard);
        bend_sheet(yard, 0.1F);
        const TreePtr few = patch_exactly(base, yard, kSheetTriangles);
        REQUIRE(few != nullptr);
        CHECK(few->figures.refitted_triangles == kSheetTriangles);
        const TreePtr many = patch_exactly(base, yard, u64{1000} * kSheetTriangles);
        REQUIRE(many != nullptr);
        CHECK(many->figures.refitted_triangles == 0);
        CHECK(many->figures.built_triangles == kSheetTriangles);
        CHECK(count_wrong(*many, *build(yard), yard, 7) == 0);
    }

    TEST_CASE("triangles in a new order are built again") {
        for (const u32 still : {3000U, kSheetTriangles + 1}) {
            CAPTURE(still);
            Yard yard = make_sheet(still);
            const TreePtr base = build(yard);
            // Each triangle goes to the place of another one.
            const std::vector<Corners> sheet = bent_sheet(0.1F);
            float* position = yard.scene.positions.data();
            for (u32 k = 0; k < kSheetTriangles; ++k) {
                const Corners& other = sheet[u64{k} * 7919 % kSheetTriangles];
                for (const Point& corner : other) {
                    position = std::copy(&corner.x, &corner.x + 3, position);
                }
            }
            const TreePtr patched = patch_exactly(base, yard);
            // With more that stands still, beside that; else there is nothing to keep.
            REQUIRE((patched != nullptr) == (still > kSheetTriangles));
            if (patched) {
                CHECK(patched->figures.refitted_triangles == 0);
                CHECK(patched->figures.built_triangles == kSheetTriangles);
                CHECK(count_wrong(*patched, *build(yard), yard, 5) == 0);
            }
        }
    }

    TEST_CASE("triangles that had no area when the tree was built are not lost in a refit") {
        Yard yard = make_sheet(3000);
        bend_sheet(yard, 0.1F);
        flatten_first(yard, 0);
        const TreePtr base = build(yard);
        // It still has none.
        bend_sheet(yard, 0.2F);
        flatten_first(yard, 0);
        const TreePtr refitted = patch_exactly(base, yard);
        REQUIRE(refitted != nullptr);
        CHECK(refitted->figures.refitted_triangles == kSheetTriangles);
        CHECK(count_unlike_brute(*refitted, yard, 6) == 0);
        // It has one again.
        bend_sheet(yard, 0.2F);
        CHECK(patch_exactly(base, yard) == nullptr);
    }
}
