// test_texture_memory.cpp — `--texture-memory`: the same picture with any budget, memory that stays
// within it, and what happens where the disk has no room.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/own_mounts.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using nlohmann::json;

constexpr u64 kMebibyte = u64{1} << 20;
constexpr u32 kWallSide = 6;       // squares along each axis
constexpr u32 kPictureSide = 512;  // a picture of floats is 5.3 MiB with its levels
constexpr u32 kRows = 8;           // different ones of a picture

void put_number(std::string& bytes, u32 number, u32 size) {
    for (u32 k = 0; k < size; ++k) {
        bytes += static_cast<char>(number >> 8 * k & 255U);
    }
}

// A TIFF of 16 bits per channel, which become floats. Its strips of one row are few rows again and
// again, so that the file has 37 KiB.
std::string striped_picture(u32 number) {
    constexpr u32 kRowBytes = 8 * kPictureSide;
    constexpr u32 kDirectory = 8 + kRows * kRowBytes;
    constexpr u32 kEntries = 11;
    constexpr u32 kBits = kDirectory + 2 + 12 * kEntries + 4;
    constexpr u32 kOffsets = kBits + 8;
    constexpr u32 kCounts = kOffsets + 4 * kPictureSide;
    std::string bytes = {'I', 'I', 42, 0};
    put_number(bytes, kDirectory, 4);
    u32 state = number + 1;
    for (u32 value = 0; value < kRows * kPictureSide * 4; ++value) {
        state = state * 1664525U + 1013904223U;
        put_number(bytes, value % 4 == 3 ? 65535 : state >> 16, 2);
    }
    put_number(bytes, kEntries, 2);
    const auto put_entry = [&bytes](u32 tag, u32 type, u32 count, u32 value) {
        put_number(bytes, tag, 2);
        put_number(bytes, type, 2);
        put_number(bytes, count, 4);
        put_number(bytes, value, 4);
    };
    put_entry(256, 4, 1, kPictureSide);         // width
    put_entry(257, 4, 1, kPictureSide);         // height
    put_entry(258, 3, 4, kBits);                // bits of each channel
    put_entry(259, 3, 1, 1);                    // no compression
    put_entry(262, 3, 1, 2);                    // RGB
    put_entry(273, 4, kPictureSide, kOffsets);  // of the strips
    put_entry(277, 3, 1, 4);                    // channels
    put_entry(278, 4, 1, 1);                    // rows of a strip
    put_entry(279, 4, kPictureSide, kCounts);   // bytes of the strips
    put_entry(284, 3, 1, 1);                    // pixel by pixel
    put_entry(338, 3, 1, 2);                    // straight alpha
    put_number(bytes, 0, 4);
    for (u32 channel = 0; channel < 4; ++channel) {
        put_number(bytes, 16, 2);
    }
    for (u32 row = 0; row < kPictureSide; ++row) {
        put_number(bytes, 8 + (row + row / 64 + number) % kRows * kRowBytes, 4);
    }
    for (u32 row = 0; row < kPictureSide; ++row) {
        put_number(bytes, kRowBytes, 4);
    }
    return bytes;
}

