// test_paged_kernels.cpp — kernels on trees of which some pages are far: what they record, and the
// hits after all recorded subtrees were visited, compared with the tree in memory bit by bit.
//
// Every kernel of every instruction set, and those of the emulated device.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <doctest/doctest.h>

#include "tests/engine/accel/paged_stage.h"

namespace weft::accel {

namespace {

using shaders::Isa;
using shaders::PageWait;
using shaders::PageWaits;
using TestFolder = pages::testing::TestFolder;

constexpr u32 kMostWaits = 1 << 20;

math::Affine shifted(float x, float y, float z) {
    return {0.8f, 0.1f, 0, x, -0.1f, 0.9f, 0.2f, y, 0, -0.2f, 0.7f, z};
}

// Baked and placed meshes of many pages and of a part of one, veils, panes and ties: the mesh that
// is placed has two placements with equal transformations.
Stage wide_stage() {
    Stage stage;
    const u32 veil = stage.add_material(veil_material(0.5f));
    const u32 pane = stage.add_material(pane_material());
    stage.add(triangle_soup(2500, 0.08f, 1));
    stage.add(triangle_soup(300, 0.15f, 2), pane);
    stage.add(triangle_soup(300, 0.15f, 3), veil);
    const u32 large = stage.add_mesh(triangle_soup(2000, 0.08f, 4));
    const u32 small = stage.add_mesh(triangle_soup(12, 0.4f, 5));
    for (const u32 mesh : {large, small}) {
        stage.add_instance(mesh, 0, shifted(0.3f, 0, -0.2f));
        stage.add_instance(mesh, 0, shifted(0.3f, 0, -0.2f));
        stage.add_instance(mesh, pane, shifted(-0.5f, 0.4f, 0.1f));
        stage.add_instance(mesh, veil, shifted(0.1f, -0.5f, 0.6f));
    }
    stage.finish();
    return stage;
}

// Rays of any length, some of which leave a triangle or end on one.
Rays mixed_rays(const Stage& stage, const Acceleration& tree, u32 count, bool is_any) {
    Rays rays = random_rays(count, 1.5f, 7);
    const Rays hits = trace_group(stage, tree, rays, Isa::Sse4, false);
    Dice dice(8);
    for (u32 k = 0; k < count; ++k) {
        shaders::TraceRay& ray = rays.rays[k];
        const shaders::TraceRay& hit = hits.rays[k];
        if (k % 4 == 0) {
            ray.self_primitive = hit.primitive;
            ray.self_instance = hit.instance;
        } else if (k % 4 == 1 && is_any) {
            ray.primitive = hit.primitive;
            ray.instance = hit.instance;
        } else if (k % 4 == 2) {
            ray.t = dice.between(0.1f, 1.2f);
        }
    }
    return rays;
}

// Traces all rays from the root. Returns what was recorded.
std::vector<PageWait> trace_far(const Variant& variant,
                                const Stage& stage,
                                const FarTree& far,
                                Rays& rays) {
    std::vector<PageWait> items(kMostWaits);
    PageWaits waits{items.data(), 0, kMostWaits};
    shaders::TraceScene scene = rays.scene(stage, far.tree());
    scene.waits = &waits;
    far.inside([&] { variant.trace(scene, far.tree().root, rays, rays.all_ids()); });
    REQUIRE(waits.count <= kMostWaits);
    items.resize(waits.count);
    return items;
}

auto place_of(const PageWait& wait) {
    return std::make_tuple(wait.slot, wait.root, wait.placement);
}

// Each place once; entries within the rays' intervals.
bool is_sound(const std::vector<PageWait>& waits, const Rays& before, const FarTree& far) {
    std::set<std::tuple<u32, u32, u32>> places;
    for (const PageWait& wait : waits) {
        if (!places.insert(place_of(wait)).second || far.page_of(wait) == kNone ||
            !(wait.entry >= 0 && wait.entry <= before.rays[wait.slot].t)) {
            return false;
        }
    }
    return true;
}

// Visits recorded subtrees in random order, rays of one subtree in several calls, and reads their
// pages meanwhile. As a render does, skips what begins behind the ray's hit.
void visit_all(const Variant& variant,
               const Stage& stage,
               const FarTree& far,
               Rays& rays,
               const std::vector<PageWait>& waits,
               u64 seed) {
    // A call is of one root, one placement and one of three rounds.
    using Visit = std::tuple<u32, u32, u32>;
    std::map<Visit, std::vector<PageWait>> visits;
    Dice dice(seed);
    for (const PageWait& wait : waits) {
        visits[{wait.root, wait.placement, dice.bits() % 3}].push_back(wait);
    }
    std::vector<Visit> order;
    for (const auto& [visit, of_visit] : visits) {
        order.push_back(visit);
    }
    for (std::size_t k = order.size(); k > 1; --k) {
        std::swap(order[k - 1], order[dice.bits() % k]);
    }
    PageWaits more{nullptr, 0, 0};
    shaders::TraceScene scene = rays.scene(stage, far.tree());
    scene.waits = &more;
    for (const Visit& visit : order) {
        const auto [root, placement, round] = visit;
        far.bring(scene.bvh.page_roots[root].page);
        std::vector<u32> ids;
        for (const PageWait& wait : visits[visit]) {
            if (wait.entry <= rays.rays[wait.slot].t) {
                ids.push_back(wait.slot);
            }
        }
        const u32 ref = scene.bvh.page_roots[root].ref;
        far.inside([&] {
            if (placement == kNone) {
                variant.trace(scene, ref, rays, ids);
                return;
            }
            shaders::TraceCounters counters;
            (variant.is_any ? variant.row->any_placed : variant.row->closest_placed)(
                scene,
                placement,
                ref,
                rays.rays.data(),
                ids.data(),
                static_cast<u32>(ids.size()),
                counters);
        });
    }
    // Below the root of a page no other page lies.
    CHECK(more.count == 0);
}

// A stage, its tree in memory, and the folder of its page file.
struct Case {
    Stage stage;
    Acceleration tree;
    TestFolder folder;

