// test_tree_patch.cpp — compares the hits of trees patched after edits with a brute force over the
// edited scene, and checks when a patch refuses.
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/accel/instance_match.h"
#include "engine/accel/tree_patch.h"
#include "tests/engine/accel/yard.h"

namespace {

using namespace weft;
using namespace weft::accel;

TreePtr patch_with(const TreePtr& tree, const Yard& yard, const std::shared_ptr<TreePool>& pool) {
    base::Result<TreePtr> patched = patch_acceleration(tree, yard.scene, config_of(yard), pool);
    REQUIRE(patched.is_ok());
    return patched.value();
}

TreePtr patch(const TreePtr& tree, const Yard& yard) {
    static const auto kPool = std::make_shared<TreePool>();
    return patch_with(tree, yard, kPool);
}

template <typename T>
bool are_same_rows(const base::PageArray<T>& a, const base::PageArray<T>& b, std::size_t count) {
    return std::memcmp(a.data(), b.data(), count * sizeof(T)) == 0;
}

void remove(Yard& yard, u32 instance) {
    yard.scene.instances.own().erase(yard.scene.instances.own().begin() + instance);
    yard.is_visible.erase(yard.is_visible.begin() + instance);
}

// A copy of the instance at another place.
void duplicate(Yard& yard, u32 instance, Dice& dice) {
    scene::Instance copy = std::as_const(yard.scene).instances[instance];
    copy.node += " again";
    copy.object_to_world = somewhere(dice);
    std::vector<scene::Instance>& instances = yard.scene.instances.own();
    instances.insert(instances.begin() + instance, copy);
    yard.is_visible.insert(yard.is_visible.begin() + instance, true);
}

void edit(Yard& yard, Dice& dice) {
    const u32 instance = dice.bits() % static_cast<u32>(yard.is_visible.size());
    switch (dice.bits() % 8) {
        case 0:
            if (yard.is_visible.size() > 8) {
                remove(yard, instance);
            }
            break;
        case 1:
            if (std::as_const(yard.scene).instances[instance].mesh == kShared) {
                duplicate(yard, instance, dice);
            }
            break;
        case 2:
            yard.scene.instances[instance].material ^= 1;
            break;
        case 3:
        case 4:
            yard.scene.instances[instance].object_to_world = somewhere(dice);
            break;
        default:
            yard.is_visible[instance] = !yard.is_visible[instance];
    }
}

// True if a build would bake the instances that the patched tree has baked: only then hits have the
// same bits.
bool has_shared_mesh(const Yard& yard) {
    return decide_placing(yard.scene, yard.is_visible).shared == std::vector<u32>{kShared};
}

u32 count_wrong(const TreePtr& tree, const Yard& yard, u64 seed) {
    const Stage stage(yard.scene);
    u32 wrong = 0;
    for (const bool is_any : {false, true}) {
        const Rays rays = random_rays(160, 2, seed);
        const Rays expected = trace_brute(stage, *tree, rays, is_any, yard.is_visible);
        for (const shaders::Isa isa : runnable_isas()) {
            wrong += count_differences(trace_group(stage, *tree, rays, isa, is_any), expected);
        }
    }
    return wrong;
}

}  // namespace