void put_floats(std::string& bytes, const std::vector<float>& values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

// A wall of squares, each with a picture of its own.
std::string wall_of_pictures(const TestFolder& folder) {
    std::string buffer;
    put_floats(buffer, {0, 1, 1, 1, 1, 0, 0, 0});
    const std::vector<u32> corners = {0, 1, 2, 0, 2, 3};
    buffer.append(reinterpret_cast<const char*>(corners.data()), corners.size() * sizeof(u32));
    json scene = {
        {"asset", {{"version", "2.0"}}},
        {"scene", 0},
        {"scenes", {{{"nodes", json::array()}}}},
        {"samplers", {{{"magFilter", 9728}, {"minFilter", 9728}}}},
        {"bufferViews",
         {{{"buffer", 0}, {"byteLength", 32}},
          {{"buffer", 0}, {"byteOffset", 32}, {"byteLength", 24}}}},
        {"accessors",
         {{{"bufferView", 0}, {"componentType", 5126}, {"count", 4}, {"type", "VEC2"}},
          {{"bufferView", 1}, {"componentType", 5125}, {"count", 6}, {"type", "SCALAR"}}}}};
    for (u32 k = 0; k < kWallSide * kWallSide; ++k) {
        const std::string picture = std::to_string(k) + ".tif";
        film::put_bytes(folder.file(picture), striped_picture(k));
        const float x = static_cast<float>(k % kWallSide) * 2 / kWallSide - 1;
        const float y = static_cast<float>(k / kWallSide) * 2 / kWallSide - 1;
        constexpr float kStep = 2.0F / kWallSide;
        scene["bufferViews"].push_back(
            {{"buffer", 0}, {"byteOffset", buffer.size()}, {"byteLength", 48}});
        put_floats(buffer, {x, y, 0, x + kStep, y, 0, x + kStep, y + kStep, 0, x, y + kStep, 0});
        scene["accessors"].push_back({{"bufferView", k + 2},
                                      {"componentType", 5126},
                                      {"count", 4},
                                      {"type", "VEC3"},
                                      {"min", {x, y, 0}},
                                      {"max", {x + kStep, y + kStep, 0}}});
        scene["images"].push_back({{"uri", picture}});
        scene["textures"].push_back({{"source", k}});
        scene["materials"].push_back(
            {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", k}}}}}});
        scene["meshes"].push_back({{"primitives",
                                    {{{"attributes", {{"POSITION", k + 2}, {"TEXCOORD_0", 0}}},
                                      {"indices", 1},
                                      {"material", k}}}}});
        scene["nodes"].push_back({{"mesh", k}});
        scene["scenes"][0]["nodes"].push_back(k);
    }
    film::put_bytes(folder.file("wall.bin"), buffer);
    scene["buffers"] = {{{"uri", "wall.bin"}, {"byteLength", buffer.size()}}};
    film::put_bytes(folder.file("wall.gltf"), scene.dump());
    return folder.file("wall.gltf");
}

std::vector<std::string> wall_render(const TestFolder& folder,
                                     const std::vector<std::string>& more) {
    std::vector<std::string> words = {"render",
                                      folder.file("wall.gltf"),
                                      "--look-at",
                                      "0,0,3,0,0,0",
                                      "--fov",
                                      "37",
                                      "--width",
                                      "128",
                                      "--height",
                                      "128",
                                      "--spp",
                                      "64",
                                      "--max-bounces",
                                      "1",
                                      "-t",
                                      "2",
                                      "-o",
                                      folder.file("a.exr"),
                                      "--stats",
                                      folder.file("a.json"),
                                      "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

struct Rendered {
    json stats;
    u64 peak_bytes = 0;
};

Rendered rendered(const TestFolder& folder, const std::vector<std::string>& more) {
    const Ended ended = run_weft(wall_render(folder, more));
    CAPTURE(ended.err);
    REQUIRE(ended.exit_code == kExitDone);
    return {json::parse(film::bytes_of(folder.file("a.json"))), ended.peak_rss_bytes};
}

// What a render says and leaves where the file of its texels does not fit.
void check_no_room(const TestFolder& folder, const Ended& ended) {
    CAPTURE(ended.err);
    CHECK(ended.exit_code == kExitOutput);
    CHECK(lines_of(ended.err).size() == 1);
    CHECK(ended.err.find(": no room for ") != std::string::npos);
    CHECK(ended.err.find("--cache-dir") != std::string::npos);
    const std::vector<std::string> files = folder.files();
    CHECK(std::count(files.begin(), files.end(), "a.exr") == 0);
    CHECK(files.size() == kWallSide * kWallSide + 3);  // pictures, scene, its buffer, the folder
}

// False with sanitizers, which take several times the memory that the program allocates.
bool is_measured() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#else
    return true;
#endif
}

}  // namespace

TEST_SUITE("app/texture_memory") {
    TEST_CASE("any budget renders the same picture and bounds the memory of texels") {
        const TestFolder folder;
        wall_of_pictures(folder);
        const Rendered free = rendered(folder, {});
        const auto& all = free.stats["texels"];
        CHECK(all["bytes"].get<u64>() > 190 * kMebibyte);
        CHECK(all["budget_bytes"] == 0);
        CHECK(all["resident_bytes"] == all["bytes"]);
        const std::string cache = folder.file("cache");
        const std::vector<std::vector<std::string>> bounds = {
            {"--texture-memory", "32M", "--cache-dir", cache},
            {"--texture-memory", "16M", "--cache-dir", cache},
            {"--texture-memory", "1G", "--cache-dir", cache},
            {"--texture-memory", "32M", "--cache-dir", cache, "--device", "cpu+egpu"}};
        for (const std::vector<std::string>& bound : bounds) {
            CAPTURE(bound);
            const Rendered bounded = rendered(folder, bound);
            CHECK(bounded.stats["film_hash"] == free.stats["film_hash"]);
            const auto& texels = bounded.stats["texels"];
            CHECK(texels["bytes"] == all["bytes"]);
            const bool fits = texels["budget_bytes"].get<u64>() > texels["bytes"].get<u64>();
            CHECK(texels["resident_bytes"].get<u64>() <= texels["budget_bytes"].get<u64>());
            CHECK((texels["let_go"].get<u64>() == 0) == fits);
            // A device has a copy of all texels, which the budget does not bound.
            const bool has_copy = bound.size() > 4 && bound[5] == "cpu+egpu";
            if (is_measured() && !fits && !has_copy) {
                CHECK(bounded.peak_bytes + 130 * kMebibyte < free.peak_bytes);
            }
        }
    }

    TEST_CASE("a checkpoint of a bounded render is continued without the bound") {
        const TestFolder folder;
        wall_of_pictures(folder);
        const json whole = rendered(folder, {}).stats;
        rendered(folder,
                 {"--spp",
                  "2",
                  "--checkpoint",
                  "--texture-memory",
                  "32M",
                  "--cache-dir",
                  folder.file("cache")});
        const json resumed = rendered(folder, {"--resume"}).stats;
        CHECK(resumed["samples"]["found"].get<u64>() > 0);
        CHECK(resumed["film_hash"] == whole["film_hash"]);
    }

    TEST_CASE("budgets that are none are refused with what was expected") {
        for (const char* const wrong : {"0", "x", "-1G", "4K", "1.5G", ""}) {
            CAPTURE(wrong);
            const Ended ended = run_weft({"render", "cornell", "-n", "--texture-memory", wrong});
            CHECK(ended.exit_code == kExitUsage);
            CHECK(ended.err.find("--texture-memory") != std::string::npos);
            CHECK(ended.err.find("16M") != std::string::npos);
        }
        const Ended alone = run_weft({"render", "cornell", "-n", "--cache-dir", "/tmp"});
        CHECK(alone.exit_code == kExitUsage);
        CHECK(alone.err.find("--texture-memory") != std::string::npos);
    }

    TEST_CASE("a disk without room ends with one sentence and code 4 and leaves no file") {
        const TestFolder folder;
        wall_of_pictures(folder);
        const std::vector<std::string> words =
            wall_render(folder, {"--texture-memory", "32M", "--cache-dir", folder.file("cache")});
        // The shell counts the limit in blocks of 512 bytes.
        check_no_room(folder, run_weft(ShellScript{"ulimit -f 80000; exec \"$@\""}, words));
        const std::string mounted = std::string(unshare_command()) +
                                    " sh -c 'mount -t tmpfs -o size=40m none \"" +
                                    folder.file("cache") + "\" && exec \"$@\"' sh \"$@\"";
        if (has_mounts()) {
            check_no_room(folder, run_weft(ShellScript{mounted}, words));
        }
    }
}

}  // namespace weft::app::testing
