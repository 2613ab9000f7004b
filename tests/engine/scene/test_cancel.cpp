// test_cancel.cpp — a cancelled import ends with an error, whichever part it has reached.
//
// is_cancelled() returns true from a counted call on, so that no test depends on time.
#include <algorithm>
#include <atomic>
#include <string>

#include <doctest/doctest.h>

#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"

namespace weft::scene::testing {

namespace {

// Returns true from the k-th call on; several threads call it.
class Patience {
public:
    explicit Patience(u64 first_yes) : first_yes_(first_yes) {}

    [[nodiscard]] ImportConfig config() {
        ImportConfig config;
        // relaxed: a count alone; the import joins its threads before it returns.
        config.is_cancelled = [this] {
            return asked_.fetch_add(1, std::memory_order_relaxed) + 1 >= first_yes_;
        };
        return config;
    }

    [[nodiscard]] u64 asked() const { return asked_.load(std::memory_order_relaxed); }

private:
    u64 first_yes_;
    std::atomic<u64> asked_{0};
};

u64 asks_of_whole_import(const std::string& source) {
    Patience patience(~u64{0});
    read({source}, patience.config());
    return patience.asked();
}

// Cancels at `tries` of its calls, the first and the last among them.
void check_cancels(const std::string& source, u64 fewest_parts, u64 tries) {
    CAPTURE(source);
    const u64 asks = asks_of_whole_import(source);
    CHECK(asks > fewest_parts);
    const u64 step = std::max<u64>(1, asks / tries);
    for (u64 k = 1; k <= asks; k = k + step > asks && k < asks ? asks : k + step) {
        CAPTURE(k);
        Patience patience(k);
        const auto scene = import_scene({source}, patience.config());
        REQUIRE_FALSE(scene.is_ok());
        CHECK(scene.error().kind == base::ErrorKind::Scene);
        CHECK(scene.error().sentence == source + ": was cancelled before all of it was read.");
    }
    Patience patience(asks + 1);
    CHECK(import_scene({source}, patience.config()).is_ok());
}

std::string triangle_rows(u32 count) {
    std::string text;
    for (u32 k = 0; k < count; ++k) {
        text += "v " + std::to_string(k) + " 0 0\nv 0 " + std::to_string(k + 1) + " 0\nv 0 0 1\n";
        text += "o part" + std::to_string(k) + "\nf -3 -2 -1\n";
    }
    return text;
}

std::string large_ply(u32 vertices) {
    std::string text = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(vertices) +
                       "\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
                       "property list uchar int vertex_indices\nend_header\n";
    for (u32 k = 0; k < vertices; ++k) {
        text += std::to_string(k) + ".25 " + std::to_string(k % 7) + ".5 1.125\n";
    }
    return text + "3 0 1 2\n";
}

}  // namespace

TEST_SUITE("engine/scene/cancel") {
    TEST_CASE("a procedural scene is cancelled between its shapes or rows") {
        // At least one call for each shape, or three for each row.
        check_cancels("procedural:rubble:20K", 30, 20);
        check_cancels("procedural:spheres:20K", 30, 20);
        check_cancels("procedural:terrain:20K", 290, 20);
    }

    TEST_CASE("a cancelled import allocates no memory for triangles") {
        // 12 GB of indices: more than this test has, and never allocated.
        Patience patience(1);
        const auto scene = import_scene({"procedural:rubble:1G"}, patience.config());
        REQUIRE_FALSE(scene.is_ok());
        CHECK(scene.error().sentence.find("was cancelled") != std::string::npos);
    }

    TEST_CASE("a glTF file is cancelled between its meshes and pictures") {
        check_cancels(WEFT_SOURCE_DIR "/scenes/interior.gltf", 30, 6);
        check_cancels(WEFT_SOURCE_DIR "/scenes/alpha_cutout.gltf", 4, 6);
    }

    TEST_CASE(
        "a file of assimp's is given up while it is read and between its pictures and meshes") {
        const Folder folder("cancel");
        write_picture<u8>(folder.file("red.png"), 1, 1, {255, 0, 0, 255});
        folder.write("parts.mtl", "newmtl red\nKd 1 1 1\nmap_Kd red.png\n");
        const std::string source =
            folder.write("parts.obj", "mtllib parts.mtl\nusemtl red\n" + triangle_rows(20));
        // The wait for the reader calls as often as the machine allows; each part calls once
        // besides.
        for (u64 k = 1; k <= 42; ++k) {
            CAPTURE(k);
            Patience patience(k);
            const auto scene = import_scene({source}, patience.config());
            REQUIRE_FALSE(scene.is_ok());
            CHECK(scene.error().sentence == source + ": was cancelled before all of it was read.");
        }
        Patience patience(~u64{0});
        CHECK(import_scene({source}, patience.config()).is_ok());
    }

    TEST_CASE("a large file of assimp's is cancelled at the first call") {
        const Folder folder("cancel_large");
        const std::string source = folder.write("large.ply", large_ply(100000));
        Patience patience(1);
        const auto scene = import_scene({source}, patience.config());
        REQUIRE_FALSE(scene.is_ok());
        CHECK(patience.asked() <= 3);
    }
}

}  // namespace weft::scene::testing
