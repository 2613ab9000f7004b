// test_slices.cpp — `--slice` and `weft merge`: all slices give the picture of one render, and what
// does not belong together is refused.
#include <csignal>
#include <filesystem>
#include <string>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "engine/trace/sample_version.h"
#include "tests/app/small_render.h"
#include "tests/app/verified_film.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

std::string slice_file(const TestFolder& folder, u32 number, const Words& more = {}) {
    const std::string path = folder.file("slice" + std::to_string(number) + ".exr");
    Words words = {"--slice", std::to_string(number) + "/3"};
    words.insert(words.end(), more.begin(), more.end());
    check_ends(small_render(path, words), kExitDone);
    return path;
}

}  // namespace

TEST_SUITE("app/slices") {
    TEST_CASE("all slices merged give every hash of one render in any order and nesting") {
        const TestFolder folder;
        const std::string whole = folder.file("whole.exr");
        check_ends(small_render(whole, {"--keep-film"}), kExitDone);
        const std::string first = slice_file(folder, 1);
        const std::string second = slice_file(folder, 2, {"-t", "1"});
        const std::string third = slice_file(folder, 3, {"--scheduler", "unkeyed"});
        const std::string merged = folder.file("merged.exr");
        const Ended straight = check_ends({"merge", merged, first, second, third}, kExitDone);
        CHECK(!says(straight, "missing"));
        CHECK(hashes_of_file(merged) == hashes_of_file(whole));
        CHECK(is_verified(merged));
        const std::string pair = folder.file("pair.exr");
        const Ended partial = check_ends({"merge", pair, third, first}, kExitDone);
        CHECK(
            says(partial, "of 12 samples per pixel these are missing: slice 2/3 (samples 4 to 7)"));
        check_ends({"merge", merged, second, pair}, kExitDone);
        CHECK(hashes_of_file(merged) == hashes_of_file(whole));
        // A picture for display shows the same pixels.
        check_ends({"merge", folder.file("merged.png"), merged}, kExitDone);
        check_ends({"render",
                    "cornell",
                    "--width",
                    "40",
                    "--spp",
                    "12",
                    "-o",
                    folder.file("whole.png"),
                    "-q"},
                   kExitDone);
        const Ended compared = run_weft(
            {"compare", folder.file("merged.png"), folder.file("whole.png"), "--metric", "rmse"});
        CHECK(compared.out == "rmse 0\n");
    }

    TEST_CASE("a merged picture states the same facts as a rendered one") {
        const TestFolder folder;
        const std::string whole = folder.file("whole.exr");
        const std::string merged = folder.file("merged.exr");
        check_ends(small_render(whole, {"--keep-film"}), kExitDone);
        const Ended ended = check_ends({"merge", merged, whole}, kExitDone);
        CHECK(says(ended, "weft: 1 film is in " + merged));
        const auto a = OIIO::ImageInput::open(whole);
        const auto b = OIIO::ImageInput::open(merged);
        REQUIRE(a);
        REQUIRE(b);
        for (const std::string name : {"version",
                                       "samples_per_pixel",
                                       "samples_per_pixel_mean",
                                       "pixels_without_samples",
                                       "seed",
                                       "sample_version",
                                       "arithmetic_class",
                                       "camera_name",
                                       "camera_to_world",
                                       "camera_yfov_rad",
                                       "dropped_samples"}) {
            CAPTURE(name);
            const std::string rendered(a->spec().get_string_attribute("weft:" + name));
            CHECK(!rendered.empty());
            CHECK(b->spec().get_string_attribute("weft:" + name) == rendered);
        }
    }

    TEST_CASE("overlapping and foreign and damaged slices are refused and no file appears") {
        const TestFolder folder;
        const std::string first = slice_file(folder, 1);
        const std::string merged = folder.file("merged.exr");
        const auto check_refused = [&](const Words& more, const std::string& sentence) {
            const std::string other = folder.file("other.exr");
            CAPTURE(sentence);
            Words words = {"--slice", "2/3"};
            words.insert(words.end(), more.begin(), more.end());
            check_ends(small_render(other, words), kExitDone);
            const Ended ended = check_ends({"merge", merged, first, other}, kExitScene);
            CHECK(says(ended, other + ": "));
            CHECK(says(ended, sentence));
            CHECK(folder.files() == std::vector<std::string>{"other.exr", "slice1.exr"});
        };
        check_refused({"--slice", "1/3"}, "samples 0 to 3, which the files before it hold already");
        check_refused({"--slice", "1/2", "--spp", "3"}, "sample 0, which");
        check_refused({"--seed", "1"}, "seed is 0 there and 1 here");
        check_refused({"--height", "39"}, "size is 40x40 there and 40x39 here");
        check_refused({"--filter", "box"}, "filter is blackman-harris there and box here");
        check_refused({"--max-bounces", "2"}, "limit of bounces is 8 there and 2 here");
        check_refused({"--clamp-indirect", "2"}, "clamp of indirect light is inf there and 2 here");
        check_refused({"--regularize", "0.3"},
                      "roughness of regularisation is none there and 0.3 here");
        check_refused({"--guiding", "on"}, "guiding of paths is none there and on here");
        check_refused({"--fov", "30"}, "field of view in radians is 0.6719518 there and 0.5235988");
        check_refused({"--environment-color", "1,1,1"}, "another environment");
        check_refused({"--clip-plane", "1,0,0,0"}, "list of clip planes is none there");
        check_refused({"--isa", "sse4"}, "arithmetic class is fma there and sse4 here");
        check_refused({"--pixelbounds", "0,20,0,20"}, "crop is");
        const std::string bytes = film::bytes_of(first);
        film::put_bytes(folder.file("other.exr"), bytes.substr(0, bytes.size() / 2));
        check_ends({"merge", merged, first, folder.file("other.exr")}, kExitScene);
        CHECK(folder.files() == std::vector<std::string>{"other.exr", "slice1.exr"});
    }

    TEST_CASE("slices of orthographic cameras belong together where their heights are equal") {
        const TestFolder folder;
        const Words flat = {"--set", "camera/orthographic=true"};
        const std::string first = slice_file(folder, 1, flat);
        Words unseen = flat;
        unseen.insert(unseen.end(), {"--set", "camera/xmag=3", "--set", "camera/lens_radius_m=1"});
        const std::string second = slice_file(folder, 2, unseen);
        check_ends({"merge", folder.file("merged.exr"), first, second}, kExitDone);
        Words high = flat;
        high.insert(high.end(), {"--set", "camera/ymag=2"});
        const std::string third = slice_file(folder, 3, high);
        const Ended ended = check_ends({"merge", folder.file("b.exr"), first, third}, kExitScene);
        CHECK(says(ended,
                   "lens is orthographic, half height 1 m there and orthographic, half height 2 m "
                   "here"));
    }

    TEST_CASE("slices with samples of another version are merged with their like alone") {
        const TestFolder folder;
        const std::string first = slice_file(folder, 1);
        const std::string second = slice_file(folder, 2);
        const std::string merged = folder.file("merged.exr");
        const std::string other = folder.file("other.checkpoint");
        const std::string here = std::to_string(trace::kSampleVersion);
        const std::string next = std::to_string(trace::kSampleVersion + 1);
        for (const std::string& there : {next, std::string("none")}) {
            save_with_sample_version(second, other, there == next ? trace::kSampleVersion + 1 : 0);
            const Ended ended = check_ends({"merge", merged, other, first}, kExitScene);
            CHECK(says(ended, first + ": a part of another picture than " + other));
            CHECK(says(ended,
                       "(version of the samples is " + there + " there and " + here + " here)"));
            CHECK(!std::filesystem::exists(merged));
        }
        const std::string former = folder.file("former.checkpoint");
        save_with_sample_version(first, former, 0);
        check_ends({"merge", merged, former, other}, kExitDone);
    }

    TEST_CASE("slices that make no sense are refused as usage") {
        const TestFolder folder;
        for (const char* slice : {"0/3", "4/3", "1", "a/b", "1/0", "1/3/5", "13/13"}) {
            CAPTURE(std::string(slice));
            const Ended ended =
                check_ends(small_render(folder.file("a.exr"), {"--slice", slice}), kExitUsage);
            CHECK(says(ended, "--slice"));
        }
        const Ended flat = check_ends(
            {"render", "cornell", "-o", folder.file("a.png"), "--slice", "1/2"}, kExitUsage);
        CHECK(says(flat, "--slice needs an .exr file"));
        check_ends({"merge", folder.file("a.exr")}, kExitUsage);
        CHECK(folder.files().empty());
        film::put_bytes(folder.file("a.exr"), "yesterday");
        check_ends({"merge", folder.file("a.exr"), folder.file("a.exr")}, kExitUsage);
        CHECK(film::bytes_of(folder.file("a.exr")) == "yesterday");
    }

    TEST_CASE("merge keeps an existing picture with -u and replaces it without") {
        const TestFolder folder;
        const std::string first = slice_file(folder, 1);
        const std::string merged = folder.file("merged.exr");
        film::put_bytes(merged, "yesterday");
        CHECK(says(check_ends({"merge", "-u", merged, first}, kExitDone), "is kept"));
        CHECK(film::bytes_of(merged) == "yesterday");
        check_ends({"merge", merged, first}, kExitDone);
        CHECK(hashes_of_file(merged) == hashes_of_file(first));
    }
}

}  // namespace weft::app::testing
