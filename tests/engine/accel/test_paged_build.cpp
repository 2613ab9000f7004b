// test_paged_build.cpp — a tree that is built into pages part by part has the hits of the tree that
// is built as a whole, bit by bit.
#include <doctest/doctest.h>

#include "engine/accel/paged_build.h"
#include "tests/engine/accel/paged_stage.h"

namespace weft::accel {

namespace {

using pages::testing::TestFolder;

// A tree that is built with the least memory, all of its pages read.
class PartTree {
public:
    PartTree(const Stage& stage, const TestFolder& folder) {
        const std::string path = folder.file("tree");
        auto writer = pages::PageFileWriter::create(
            {.path = path, .fingerprint = "test", .page_bytes = u64{16} << 10});
        REQUIRE_MESSAGE(writer.is_ok(), writer.error().sentence);
        auto built = build_into_pages(stage.scene(), {}, 0, *writer.value());
        REQUIRE_MESSAGE(built.is_ok(), built.error().sentence);
        built_triangles_ = built.value().built_triangles;
        is_held_ = built.value().source.is_held;
        tree_.root = built.value().tree.root;
        // What was written is what the file says.
        const auto read = pages::read_page_file(path, "test");
        REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
        CHECK(read.value().root == built.value().tree.root);
        CHECK(read.value().nodes.size() == built.value().tree.nodes.size());
        // Bring all pages.
        auto store = pages::PageStore::open(std::move(built.value().tree),
                                            {.path = path, .budget_bytes = u64{1} << 30});
        REQUIRE_MESSAGE(store.is_ok(), store.error().sentence);
        tree_.store = std::move(store.value());
        reader_ = tree_.store->join();
        for (u32 page = 0; page < page_count(); ++page) {
            for (u64 arrivals = tree_.store->arrivals();
                 tree_.store->fetch(reader_, page) != pages::Fetch::Near &&
                 !tree_.store->has_failed();
                 arrivals = tree_.store->arrivals()) {
                tree_.store->wait_beyond(arrivals);
            }
            tree_.store->end_walk(reader_, page);
        }
        REQUIRE(!tree_.store->has_failed());
    }

    [[nodiscard]] u32 page_count() const { return static_cast<u32>(tree_.store->figures().count); }

    [[nodiscard]] u64 built_triangles() const { return built_triangles_; }

    [[nodiscard]] const std::vector<bool>& is_held() const { return is_held_; }

    [[nodiscard]] Rays traced(const Stage& stage, const Rays& rays, bool is_any) const {
        tree_.store->enter(reader_);
        Rays done = trace_group(stage, tree_, rays, shaders::Isa::Sse4, is_any);
        tree_.store->leave(reader_);
        return done;
    }

private:
    Acceleration tree_;
    u64 built_triangles_ = 0;
    std::vector<bool> is_held_;
    u32 reader_ = 0;
};

// Checks the hits, and returns how many there were.
u32 compare(const Stage& stage, const Acceleration& whole, const PartTree& parts, u64 seed) {
    const Rays rays = random_rays(3000, 1.5f, seed);
    u32 hits = 0;
    for (const bool is_any : {false, true}) {
        const Rays truth = trace_group(stage, whole, rays, shaders::Isa::Sse4, is_any);
        CHECK(count_differences(truth, parts.traced(stage, rays, is_any)) == 0);
        hits += count_hits(truth);
    }
    CHECK(parts.built_triangles() == whole.figures.built_triangles);
    CHECK(parts.is_held() == whole.source.is_held);
    return hits;
}

math::Affine moved(float x, float y, float z) {
    return {0.8f, 0.1f, 0, x, -0.1f, 0.9f, 0.2f, y, 0, -0.2f, 0.7f, z};
}

}  // namespace

TEST_SUITE("engine/accel/paged_build") {
    TEST_CASE("regions and shared meshes have the hits of the tree built as a whole") {
        const TestFolder folder;
        Stage stage;
        const u32 veil = stage.add_material(veil_material(0.5f));
        stage.add(triangle_soup(60'000, 0.02f, 1));
        stage.add(triangle_soup(20'000, 0.03f, 2), veil);
        const u32 mesh = stage.add_mesh(triangle_soup(3000, 0.05f, 3));
        const u32 empty = stage.add_mesh({{Point{0, 0, 0}, Point{1, 1, 1}, Point{2, 2, 2}}});
        for (const float x : {-0.5f, 0.1f, 0.6f}) {
            stage.add_instance(mesh, 0, moved(x, 0.2f, -x));
            stage.add_instance(empty, 0, moved(x, 0, 0));
        }
        stage.add_instance(mesh, veil, moved(0, 0, 0.4f));
        stage.finish();
        CHECK(most_region_triangles(0) < 80'000 / 4);
        const PartTree parts(stage, folder);
        CHECK(parts.page_count() > 100);
        CHECK(compare(stage, must_build(stage), parts, 7) > 2000);
    }

    TEST_CASE("a scene of placements alone and one of a single region need no second part") {
        const TestFolder folder;
        Stage placed;
        const u32 mesh = placed.add_mesh(triangle_soup(2000, 0.1f, 4));
        placed.add_instance(mesh, 0, moved(0.2f, 0, 0));
        // Out of reach: one placement is left.
        placed.add_instance(mesh, 0, moved(3e18f, 0, 0));
        placed.finish();
        const Acceleration whole = must_build(placed);
        CHECK(!whole.source.is_held[1]);
        CHECK(compare(placed, whole, PartTree(placed, folder), 8) > 500);
        Stage single;
        single.add(triangle_soup(2000, 0.1f, 5));
        single.finish();
        CHECK(compare(single, must_build(single), PartTree(single, folder), 9) > 500);
        Stage tiny;
        tiny.add({{Point{-1, -1, 0}, Point{1, -1, 0}, Point{0, 1, 0}}});
        tiny.finish();
        CHECK(compare(tiny, must_build(tiny), PartTree(tiny, folder), 10) > 0);
    }

    TEST_CASE("a build that is stopped is an error and leaves no file") {
        const TestFolder folder;
        Stage stage;
        stage.add(triangle_soup(40'000, 0.05f, 6));
        stage.finish();
        auto writer = pages::PageFileWriter::create(
            {.path = folder.file("tree"), .fingerprint = "test", .page_bytes = u64{16} << 10});
        REQUIRE(writer.is_ok());
        u32 polls = 0;
        BuildConfig config;
        config.thread_count = 1;
        config.should_stop = [&polls] { return ++polls > 3; };
        const auto stopped = build_into_pages(stage.scene(), config, 0, *writer.value());
        REQUIRE(!stopped.is_ok());
        CHECK(stopped.error().kind == base::ErrorKind::Render);
        writer.value().reset();
        CHECK(folder.file_count() == 0);
    }
}

}  // namespace weft::accel
