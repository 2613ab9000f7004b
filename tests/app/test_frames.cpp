// test_frames.cpp — frames of an animation: which are rendered, how files are named, and that a
// frame depends on its number alone.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "app/command/frame_range.h"
#include "app/shutter.h"
#include "tests/app/moving_scene.h"
#include "tests/app/small_render.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using scene::testing::Json;

Words frames(const std::string& scene, const std::string& output, const Words& more) {
    Words words = {"render",
                   scene,
                   "-o",
                   output,
                   "--width",
                   "24",
                   "--height",
                   "16",
                   "--spp",
                   "4",
                   "--keep-film",
                   "--progress",
                   "none"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void check_usage(const Words& more, const std::string& sentence) {
    const Ended ended = check_ends(frames("cornell", "frame.##.exr", more), kExitUsage);
    CHECK(says(ended, sentence));
}

}  // namespace

TEST_SUITE("app/frames") {
    TEST_CASE("a list of frames has numbers and ranges with steps") {
        using Frames = std::vector<u32>;
        CHECK(parse_frames("7") == Frames{7});
        CHECK(parse_frames("1,3,5..8") == Frames{1, 3, 5, 6, 7, 8});
        CHECK(parse_frames("1-10x4,2") == Frames{1, 5, 9, 2});
        CHECK(parse_frames("0..0") == Frames{0});
        CHECK(parse_frames("9999998..9999999") == Frames{9999998, 9999999});
        for (const char* wrong : {"",
                                  ",",
                                  "1,",
                                  "a",
                                  "-1",
                                  "5..1",
                                  "1..",
                                  "..2",
                                  "1x2",
                                  "1..4x0",
                                  "5..9x4294967295",
                                  "1.5",
                                  "1-2-3",
                                  "10000000",
                                  "0..9999999",
                                  "1 2",
                                  "1..4x"}) {
            CAPTURE(wrong);
            CHECK(!parse_frames(wrong));
        }
    }

    TEST_CASE("a name's number signs become digits of the frame") {
        CHECK(name_of_frame("a.####.exr", 7) == "a.0007.exr");
        CHECK(name_of_frame("#/b##.png", 123) == "123/b123.png");
        CHECK(name_of_frame("plain.exr", 7) == "plain.exr");
    }

    TEST_CASE("a frame is the file at rest with the values of its time and the same in any range") {
        const TestFolder folder;
        const std::string scene = write_moving(folder);
        // The camera frames the scene at rest in all frames.
        check_ends(frames(scene, folder.file("range.##.exr"), {"-f", "0..24x12"}), kExitDone);
        check_ends(frames(scene, folder.file("one.#.exr"), {"-s", "12", "-e", "13", "-j", "5"}),
                   kExitDone);
        check_ends(frames(scene, folder.file("rest.exr"), {}), kExitDone);
        check_ends(frames(scene, folder.file("faster.exr"), {"-f", "6", "--fps", "12"}), kExitDone);
        const std::string middle = hashes_of_file(folder.file("range.12.exr"));
        CHECK(hashes_of_file(folder.file("one.12.exr")) == middle);
        CHECK(hashes_of_file(folder.file("faster.exr")) == middle);
        CHECK(hashes_of_file(folder.file("range.00.exr")) ==
              hashes_of_file(folder.file("rest.exr")));
        CHECK(hashes_of_file(folder.file("range.24.exr")) != middle);
        CHECK(!std::filesystem::exists(folder.file("one.13.exr")));
        // The same moment, made with an edit of the scene at rest.
        check_ends(frames(scene,
                          folder.file("edited.exr"),
                          {"--set", "nodes/node 0/transform=[1,0,0,1,0,1,0,0,0,0,1,0]"}),
                   kExitDone);
        CHECK(hashes_of_file(folder.file("edited.exr")) == middle);
    }

    TEST_CASE("what a frame takes over from the one before changes no bit") {
        const TestFolder folder;
        scene::testing::Writer writer;
        writer.add_triangle();
        writer.json["materials"] = {{{"name", "paint"}}};
        writer.json["meshes"][0]["primitives"][0]["material"] = 0;
        writer.json["cameras"] = {
            {{"type", "perspective"}, {"perspective", {{"yfov", 0.8}, {"znear", 0.1}}}}};
        writer.json["nodes"].push_back({{"camera", 0}, {"translation", {0.3, 0.3, 3}}});
        writer.json["scenes"][0]["nodes"] = {0, 1};
        // Second by second: camera, material, transform, nothing moves.
        const auto animate = [&](const Json& target,
                                 const std::vector<float>& times,
                                 const std::vector<float>& values,
                                 const char* type,
                                 std::size_t width) {
            const std::size_t input = writer.add(times, "SCALAR", 5126, times.size());
            const std::size_t output = writer.add(values, type, 5126, values.size() / width);
            Json& animation = writer.json["animations"][0];
            animation["channels"].push_back(
                {{"sampler", animation["samplers"].size()}, {"target", target}});
            animation["samplers"].push_back({{"input", input}, {"output", output}});
        };
        animate(
            {{"node", 1}, {"path", "translation"}}, {0, 1}, {0.3F, 0.3F, 3, 0, 0, 2}, "VEC3", 3);
        animate({{"path", "pointer"},
                 {"extensions",
                  {{"KHR_animation_pointer",
                    {{"pointer", "/materials/0/pbrMetallicRoughness/metallicFactor"}}}}}},
                {1, 2},
                {1, 0},
                "SCALAR",
                1);
        animate({{"node", 0}, {"path", "translation"}}, {2, 3}, {0, 0, 0, 0.5F, 0, 0}, "VEC3", 3);
        const std::string scene = folder.file("changing.gltf");
        scene::testing::write_bytes(scene, writer.with_buffer().dump());
        const Words all = {"-f", "0..5", "--fps", "1"};
        check_ends(frames(scene, folder.file("range.#.exr"), all), kExitDone);
        for (u32 frame = 0; frame < 6; ++frame) {
            const std::string number = std::to_string(frame);
            check_ends(frames(scene, folder.file("alone.exr"), {"-f", number, "--fps", "1"}),
                       kExitDone);
            CAPTURE(frame);
            CHECK(hashes_of_file(folder.file("range." + number + ".exr")) ==
                  hashes_of_file(folder.file("alone.exr")));
        }
        CHECK(hashes_of_file(folder.file("range.0.exr")) !=
              hashes_of_file(folder.file("range.1.exr")));
        CHECK(hashes_of_file(folder.file("range.1.exr")) !=
              hashes_of_file(folder.file("range.2.exr")));
        CHECK(hashes_of_file(folder.file("range.2.exr")) !=
              hashes_of_file(folder.file("range.3.exr")));
    }

    TEST_CASE("moments of an exposure share the samples and are spread over it from the start") {
        RenderOptions options;
        REQUIRE(shutter_moments(options, 64).size() == 1);
        CHECK(shutter_moments(options, 64)[0].end == 64);
        options.shutter = 0.5F;
        for (const u32 count : {1U, 2U, 3U, 7U, 16U, 100U}) {
            options.shutter_moments = count;
            const std::vector<Moment> moments = shutter_moments(options, 37);
            REQUIRE(moments.size() == std::min(count, 37U));
            std::vector<double> offsets;
            u32 begin = 0;
            for (const Moment& moment : moments) {
                CHECK(moment.begin == begin);
                CHECK(moment.end > begin);
                begin = moment.end;
                offsets.push_back(moment.frame_offset);
            }
            CHECK(begin == 37);
            // Every second moment lies in the first half of the exposure.
            for (std::size_t i = 0; i + 1 < offsets.size() && moments.size() == 16; i += 2) {
                CHECK((offsets[i] < 0) != (offsets[i + 1] < 0));
            }
            std::sort(offsets.begin(), offsets.end());
            for (std::size_t i = 0; i < offsets.size(); ++i) {
                const double middle =
                    (static_cast<double>(i) + 0.5) / static_cast<double>(offsets.size()) - 0.5;
                CHECK(offsets[i] == doctest::Approx(0.5 * middle));
            }
        }
    }

    TEST_CASE("an exposure is the sum of its moments") {
        const TestFolder folder;
        const std::string scene = write_moving(folder);
        // Frame 3 at 6 fps, open for all of a frame: two moments at 11/24 s and 13/24 s.
        const Words blur = {
            "-f", "3", "--fps", "6", "--shutter", "1", "--shutter-moments", "2", "--spp", "8"};
        const std::string blurred = folder.file("blurred.exr");
        check_ends(frames(scene, blurred, blur), kExitDone);
        // The later moment comes first.
        const std::string late = folder.file("late.exr");
        const std::string early = folder.file("early.exr");
        check_ends(frames(scene, late, {"-f", "13", "--spp", "8", "--slice", "1/2"}), kExitDone);
        check_ends(frames(scene, early, {"-f", "11", "--spp", "8", "--slice", "2/2"}), kExitDone);
        base::Result<film::SavedFilm> sum = film::read_saved_film(late);
        const base::Result<film::SavedFilm> part = film::read_saved_film(early);
        REQUIRE(sum.is_ok());
        REQUIRE(part.is_ok());
        sum.value().film.add(part.value().film);
        CHECK(hashes_of_file(blurred) == sum.value().film.film_hash());
        // The same from slices that cut a moment, from a resumed render, and from other devices.
        Words sliced = blur;
        sliced.insert(sliced.end(), {"--slice", "1/3"});
        Words parts = {"merge", folder.file("merged.exr")};
        for (const char* slice : {"1/3", "2/3", "3/3"}) {
            sliced.back() = slice;
            const std::string file = folder.file(std::string("part") + slice[0] + ".exr");
            check_ends(frames(scene, file, sliced), kExitDone);
            parts.push_back(file);
        }
        check_ends(parts, kExitDone);
        CHECK(hashes_of_file(folder.file("merged.exr")) == hashes_of_file(blurred));
        Words device = blur;
        device.insert(device.end(), {"--device", "cpu+egpu", "--scheduler", "unkeyed"});
        check_ends(frames(scene, folder.file("device.exr"), device), kExitDone);
        CHECK(hashes_of_file(folder.file("device.exr")) == hashes_of_file(blurred));
        // Open for no time, it is the frame itself.
        check_ends(
            frames(scene, folder.file("still.exr"), {"-f", "3", "--fps", "6", "--shutter", "0"}),
            kExitDone);
        check_ends(frames(scene, folder.file("plain.exr"), {"-f", "12"}), kExitDone);
        CHECK(hashes_of_file(folder.file("still.exr")) == hashes_of_file(folder.file("plain.exr")));
    }

    TEST_CASE("the figures of devices and units count all moments of an exposure") {
        const TestFolder folder;
        const std::string scene = write_moving(folder);
        const auto stats_of = [&](const Words& more) {
            Words words = {"-f", "3", "--fps", "6", "--spp", "8", "--stats", folder.file("a.json")};
            words.insert(words.end(), more.begin(), more.end());
            check_ends(frames(scene, folder.file("a.exr"), words), kExitDone);
            return Json::parse(film::bytes_of(folder.file("a.json")));
        };
        const Words blur = {"--shutter", "1", "--shutter-moments", "4"};
        const Json cpu = stats_of(blur);
        for (const std::string device : {"egpu", "cpu+egpu"}) {
            CAPTURE(device);
            const Json still = stats_of({"--device", device});
            Words words = blur;
            words.insert(words.end(), {"--device", device});
            const Json stats = stats_of(words);
            u64 samples = 0;
            u64 camera_lanes = 0;
            double share = 0;
            for (const Json& one : stats.at("devices")) {
                samples += one.at("samples").get<u64>();
                camera_lanes += one.at("kernels").at("camera").at("lanes_active").get<u64>();
                share += one.at("share").get<double>();
            }
            u64 work = 0;
            for (const Json& unit : stats.at("run").at("units")) {
                work += unit.at("samples").get<u64>();
            }
            CHECK(samples == stats.at("samples").at("total"));
            CHECK(work == samples);
            CHECK(camera_lanes == samples);
            CHECK(share == doctest::Approx(1));
            CHECK(stats.at("rays").at("total") == cpu.at("rays").at("total"));
            // Each moment copies the scene to the device.
            const auto copied = [](const Json& all) {
                return all.at("devices").back().at("memory").at("copied_in_bytes").get<u64>();
            };
            CHECK(copied(stats) > 3 * copied(still));
        }
    }

    TEST_CASE("a scene that vanishes between two moments leaves the samples in the checkpoint") {
        const TestFolder folder;
        const std::string scene = write_moving(folder);
        const std::string away = folder.file("away.gltf");
        // Each of many moments reads the file.
        const Words blur = {"-f", "5", "--shutter", "1", "--shutter-moments", "500"};
        Words words = frames(scene, folder.file("a.exr"), blur);
        words.insert(words.end(), {"--spp", "20000", "--checkpoint", "--progress", "json"});
        WeftProcess process(words);
        REQUIRE(process.wait_until(has_samples));
        std::filesystem::rename(scene, away);
        const Ended ended = process.wait();
        CHECK(ended.exit_code == kExitScene);
        CHECK(says(ended, "; the samples until then are in " + folder.file("a.exr.checkpoint")));
        CHECK(folder.files() == std::vector<std::string>{"a.exr.checkpoint", "away.gltf"});
        const base::Result<film::SavedFilm> saved =
            film::read_saved_film(folder.file("a.exr.checkpoint"));
        REQUIRE(saved.is_ok());
        REQUIRE(saved.value().record.ranges.size() == 1);
        const film::SampleRange range = saved.value().record.ranges[0];
        CHECK(range.begin == 0);
        // Whole moments of 40 samples.
        CHECK(range.end > 0);
        CHECK(range.end % 40 == 0);
        CHECK(range.end == range.reach);
    }

    TEST_CASE("an exposure resumes in the middle of a moment") {
        const TestFolder folder;
        const std::string scene = write_moving(folder);
        const Words blur = {
            "-f", "5", "--shutter", "1", "--shutter-moments", "3", "--spp", "16000"};
        Words words = frames(scene, folder.file("a.exr"), blur);
        words.insert(words.end(), {"--checkpoint", "--progress", "json"});
        WeftProcess process(words);
        REQUIRE(process.wait_until(has_samples));
        process.send(SIGTERM);
        const Ended ended = process.wait();
        CHECK(ended.exit_code == kExitSignal);
        CHECK(hashes_of_file(folder.file("a.exr")) ==
              hashes_of_file(folder.file("a.exr.checkpoint")));
        Words again = blur;
        again.push_back("--resume");
        check_ends(frames(scene, folder.file("a.exr"), again), kExitDone);
        check_ends(frames(scene, folder.file("b.exr"), blur), kExitDone);
        CHECK(hashes_of_file(folder.file("a.exr")) == hashes_of_file(folder.file("b.exr")));
        // The parts of an exposure depend on the number of samples.
        again.insert(again.end(), {"--spp", "20000"});
        const Ended refused = check_ends(frames(scene, folder.file("a.exr"), again), kExitScene);
        CHECK(says(refused, "exposure is"));
    }

    TEST_CASE("options that name no frames are refused") {
        check_usage({"-f", "5..1"}, "expected frames such as 1,3,5..10 or 1-100x3, found 5..1");
        check_usage({"-f", "1", "-e", "3"}, "exclude each other");
        check_usage({"-s", "3"}, "need --frame-end");
        check_usage({"-s", "3", "-e", "2"}, "--frame-start 3 lies behind --frame-end 2");
        check_usage({"-f", "1,2", "-o", "same.exr"}, "-o same.exr: several frames need a #");
        check_usage({"-f", "1,2", "--stats", "same.json"},
                    "--stats same.json: several frames need a #");
        check_usage({"-f", "1,2", "--checkpoint=same"},
                    "--checkpoint same: several frames need a #");
        check_usage({"--shutter", "0.5"}, "expected --frames as well");
        check_usage({"-f", "1", "--shutter", "2"}, "--shutter");
        check_usage({"-f", "1,2", "--debug-pixel", "1,1"}, "--debug-pixel explains one frame");
        const TestFolder folder;
        const Ended ended = check_ends(
            frames(write_moving(folder), folder.file("a.#.exr"), {"-f", "1", "--animation", "run"}),
            kExitUsage);
        CHECK(says(ended, "--animation run"));
    }

    TEST_CASE("a bad frame ends the range or is skipped and listed") {
        const TestFolder folder;
        const std::string scene = write_moving(folder);
        std::filesystem::create_directory(folder.file("a.2.exr"));
        const Ended ended =
            check_ends(frames(scene, folder.file("a.#.exr"), {"-f", "1..3"}), kExitOutput);
        CHECK(says(ended, "1 of 3 frames failed: 2 (code 4)"));
        CHECK(std::filesystem::exists(folder.file("a.1.exr")));
        CHECK(!std::filesystem::exists(folder.file("a.3.exr")));
        const Ended skipped =
            check_ends(frames(scene, folder.file("a.#.exr"), {"-f", "1..3", "--skip-bad-frames"}),
                       kExitOutput);
        CHECK(says(skipped, "1 of 3 frames failed: 2 (code 4)"));
        CHECK(std::filesystem::exists(folder.file("a.3.exr")));
    }

    TEST_CASE("existing frames are kept and frames resume from their own checkpoints") {
        const TestFolder folder;
        const std::string scene = write_moving(folder);
        const std::string name = folder.file("a.#.exr");
        check_ends(frames(scene, name, {"-f", "1,2", "--checkpoint"}), kExitDone);
        CHECK(std::filesystem::exists(folder.file("a.2.exr.checkpoint")));
        const Ended kept = check_ends(frames(scene, name, {"-f", "2..4x2", "-u"}), kExitDone);
        CHECK(says(kept, "a.2.exr exists and is kept"));
        CHECK(std::filesystem::exists(folder.file("a.4.exr")));
        check_ends(frames(scene, name, {"-f", "1,2", "--resume", "--spp", "9"}), kExitDone);
        check_ends(frames(scene, folder.file("b.#.exr"), {"-f", "1", "--spp", "9"}), kExitDone);
        CHECK(hashes_of_file(folder.file("a.1.exr")) == hashes_of_file(folder.file("b.1.exr")));
        // A checkpoint of another frame is refused.
        std::filesystem::copy_file(folder.file("a.1.exr.checkpoint"),
                                   folder.file("c.2.exr.checkpoint"));
        const Ended foreign =
            check_ends(frames(scene, folder.file("c.#.exr"), {"-f", "2", "--resume"}), kExitScene);
        CHECK(says(foreign, "a checkpoint of another picture"));
    }

    TEST_CASE("a signal ends the frame and the range") {
        const TestFolder folder;
        Words words = frames(write_moving(folder),
                             folder.file("a.#.exr"),
                             {"-f", "1..9", "--spp", "1000000", "--progress", "json"});
        WeftProcess process(words);
        REQUIRE(process.wait_until(has_samples));
        process.send(SIGTERM);
        const Ended ended = process.wait();
        CHECK(ended.exit_code == kExitSignal);
        CHECK(!says(ended, "frame 2"));
        CHECK(folder.files() == std::vector<std::string>{"a.1.exr", "moving.gltf"});
    }
}

}  // namespace weft::app::testing
