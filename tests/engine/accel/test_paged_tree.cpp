// test_paged_tree.cpp — what becomes of a tree whose page file cannot be written, and what a page
// file is named by.
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <sys/resource.h>

#include <doctest/doctest.h>

#include "engine/accel/paged_tree.h"
#include "engine/accel/surface_pages.h"
#include "engine/pages/page_folder.h"
#include "tests/engine/accel/test_stage.h"
#include "tests/engine/pages/sample_tree.h"

namespace weft::accel {

namespace {

using TestFolder = pages::testing::TestFolder;

constexpr u64 kPageBytes = u64{16} << 10;
const PagingConfig kPages = {.page_bytes = kPageBytes};

// Files of this process may not grow beyond so many bytes, as on a full disk.
class FullDisk {
public:
    explicit FullDisk(u64 free_bytes) {
        ::getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit small{free_bytes, old_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }

    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, old_reaction_);
    }

private:
    struct rlimit old_ {};

    void (*old_reaction_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

Stage paged_stage() {
    Stage stage;
    stage.add(triangle_soup(3000, 0.1f, 1));
    const u32 mesh = stage.add_mesh(triangle_soup(500, 0.1f, 2));
    stage.add_instance(mesh);
    stage.add_instance(mesh, 0, {1, 0, 0, 0.5f, 0, 1, 0, 0, 0, 0, 1, 0});
    stage.finish();
    return stage;
}

std::size_t count_in(const std::string& folder) {
    const std::filesystem::directory_iterator files(folder);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

TEST_SUITE("engine/accel/paged_tree") {
    TEST_CASE("a full disk leaves the tree in memory where the budget holds it") {
        const Stage stage = paged_stage();
        const TestFolder folder;
        const Acceleration whole = must_build(stage);
        const Rays rays = random_rays(1000, 1.5f, 3);
        std::string note;
        const PagingConfig paging = {.folder = folder.file("pages"),
                                     .budget_bytes = whole.size_bytes(),
                                     .page_bytes = kPageBytes,
                                     .on_note = [&note](const std::string& line) { note = line; }};
        for (const u64 free_bytes : {u64{0}, u64{4096}, whole.size_bytes() / 2}) {
            CAPTURE(free_bytes);
            note.clear();
            const auto made = [&] {
                const FullDisk disk(free_bytes);
                return page_acceleration(stage.scene(), {}, paging);
            }();
            REQUIRE(made.is_ok());
            CHECK(made.value().store == nullptr);
            CHECK(made.value().size_bytes() <= paging.budget_bytes);
            CHECK(made.value().figures.built_triangles == 3500);
            CHECK(note.find(paging.folder) == 0);
            CHECK(note.find("stays in memory") != std::string::npos);
            CHECK(count_in(paging.folder) == 0);
            for (const bool is_any : {false, true}) {
                const Rays truth = trace_group(stage, whole, rays, shaders::Isa::Sse4, is_any);
                CHECK(count_differences(
                          truth,
                          trace_group(stage, made.value(), rays, shaders::Isa::Sse4, is_any)) == 0);
            }
        }
        // With room again it is written.
        note.clear();
        PagingConfig roomy = paging;
        roomy.budget_bytes *= 2;
        const auto again = page_acceleration(stage.scene(), {}, roomy);
        REQUIRE(again.is_ok());
        CHECK(again.value().store != nullptr);
        CHECK(note.empty());
        CHECK(count_in(paging.folder) == 1);
    }

    TEST_CASE("a full disk is an error of output where the budget does not hold the tree") {
        const Stage stage = paged_stage();
        const TestFolder folder;
        const std::string pages = folder.file("pages");
        const u64 budget_bytes = must_build(stage).size_bytes() - 1;
        for (const u64 free_bytes : {u64{0}, u64{4096}, budget_bytes / 2}) {
            CAPTURE(free_bytes);
            const auto made = [&] {
                const FullDisk disk(free_bytes);
                return page_acceleration(
                    stage.scene(),
                    {},
                    {.folder = pages, .budget_bytes = budget_bytes, .page_bytes = kPageBytes});
            }();
            REQUIRE(!made.is_ok());
            CHECK(made.error().kind == base::ErrorKind::Output);
            CHECK(made.error().sentence.find("cannot be written") != std::string::npos);
            CHECK(count_in(pages) == 0);
        }
    }

    TEST_CASE("a folder that others may enter is refused however large the budget is") {
        const Stage stage = paged_stage();
        const TestFolder folder;
        const std::string pages = folder.file("pages");
        std::filesystem::create_directory(pages);
        std::filesystem::permissions(pages, std::filesystem::perms(0755));
        const auto made = page_acceleration(
            stage.scene(),
            {},
            {.folder = pages, .budget_bytes = u64{1} << 30, .page_bytes = kPageBytes});
        REQUIRE(!made.is_ok());
        CHECK(made.error().kind == base::ErrorKind::Output);
        CHECK(made.error().sentence == pages + ": others may enter it, expected mode 0700");
    }

    TEST_CASE("a file whose records are not those of the scene is built again") {
        const Stage stage = paged_stage();
        const TestFolder folder;
        const PagingConfig paging = {
            .folder = folder.file("pages"), .budget_bytes = u64{1} << 30, .page_bytes = kPageBytes};
        REQUIRE(page_acceleration(stage.scene(), {}, paging).is_ok());
        // Another file under the same name: whole, of the same fingerprint, without records.
        const std::string print = tree_fingerprint(stage.scene(), {}, kPages);
        const std::string path = pages::page_file_path(paging.folder, print);
        pages::ResidentTree other = pages::read_page_file(path, print).value();
        CHECK(are_surfaces_of(other, stage.scene(), {}));
        other.tables.back().record_count -= 1;
        CHECK_FALSE(are_surfaces_of(other, stage.scene(), {}));
        auto writer = pages::PageFileWriter::create({path, print, kPageBytes});
        REQUIRE(writer.is_ok());
        REQUIRE(writer.value()->finish({}, shaders::kRefEmpty).is_ok());
        const auto again = page_acceleration(stage.scene(), {}, paging);
        REQUIRE(again.is_ok());
        CHECK(again.value().figures.built_triangles == 3500);
        CHECK(again.value().store->records().tables.size() == stage.scene().meshes.size());
    }

    TEST_CASE("a fingerprint tells apart what trees are built from and nothing else") {
        const Stage stage = paged_stage();
        const BuildConfig plain;
        std::set<std::string> prints = {tree_fingerprint(stage.scene(), plain, kPages)};
        BuildConfig config = plain;
        config.thread_count = 1;
        prints.insert(tree_fingerprint(stage.scene(), config, kPages));
        config.is_visible = {true, true, true};
        prints.insert(tree_fingerprint(stage.scene(), config, kPages));
        // A copy with another colour.
        scene::Scene painted = stage.scene();
        painted.materials[0].record.base_color[0] = 0.25f;
        prints.insert(tree_fingerprint(painted, plain, kPages));
        CHECK(prints.size() == 1);
        // Everything else has a file of its own.
        prints.insert(tree_fingerprint(stage.scene(), plain, {.page_bytes = 2 * kPageBytes}));
        prints.insert(tree_fingerprint(
            stage.scene(), plain, {.page_bytes = kPageBytes, .subtree_bytes = kPageBytes / 2}));
        prints.insert(tree_fingerprint(
            stage.scene(), plain, {.page_bytes = kPageBytes, .record_page_bytes = kPageBytes / 2}));
        config.is_visible[1] = false;
        prints.insert(tree_fingerprint(stage.scene(), config, kPages));
        config.is_visible = {};
        config.is_flagged = {false, true, false};
        prints.insert(tree_fingerprint(stage.scene(), config, kPages));
        BuildConfig quick = plain;
        quick.is_high_quality = false;
        prints.insert(tree_fingerprint(stage.scene(), quick, kPages));
        BuildConfig thin = plain;
        thin.leaf_fill = 2;
        prints.insert(tree_fingerprint(stage.scene(), thin, kPages));
        scene::Scene moved = stage.scene();
        moved.instances[2].object_to_world[3] += 0x1p-20f;
        prints.insert(tree_fingerprint(moved, plain, kPages));
        CHECK(prints.size() == 9);
        // What shading reads, and which meshes are read by something else.
        scene::Scene bent = stage.scene();
        bent.normals.push_back(1);
        prints.insert(tree_fingerprint(bent, plain, kPages));
        scene::Scene mapped = stage.scene();
        mapped.uvs.push_back(1);
        prints.insert(tree_fingerprint(mapped, plain, kPages));
        BuildConfig lit = plain;
        lit.is_light = {true, false, false};
        prints.insert(tree_fingerprint(stage.scene(), lit, kPages));
        scene::Scene shining = stage.scene();
        shining.materials[0].record.emissive[1] = 2;
        prints.insert(tree_fingerprint(shining, plain, kPages));
        CHECK(prints.size() == 13);
    }
}

}  // namespace weft::accel
