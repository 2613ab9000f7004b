// test_world_regions.cpp — every drawable baked triangle lies in one region, and no region has more
// than it may.
#include <algorithm>

#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include "engine/accel/world_regions.h"
#include "tests/engine/accel/test_stage.h"

namespace weft::accel {

namespace {

bool is_less(const SplitItem& a, const SplitItem& b) {
    return a.owner != b.owner ? a.owner < b.owner : a.index < b.index;
}

bool is_same(const SplitItem& a, const SplitItem& b) {
    return a.owner == b.owner && a.index == b.index;
}

std::vector<u32> all_instances(const Stage& stage) {
    std::vector<u32> instances(stage.scene().instances.size());
    for (u32 k = 0; k < instances.size(); ++k) {
        instances[k] = k;
    }
    return instances;
}

// Checks sizes and order, and returns the triangles of all regions, sorted.
std::vector<SplitItem> all_triangles(const WorldRegions& regions, u64 most_triangles) {
    std::vector<SplitItem> all;
    for (std::size_t region = 0; region < regions.size(); ++region) {
        const std::vector<SplitItem> some = regions.triangles_of(region);
        CHECK(!some.empty());
        CHECK(some.size() <= most_triangles);
        CHECK(std::is_sorted(some.begin(), some.end(), is_less));
        all.insert(all.end(), some.begin(), some.end());
    }
    CHECK(all.size() == regions.triangle_count());
    std::sort(all.begin(), all.end(), is_less);
    return all;
}

// The slow way: ask each triangle.
std::vector<SplitItem> drawable_triangles(const Stage& stage) {
    FarMarks far(stage.scene().instances.size());
    std::vector<SplitItem> all;
    for (u32 k = 0; k < stage.scene().instances.size(); ++k) {
        const u32 mesh = stage.scene().instances[k].mesh;
        for (u32 p = 0; p < stage.scene().meshes[mesh].record.triangle_count; ++p) {
            if (is_drawable(world_corners(stage.scene(), k, p), k, far)) {
                all.push_back({k, p});
            }
        }
    }
    return all;
}

}  // namespace

TEST_SUITE("engine/accel/world_regions") {
    TEST_CASE("every drawable triangle is in one region of at most the size asked for") {
        Stage stage;
        stage.add(triangle_soup(5000, 0.1f, 1));
        stage.add(triangle_soup(300, 0.01f, 2));
        stage.finish();
        const std::vector<SplitItem> truth = drawable_triangles(stage);
        for (const u64 most : {u64{1}, u64{7}, u64{500}, u64{5300}, u64{1} << 40}) {
            CAPTURE(most);
            FarMarks far(stage.scene().instances.size());
            const WorldRegions regions =
                WorldRegions::cut(stage.scene(), all_instances(stage), most, far);
            const std::vector<SplitItem> all = all_triangles(regions, most);
            CHECK(std::equal(all.begin(), all.end(), truth.begin(), truth.end(), is_same));
            CHECK((regions.size() == 1) == (most >= truth.size()));
        }
    }

    TEST_CASE("triangles that no plane parts are cut by their number") {
        // One centroid for all of them.
        Stage stage;
        std::vector<Corners> pile;
        for (u32 k = 0; k < 100; ++k) {
            const float size = 1 + static_cast<float>(k);
            pile.push_back({Point{size, 0, 0}, Point{-size, size, 0}, Point{0, -size, 0}});
        }
        stage.add(pile);
        stage.finish();
        FarMarks far(1);
        const WorldRegions regions = WorldRegions::cut(stage.scene(), {0}, 16, far);
        CHECK(regions.size() == 7);
        CHECK(all_triangles(regions, 16).size() == 100);
    }

    TEST_CASE("regions do not depend on the number of threads") {
        Stage stage;
        stage.add(triangle_soup(200'000, 0.02f, 3));
        stage.finish();
        const auto cut_by = [&](int threads) {
            FarMarks far(1);
            return tbb::task_arena(threads).execute(
                [&] { return WorldRegions::cut(stage.scene(), {0}, 3000, far); });
        };
        const WorldRegions one = cut_by(1);
        const WorldRegions two = cut_by(2);
        REQUIRE(one.size() == two.size());
        CHECK(one.size() > 66);
        u64 different = 0;
        for (std::size_t region = 0; region < one.size(); ++region) {
            const std::vector<SplitItem> a = one.triangles_of(region);
            const std::vector<SplitItem> b = two.triangles_of(region);
            different += std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same) ? 0U : 1U;
        }
        CHECK(different == 0);
    }

    TEST_CASE("a scene without drawable triangles has no region") {
        Stage stage;
        stage.add({{Point{0, 0, 0}, Point{1, 1, 1}, Point{2, 2, 2}}});
        stage.finish();
        FarMarks far(1);
        CHECK(WorldRegions::cut(stage.scene(), {0}, 16, far).size() == 0);
        CHECK(WorldRegions::cut(stage.scene(), {}, 16, far).size() == 0);
    }
}

}  // namespace weft::accel
