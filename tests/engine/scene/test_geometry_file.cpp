// test_geometry_file.cpp — vectors in a geometry file hold what vectors in memory hold, and a scene
// whose triangles lie in one is the same scene.
#include <csignal>
#include <cstdlib>
#include <new>
#include <numeric>
#include <random>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/model/arena.h"
#include "engine/scene/model/geometry_file.h"
#include "scheduler/base/memory_limit.h"
#include "tests/engine/scene/gltf_writer.h"
#include "tests/engine/scene/scene_files.h"

namespace weft::scene::testing {

namespace {

constexpr u64 kCacheBytes = u64{1} << 20;
constexpr u64 kMebibyte = u64{1} << 20;

using Words = std::vector<u32, GeometryAllocator<u32>>;

std::shared_ptr<GeometryFile> file_in(const Folder& folder) {
    auto made = GeometryFile::make({kCacheBytes, folder.file("cache")});
    REQUIRE_MESSAGE(made.is_ok(), made.error().sentence);
    return made.value();
}

// No file may grow beyond so many bytes, which stands for a full disk.
class FullDisk {
public:
    explicit FullDisk(u64 bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &former_);
        const rlimit small{bytes, former_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    }

    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &former_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    void (*handler_)(int);
    rlimit former_{};
};

bool are_same(const Scene& a, const Scene& b) {
    return a.indices == b.indices && a.positions == b.positions && a.normals == b.normals &&
           a.tangents == b.tangents && a.uvs == b.uvs && a.colors == b.colors &&
           a.meshes.size() == b.meshes.size() && a.instances.size() == b.instances.size();
}

ImportConfig with_budget(const Folder& folder) {
    ImportConfig config;
    config.geometry_memory = {kCacheBytes, folder.file("cache")};
    return config;
}

// A mesh of 2 n² triangles.
Writer wavy_grid(u32 n) {
    std::vector<float> positions;
    std::vector<u32> corners;
    for (u32 row = 0; row <= n; ++row) {
        for (u32 column = 0; column <= n; ++column) {
            const u32 height = (row * 7 + column * 13) % 5;
            for (const u32 value : {column, height, row}) {
                positions.push_back(static_cast<float>(value));
            }
            if (row < n && column < n) {
                const u32 at = row * (n + 1) + column;
                for (const u32 corner : {at, at + n + 1, at + 1, at + 1, at + n + 1, at + n + 2}) {
                    corners.push_back(corner);
                }
            }
        }
    }
    Writer writer;
    const std::size_t position = writer.add_vec3(positions);
    const std::size_t index = writer.add(corners, "SCALAR", 5125, corners.size());
    writer.add_mesh({{"attributes", {{"POSITION", position}}}, {"indices", index}});
    return writer;
}

std::string glb_of(const Writer& writer) {
    Json json = writer.json;
    json["buffers"] = {{{"byteLength", writer.buffer.size()}}};
    std::string text = json.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string file;
    const auto put = [&file](u32 word) {
        file.append(reinterpret_cast<const char*>(&word), sizeof word);
    };
    put(0x46546c67);  // "glTF"
    put(2);
    put(static_cast<u32>(28 + text.size() + writer.buffer.size()));
    put(static_cast<u32>(text.size()));
    put(0x4e4f534a);  // "JSON"
    file += text;
    put(static_cast<u32>(writer.buffer.size()));
    put(0x004e4942);  // "BIN"
    file.append(writer.buffer.begin(), writer.buffer.end());
    return file;
}

}  // namespace

TEST_SUITE("engine/scene/geometry_file") {
    TEST_CASE("a vector in the file holds what a vector in memory holds") {
        const Folder folder("geometry_file");
        const auto file = file_in(folder);
        std::minstd_rand random(7);
        std::vector<u32> plain;
        Words filed{GeometryAllocator<u32>(file)};
        for (u32 step = 0; step < 200; ++step) {
            const std::size_t count = random() % 200'000;
            switch (random() % 4) {
                case 0:
                    plain.resize(count * 8);
                    filed.resize(count * 8);
                    break;
                case 1: {
                    std::vector<u32> more(count);
                    std::iota(more.begin(), more.end(), step);
                    plain.insert(plain.end(), more.begin(), more.end());
                    filed.insert(filed.end(), more.begin(), more.end());
                    break;
                }
                case 2:
                    plain.push_back(step);
                    filed.push_back(step);
                    break;
                default: {
                    Words copy = filed;
                    filed = std::move(copy);
                }
            }
            REQUIRE(plain.size() == filed.size());
        }
        CHECK(std::equal(plain.begin(), plain.end(), filed.begin()));
        CHECK(file->taken_bytes() > 0);
        CHECK(file->figures().open_bytes <= kCacheBytes);
        CHECK(file->figures().closed > 1000);
        filed = Words();
        CHECK(file->taken_bytes() == 0);
    }

    TEST_CASE("ranges that were given back are zeros when they are taken again") {
        const Folder folder("geometry_file");
        const auto file = file_in(folder);
        void* const first = file->take(3 * kMebibyte);
        void* const second = file->take(kMebibyte + 1);
        REQUIRE(first != nullptr);
        REQUIRE(second != nullptr);
        std::fill_n(static_cast<u32*>(first), 3 * kMebibyte / 4, 5U);
        std::fill_n(static_cast<u32*>(second), kMebibyte / 4, 6U);
        CHECK(file->give_back(first, 3 * kMebibyte));
        CHECK(file->give_back(second, kMebibyte + 1));
        CHECK(file->taken_bytes() == 0);
        // Both ranges together are one again.
        void* const joined = file->take(4 * kMebibyte);
        CHECK(joined == first);
        const auto* const words = static_cast<const u32*>(joined);
        CHECK(std::all_of(words, words + kMebibyte, [](u32 word) { return word == 0; }));
        CHECK(file->give_back(joined, 4 * kMebibyte));
        // Small ranges, and places elsewhere, are not the file's.
        CHECK(file->take(GeometryFile::kLeastRangeBytes - 1) == nullptr);
        u32 elsewhere = 0;
        CHECK(!file->give_back(&elsewhere, kMebibyte));
        CHECK(file->why_full().empty());
    }

    TEST_CASE("threads that write different vectors at once find their own words") {
        const Folder folder("geometry_file");
        const auto file = file_in(folder);
        std::vector<Words> vectors;
        for (u32 t = 0; t < 4; ++t) {
            vectors.emplace_back(GeometryAllocator<u32>(file));
        }
        {
            std::vector<std::jthread> threads;
            for (u32 t = 0; t < 4; ++t) {
                threads.emplace_back([&vectors, t] {
                    for (u32 k = 0; k < 1'000'000; ++k) {
                        vectors[t].push_back(k * 4 + t);
                    }
                });
            }
        }
        for (u32 t = 0; t < 4; ++t) {
            u64 wrong = 0;
            for (u32 k = 0; k < 1'000'000; ++k) {
                wrong += vectors[t][k] == k * 4 + t ? 0U : 1U;
            }
            CHECK(wrong == 0);
        }
        CHECK(file->figures().open_bytes <= kCacheBytes);
    }

    TEST_CASE("copies of an arena in the file stay there") {
        const Folder folder("geometry_file");
        const auto file = file_in(folder);
        GeometryArena<u32> first{GeometryAllocator<u32>(file)};
        first.resize(1'000'000);
        GeometryArena<u32> second = first;
        CHECK(second.shares_with(first));
        second[1] = 7;
        CHECK(file->taken_bytes() == 8 * 1'000'448);  // whole pages
        second.assign(std::size_t{500'000}, 3);
        CHECK(file->taken_bytes() < 8 * 1'000'000);
        second.clear();
        second.resize(600'000);
        CHECK(file->taken_bytes() > 6 * 1'000'000);
        CHECK(second.allocator().maybe_file() == file);
    }

    TEST_CASE("a scene whose triangles lie in a file is the same scene") {
        const Folder folder("geometry_file");
        const std::vector<std::string> sources = {
            "procedural:rubble:300k", "procedural:terrain:200k", "procedural:spheres:100k"};
        const Scene plain = read(sources);
        const Scene filed = read(sources, with_budget(folder));
        CHECK(are_same(plain, filed));
        const auto file = filed.positions.allocator().maybe_file();
        REQUIRE(file != nullptr);
        CHECK(file->taken_bytes() >= plain.positions.size() * sizeof(float));
        CHECK(file->figures().open_bytes <= kCacheBytes);
        // The next frame of an animation shares the file.
        ImportConfig next;
        next.former = &filed;
        const Scene later = read({"procedural:rubble:300k"}, next);
        CHECK(later.positions.allocator().maybe_file() == file);
    }

    TEST_CASE("a glTF file larger than the budget gives the same scene") {
        const Folder folder("geometry_file");
        const Writer writer = wavy_grid(400);
        // As a .glb, and as text with a buffer beside it.
        folder.write("grid.glb", glb_of(writer));
        folder.write("grid.bin", std::string(writer.buffer.begin(), writer.buffer.end()));
        Json text = writer.json;
        text["buffers"] = {{{"byteLength", writer.buffer.size()}, {"uri", "grid.bin"}}};
        folder.write("grid.gltf", text.dump());
        for (const char* const name : {"grid.glb", "grid.gltf"}) {
            CAPTURE(name);
            const Scene plain = read({folder.file(name)});
            CHECK(plain.indices.size() == std::size_t{6} * 400 * 400);
            const auto file = file_in(folder);
            Scene filed;
            filed.indices = GeometryArena<u32>(GeometryAllocator<u32>(file));
            REQUIRE(import_gltf(folder.file(name), {}, filed).is_ok());
            CHECK(plain.indices == filed.indices);
            CHECK(file->figures().closed > (writer.buffer.size() >> 12));
            CHECK(file->figures().open_bytes <= kCacheBytes);
            CHECK(are_same(plain, read({folder.file(name)}, with_budget(folder))));
        }
        // A file that is cut off ends with its sentence.
        folder.write("grid.bin", std::string(writer.buffer.begin(), writer.buffer.end() - 1));
        const auto cut = import_scene({folder.file("grid.gltf")}, with_budget(folder));
        REQUIRE(!cut.is_ok());
        CHECK(cut.error().sentence.find("/buffers/0/byteLength is") != std::string::npos);
    }

    TEST_CASE("a disk without room leaves the triangles in memory and notes it") {
        const Folder folder("geometry_file");
        const Scene plain = read({"procedural:rubble:300k"});
        const Scene scene = [&] {
            const FullDisk disk(2 * kMebibyte);
            return read({"procedural:rubble:300k"}, with_budget(folder));
        }();
        CHECK(are_same(plain, scene));
        REQUIRE(!scene.notes.empty());
        CHECK(scene.notes.back().sentence.find("has no room (File too large), so triangles") !=
              std::string::npos);
    }

    TEST_CASE("a disk without room is an error of output where memory has none either") {
        const Folder folder("geometry_file");
        const FullDisk disk(2 * kMebibyte);
        base::set_memory_limit(base::resident_bytes() + 8 * kMebibyte);
        const auto scene = import_scene({"procedural:rubble:3M"}, with_budget(folder));
        base::set_memory_limit(0);
        REQUIRE(!scene.is_ok());
        CHECK(scene.error().kind == base::ErrorKind::Output);
        CHECK(scene.error().sentence.find(
                  folder.file("cache") +
                  " has no room (File too large), and the triangles of procedural:rubble:3M do "
                  "not fit") == 0);
    }

    TEST_CASE("a folder that takes no file leaves the triangles in memory and notes it") {
        const Folder folder("geometry_file");
        ImportConfig config;
        config.geometry_memory = {kCacheBytes, folder.write("cache", "a file")};
        CHECK(read({"procedural:rubble:1k"}, config).notes.empty());  // needs none
        const Scene scene = read({"procedural:rubble:300k"}, config);
        CHECK(are_same(scene, read({"procedural:rubble:300k"})));
        REQUIRE(!scene.notes.empty());
        CHECK(scene.notes.back().sentence.find(folder.file("cache") + " takes no file (") == 0);
    }
}

}  // namespace weft::scene::testing