    explicit Case(Stage made) : stage(std::move(made)), tree(must_build(stage)) {}
};

}  // namespace

TEST_SUITE("engine/accel/paged_kernels") {
    TEST_CASE("with all pages near every kernel has the hits of the tree and records nothing") {
        const Case c(wide_stage());
        const FarTree far(c.stage, c.folder);
        REQUIRE(far.page_count() > 20);
        REQUIRE(far.bring_some(1, 0) == 0);
        for (const bool is_any : {false, true}) {
            const Rays rays = mixed_rays(c.stage, c.tree, 2000, is_any);
            const Rays truth = trace_group(c.stage, c.tree, rays, Isa::Sse4, is_any);
            CHECK(count_hits(truth) > 500);
            for (const Variant& variant : all_variants(is_any)) {
                CAPTURE(variant.name);
                Rays traced = rays;
                CHECK(trace_far(variant, c.stage, far, traced).empty());
                CHECK(count_differences(truth, traced) == 0);
            }
        }
    }

    TEST_CASE("whichever pages are far the hits after visiting what was recorded are the same") {
        const Case c(wide_stage());
        for (const bool is_any : {false, true}) {
            const Rays rays = mixed_rays(c.stage, c.tree, 1000, is_any);
            const Rays truth = trace_group(c.stage, c.tree, rays, Isa::Sse4, is_any);
            u64 seed = 0;
            for (const Variant& variant : all_variants(is_any)) {
                for (const float probability : {0.0f, 0.3f, 0.7f, 0.95f}) {
                    CAPTURE(variant.name);
                    CAPTURE(probability);
                    const FarTree far(c.stage, c.folder);
                    const u32 left = far.bring_some(probability, ++seed);
                    Rays traced = rays;
                    const std::vector<PageWait> waits = trace_far(variant, c.stage, far, traced);
                    CHECK(waits.empty() == (left == 0));
                    CHECK(is_sound(waits, rays, far));
                    visit_all(variant, c.stage, far, traced, waits, seed);
                    CHECK(count_differences(truth, traced) == 0);
                }
            }
        }
    }

    TEST_CASE("with all pages far every kernel records the same subtrees with the same entries") {
        const Case c(wide_stage());
        const FarTree far(c.stage, c.folder);
        const auto comes_first = [](const PageWait& a, const PageWait& b) {
            return place_of(a) < place_of(b);
        };
        for (const bool is_any : {false, true}) {
            const Rays rays = mixed_rays(c.stage, c.tree, 1500, is_any);
            std::vector<PageWait> first;
            for (const Variant& variant : all_variants(is_any)) {
                CAPTURE(variant.name);
                Rays traced = rays;
                std::vector<PageWait> waits = trace_far(variant, c.stage, far, traced);
                std::sort(waits.begin(), waits.end(), comes_first);
                // No leaf is in memory, so no ray has a hit.
                CHECK(count_differences(rays, traced) == 0);
                if (first.empty()) {
                    first = waits;
                    CHECK(first.size() > 3 * rays.size());
                    // In placements, and in the world.
                    CHECK(std::any_of(first.begin(), first.end(), [](const PageWait& wait) {
                        return wait.placement == kNone;
                    }));
                    CHECK(std::any_of(first.begin(), first.end(), [](const PageWait& wait) {
                        return wait.placement != kNone;
                    }));
                }
                CHECK(std::equal(first.begin(),
                                 first.end(),
                                 waits.begin(),
                                 waits.end(),
                                 [](const PageWait& a, const PageWait& b) {
                                     return place_of(a) == place_of(b) && a.entry == b.entry;
                                 }));
            }
        }
    }

    TEST_CASE("a list that is too short tells how many there were and is not overrun") {
        const Case c(wide_stage());
        const FarTree far(c.stage, c.folder);
        CHECK(far.bring_some(0.4f, 3) > 0);
        constexpr u32 kUntouched = 0xabadcafe;
        for (const bool is_any : {false, true}) {
            const Rays rays = mixed_rays(c.stage, c.tree, 500, is_any);
            for (const Variant& variant : all_variants(is_any)) {
                CAPTURE(variant.name);
                Rays whole = rays;
                const std::vector<PageWait> all = trace_far(variant, c.stage, far, whole);
                const auto total = static_cast<u32>(all.size());
                REQUIRE(total > 100);
                for (const u32 capacity : {0u, 1u, total / 2, total - 1, total}) {
                    std::vector<PageWait> items(total, PageWait{kUntouched, 0, 0, 0});
                    PageWaits waits{items.data(), 0, capacity};
                    Rays traced = rays;
                    shaders::TraceScene scene = traced.scene(c.stage, far.tree());
                    scene.waits = &waits;
                    far.inside(
                        [&] { variant.trace(scene, far.tree().root, traced, traced.all_ids()); });
                    CHECK(waits.count == total);
                    CHECK(waits.capacity == capacity);
                    u32 same = 0;
                    u32 untouched = 0;
                    for (u32 k = 0; k < total; ++k) {
                        same += place_of(items[k]) == place_of(all[k]) ? 1U : 0U;
                        untouched += items[k].slot == kUntouched ? 1U : 0U;
                    }
                    CHECK(same == capacity);
                    CHECK(untouched == total - capacity);
                    CHECK(count_differences(whole, traced) == 0);
                }
            }
        }
    }

    TEST_CASE("a tree in one page waits at its root and a blocked ray waits for nothing") {
        Stage stage;
        stage.add(triangle_soup(40, 0.3f, 9));
        stage.finish();
        const Case c(std::move(stage));
        for (const bool is_any : {false, true}) {
            const Rays rays = mixed_rays(c.stage, c.tree, 300, is_any);
            const Rays truth = trace_group(c.stage, c.tree, rays, Isa::Sse4, is_any);
            for (const Variant& variant : all_variants(is_any)) {
                CAPTURE(variant.name);
                const FarTree far(c.stage, c.folder);
                REQUIRE(far.tree_page_count() == 1);
                REQUIRE(shaders::is_page(far.tree().root));
                Rays traced = rays;
                const std::vector<PageWait> waits = trace_far(variant, c.stage, far, traced);
                CHECK(waits.size() > 200);
                CHECK(waits.size() <= 300);
                CHECK(is_sound(waits, rays, far));
                visit_all(variant, c.stage, far, traced, waits, 1);
                CHECK(count_differences(truth, traced) == 0);
            }
        }
        const FarTree far(c.stage, c.folder);
        for (const Variant& variant : all_variants(true)) {
            Rays blocked = mixed_rays(c.stage, c.tree, 300, true);
            for (shaders::TraceRay& ray : blocked.rays) {
                ray.t = -1;
            }
            CHECK(trace_far(variant, c.stage, far, blocked).empty());
        }
    }
}

}  // namespace weft::accel