TEST_SUITE("engine/accel/tree_patch") {
    TEST_CASE("a patch of a tree copied ahead equals any patch and takes the copy once") {
        Yard yard = make_yard(11);
        const TreePtr built = build(yard);
        const auto pool = std::make_shared<TreePool>();
        const auto never = [] { return false; };
        pool->copy_ahead(built, [] { return true; });
        yard.is_visible[3] = false;
        yard.scene.instances[4].object_to_world[3] += 0.01F;
        // One thread, so that rows are taken in one order.
        BuildConfig config = config_of(yard);
        config.thread_count = 1;
        const auto patch_alone = [&](const std::shared_ptr<TreePool>& from) {
            base::Result<TreePtr> patched = patch_acceleration(built, yard.scene, config, from);
            REQUIRE(patched.is_ok());
            return patched.value();
        };
        const TreePtr plain = patch_alone(pool);
        CHECK(pool->copies_taken() == 0);  // the copy was stopped
        pool->copy_ahead(built, never);
        const TreePtr quick = patch_alone(pool);
        CHECK(pool->copies_taken() == 1);
        const TreePtr third = patch_alone(pool);
        CHECK(pool->copies_taken() == 1);
        for (const TreePtr& tree : {quick, third}) {
            CHECK(tree->root == plain->root);
            REQUIRE(tree->node_count == plain->node_count);
            REQUIRE(tree->block_count == plain->block_count);
            CHECK(are_same_rows(tree->nodes, plain->nodes, plain->node_count));
            CHECK(are_same_rows(tree->blocks, plain->blocks, plain->block_count));
        }
        // A copy outlives its original without an owner.
        pool->copy_ahead(quick, never);
        patch_alone(pool);
        CHECK(pool->copies_taken() == 1);
    }

    TEST_CASE("a pool keeps no trees above its limit") {
        Yard yard = make_yard(11);
        const TreePtr built = build(yard);
        const auto pool = std::make_shared<TreePool>();
        yard.is_visible[3] = false;
        const auto let_go_of_patch = [&] { patch_with(built, yard, pool); };
        let_go_of_patch();
        const u64 kept_bytes = pool->size_bytes();
        CHECK(kept_bytes >= built->size_bytes());
        pool->keep_at_most(built->size_bytes() / 4);
        CHECK(pool->size_bytes() == 0);
        let_go_of_patch();
        CHECK(pool->size_bytes() == 0);
        pool->copy_ahead(built, [] { return true; });  // stops the copy
        CHECK(pool->size_bytes() == 0);
        pool->keep_at_most(kept_bytes);
        let_go_of_patch();
        CHECK(pool->size_bytes() == kept_bytes);
    }

    TEST_CASE("a tree patched after any chain of edits has the hits of all triangles") {
        for (u64 seed = 1; seed <= 6; ++seed) {
            CAPTURE(seed);
            Dice dice(seed * 77);
            Yard yard = make_yard(seed * 1000);
            TreePtr tree = build(yard);
            for (u32 step = 0; step < 40; ++step) {
                CAPTURE(step);
                Yard edited = yard;
                edit(edited, dice);
                if (!has_shared_mesh(edited)) {
                    continue;
                }
                yard = edited;
                tree = patch(tree, yard);
                REQUIRE(tree != nullptr);
                REQUIRE(count_wrong(tree, yard, seed + step) == 0);
            }
        }
    }

    TEST_CASE("an unchanged scene keeps the same tree") {
        const Yard yard = make_yard(9);
        const TreePtr tree = build(yard);
        CHECK(patch(tree, yard) == tree);
    }

    TEST_CASE("showing an instance again that the tree held needs no other tree") {
        Yard yard = make_yard(10);
        const TreePtr tree = build(yard);
        yard.is_visible[3] = false;
        const TreePtr without = patch(tree, yard);
        CHECK(missing_triangles(*without, yard.scene, yard.is_visible) == 0);
        yard.is_visible[3] = true;
        CHECK(missing_triangles(*without, yard.scene, yard.is_visible) == 220);
        CHECK(missing_triangles(*tree, yard.scene, yard.is_visible) == 0);
        CHECK(patch(tree, yard) == tree);
        CHECK(count_wrong(patch(without, yard), yard, 10) == 0);
    }

    TEST_CASE("a tree of other meshes is not patched") {
        Yard yard = make_yard(11);
        const TreePtr tree = build(yard);
        yard.scene.positions[0] += 1;
        CHECK(patch(tree, yard) == nullptr);
    }

    TEST_CASE("patches of patches do not grow while one object is dragged") {
        Yard yard = make_yard(12);
        TreePtr tree = build(yard);
        Dice dice(12);
        std::vector<u32> nodes;
        for (u32 step = 0; step < 50; ++step) {
            yard.scene.instances[4].object_to_world = somewhere(dice);
            tree = patch(tree, yard);
            REQUIRE(tree != nullptr);
            nodes.push_back(tree->node_count);
        }
        CHECK(nodes.back() - nodes.front() <= 50);
        CHECK(count_wrong(tree, yard, 12) == 0);
    }

    TEST_CASE("a build that is stopped ends with an error") {
        const Yard yard = make_yard(13);
        BuildConfig config = config_of(yard);
        u32 asked = 0;
        config.should_stop = [&asked] { return ++asked > 1; };
        config.thread_count = 1;
        const base::Result<Acceleration> tree = build_acceleration(yard.scene, config);
        REQUIRE(!tree.is_ok());
        CHECK(tree.error().sentence.find("stopped") != std::string::npos);
    }

    TEST_CASE("instances after a deleted or inserted one are matched with their new indices") {
        const Yard yard = make_yard(14);
        Yard shorter = yard;
        remove(shorter, 2);
        const std::vector<u32> back =
            match_instances(yard.scene.instances, shorter.scene.instances);
        CHECK(back == std::vector<u32>{0, 1, kNone, 2, 3, 4, 5, 6, 7, 8});
        const std::vector<u32> there =
            match_instances(shorter.scene.instances, yard.scene.instances);
        CHECK(there == std::vector<u32>{0, 1, 3, 4, 5, 6, 7, 8, 9});
        // Two instances that are not neighbours, with the same name.
        remove(shorter, 4);
        CHECK(match_instances(yard.scene.instances, shorter.scene.instances) ==
              std::vector<u32>{0, 1, kNone, 2, 3, kNone, 4, 5, 6, 7});
        Yard twins = yard;
        twins.scene.instances[7].node = twins.scene.instances[6].node;
        twins.scene.instances[7].place = 1;
        Yard second = twins;
        remove(second, 6);
        CHECK(match_instances(twins.scene.instances, second.scene.instances) ==
              std::vector<u32>{0, 1, 2, 3, 4, 5, kNone, 6, 7, 8});
    }

    TEST_CASE("an instance moved out of reach leaves the tree and a patch restores all of it") {
        for (const u32 instance : {2U, 4U, 7U}) {  // baked and placed
            for (const float shift : {2e18F, 1e30F, 3e38F, -3e38F}) {
                CAPTURE(instance);
                CAPTURE(shift);
                Yard yard = make_yard(15);
                const TreePtr near = build(yard);
                const float place =
                    std::as_const(yard.scene).instances[instance].object_to_world[7];
                yard.scene.instances[instance].object_to_world[7] = shift;
                const TreePtr built = build(yard);
                const TreePtr patched = patch(near, yard);
                CHECK(count_wrong(built, yard, 15) == 0);
                CHECK(count_wrong(patched, yard, 15) == 0);
                yard.scene.instances[instance].object_to_world[7] = place;
                CHECK(count_wrong(patch(built, yard), yard, 16) == 0);
                CHECK(count_wrong(patch(patched, yard), yard, 16) == 0);
            }
        }
    }

    TEST_CASE("a mesh that is stretched across the reach loses the triangles beyond it") {
        Yard yard = make_yard(16);
        const TreePtr near = build(yard);
        const math::Affine place = std::as_const(yard.scene).instances[5].object_to_world;
        yard.scene.instances[5].object_to_world[0] = 1.2e18F;
        CHECK(count_wrong(build(yard), yard, 17) == 0);
        const TreePtr patched = patch(near, yard);
        CHECK(count_wrong(patched, yard, 17) == 0);
        yard.scene.instances[5].object_to_world = place;
        CHECK(count_wrong(patch(patched, yard), yard, 18) == 0);
    }
}
