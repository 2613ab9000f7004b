// test_memory_shortage.cpp — a render whose memory runs out between samples ends with 33, and keeps
// every sample that it has: in the picture, and in the checkpoint for a machine with more memory.
//
// The scenes hold a moment or a frame that needs several hundred mebibytes more than the others, so
// that the shortage comes at the same place on every machine. Or all of them do: then what is kept
// of one for the next counts, and is let go of where both do not fit.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/small_render.h"
#include "tests/app/verified_film.h"
#include "tests/engine/scene/gltf_writer.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using scene::testing::Json;

// Each takes a kibibyte and more, claimed before the first ray.
constexpr u32 kInstances = 400'000;

// A render of the small scene alone stays below this, and one of all the instances needs more than
// twice as much.
const std::string kSmallLimit = "300M";
const std::string kLargeLimit = "4G";

// Adds a node behind the triangle, with kInstances of it.
void add_crowd(scene::testing::Writer& writer) {
    writer.add_triangle();
    std::vector<float> places;
    places.reserve(std::size_t{3} * kInstances);
    for (u32 k = 0; k < kInstances; ++k) {
        const float along = static_cast<float>(k) / static_cast<float>(kInstances);
        places.insert(places.end(), {along, 1 - along, -1 - along});
    }
    const std::size_t place = writer.add_vec3(places);
    writer.json["nodes"].push_back(
        {{"mesh", 0},
         {"extensions",
          {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", place}}}}}}}});
    writer.json["scenes"][0]["nodes"] = {0, 1};
}

// Writes a triangle, and behind it so many of them that are seen in the interval [begin_s, end_s).
std::string write_crowd(const TestFolder& folder, float begin_s, float end_s) {
    scene::testing::Writer writer;
    writer.add_triangle();
    add_crowd(writer);
    const std::size_t times = writer.add(std::vector<float>{0, begin_s, end_s}, "SCALAR", 5126, 3);
    const std::size_t seen = writer.add(std::vector<u8>{0, 1, 0}, "SCALAR", 5121, 3);
    writer.json["nodes"][1]["extensions"]["KHR_node_visibility"] = {{"visible", false}};
    writer.json["animations"] = {
        {{"samplers", {{{"input", times}, {"output", seen}, {"interpolation", "STEP"}}}},
         {"channels",
          {{{"sampler", 0},
            {"target",
             {{"path", "pointer"},
              {"extensions",
               {{"KHR_animation_pointer",
                 {{"pointer", "/nodes/1/extensions/KHR_node_visibility/visible"}}}}}}}}}}}};
    const std::string path = folder.file("crowd.gltf");
    scene::testing::write_bytes(path, writer.with_buffer().dump());
    return path;
}

// Writes a triangle and a crowd that is always there. One of both nodes walks.
std::string write_walk(const TestFolder& folder, u32 node) {
    scene::testing::Writer writer;
    writer.add_triangle();
    add_crowd(writer);
    const std::size_t times = writer.add(std::vector<float>{0, 4}, "SCALAR", 5126, 2);
    const std::size_t way = writer.add_vec3({0, 0, 0, 0, 0, 1});
    writer.json["animations"] = {
        {{"samplers", {{{"input", times}, {"output", way}}}},
         {"channels", {{{"sampler", 0}, {"target", {{"node", node}, {"path", "translation"}}}}}}}};
    const std::string path = folder.file("walk.gltf");
    scene::testing::write_bytes(path, writer.with_buffer().dump());
    return path;
}

Words render_short(const std::string& scene, const std::string& output, const Words& more) {
    Words words = {"render",
                   scene,
                   "-o",
                   output,
                   "--width",
                   "24",
                   "--height",
                   "16",
                   "--spp",
                   "8",
                   "-t",
                   "2",
                   "--fps",
                   "2",
                   "--keep-film",
                   "--progress",
                   "none"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// The shutter is open from 0.25 s to 0.75 s; its two moments lie at 0.625 s, which comes first, and
// at 0.375 s, when the crowd is there.
const Words kExposure = {"-f", "1", "--shutter", "1", "--shutter-moments", "2"};

std::string write_crowded_moment(const TestFolder& folder) {
    return write_crowd(folder, 0.25F, 0.5F);
}

}  // namespace

TEST_SUITE("app/memory_shortage") {
    TEST_CASE("memory that runs out between samples ends with 33 and loses none of them") {
        if (!is_memory_measured()) {
            return;
        }
        const TestFolder folder;
        const std::string scene = write_crowded_moment(folder);
        const std::string picture = folder.file("a.exr");
        const std::string checkpoint = picture + ".checkpoint";
        const Words limited = with(kExposure, {"--memory-limit", kSmallLimit});
        const Ended ended = check_ends(
            render_short(
                scene, picture, with(limited, {"--checkpoint", "--stats", folder.file("a.json")})),
            kExitMemory);
        CHECK(says(ended, "out of memory between two moments of the exposure: "));
        CHECK(says(ended, "that --memory-limit allows"));
        CHECK(says(ended, "the samples until then are in " + picture));
        // The picture is whole and holds the samples of the first moment.
        CHECK(folder.files() ==
              std::vector<std::string>{"a.exr", "a.exr.checkpoint", "a.json", "crowd.gltf"});
        CHECK(is_verified(picture));
        const std::string half = folder.file("half.exr");
        check_ends(render_short(scene, half, with(kExposure, {"--slice", "1/2"})), kExitDone);
        const std::string kept = hashes_of_file(half);
        CHECK(hashes_of_file(picture) == kept);
        CHECK(hashes_of_file(checkpoint) == kept);
        const Json stats = Json::parse(film::bytes_of(folder.file("a.json")));
        CHECK(stats.at("samples").at("stopped_by") == "memory");
        CHECK(stats.at("samples").at("spp") == 4);
        // With the same limit nothing is added and nothing lost.
        check_ends(render_short(scene, picture, with(limited, {"--resume"})), kExitMemory);
        CHECK(hashes_of_file(picture) == kept);
        CHECK(hashes_of_file(checkpoint) == kept);
        // With a larger one it ends as a render that always had it.
        const Words roomy = with(kExposure, {"--memory-limit", kLargeLimit});
        check_ends(render_short(scene, picture, with(roomy, {"--resume"})), kExitDone);
        const std::string whole = folder.file("whole.exr");
        check_ends(render_short(scene, whole, kExposure), kExitDone);
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
        CHECK(hashes_of_file(whole) != kept);
    }

    TEST_CASE("an exposure whose first moment does not fit ends with 3 and writes nothing") {
        if (!is_memory_measured()) {
            return;
        }
        const TestFolder folder;
        // The crowd is there at 0.625 s.
        const std::string scene = write_crowd(folder, 0.5F, 0.75F);
        const Ended ended = check_ends(
            render_short(scene,
                         folder.file("a.exr"),
                         with(kExposure, {"--checkpoint", "--memory-limit", kSmallLimit})),
            kExitScene);
        CHECK(says(ended, "that --memory-limit allows"));
        CHECK(folder.files() == std::vector<std::string>{"crowd.gltf"});
    }

    TEST_CASE("frames before and after one that does not fit are written") {
        if (!is_memory_measured()) {
            return;
        }
        const TestFolder folder;
        // The crowd is there in frame 2.
        const std::string scene = write_crowd(folder, 0.75F, 1.25F);
        const Words range = {"-f", "1..3", "--memory-limit", kSmallLimit};
        const std::string output = folder.file("a.#.exr");
        const Ended stopped = check_ends(render_short(scene, output, range), kExitScene);
        CHECK(says(stopped, "1 of 3 frames failed: 2 (code 3)"));
        CHECK(folder.files() == std::vector<std::string>{"a.1.exr", "crowd.gltf"});
        const Ended skipped =
            check_ends(render_short(scene, output, with(range, {"--skip-bad-frames"})), kExitScene);
        CHECK(says(skipped, "1 of 3 frames failed: 2 (code 3)"));
        CHECK(folder.files() == std::vector<std::string>{"a.1.exr", "a.3.exr", "crowd.gltf"});
        for (const char* frame : {"a.1.exr", "a.3.exr"}) {
            CHECK(is_verified(folder.file(frame)));
        }
    }

    TEST_CASE("a range stays within the limit that each of its frames fits into") {
        if (!is_memory_measured()) {
            return;
        }
        // A frame of either scene takes some 440 MiB, two of them beside each other 570. What is
        // not counted: fragments of the heap, and the libraries that write files.
        constexpr u64 kMebibyte = u64{1} << 20;
        constexpr u64 kLimit = 492 * kMebibyte;
        constexpr u64 kUncounted = 4 * kMebibyte;
        for (const u32 walking : {0U, 1U}) {
            CAPTURE(walking);
            const TestFolder folder;
            const std::string scene = write_walk(folder, walking);
            const std::string output = folder.file("a.#.exr");
            const Words limited = {"--memory-limit", "492M", "--spp", "1"};
            const Ended alone = check_ends(
                render_short(scene, folder.file("alone.exr"), with(limited, {"-f", "3"})),
                kExitDone);
            CHECK(alone.peak_rss_bytes < kLimit);
            const Ended range =
                check_ends(render_short(scene, output, with(limited, {"-f", "2..3"})), kExitDone);
            CHECK(range.peak_rss_bytes < kLimit + kUncounted);
            CHECK(hashes_of_file(folder.file("a.3.exr")) ==
                  hashes_of_file(folder.file("alone.exr")));
        }
    }

    TEST_CASE("a moment that fits without the former one is rendered") {
        if (!is_memory_measured()) {
            return;
        }
        const TestFolder folder;
        const std::string scene = write_walk(folder, 1);
        const std::string picture = folder.file("a.exr");
        const Words few = with(kExposure, {"--spp", "2"});
        // Both moments beside each other take 711 MiB; one after the other at times 558.
        check_ends(render_short(scene, picture, with(few, {"--memory-limit", "600M"})), kExitDone);
        const std::string roomy = folder.file("roomy.exr");
        check_ends(render_short(scene, roomy, few), kExitDone);
        CHECK(hashes_of_file(picture) == hashes_of_file(roomy));
    }
}

}  // namespace weft::app::testing
